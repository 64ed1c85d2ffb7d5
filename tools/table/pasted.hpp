// Finds what pasting has done to profiler tables that can still be read: lines that are in no table, columns that are
// partly cut off, names in another case.
#ifndef WLFMT_TOOLS_TABLE_PASTED_HPP
#define WLFMT_TOOLS_TABLE_PASTED_HPP

#include <algorithm>
#include <utility>

#include <wlfmt/table.hpp>

#include "../output/problems.hpp"

namespace tool {

// The unit that a cell shows; unit::text if it shows no unit.
inline wlfmt::table::unit unit_of(std::string_view cell) {
    const std::size_t end = cell.find_first_not_of("0123456789.", cell.substr(0, 1) == "-" ? 1 : 0);
    if (cell.find_first_of("0123456789") >= end) return wlfmt::table::unit::text;
    if (end == std::string_view::npos) return wlfmt::table::unit::count;
    const std::string_view suffix = cell.substr(end + (cell[end] == ' ' ? 1 : 0));
    if (suffix == "%") return wlfmt::table::unit::percent;
    if (suffix == "us" || suffix == "ms" || suffix == "s") return wlfmt::table::unit::microseconds;
    return suffix.size() < 3 && (has_ending(suffix, "B") || has_ending(suffix, "b")) ? wlfmt::table::unit::bytes
                                                                                     : wlfmt::table::unit::text;
}
// The cells of a line, which are separated by two blanks or a tab.
inline std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    std::size_t tab = line.find('\t');
    for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;) {
        if (tab < at) tab = line.find('\t', at);
        std::size_t end = (std::min)({line.find("  ", at), tab, line.size()});
        if (line[end - 1] == ' ') --end;
        cells.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(" \t", end);
    }
    return cells;
}

// Whether the last cells, one for each column but the first, have these units, and at least one shows its unit.
inline bool is_row(const std::vector<std::string_view>& cells, const std::vector<wlfmt::table::unit>& units) {
    if (cells.size() < units.size()) return false;
    bool any = false;
    for (std::size_t n = 0; n != units.size(); ++n) {
        const std::string_view cell = cells[cells.size() - units.size() + n];
        const wlfmt::table::unit found = unit_of(cell);
        const bool measures = units[n] == wlfmt::table::unit::microseconds || units[n] == wlfmt::table::unit::percent ||
                              units[n] == wlfmt::table::unit::bytes;
        if ((measures || units[n] == wlfmt::table::unit::count) && found != units[n] && cell != "0") return false;
        any = any || (measures && found == units[n]);
    }
    return any;
}
inline bool ends_in_rule(std::string_view line) {
    const std::size_t end = line.find_last_not_of(" \r") + 1;
    return end > 2 && line.substr(end - 3, 3) == "---";
}
// Whether a line ends with a total's name, or with the end of one, and its value. Right below a rule, a time alone is
// enough, or any name that ends in `l`.
inline bool ends_in_total(std::string_view line, bool below_rule) {
    const std::size_t at = line.rfind(':');
    const std::string_view name = line.substr(0, at == line.npos ? 0 : at);
    if (name.empty() && !below_rule) return false;
    const std::vector<std::string_view> value = cells_of(line.substr(at == line.npos ? 0 : at + 1));
    if (value.size() != 1 || (unit_of(value[0]) != wlfmt::table::unit::microseconds && value[0] != "NaN")) return false;
    constexpr std::string_view whole = " time total";
    if (has_ending(name, whole) || (name.size() > 1 && has_ending(whole, name))) return true;
    return below_rule && (name.empty() || has_ending(name, "l"));
}

// Looks at the tables of a text, and at the lines that are in none of them.
class pasted_tables {
public:
    explicit pasted_tables(std::string_view text) : text_(text) {}

