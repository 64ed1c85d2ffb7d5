// Tables, made of objects.
#ifndef WLFMT_DETAIL_JSON_TABLE_HPP
#define WLFMT_DETAIL_JSON_TABLE_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../../table.hpp"
#include "../table/layout.hpp"
#include "../table/schema.hpp"
#include "value.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {
inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

// Tables, one after the other.
class json_tables {
public:
    const table::summary* next(json_records& from) {
        ondemand::object o;
        if (!begun_) table_ = {};
        if (has_ahead_) begin();
        while (from.next(o)) {
            part what{};
            if (!read_part(from, o, begun_ ? &table_ : nullptr, ahead_, what)) return nullptr;
            if (what == part::row && begun_) continue;
            if (begun_) {
                has_ahead_ = true;
                begun_ = false;
                return finish();
            }
            begin();
        }
        if (from.error() || !begun_) return nullptr;
        begun_ = false;
        return finish();
    }
    const table::summary* unfinished() { return begun_ ? finish() : nullptr; }

private:
    void begin() {
        table_ = std::move(ahead_);
        begun_ = true;
        has_ahead_ = false;
    }
    const table::summary* finish() {
        for (std::size_t n = 0; n != table_.columns.size(); ++n)
            table_.columns[n].width = width_for_long_texts(table_, n);
        return &table_;
    }

    static bool columns_of(json_value& v, std::vector<table::column>& to) {
        return v.items(json_value::wanted::strings, [&](std::size_t, json_value& item) {
            std::string_view name;
            if (!item.string(name)) return false;
            to.emplace_back(name);
            return to.size() <= table::max_columns || item.fail(error_kind::too_many_columns);
        });
    }

    // A number with all of its digits, in the base unit of its column: `3821.335us`; at most max_value_chars. A zero
    // that is an integer has no unit, as PyTorch prints it.
    static char* write_all_digits(char* out, table::unit unit, const number& v) noexcept {
        const std::string_view suffix = v.is_integer() && v == 0 ? "" : row_of(unit).base;
        char* end = write_number(out, v);
        // No unit follows an exponent.
        if (!suffix.empty() && view(out, end).find('e') != std::string_view::npos) {
            const auto fixed = std::to_chars(out, out + max_fixed_chars, v.value_or(0), std::chars_format::fixed);
            end = fixed.ec == std::errc() ? fixed.ptr : write_number(out, v);
        }
        return write_bytes(end, suffix.data(), suffix.size());
    }

    // The cell of a number: the value, which is printed as PyTorch prints it, or a text with all of its digits where
    // that form would lose some of them. (3821.335 microseconds are not `3.821ms`.)
    static table::cell cell_of(json_records& from, number v, table::unit unit) {
        // In these columns only a zero is an integer.
        const bool decimals =
            unit == table::unit::microseconds || unit == table::unit::percent || unit == table::unit::bytes;
        const number decimal = v.value_or(0.0);
        if (decimals && v.is_integer() && v != 0 && decimal.as<std::int64_t>() == v.as<std::int64_t>()) v = decimal;
        char printed[max_value_chars];
        number read;
        const auto holds = [&](std::string_view text) {
            return table_cells::read_any_cell(unit, text, read) == error_kind::none;
        };
        if (holds(view(printed, table_printing::write_value(printed, unit, v))) && read == v) return table::cell(v);
        // A string and not a view: GCC 12 warns that copying a view of an array reads beyond the array.
        const std::string digits(view(printed, write_all_digits(printed, unit, v)));
        return holds(digits) ? table_cells::cell_in(unit, table::cell(from.keep(digits))) : table::cell(v);
    }

    static bool read_value(json_records& from, json_value& v, table::unit unit, table::cell& to) {
        std::string_view text;
        switch (v.kind()) {
        case json_kind::null: to = table::cell(row_of(unit).nothing); return true;
        case json_kind::number: {
            const number n = v.numeral();
            to = n.is_text() ? table::cell(n.text()) : cell_of(from, n, unit);
            return true;
        }
        case json_kind::string:
            if (!v.string(text)) return false;
            to = table::cell(text);
            return true;
        default: return v.wrong_type(json_value::wanted::scalar);
        }
    }

