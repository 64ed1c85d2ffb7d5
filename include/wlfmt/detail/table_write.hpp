// Writing profiler summary tables, byte for byte as PyTorch does.
#ifndef WLFMT_DETAIL_TABLE_WRITE_HPP
#define WLFMT_DETAIL_TABLE_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "../table.hpp"
#include "decimal.hpp"
#include "out.hpp"
#include "runs.hpp"
#include "table_read.hpp"

#include "begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// ---- values as PyTorch prints them ----------------------------------------------------------------------------------

inline constexpr std::size_t max_value_chars = max_fixed_chars + 8;

inline char* write_time(char* out, double us) noexcept {
    const double unit = us >= 1e6 ? 1e6 : us >= 1e3 ? 1e3 : 1;
    out = write_fixed(out, us / unit, 3);
    if (us < 1e6) *out++ = us >= 1e3 ? 'm' : 'u';
    *out++ = 's';
    return out;
}

inline char* write_memory(char* out, const number& v) noexcept {
    const double bytes = v;
    const double size = bytes < 0 ? -bytes : bytes;
    constexpr double kb = 1024;
    if (size < kb) {
        // PyTorch counts whole bytes.
        const auto whole = static_cast<std::int64_t>(bytes);
        out = static_cast<double>(whole) == bytes ? write_integer(out, whole) : write_number(out, v);
        return write_bytes(out, " B", 2);
    }
    const double unit = size >= kb * kb * kb ? kb * kb * kb : size >= kb * kb ? kb * kb : kb;
    out = write_fixed(out, bytes / unit, 2);
    return write_bytes(out, unit == kb ? " KB" : unit == kb * kb ? " MB" : " GB", 3);
}

// Writes a value in its column's unit; at most max_value_chars. Nothing for a text, which is for the caller to write.
inline char* write_value(char* out, table::unit unit, const number& v) noexcept {
    const bool zero = v.is_integer() && v.integer() == 0;
    if (v.is_none()) return write_bytes(out, "--", 2);
    if (v.is_decimal() && (bits_of(v) & ~sign_bit) > infinity_bits) return write_bytes(out, "NaN", 3);
    if (!v.has_value()) return out;
    switch (unit) {
    case table::unit::percent:
        if (zero) break;
        out = write_fixed(out, v, 2);
        *out++ = '%';
        return out;
    case table::unit::microseconds: return zero ? write_number(out, v) : write_time(out, v);
    case table::unit::bytes: return write_memory(out, v);
    case table::unit::flops: return write_fixed(out, v, 3);
    default: break;
    }
    return write_number(out, v);
}

// ---- texts ----------------------------------------------------------------------------------------------------------

// The width of a text in characters.
WLFMT_INLINE std::size_t width_of(std::string_view s) noexcept {
    const char* p = s.data();
    std::size_t left = s.size();
    std::uint64_t bits = 0;
    for (; left >= 8; left -= 8, p += 8) bits |= load_eight(p);
    for (; left != 0; --left, ++p) bits |= static_cast<unsigned char>(*p);
    return WLFMT_LIKELY((bits & every_byte(0x80)) == 0) ? s.size() : count_characters(s);
}

// The bytes of the first n characters of a text that has more.
inline std::size_t prefix_size(std::string_view s, std::size_t n) noexcept {
    std::size_t at = 0;
    for (; n != 0; --n) at += character_size(s, at);
    return at;
}

// How a column without a width of its own gets one, and what becomes of a longer text.
struct column_limit {
    enum class cut : std::uint8_t { none, name, shapes, path };
    std::size_t most;  // characters
    cut longer;
};

inline column_limit limit_of(const table::column& c, bool first) noexcept {
    using cut = column_limit::cut;
    if (c.width != 0) return {0, cut::none};
    if (c.unit == table::unit::source) return {75, cut::path};
    if (c.name == "Input Shapes") return {80, cut::shapes};
    if (first || c.unit == table::unit::text) return {55, cut::name};
    return {0, cut::none};
}

// A text as PyTorch cuts it to a limit; `buffer` has room for the limit's characters.
inline constexpr std::size_t max_cut_bytes = 80 * 4;
inline std::string_view cut_to(column_limit limit, std::string_view s, char* buffer) noexcept {
    using cut = column_limit::cut;
    if (limit.longer == cut::none || s.size() <= limit.most) return s;
    const std::size_t width = width_of(s);
    if (width <= limit.most) return s;
    if (limit.longer == cut::shapes) return without_blanks(s.substr(0, prefix_size(s, limit.most)));
    char* end;
    if (limit.longer == cut::name) {
        const std::size_t kept = prefix_size(s, limit.most - 3);
        end = write_bytes(write_bytes(buffer, s.data(), kept), "...", 3);
    } else {
        const std::size_t dropped = prefix_size(s, width - limit.most + 3);
        end = write_bytes(write_bytes(buffer, "...", 3), s.data() + dropped, s.size() - dropped);
    }
    return view(buffer, end);
}

// ---- tables ---------------------------------------------------------------------------------------------------------

template <class Sink>
class table_writer {
public:
    table_writer(out<Sink>& to, const table::summary& one)
        : to_(to), one_(one), columns_{one.columns.data(), one.columns.size()}, swapped_(is_stack_and_flops(columns_)) {
        widths_.reserve(columns_.size());
        for (std::size_t n = 0; n != columns_.size(); ++n) widths_.push_back(width(n));
    }

