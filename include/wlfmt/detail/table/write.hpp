// Writing profiler summary tables, byte for byte as PyTorch does.
#ifndef WLFMT_DETAIL_TABLE_WRITE_HPP
#define WLFMT_DETAIL_TABLE_WRITE_HPP

#include "../../types/error.hpp"
#include "../../types/table.hpp"
#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "../number/write.hpp"
#include "cell.hpp"
#include "check.hpp"
#include "print.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

WLFMT_INLINE void store_sixteen_spaces(char* p) noexcept { std::memcpy(p, "                ", 16); }
// Writes n spaces, and up to 15 more bytes, which later writing overwrites: the caller has room for them.
WLFMT_INLINE char* write_spaces(char* out, std::size_t n) noexcept {
    for (std::size_t at = 0; at < n; at += 16) store_sixteen_spaces(out + at);
    return out + n;
}

// Right-aligned cells.
//
// A row whose cells are right-aligned is written from its last cell to its first: what a cell stores before its text
// are blanks, which belong to its column, to the gap before it and to the cells before that one, which are written
// after it. So a cell takes a store or two, whatever its length.

// Blanks before `end`: `size` of them, and up to 15 more.
WLFMT_INLINE void put_spaces_before(char* end, std::size_t size) noexcept {
    for (std::size_t n = 0; n < size; n += aligned_block) store_sixteen_spaces(end - n - aligned_block);
}

// Stores the text of a cell of numbers that a reader has read, of at most 16 bytes, and blanks before it: 16 bytes.
#if defined(WLFMT_SSE2)
// Loads the 16 bytes before the text's end, which may begin before the text. They are inside the text that was read all
// the same: a row comes after a rule, a header and another rule, which together are longer than 16 bytes.
WLFMT_INLINE void put_read_text(char* end, std::string_view text) noexcept {
    alignas(16) static constexpr char ramp[32] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                                  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const sse2::m128i spaces = sse2::set1_epi8(' ');
    const sse2::m128i bytes = sse2::xor_si128(load_sixteen(text.data() + text.size() - aligned_block), spaces);
    const sse2::m128i kept = sse2::and_si128(bytes, load_sixteen(ramp + text.size()));
    sse2::storeu_si128(end - aligned_block, sse2::xor_si128(kept, spaces));
}
#else
WLFMT_INLINE void put_read_text(char* end, std::string_view text) noexcept {
    store_sixteen_spaces(end - aligned_block);
    copy_text(end - text.size(), text);
}
#endif

// Stores a value that is printed with few characters in its column's unit, and blanks before it: 16 to 19 bytes.
// Returns false for any other value; what is before `end` has then to be written again.
template <class Build = build> WLFMT_INLINE bool put_value(char* end, table::unit unit, const number& v) noexcept {
    std::uint64_t digits = 0;
    if (WLFMT_LIKELY(v.is_decimal())) {
        constexpr double most = 9999999;
        const double value = number_access::decimal(v);
        if (unit == table::unit::microseconds) {
            const printed_unit& in = unit_for(value, time_units<Build>);
            const double few = in.few < most ? in.few : most;
            if (WLFMT_UNLIKELY(!few_exact_digits(value, in.times, in.over, few, digits))) return false;
            std::memcpy(end - sizeof in.right, in.right, sizeof in.right);
            end -= in.suffix.size();
            store_eight(end - 16, every_byte(' '));
            write_right_aligned<3>(end, digits);
            return true;
        }
        if (unit != table::unit::percent || !few_exact_digits(value, 1, 100, most, digits)) return false;
        store_eight(end - 17, every_byte(' '));
        write_right_aligned<2>(end - 1, digits);
        end[-1] = '%';
        return true;
    }
    if (WLFMT_UNLIKELY(!v.is_integer())) return false;
    digits = static_cast<std::uint64_t>(number_access::integer(v));
    const bool few = digits < integer_powers_of_ten[8];
    const bool plain = unit == table::unit::count || unit == table::unit::other;
    const bool bare_zero = digits == 0 && (unit == table::unit::microseconds || unit == table::unit::percent);
    if (WLFMT_UNLIKELY(!few || !(plain || bare_zero))) return false;
    store_eight(end - 16, every_byte(' '));
    write_right_aligned<0>(end, digits);
    return true;
}

