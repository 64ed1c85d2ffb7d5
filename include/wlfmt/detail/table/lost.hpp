// Finds what pasting has done to profiler tables that can still be read.
#ifndef WLFMT_DETAIL_TABLE_LOST_HPP
#define WLFMT_DETAIL_TABLE_LOST_HPP

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "../../table.hpp"
#include "cell.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// What problem::found says of a damaged_table, and of a doubtful_name.
enum class table_damage : std::uint8_t { width, devices, letters, total };
enum class name_doubt : std::uint8_t { missing, unknown, escaped };

// Whether lines look like those of a table.
struct table_looks {
    static bool has_ending(std::string_view text, std::string_view end) noexcept {
        return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
    }
    // The unit that a cell shows; unit::text if it shows no unit.
    static table::unit unit_of(std::string_view cell) {
        const std::size_t end = cell.find_first_not_of("0123456789.", cell.substr(0, 1) == "-" ? 1 : 0);
        if (cell.find_first_of("0123456789") >= end) return table::unit::text;
        if (end == std::string_view::npos) return table::unit::count;
        const std::string_view suffix = cell.substr(end + (cell[end] == ' ' ? 1 : 0));
        if (suffix == "%") return table::unit::percent;
        const auto has_suffix = [suffix](const printed_unit& known) { return suffix == known.suffix; };
        if (std::any_of(std::begin(time_units), std::end(time_units), has_suffix) ||
            std::any_of(std::begin(other_time_units), std::end(other_time_units), has_suffix))
            return table::unit::microseconds;
        return suffix.size() < 3 && (has_ending(suffix, "B") || has_ending(suffix, "b")) ? table::unit::bytes
                                                                                         : table::unit::text;
    }
    // The cells of a line, which are separated by two blanks or a tab.
    static std::vector<std::string_view> cells_of(std::string_view line) {
        std::vector<std::string_view> cells;
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        std::size_t tab = line.find('\t');
        std::size_t blanks = line.find("  ");
        for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;) {
            // Each is looked for again only once it was passed: a line without any is not searched for each cell.
            if (tab < at) tab = line.find('\t', at);
            if (blanks < at) blanks = line.find("  ", at);
            std::size_t end = (std::min)({blanks, tab, line.size()});
            if (line[end - 1] == ' ') --end;
            cells.push_back(line.substr(at, end - at));
            at = line.find_first_not_of(" \t", end);
        }
        return cells;
    }

    // Whether the last cells, one for each column but the first, have these units, and at least one shows its unit.
    static bool is_row(const std::vector<std::string_view>& cells, const std::vector<table::unit>& units) {
        if (cells.size() < units.size()) return false;
        bool any = false;
        for (std::size_t n = 0; n != units.size(); ++n) {
            const std::string_view cell = cells[cells.size() - units.size() + n];
            const table::unit found = unit_of(cell);
            const bool measures = units[n] == table::unit::microseconds || units[n] == table::unit::percent ||
                                  units[n] == table::unit::bytes;
            if ((measures || units[n] == table::unit::count) && found != units[n] && cell != "0") return false;
            any = any || (measures && found == units[n]);
        }
        return any;
    }
    static bool ends_in_rule(std::string_view line) {
        const std::size_t end = line.find_last_not_of(" \r") + 1;
        return end > 2 && line.substr(end - 3, 3) == "---";
    }
    // Whether a line ends with a total's name, or with the end of one, and its value. Right below a rule, a time alone
    // is enough, or any name that ends in `l`.
    static bool ends_in_total(std::string_view line, bool below_rule) {
        const std::size_t at = line.rfind(':');
        const std::string_view name = line.substr(0, at == line.npos ? 0 : at);
        if (name.empty() && !below_rule) return false;
        const std::vector<std::string_view> value = cells_of(line.substr(at == line.npos ? 0 : at + 1));
        if (value.size() != 1 || (unit_of(value[0]) != table::unit::microseconds && value[0] != "NaN")) return false;
        constexpr std::string_view whole = " time total";
        if (has_ending(name, whole) || (name.size() > 1 && has_ending(whole, name))) return true;
        return below_rule && (name.empty() || has_ending(name, "l"));
    }
};

class table_losses {
public:
    explicit table_losses(std::string_view text) : text_(text) {}
    std::string_view text() const noexcept { return text_; }

