// Finds the places at which texts can be cut.
#ifndef WLFMT_DETAIL_PIECES_CUT_HPP
#define WLFMT_DETAIL_PIECES_CUT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../table.hpp"
#include "../../types/pieces.hpp"
#include "../base/scan.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Cuts an op log: the first byte at or after `at` that begins a line, or the text's end.
class line_cuts {
public:
    explicit line_cuts(std::string_view text) noexcept : text_(text) {}
    std::size_t operator()(std::uint64_t at) const noexcept {
        if (at == 0) return 0;
        if (at >= text_.size()) return text_.size();
        const char* const begin = text_.data();
        const char* const end = begin + text_.size();
        const char* const line_end = find_far(begin + at - 1, end, '\n');
        return line_end == end ? text_.size() : static_cast<std::size_t>(line_end - begin) + 1;
    }

private:
    std::string_view text_;
};

// Cuts tables: after the last table that begins before `at`. If it is called for one place after the other, it reads
// the text once.
class table_cuts {
public:
    table_cuts(std::string_view text, const options& how) noexcept
        : size_(text.size()),
          tables_(text, lenient(how)),
          one_unit_(how.prefix == wlfmt::any_prefix && has_prefixed_rule(text)),
          any_(!one_unit_ && tables_.next_table()) {}
    std::size_t operator()(std::uint64_t at) noexcept {
        if (at >= size_ || (one_unit_ && at != 0)) return size_;
        while (any_ && tables_.table_offset() < at) {
            while (tables_.next() != nullptr) continue;
            end_ = static_cast<std::size_t>(tables_.offset());
            any_ = tables_.next_table();
        }
        return end_;
    }

private:
    // An error does not end a table.
    static options lenient(const options& how) noexcept {
        options to;
        to.lenient = true;
        to.prefix = how.prefix;
        return to;
    }
    // Where a rule follows a launcher's prefix, the lines of several tables may interleave: a reader that refuses the
    // first of them may have looked at lines after the others.
    static bool has_prefixed_rule(std::string_view text) noexcept {
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            const std::size_t size = table_lines<build>::table_prefix_size(line);
            if (size != 0 && size != no_prefix) return true;
            text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
        }
        return false;
    }

    std::size_t size_;
    table::reader tables_;
    bool one_unit_;        // the text is not cut
    bool any_;             // the reader is at a table that has not ended
    std::size_t end_ = 0;  // of the last table that was passed
};

template <class Cuts> piece piece_between(std::string_view text, Cuts&& cut, byte_range range) noexcept {
    const std::size_t begin = cut(range.begin);
    const std::size_t end = range.end <= range.begin ? begin : cut(range.end);
    return {text.substr(begin, end - begin), begin};
}

template <class Cuts> std::vector<piece> equal_pieces(std::string_view text, Cuts&& cut, std::size_t n) {
    std::vector<piece> all;
    if (text.empty()) return all;
    n = n == 0 ? 1 : n < text.size() ? n : text.size();
    const std::size_t share = text.size() / n;
    const std::size_t longer = text.size() % n;
    for (std::size_t part = 1, begin = 0; part <= n; ++part) {
        const std::size_t end = cut(part * share + (part < longer ? part : longer));
        if (end == begin) continue;
        all.push_back({text.substr(begin, end - begin), begin});
        begin = end;
    }
    return all;
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
