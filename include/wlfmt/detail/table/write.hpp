// Writing profiler summary tables, byte for byte as PyTorch does.
#ifndef WLFMT_DETAIL_TABLE_WRITE_HPP
#define WLFMT_DETAIL_TABLE_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "../../table.hpp"
#include "../core/decimal.hpp"
#include "../core/out.hpp"
#include "runs.hpp"
#include "read.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Values as PyTorch prints them.

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
    if (WLFMT_LIKELY(v.is_decimal())) {
        if (WLFMT_UNLIKELY((bits_of(v) & ~sign_bit) > infinity_bits)) return write_bytes(out, "NaN", 3);
    } else {
        if (v.is_none()) return write_bytes(out, "--", 2);
        const bool time_or_percent = unit == table::unit::microseconds || unit == table::unit::percent;
        if (!v.is_integer() || (v.integer() == 0 && time_or_percent)) return write_number(out, v);
    }
    switch (unit) {
    case table::unit::percent:
        out = write_fixed(out, v, 2);
        *out++ = '%';
        return out;
    case table::unit::microseconds: return write_time(out, v);
    case table::unit::bytes: return write_memory(out, v);
    case table::unit::flops: return write_fixed(out, v, 3);
    default: return write_number(out, v);
    }
}

// Texts.

// The width of a text in characters.
WLFMT_INLINE std::size_t width_of(std::string_view s) noexcept {
    const char* p = s.data();
    const char* const end = p + s.size();
    std::uint64_t bits = 0;
    if (s.size() >= 8) {
        for (; end - p > 8; p += 8) bits |= load_eight(p);
        bits |= load_eight(end - 8);
    } else {
        for (; p != end; ++p) bits |= static_cast<unsigned char>(*p);
    }
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

// Tables.

// Between columns, and behind the last one.
inline constexpr std::size_t column_gap = 2;
// A shorter group of dashes would be none of a rule.
inline constexpr std::size_t least_column_width = 3;
// What numbers have.
inline constexpr std::size_t default_column_width = 12;

// n spaces; stores up to 15 bytes behind them.
WLFMT_INLINE char* write_spaces(char* out, std::size_t n) noexcept {
    for (std::size_t at = 0; at < n; at += 16) std::memcpy(out + at, "                ", 16);
    return out + n;
}

template <class Sink>
class table_writer {
public:
    table_writer(out<Sink>& to, const table::summary& one)
        : to_(to), one_(one), columns_{one.columns.data(), one.columns.size()}, swapped_(is_stack_and_flops(columns_)) {
        slots_.reserve(columns_.size());
        for (std::size_t n = 0; n != columns_.size(); ++n) {
            const table::column& c = columns_[n];
            slots_.push_back({width(n), limit_of(c, n == 0), c.unit, c.left_aligned});
        }
    }

    void write() {
        titles();
        rule();
        for (std::size_t n = 0; n != columns_.size(); ++n) cell(columns_[n].name, slots_[n]);
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
    // A column as it is written.
    struct slot {
        std::size_t width;
        column_limit limit;
        table::unit unit;
        bool left_aligned;
    };

    // The width of a column: its own, or the one PyTorch would give it.
    std::size_t width(std::size_t n) {
        const table::column& c = columns_[n];
        if (c.width != 0) return c.width < least_column_width ? least_column_width : c.width;
        const column_limit limit = limit_of(c, n == 0);
        if (limit.longer == column_limit::cut::none || (n != 0 && limit.longer == column_limit::cut::name))
            return default_column_width;
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
    WLFMT_INLINE std::string_view printed(const table::cell& c, const slot& s) noexcept {
        const std::string_view text = printed(c, s.unit);
        if (WLFMT_LIKELY(s.limit.longer == column_limit::cut::none)) return text;
        return cut_to(s.limit, text, cut_);
    }

    std::size_t length_of(std::size_t columns) const noexcept {
        std::size_t length = 0;
        for (std::size_t n = 0; n != columns; ++n) length += slots_[n].width + column_gap;
        return length;
    }

    void titles() {
        const std::size_t length = length_of(columns_.size());
        for (const std::string_view title : one_.titles) {
            to_.repeat('=', length > column_gap ? length - column_gap : 0);
            to_.put('\n');
            to_.text(title);
            to_.put('\n');
        }
    }
    void rule() {
        for (const slot& s : slots_) {
            to_.repeat('-', s.width);
            to_.literal("  ");
        }
        to_.put('\n');
    }
    void blanks(std::size_t columns) { to_.repeat(' ', length_of(columns)); }

    WLFMT_INLINE void cell(std::string_view text, const slot& s) { cell(text, width_of(text), s); }
    WLFMT_INLINE void cell(std::string_view text, std::size_t characters, const slot& s) {
        const std::size_t padding = characters < s.width ? s.width - characters : 0;
        const std::size_t before = s.left_aligned ? 0 : padding;
        const std::size_t behind = s.left_aligned ? padding + column_gap : column_gap;
        constexpr std::size_t slack = 16;
        if (WLFMT_UNLIKELY(text.size() + padding + column_gap + slack > to_.most_room)) {
            to_.repeat(' ', before);
            to_.text(text);
            return to_.repeat(' ', behind);
        }
        char* p = write_spaces(to_.room(text.size() + padding + column_gap + slack), before);
        to_.take(write_spaces(copy_text(p, text), behind));
    }

    WLFMT_INLINE void row(const table::cell* cells) {
        const std::size_t count = slots_.size();
        const std::size_t plain = swapped_ ? count - 2 : count;
        for (std::size_t n = 0; n != plain; ++n) {
            const slot& s = slots_[n];
            if (cells[n].text.empty() && cells[n].value.has_value()) {
                const std::string_view printed = view(value_, write_value(value_, s.unit, cells[n].value));
                cell(printed, printed.size(), s);
            } else {
                cell(printed(cells[n], s), s);
            }
        }
        if (swapped_) {
            flops(printed(cells[count - 1], slots_[count - 1]), slots_[count - 2]);
            cell(printed(cells[count - 2], slots_[count - 2]), slots_[count - 1]);
        }
        to_.put('\n');
    }

    // PyTorch formats FLOPs as {:8.3f}, which shows where the column is left-aligned.
    void flops(std::string_view text, const slot& s) {
        constexpr std::size_t width = 8;
        char padded[width];
        const bool pad = text.size() < width && !is_missing_cell(text);
        if (!pad) return cell(text, s);
        std::memset(padded, ' ', width);
        std::memcpy(padded + width - text.size(), text.data(), text.size());
        cell(view(padded, padded + width), s);
    }

    // The further frames of a row, in the last column.
    void frames(const table::frame_list& stack) {
        const std::size_t last = slots_.size() - 1;
        const column_limit limit = slots_[swapped_ ? last - 1 : last].limit;
        for (const std::string_view frame : stack) {
            blanks(last);
            cell(cut_to(limit, frame, cut_), slots_[last]);
            to_.put('\n');
        }
    }

    out<Sink>& to_;
    const table::summary& one_;
    table::list<table::column> columns_;
    std::vector<slot> slots_;
    bool swapped_;
    char value_[max_value_chars];
    char cut_[max_cut_bytes];
};

// What reads back.

// Does a cell read back as it was written? A value only to the digits that are printed.
inline bool reads_back(const table::cell& written, const table::cell& read) noexcept {
    if (!written.text.empty()) return read.text == written.text;
    const number& v = written.value;
    if (v.is_text()) return read.text == v.text();
    const bool printed_as_none = v.is_decimal() && (bits_of(v) & ~sign_bit) > infinity_bits;
    return read.value.has_value() == (v.has_value() && !printed_as_none);
}

inline bool reads_back(const table::frame_list& written, const table::frame_list& read) noexcept {
    auto a = written.begin();
    auto b = read.begin();
    for (; a != written.end() && b != read.end(); ++a, ++b)
        if (*a != *b) return false;
    return !(a != written.end()) && !(b != read.end());
}

// The name of the first thing that differs between a table and what `back` reads, without data where there is none.
inline std::string_view first_difference(const table::summary& one, table::reader& back) noexcept {
    constexpr std::string_view columns = "columns";
    constexpr std::string_view rows = "rows";
    const auto name_of = [&](std::size_t n) { return one.columns[n].name.empty() ? columns : one.columns[n].name; };
    if (!back.next_table()) {
        // Foreign text is what bad titles are.
        const bool bad_titles = back.error().what == error_kind::foreign_text && !one.titles.empty();
        return bad_titles ? "titles" : columns;
    }
    if (back.columns().size() != one.columns.size()) return columns;
    for (std::size_t n = 0; n != one.columns.size(); ++n) {
        const table::column& a = one.columns[n];
        const table::column& b = back.columns()[n];
        const bool same_width = a.width == 0 || a.width == b.width;
        if (a.name != b.name || a.unit != b.unit || a.left_aligned != b.left_aligned || !same_width) return name_of(n);
    }
    if (back.titles().size() != one.titles.size()) return "titles";
    for (std::size_t n = 0; n != one.titles.size(); ++n)
        if (back.titles()[n] != one.titles[n]) return "titles";

    for (std::size_t n = 0; n != one.size(); ++n) {
        const table::row* const r = back.next();
        if (r == nullptr) {
            const std::size_t named = table::find({one.columns.data(), one.columns.size()}, back.error().field);
            return named != one.columns.size() ? name_of(named) : rows;
        }
        for (std::size_t c = 0; c != one.columns.size(); ++c)
            if (!reads_back(one[n][c], (*r)[c])) return name_of(c);
        if (!reads_back(one.row(n).frames, r->frames)) return "Source Location";
    }
    if (back.next() != nullptr || one.frames.size() > one.size()) return rows;
    if (!back.ok() && back.totals().empty()) return rows;
    if (!back.ok() || back.totals().size() != one.totals.size()) return "totals";
    for (std::size_t n = 0; n != one.totals.size(); ++n) {
        const table::total& a = one.totals[n];
        if (back.totals()[n].name != a.name || !reads_back(a.value, back.totals()[n].value)) return "totals";
    }
    return back.next_table() || !back.ok() ? rows : std::string_view();
}

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

inline error problem_of(const summary& one) {
    error e;
    const bool whole =
        one.columns.size() >= 2 && one.columns.size() <= max_columns && one.cells.size() % one.columns.size() == 0;
    if (whole) {
        std::string text;
        write(text, one);
        options how;
        how.strict = true;
        reader back(text, how);
        e.field = detail::first_difference(one, back);
        if (e.field.data() == nullptr && back.ok()) return e;
    } else {
        e.field = "columns";
    }
    e.what = error_kind::unwritable;
    return e;
}

inline error problem_of(const document& doc) {
    for (const summary& one : doc.tables) {
        const error e = problem_of(one);
        if (e) return e;
    }
    return {};
}

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"
#endif