    void add(const problem& e) {
        // unclosed_table points behind the table, so its place is not one of the table's lines.
        if (e.kind != error_kind::unclosed_table) places_.push_back(static_cast<std::size_t>(e.offset));
    }
    template <class Columns> void begin(const Columns& columns) {
        columns_.assign(columns.begin(), columns.end());
        units_of_columns units;
        for (const table::column& column : columns_) {
            note(column.name);
            if (column.unit != unit::source) units.push_back(column.unit);
        }
        if (!units.empty()) units.erase(units.begin());
        if (shapes_.size() != max_shapes && std::find(shapes_.begin(), shapes_.end(), units) == shapes_.end())
            shapes_.push_back(std::move(units));
        look_at_widths();
        look_at_names();
        look_at_devices();
        check_case();
    }
    // The position of a column that is wider than all others, of which a cell may show why; 0 if there is none.
    std::size_t wide() const noexcept { return wide_; }
    // `name`: the text of the row's first cell; `wide`: that of its cell in the column wide().
    void add_row(std::string_view place, std::string_view name, std::string_view wide) {
        note(place);
        if (wide_ != 0 && count_shown(wide) == static_cast<std::size_t>(columns_[wide_].width)) wide_ = 0;
        if (is_escaped_ || (name.find("&lt;") == name.npos && name.find("&gt;") == name.npos)) return;
        is_escaped_ = true;
        escaped_ = doubtful(name, name_doubt::escaped);
    }
    template <class Totals> void end(const Totals& totals) {
        if (wide_ != 0) damaged_width(columns_[wide_]);
        for (const table::total& total : totals) {
            note(total.value.text());
            look_at_total(total);
        }
    }

    template <class Report> void report(Report&& each) {
        std::int64_t count = 0;
        const std::string_view first = shapes_.empty() ? std::string_view() : find_unread(count);
        for (const problem& e : doubts_) each(e);
        if (count != 0) each(error_at(error_kind::lost_lines, first, text_, {}, count));
        if (is_escaped_) each(escaped_);
    }

private:
    using unit = table::unit;
    using units_of_columns = std::vector<unit>;
    // The most kinds of rows that a line is compared with: each of them takes time for every line.
    static constexpr std::size_t max_shapes = 16;

    void note(std::string_view part) {
        if (is_view_of(part, text_)) places_.push_back(static_cast<std::size_t>(part.data() - text_.data()));
    }
    void damaged(std::string_view place, table_damage what, std::string_view field = {}, std::int64_t width = 0) {
        doubts_.push_back(
            error_at(error_kind::damaged_table, place, text_, field, static_cast<std::int64_t>(what), width));
    }
    problem doubtful(std::string_view place, name_doubt what) const {
        return error_at(error_kind::doubtful_name, place, text_, {}, static_cast<std::int64_t>(what));
    }
    static bool is_known(const table::column& c) { return !table::meaning_of(c.name).name.empty(); }
    void damaged_width(const table::column& c) { damaged(c.name, table_damage::width, {}, c.width); }
    // PyTorch's columns of numbers are equally wide. A cut within a column, or from one column to another, leaves a
    // single column of another width, unless that is as wide as a cell of it. Tables that have more of these were
    // written by people.
    void look_at_widths() {
        wide_ = 0;
        constexpr std::ptrdiff_t least_alike = 3;
        std::size_t width = 0;
        for (const table::column& column : columns_) {
            const auto alike = std::count_if(columns_.begin() + 1, columns_.end(), [&](const table::column& other) {
                return other.width == column.width && is_of_numbers(other) && is_known(other);
            });
            if ((column.width == 12 || column.width == 15) && alike >= least_alike) width = column.width;
        }
        const auto is_other = [&](const table::column& c) { return c.width != width && is_of_numbers(c); };
        const auto other = std::find_if(columns_.begin() + 1, columns_.end(), is_other);
        if (width != 0 && columns_[0].name == "Name" && other != columns_.end() && other + 1 != columns_.end() &&
            std::none_of(other + 1, columns_.end(), is_other)) {
            if (static_cast<std::size_t>(other->width) < width) damaged_width(*other);
            else wide_ = static_cast<std::size_t>(other - columns_.begin());
        }
    }
    // Notes the only column whose name is missing, or is none of PyTorch's.
    void look_at_names() {
        const auto known = std::count_if(columns_.begin(), columns_.end(), is_known);
        if (known < 3 || static_cast<std::size_t>(known) + 1 != columns_.size()) return;
        const auto unknown = std::find_if_not(columns_.begin(), columns_.end(), is_known);
        if (unknown->unit == unit::cut) return;
        const bool is_missing = unknown->name.empty();
        // A missing name has no place: the one before it has, or the second one.
        const auto place = !is_missing ? unknown : unknown == columns_.begin() ? unknown + 1 : unknown - 1;
        doubts_.push_back(doubtful(place->name, is_missing ? name_doubt::missing : name_doubt::unknown));
    }
    // PyTorch's tables have columns of the processor and of one device.
    void look_at_devices() {
        std::string_view device = "CPU";
        for (const table::column& column : columns_) {
            const std::string_view own = table::meaning_of(column.name).device;
            if (own.empty() || own == "CPU" || own == device) continue;
            if (device != "CPU") damaged(column.name, table_damage::devices, device);
            device = own;
        }
    }
    // PyTorch's names have a fixed case. A canonical `name` comes before other canonical names, which have no blanks.
    void check_case() {
        const std::string_view name = columns_[0].name;
        const auto is_letter = [&](std::size_t n) { return (name[n] | ' ') == "name"[n]; };
        const bool is_name = name.size() == 4 && is_letter(0) && is_letter(1) && is_letter(2) && is_letter(3);
        const bool is_canonical =
            name == "name" && columns_.size() > 1 && columns_[1].name.find(' ') == std::string_view::npos;
        if (is_name && name != "Name" && !is_canonical) damaged(name, table_damage::letters);
    }
    // Notes a total that names only the end of a device, as the rest was cut off.
    void look_at_total(const table::total& total) {
        const std::string_view device = table::meaning_of(total.name).device;
        bool cut = device == "PU" || device == "U";
        for (const table::column& column : columns_) {
            const std::string_view own = table::meaning_of(column.name).device;
            cut = cut || (!device.empty() && device.size() < own.size() && table_looks::has_ending(own, device));
        }
        if (cut) damaged(total.name, table_damage::total);
    }
    static bool is_of_numbers(const table::column& c) noexcept {
        return c.unit != unit::text && c.unit != unit::source && c.unit != unit::flops && c.name != "Node ID";
    }