    // Looks at the tables that have this prefix, and notes the places of their lines and of problems. `strict`: all
    // text that is in none of them is a problem, which strict reading reports by itself.
    void read(std::string_view prefix, bool strict) {
        wlfmt::options options;
        options.strict = strict;
        options.lenient = true;
        options.prefix = prefix;
        options.context = this;
        options.on_problem = [](void* self, const wlfmt::problem& e) {
            // A table without its closing rule ends before a line that was not read: that place is not noted.
            if (e.kind != wlfmt::error_kind::unclosed_table)
                static_cast<pasted_tables*>(self)->places_.push_back(static_cast<std::size_t>(e.offset));
        };
        wlfmt::table::reader tables(text_, options);
        while (tables.next_table()) {
            units_of_columns units;
            for (const wlfmt::table::column& column : tables.columns()) {
                note(column.name);
                if (column.unit != unit::source) units.push_back(column.unit);
            }
            units.erase(units.begin());
            if (shapes_.size() != max_shapes && std::find(shapes_.begin(), shapes_.end(), units) == shapes_.end())
                shapes_.push_back(std::move(units));
            const columns_of_table columns(tables.columns().begin(), tables.columns().end());
            look_at_widths(columns);
            look_at_names(columns);
            look_at_devices(columns);
            check_case(columns);
            while (const wlfmt::table::row* row = tables.next()) {
                note(row->source);
                const std::string_view name = (*row)[0].text();
                if (escaped_.empty() && (name.find("&lt;") != name.npos || name.find("&gt;") != name.npos))
                    escaped_ = name;
            }
            for (const wlfmt::table::total& total : tables.totals()) {
                note(total.value.text());
                look_at_total(total, columns);
            }
        }
    }
    // Reports what was found. `lost`: whether it is missing from the output; if not, there are only warnings, as the
    // text is judged by its format alone.
    void report_to(report& r, bool lost) {
        std::uint64_t count = 0;
        const std::string_view first = shapes_.empty() ? std::string_view() : find_unread(count);
        if (count != 0)
            doubts_.push_back(
                {first, joined({counted(count, "line", "lines"), ", of which this is the first, ",
                                count == 1 ? "looks" : "look", " like a table's, and ", count == 1 ? "is" : "are",
                                " in none: is it parted by other text, a rule, or prefixes that differ?"})});
        for (const doubt& d : doubts_) {
            reported_text text(text_, 1);
            const std::uint64_t line = text.line_at(text.offset_of(d.place).value_or(0)).number;
            if (lost) d.is_loss ? r.loss(d.place, d.words) : r.warning(d.place, d.words);
            else r.warning({"line ", line, ": ", d.words});
        }
        if (!escaped_.empty() && lost)
            r.warning(escaped_, "a web page has escaped this name: `&lt;` and `&gt;` are read as they are");
    }

private:
    using unit = wlfmt::table::unit;
    using units_of_columns = std::vector<unit>;
    // The most kinds of rows that a line is compared with: each of them takes time for every line.
    static constexpr std::size_t max_shapes = 16;
    struct doubt {
        std::string_view place;
        std::string words;
        bool is_loss = true;
    };

    void note(std::string_view part) {
        if (const auto offset = reported_text(text_, 1).offset_of(part))
            places_.push_back(static_cast<std::size_t>(*offset));
    }

