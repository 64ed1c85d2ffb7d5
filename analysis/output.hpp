// Where the analysis writes: a file of the C library, with a large buffer, or a text.
#ifndef WLFMT_ANALYSIS_OUTPUT_HPP
#define WLFMT_ANALYSIS_OUTPUT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace wlfmt::analysis {

// What a closed pipe does not take is dropped.
class output {
public:
    // Only counts what is appended.
    output() noexcept = default;
    explicit output(std::FILE* file) noexcept : file_(file) {}
    // Appends to a text, which must outlive the output. Nothing has to be flushed.
    explicit output(std::string& text) noexcept : diverted_(&text) {}

    void append(const char* bytes, std::size_t size) {
        size_ += size;
        if (diverted_ != nullptr) {
            diverted_->append(bytes, size);
        } else if (file_ != nullptr) {
            if (kept_.size() + size > capacity) flush();
            kept_.append(bytes, size);
        }
    }
    void append(std::string_view text) { append(text.data(), text.size()); }
    void put(char c) { append(&c, 1); }
    // Appends a number as Python prints it.
    void integer(std::int64_t n);
    void decimal(double v);
    void flush();
    // Whether all that was appended has been flushed.
    [[nodiscard]] bool empty() const noexcept { return kept_.empty(); }
    // Everything that is appended after this call is written to another file.
    void redirect(std::FILE* file);
    // Everything that is appended after this call goes into a text instead; null ends that. Returns the text before.
    std::string* divert(std::string* text) noexcept { return std::exchange(diverted_, text); }
    // How many bytes have been appended.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    // Whether the reader of the output is gone, so that there is nothing left to do.
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    [[nodiscard]] bool failed() const noexcept { return failed_ && !closed_; }
    // The system's number for why writing failed; 0 if it is not known.
    [[nodiscard]] int reason() const noexcept { return reason_; }

private:
    static constexpr std::size_t capacity = 1 << 20;
    std::FILE* file_ = nullptr;
    std::string kept_;
    std::string* diverted_ = nullptr;
    std::uint64_t size_ = 0;
    bool failed_ = false;
    bool closed_ = false;
    int reason_ = 0;
};

}  // namespace wlfmt::analysis

#endif