    // Returns the first unread line that is a row, a total or a header, apart from any text before it. Sets `count` to
    // the number of such lines.
    std::string_view find_unread(std::int64_t& count) {
        std::sort(places_.begin(), places_.end());
        auto place = places_.begin();
        std::string_view first;
        std::string_view total;  // the first of `totals` consecutive totals: unread unless one below them was read
        std::int64_t totals = 0;
        bool below_rule = false;
        const auto add = [&](std::string_view line, std::int64_t lines) {
            if (count == 0) first = line;
            count += lines;
        };
        for (std::size_t at = 0; at <= text_.size();) {
            const std::size_t end = (std::min)(text_.find('\n', at), text_.size());
            const std::string_view line = text_.substr(at, end - at);
            while (place != places_.end() && *place < at) ++place;
            const bool was_read = place != places_.end() && *place <= end;
            const bool total_here = table_looks::ends_in_total(line, below_rule);
            below_rule = total_here || table_looks::ends_in_rule(line);
            if (total_here) {
                if (totals == 0) total = line;
                totals = was_read ? 0 : totals + 1;
            } else {
                if (totals != 0) add(total, std::exchange(totals, 0));
                if (!was_read && is_row_or_header(line)) add(line, 1);
            }
            at = end + 1;
        }
        if (totals != 0) add(total, totals);
        return first.substr((std::min)(first.find_first_not_of(" \t"), first.size()));
    }
    bool is_row_or_header(std::string_view line) const {
        if (line.find("  ") == std::string_view::npos && line.find('\t') == std::string_view::npos) return false;
        const std::vector<std::string_view> cells = table_looks::cells_of(line);
        // No known name begins like a number.
        const auto names = std::count_if(cells.begin(), cells.end(), [](std::string_view cell) {
            return (cell[0] < '-' || cell[0] > '9') && !table::meaning_of(cell).name.empty();
        });
        return names > 2 || std::any_of(shapes_.begin(), shapes_.end(), [&](const units_of_columns& units) {
                   return table_looks::is_row(cells, units);
               });
    }

    std::string_view text_;
    std::vector<std::size_t> places_;       // places in lines that were read
    std::vector<table::column> columns_;    // those of the table that was begun last
    std::vector<units_of_columns> shapes_;  // the units of the columns of each kind of table
    std::vector<problem> doubts_;
    std::size_t wide_ = 0;  // wide()
    bool is_escaped_ = false;
    problem escaped_ = {};  // the first name in which a web page has escaped `<` or `>`
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