// Writes a table. Checked: looks at each part of it, too, and stops at the first that would not read back.
template <class Sink, bool Checked, class Build = build> class table_writer {
public:
    table_writer(out<Sink>& to, const table::profile& one) : to_(to), one_(one), columns_(one), check_(one, columns_) {}

    // Returns the problem of what would not read back: it may be written, and what comes after it is not.
    error write() {
        if (Checked && !check_.lines_before_rows()) return check_.found_problem();
        titles();
        rule();
        for (std::size_t n = 0; n != columns_.size(); ++n) cell(one_.columns[n].name, columns_[n]);
        to_.put('\n');
        rule();
        const bool stacks = one_.find_column("Source Location") != columns_.size();
        const std::size_t rows = one_.size();
        const std::size_t stacked = one_.frames.size();
        const table::cell* cells = one_.cells.data();
        for (std::size_t n = 0; n != rows; ++n, cells += columns_.size()) {
            if (WLFMT_UNLIKELY(!row(n, cells))) return check_.found_problem();
            if (Checked && n < stacked && !check_.frames(n)) return check_.found_problem();
            if (!stacks) continue;
            if (n < stacked) frames(one_.frames[n]);
            to_.repeat(' ', columns_.width());
            to_.put('\n');
        }
        if (Checked && !check_.lines_after_rows()) return check_.found_problem();
        rule();
        for (const table::total& t : one_.totals) {
            to_.text(t.name);
            to_.literal(": ");
            to_.text(table_printing::printed_cell(t.value, table::unit::microseconds, value_));
            to_.put('\n');
        }
        return {};
    }

private:
    void titles() {
        const std::uint64_t length = columns_.width();
        for (const std::string_view title : one_.titles) {
            to_.repeat('=', length > column_gap ? length - column_gap : 0);
            to_.put('\n');
            to_.text(title);
            to_.put('\n');
        }
    }
    void rule() {
        for (std::size_t n = 0; n != columns_.size(); ++n) {
            to_.repeat('-', columns_[n].width);
            to_.literal("  ");
        }
        to_.put('\n');
    }

    // `indent`: how many blanks of its own a text has before it.
    WLFMT_INLINE void cell(std::string_view text, const written_column& c, std::size_t indent = 0) {
        const std::size_t characters = indent + table_printing::width_of(text);
        const std::size_t padding = characters < c.width ? c.width - characters : 0;
        const std::size_t before = indent + (c.left_aligned ? 0 : padding);
        const std::size_t after = c.left_aligned ? padding : 0;
        constexpr std::size_t slack = 16;
        // 64 bits, as a width may be any number of 32 bits.
        const std::uint64_t room = std::uint64_t{text.size()} + indent + padding + column_gap + slack;
        if (WLFMT_UNLIKELY(room > to_.most_room)) {
            to_.repeat(' ', before);
            to_.text(text);
            to_.repeat(' ', after);
            return to_.repeat(' ', column_gap);
        }
        char* p = write_spaces(to_.room(static_cast<std::size_t>(room)), before);
        to_.take(write_spaces(copy_text(p, text), after + column_gap));
    }

    // Row n. Returns false if it is checked and would not read back.
    WLFMT_INLINE bool row(std::size_t n, const table::cell* cells) {
        if (WLFMT_LIKELY(columns_.aligned() && aligned_row(cells))) return true;
        if (Checked && !check_.any_row(n)) return false;
        any_row(cells);
        return true;
    }

    // Returns false if the row cannot be written this way, or, checked, if one of its cells is of no usual form;
    // nothing is written then. What put_read_text() and put_value() write is of a usual form, and not wider than its
    // column.
    WLFMT_INLINE bool aligned_row(const table::cell* cells) {
        const auto width = static_cast<std::size_t>(columns_.width());
        char* const begin = to_.room(width + 1);
        char* end = begin + width;
        *end = '\n';
        store_sixteen_spaces(end - aligned_block);
        const written_column* const first = columns_.begin();
        const written_column* column = columns_.end();
        const table::cell* const cells_end = cells + columns_.size();
        for (const table::cell* one = cells_end; --column != first;) {
            --one;
            end -= column_gap;
            const std::string_view text = one->text();
            if (WLFMT_LIKELY(text.size() - 1 < column->most_aligned && cell_access::is_marked(*one, column->mark))) {
                put_read_text(end, text);
            } else if (WLFMT_UNLIKELY(!text.empty() || !put_value(end, column->unit, one->value()))) {
                if (!put_text(end, *one, *column)) return false;
                end -= column->width;
                continue;
            }
            if (WLFMT_UNLIKELY(column->width > aligned_block - column_gap))
                put_spaces_before(end - aligned_block, column->width + column_gap - aligned_block);
            end -= column->width;
        }
        if (Checked && (!check_.is_usual_cell(*cells, 0) || !check_.are_usual_ends(*cells, cells_end[-1])))
            return false;
        // Nothing may be stored before the first column.
        const std::string_view text = table_printing::printed_cell(*cells, column->unit, value_);
        if (WLFMT_UNLIKELY(text.size() > column->width || table_printing::width_of(text) != text.size())) return false;
        end -= column_gap;
        for (char* p = begin; end - p > static_cast<std::ptrdiff_t>(aligned_block); p += aligned_block)
            store_sixteen_spaces(p);
        store_sixteen_spaces(end - aligned_block);
        copy_text(end - text.size(), text);
        to_.take(begin + width + 1);
        return true;
    }
    // Any cell but the first. Returns false if the cell has more bytes than characters, or more than its column is
    // wide, or, checked, if it is of no usual form.
    WLFMT_NOINLINE bool put_text(char* end, const table::cell& one, const written_column& column) noexcept {
        if (Checked && !check_.is_usual_cell(one, static_cast<std::size_t>(&column - columns_.begin()))) return false;
        const std::string_view text = table_printing::printed_cell(one, column.unit, value_);
        if (text.size() > column.width || table_printing::width_of(text) != text.size()) return false;
        put_spaces_before(end, column.width + column_gap);
        copy_text(end - text.size(), text);
        return true;
    }

    void any_row(const table::cell* cells) {
        const written_column* const swapped = columns_.end() - (columns_.swapped() ? 2 : 0);
        const table::cell* one = cells;
        for (const written_column* c = columns_.begin(); c != swapped; ++c, ++one) cell(printed(*one, *c), *c);
        if (swapped != columns_.end()) {
            const std::string_view flops = printed(one[1], swapped[1]);
            cell(flops, swapped[0], flops_padding(flops));
            cell(printed(one[0], swapped[0]), swapped[1]);
        }
        to_.put('\n');
    }
    WLFMT_INLINE std::string_view printed(const table::cell& c, const written_column& column) noexcept {
        const std::string_view text = table_printing::printed_cell(c, column.unit, value_);
        // Values are written whole.
        const bool value = c.text().empty() && c.value().has_value();
        return value ? text : table_printing::cut_to(column.limit, text, cut_);
    }

    // The further frames of a row, in the last column.
    void frames(const table::frame_list& stack) {
        const std::size_t last = columns_.size() - 1;
        const column_limit limit = columns_[columns_.swapped() ? last - 1 : last].limit;
        for (const std::string_view frame : stack) {
            to_.repeat(' ', columns_.width(last));
            cell(table_printing::cut_to(limit, frame, cut_), columns_[last]);
            to_.put('\n');
        }
    }

    out<Sink>& to_;
    const table::profile& one_;
    const table_layout<Build> columns_;
    table_check<Build> check_;
    char value_[max_value_chars];
    char cut_[max_cut_bytes];
};

