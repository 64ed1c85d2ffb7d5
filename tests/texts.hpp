// Texts, and how they are read, for the tests, the fuzz targets and the benchmarks.
#ifndef WLFMT_TESTS_TEXTS_HPP
#define WLFMT_TESTS_TEXTS_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <wlfmt/types/error.hpp>

namespace test {

// A text in a heap block of exactly its size, so that the address sanitizer and valgrind see a read before or after it
// (a std::string has a terminator, and short ones live among other bytes).
class exact_buffer {
public:
    explicit exact_buffer(std::string_view text) : bytes_(new char[text.size()]), size_(text.size()) {
        std::copy(text.begin(), text.end(), bytes_.get());
    }
    std::string_view view() const noexcept { return {bytes_.get(), size_}; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

// The lines of a text, each with its end.
inline std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t size = (std::min)(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

inline wlfmt::options lenient() {
    wlfmt::options how;
    how.lenient = true;
    return how;
}

}  // namespace test

#endif