    static bool frames_of(json_value& v, table::cell& first, table::frame_list& further) {
        std::vector<std::string_view> frames;
        const bool whole = v.items(json_value::wanted::strings, [&](std::size_t index, json_value& item) {
            std::string_view frame;
            if (!item.string(frame)) return false;
            if (index == 0)
                first = table::cell(frame);
            else
                frames.push_back(frame);
            return true;
        });
        if (whole && !frames.empty()) further = table::frame_list(std::move(frames));
        return whole;
    }

    // An object with an array of columns begins a table: in a row, only Source Location is an array.
    enum class part : std::uint8_t { head, row };

    // Reads the head of a table, or a row of the given table. The first members of an object show which of them it is.
    static bool read_part(json_records& from, ondemand::object& o, table::summary* rows_of, table::summary& head,
                          part& what) {
        static constexpr std::string_view names[] = {"columns", "totals"};
        const std::size_t count = rows_of != nullptr ? rows_of->columns.size() : 0;
        json_members_met met(from);
        what = part::row;
        std::vector<table::cell> cells(count);
        std::vector<bool> filled(count);
        table::frame_list frames;
        std::size_t next = 0;
        head = {};
        const auto is_head = [&](std::string_view key, const json_value& v) {
            return (key == names[0] && v.kind() == json_kind::array) ||
                   (key == names[1] && v.kind() == json_kind::object);
        };
        const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
            if (is_head(key, v) || what == part::head || count == 0) {
                what = part::head;
                if (met.is(key, names[0], 0, v)) {
                    return columns_of(v, head.columns);
                }
                if (!met.is(key, names[1], 1, v)) return v.fail_key(error_kind::unknown_member, key);
                return v.members([&](std::string_view name, json_value& value) {
                    table::total t;
                    t.name = name;
                    head.totals.push_back(t);
                    // A total is never empty.
                    if (value.kind() == json_kind::null) {
                        head.totals.back().value = table::cell(std::string_view("NaN"));
                        return true;
                    }
                    return read_value(from, value, table::unit::microseconds, head.totals.back().value);
                });
            }
            // Most of the time, members come in the order of the columns.
            std::size_t c = next;
            if (c == count || rows_of->columns[c].name != key || filled[c])
                for (c = 0; c != count && (rows_of->columns[c].name != key || filled[c]);) ++c;
            if (c == count)
                return v.fail_key(
                    rows_of->find_column(key) == count ? error_kind::unknown_member : error_kind::duplicate_key, key);
            filled[c] = true;
            next = c + 1;
            const table::unit unit = rows_of->columns[c].unit;
            return unit == table::unit::source ? frames_of(v, cells[c], frames) : read_value(from, v, unit, cells[c]);
        });
        if (!whole) return false;
        if (what == part::head || count == 0) return met.all(names, 1);
        rows_of->cells.insert(rows_of->cells.end(), cells.begin(), cells.end());
        rows_of->frames.push_back(std::move(frames));
        return true;
    }

    // The width of a column: 0, which is PyTorch's own, or as much as PyTorch takes with a higher limit where its own
    // would cut a text, or as much as a number with all of its digits takes.
    static std::uint32_t width_for_long_texts(table::summary& one, std::size_t n) {
        constexpr std::size_t most = std::size_t{1} << 20;
        one.columns[n].width = 0;
        const column_limit limit = table_printing::limit_of(one.columns[n], n == 0);
        if (limit.longer == column_limit::cut::none) {
            std::size_t longest = default_column_width;
            for (std::size_t at = n; at < one.cells.size(); at += one.columns.size())
                if (one.cells[at].text().size() > longest && one.cells[at].value().has_value())
                    longest = one.cells[at].text().size();
            return longest > default_column_width ? static_cast<std::uint32_t>(longest) : 0;
        }
        const std::size_t longest = basic_table_layout<kernel>::longest_text(one, n);
        if (longest <= limit.most || longest > most) return 0;
        const auto twice = static_cast<std::uint32_t>(2 * longest);
        return static_cast<std::uint32_t>(basic_table_layout<kernel>::width_for(longest, {twice, limit.longer}));
    }

    table::summary table_;
    table::summary ahead_;  // a head that was found in place of a row
    bool begun_ = false;
    bool has_ahead_ = false;
};

}  // namespace SIMDJSON_BUILTIN_IMPLEMENTATION
}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