    using columns_of_table = std::vector<wlfmt::table::column>;
    static bool is_known(const wlfmt::table::column& c) { return !wlfmt::table::meaning_of(c.name).name.empty(); }
    // PyTorch's columns of numbers are equally wide. A cut within a column, or from one column to another, leaves a
    // single column of another width. Tables that have more of these were written by people.
    void look_at_widths(const columns_of_table& columns) {
        constexpr std::ptrdiff_t least_alike = 3;
        std::size_t width = 0;
        for (const wlfmt::table::column& column : columns) {
            const auto alike =
                std::count_if(columns.begin() + 1, columns.end(), [&](const wlfmt::table::column& other) {
                    return other.width == column.width && is_of_numbers(other) && is_known(other);
                });
            if ((column.width == 12 || column.width == 15) && alike >= least_alike) width = column.width;
        }
        const auto is_other = [&](const wlfmt::table::column& c) { return c.width != width && is_of_numbers(c); };
        const auto other = std::find_if(columns.begin() + 1, columns.end(), is_other);
        if (width == 0 || columns[0].name != "Name" || other == columns.end() || other + 1 == columns.end() ||
            std::any_of(other + 1, columns.end(), is_other))
            return;
        doubts_.push_back(
            {other->name, joined({"this column is ", other->width, " characters wide, and others are ", width,
                                  ": a part of the lines was cut out here, perhaps with digits"})});
    }
    // Notes the only column whose name is missing, or is none of PyTorch's.
    void look_at_names(const columns_of_table& columns) {
        const auto known = std::count_if(columns.begin(), columns.end(), is_known);
        if (known < 3 || static_cast<std::size_t>(known) + 1 != columns.size()) return;
        const auto unknown = std::find_if_not(columns.begin(), columns.end(), is_known);
        if (unknown->unit == unit::cut) return;
        const bool is_missing = unknown->name.empty();
        const auto& place = is_missing && unknown == columns.begin() ? columns[1] : *unknown;
        doubts_.push_back({place.name,
                           joined({is_missing ? "a name is missing" : "this name alone is none of PyTorch's",
                                   ": was a part of the lines cut out here?"}),
                           false});
    }
    // PyTorch's tables have columns of the processor and of one device.
    void look_at_devices(const columns_of_table& columns) {
        std::string_view device = "CPU";
        for (const wlfmt::table::column& column : columns) {
            const std::string_view own = wlfmt::table::meaning_of(column.name).device;
            if (own.empty() || own == "CPU" || own == device) continue;
            if (device != "CPU")
                doubts_.push_back({column.name, joined({"columns of two devices, `", device, "` and `", own,
                                                        "`: was a part of the lines cut out here?"})});
            device = own;
        }
    }
    // PyTorch's names have a fixed case. A canonical `name` comes before other canonical names, which have no blanks.
    void check_case(const columns_of_table& columns) {
        const std::string_view name = columns[0].name;
        const bool is_canonical = name == "name" && columns[1].name.find(' ') == std::string_view::npos;
        if (name == "Name" || is_canonical || lower(name) != "name") return;
        doubts_.push_back({name,
                           "the names of PyTorch's columns and units are in other letters here: the cells "
                           "are read as texts"});
    }
    // Notes a total that names only the end of a device, as the rest was cut off.
    void look_at_total(const wlfmt::table::total& total, const columns_of_table& columns) {
        const std::string_view device = wlfmt::table::meaning_of(total.name).device;
        bool cut = device == "PU" || device == "U";
        for (const wlfmt::table::column& column : columns) {
            const std::string_view own = wlfmt::table::meaning_of(column.name).device;
            cut = cut || (!device.empty() && device.size() < own.size() && has_ending(own, device));
        }
        if (cut) doubts_.push_back({total.name, "a part of this total's name was cut off"});
    }
    static bool is_of_numbers(const wlfmt::table::column& c) noexcept {
        return c.unit != unit::text && c.unit != unit::source && c.unit != unit::flops && c.name != "Node ID";
    }
    static std::string lower(std::string_view text) {
        std::string small(text);
        for (char& c : small)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return small;
    }

    // Returns the first unread line that is a row, a total or a header, apart from any text before it. Sets `count` to
    // the number of such lines.
    std::string_view find_unread(std::uint64_t& count) {
        std::sort(places_.begin(), places_.end());
        auto place = places_.begin();
        std::string_view first;
        std::string_view total;  // the first of `totals` consecutive totals: unread unless one below them was read
        std::uint64_t totals = 0;
        bool below_rule = false;
        const auto add = [&](std::string_view line, std::uint64_t lines) {
            if (count == 0) first = line;
            count += lines;
        };
        for (std::size_t at = 0; at <= text_.size();) {
            const std::size_t end = (std::min)(text_.find('\n', at), text_.size());
            const std::string_view line = text_.substr(at, end - at);
            while (place != places_.end() && *place < at) ++place;
            const bool was_read = place != places_.end() && *place <= end;
            const bool total_here = ends_in_total(line, below_rule);
            below_rule = total_here || ends_in_rule(line);
            if (total_here) {
                if (totals == 0) total = line;
                totals = was_read ? 0 : totals + 1;
            } else {
                if (totals != 0) add(total, std::exchange(totals, 0));
                if (!was_read && is_row_or_header(line)) add(line, 1);
            }
            at = end + 1;
        }
        return first.substr((std::min)(first.find_first_not_of(" \t"), first.size()));
    }
    bool is_row_or_header(std::string_view line) const {
        if (line.find("  ") == std::string_view::npos && line.find('\t') == std::string_view::npos) return false;
        const std::vector<std::string_view> cells = cells_of(line);
        // No known name begins like a number.
        const auto names = std::count_if(cells.begin(), cells.end(), [](std::string_view cell) {
            return (cell[0] < '-' || cell[0] > '9') && !wlfmt::table::meaning_of(cell).name.empty();
        });
        return names > 2 || std::any_of(shapes_.begin(), shapes_.end(),
                                        [&](const units_of_columns& units) { return is_row(cells, units); });
    }
    std::string_view text_;
    std::vector<std::size_t> places_;       // places in lines that were read
    std::vector<units_of_columns> shapes_;  // the units of the columns of each kind of table
    std::vector<doubt> doubts_;
    std::string_view escaped_ = {};  // the first name in which a web page has escaped `<` or `>`
};

}  // namespace tool

#endif