// Writes tables. Checked: up to what would not read back, which may be written; `bad` is then the position of its
// table, and the error tells what it is.
template <bool Checked, class Sink>
error put_tables(Sink& sink, const table::profile* tables, std::size_t count, std::size_t& bad) {
    out<Sink> to(sink);
    for (bad = 0; bad != count; ++bad) {
        if (bad != 0) to.put('\n');
        if (const error e = table_writer<Sink, Checked>(to, tables[bad]).write()) return e;
    }
    return to.finish() ? error() : sink_error();
}

// Writes all tables, or nothing if one of them would not read back: `bad` is then its position. What is appended to a
// string is checked as it is written, and taken back.
template <class Sink, class Build = build>
error put_checked_tables(Sink& sink, const table::profile* tables, std::size_t count, std::size_t& bad) {
    if constexpr (can_take_back<Sink>) {
        const std::size_t size = sink.size();
        const error e = put_tables<true>(sink, tables, count, bad);
        if (WLFMT_UNLIKELY(bad != count)) sink.resize(size);
        return e;
    } else {
        for (bad = 0; bad != count; ++bad)
            if (const error e = table_check<Build>(tables[bad], table_layout<Build>(tables[bad])).problem()) return e;
        return put_tables<false>(sink, tables, count, bad);
    }
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