    void write() {
        titles();
        rule();
        for (std::size_t n = 0; n != columns_.size(); ++n) cell(columns_[n].name, n);
        to_.put('\n');
        rule();
        const bool stacks = table::find(columns_, "Source Location") != columns_.size();
        for (std::size_t n = 0; n != one_.size(); ++n) {
            row(one_[n]);
            if (!stacks) continue;
            if (n < one_.frames.size()) frames(one_.frames[n]);
            blanks(columns_.size());
            to_.put('\n');
        }
        rule();
        for (const table::total& t : one_.totals) {
            to_.text(t.name);
            to_.literal(": ");
            to_.text(printed(t.value, table::unit::microseconds));
            to_.put('\n');
        }
    }

private:
    // The width of a column: its own, or the one PyTorch would give it.
    std::size_t width(std::size_t n) {
        // A shorter group of dashes would be none of a rule.
        constexpr std::size_t least = 3;
        const table::column& c = columns_[n];
        if (c.width != 0) return c.width < least ? least : c.width;
        const column_limit limit = limit_of(c, n == 0);
        constexpr std::size_t numbers = 12;
        if (limit.most == 0 || (n != 0 && limit.longer == column_limit::cut::name)) return numbers;
        std::size_t longest = 0;
        const auto count = [&](std::string_view s) {
            const std::size_t characters = width_of(s);
            if (characters > longest) longest = characters;
        };
        for (std::size_t r = 0; r != one_.size(); ++r) count(printed(one_[r][n], c.unit));
        if (c.unit == table::unit::source)
            for (const table::frame_list& stack : one_.frames)
                for (const std::string_view frame : stack) count(frame);
        constexpr std::size_t padding = 4;
        return longest + padding < limit.most ? longest + padding : limit.most;
    }

    // The text of a cell, or its value in a text of this writer's that lasts until the next one.
    WLFMT_INLINE std::string_view printed(const table::cell& c, table::unit unit) noexcept {
        if (WLFMT_LIKELY(!c.text.empty())) return c.text;
        if (c.value.is_text()) return c.value.text();
        return view(value_, write_value(value_, unit, c.value));
    }

    void titles() {
        if (one_.titles.empty()) return;
        std::size_t length = 0;
        for (const std::size_t w : widths_) length += w + gap;
        for (const std::string_view title : one_.titles) {
            to_.repeat('=', length > gap ? length - gap : 0);
            to_.put('\n');
            to_.text(title);
            to_.put('\n');
        }
    }
    void rule() {
        for (const std::size_t w : widths_) {
            to_.repeat('-', w);
            to_.literal("  ");
        }
        to_.put('\n');
    }
    // The blanks of the first n columns.
    void blanks(std::size_t n) {
        std::size_t length = 0;
        for (std::size_t k = 0; k != n; ++k) length += widths_[k] + gap;
        to_.repeat(' ', length);
    }

    // A text in column n.
    WLFMT_INLINE void cell(std::string_view s, std::size_t n) {
        const std::size_t characters = width_of(s);
        const std::size_t padding = characters < widths_[n] ? widths_[n] - characters : 0;
        const bool left = columns_[n].left_aligned;
        if (!left) to_.repeat(' ', padding);
        to_.text(s);
        to_.repeat(' ', left ? padding + gap : gap);
    }

    WLFMT_INLINE void row(const table::cell* cells) {
        const std::size_t plain = swapped_ ? columns_.size() - 2 : columns_.size();
        for (std::size_t n = 0; n != plain; ++n) cell(text(cells, n), n);
        if (swapped_) {
            // PyTorch formats FLOPs as {:8.3f}, which shows where the column is left-aligned.
            const std::string_view flops = text(cells, plain + 1);
            const std::size_t padding = flops.size() < 8 && flops != "--" && !flops.empty() ? 8 - flops.size() : 0;
            char padded[16] = "        ";
            if (flops.size() <= 8) write_bytes(padded + padding, flops.data(), flops.size());
            cell(flops.size() <= 8 ? view(padded, padded + padding + flops.size()) : flops, plain);
            cell(text(cells, plain), plain + 1);
        }
        to_.put('\n');
    }
    WLFMT_INLINE std::string_view text(const table::cell* cells, std::size_t n) noexcept {
        const std::string_view s = printed(cells[n], columns_[n].unit);
        return cut_to(limit_of(columns_[n], n == 0), s, cut_);
    }

    // The further frames of a row, in the last column.
    void frames(const table::frame_list& stack) {
        const std::size_t last = columns_.size() - 1;
        const column_limit limit = limit_of(columns_[swapped_ ? last - 1 : last], false);
        for (const std::string_view frame : stack) {
            blanks(last);
            cell(cut_to(limit, frame, cut_), last);
            to_.put('\n');
        }
    }

    static constexpr std::size_t gap = 2;
    out<Sink>& to_;
    const table::summary& one_;
    table::list<table::column> columns_;
    std::vector<std::size_t> widths_;
    bool swapped_;
    char value_[max_value_chars];
    char cut_[max_cut_bytes];
};

}  // namespace detail

namespace table {

template <class Sink>
void write(Sink& sink, const summary& one) {
    detail::out<Sink> to(sink);
    detail::table_writer<Sink>(to, one).write();
    to.finish();
}

template <class Sink>
void write(Sink& sink, const document& doc) {
    detail::out<Sink> to(sink);
    bool first = true;
    for (const summary& one : doc.tables) {
        if (!first) to.put('\n');
        first = false;
        detail::table_writer<Sink>(to, one).write();
    }
    to.finish();
}

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "end.hpp"
#endif
