// Tables of cells and the lines around them, for a terminal or as Markdown.
#ifndef WLFMT_TOOLS_OUTPUT_GRID_HPP
#define WLFMT_TOOLS_OUTPUT_GRID_HPP

#include <cmath>

#include "analysis/answers/types.hpp"

#include "output.hpp"

namespace tool {

// The layout of what people read; --markdown sets it before anything is printed.
enum class layout { lines, markdown };
inline layout chosen_layout = layout::lines;

// With --top, limits how many rows a list has and how many lines the Markdown has, and counts what does not fit.
struct digest {
    static constexpr std::size_t max_lines = 40;
    std::size_t max_rows = 0;  // 0: any number, and Markdown of any length
    std::size_t lines = 0;
    std::size_t left_out = 0;
    // Whether the next piece follows a blank line.
    bool gap = false;
    bool blank = false;  // whether the last line is blank
};
inline digest chosen_digest;

// Prints a piece, such as a table or a sentence, or counts it as left out if the digest has no room for all of it.
inline void print_piece(const std::string& text) {
    digest& printed = chosen_digest;
    if (chosen_layout != layout::markdown || printed.max_rows == 0) return standard_output.append(text);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (printed.gap ? 1 : 0);
    // One line remains for saying what was left out.
    if (printed.lines + lines + 1 > digest::max_lines) {
        ++printed.left_out;
        return;
    }
    standard_output.append((printed.gap ? "\n" : "") + text);
    printed.gap = false;
    printed.blank = text.size() > 1 && text.compare(text.size() - 2, 2, "\n\n") == 0;
    printed.lines += lines;
}

// Escapes what Markdown would take for markup.
inline std::string in_markdown(std::string_view text) { return escaped(text, "\\`*_[]<>#|"); }
inline void print_title(std::string_view text) {
    if (chosen_layout == layout::markdown) print_piece(joined({"## ", in_markdown(printable(text)), "\n\n"}));
    else
        standard_output.append(styled(output_terminal, style::strong, wrapped(printable(text), output_terminal.width)) +
                               '\n');
}
// Prints a sentence below a title.
inline void print_note(std::string_view text) {
    if (chosen_layout == layout::markdown) print_piece(joined({"- ", in_markdown(printable(text)), "\n"}));
    else print_line({"  ", text});
}
// Prints a sentence about what is slow, highlighted up to its first comma.
inline void print_finding(parts words) {
    const std::string text = joined(words);
    if (!output_terminal.has_colours || chosen_layout == layout::markdown) return print_note(text);
    const std::string lines = wrapped("  " + printable(text), output_terminal.width);
    const std::size_t comma = (std::min)(lines.find(','), lines.find('\n'));
    const std::string_view first = std::string_view(lines).substr(0, comma);
    standard_output.append(
        {styled(output_terminal, style::slow, first), std::string_view(lines).substr(first.size()), "\n"});
}
inline void print_note(parts words) { print_note(joined(words)); }
// Says how many lines of the input were passed over because they are in no `where`.
inline void print_passed_over(std::uint64_t lines, const std::string& where) {
    if (lines == 0) return;
    print_note({counted(lines, "line that is", "lines that are"), " in no ", where, lines == 1 ? " was" : " were",
                " passed over"});
}
inline void print_gap() {
    if (chosen_layout == layout::markdown && chosen_digest.max_rows != 0)
        chosen_digest.gap = chosen_digest.lines != 0 && !chosen_digest.blank;
    else standard_output.append("\n");
}
// Says what was left out, after everything else.
inline void end_digest() {
    if (chosen_layout != layout::markdown || chosen_digest.left_out == 0) return;
    standard_output.append(
        {"- ", chosen_digest.left_out, " more lists and sentences: without --top they are all here\n"});
}

// Lines of cells, each column as wide as its widest cell: the first column left-aligned, the others right-aligned.
class grid {
public:
    // How many columns of all grids did not fit the terminal.
    static inline std::size_t columns_left_out = 0;

    grid() = default;
    // `minor`: the columns to leave out first if a terminal is too narrow for all. The last columns come next.
    explicit grid(std::initializer_list<std::size_t> minor) : minor_(minor) {}
    void row(parts cells) {
        rows_.emplace_back();
        add(cells);
    }
    // Adds cells to the last row.
    void add(parts cells) {
        for (const part& cell : cells) rows_.back().push_back(printable(cell.text()));
    }
    // The first row holds the names of the columns.
    void print() {
        if (rows_.empty()) return;
        const std::size_t max_rows = chosen_digest.max_rows;
        if (max_rows != 0 && rows_.size() > max_rows + 1) {
            const std::string rest = joined({"and ", rows_.size() - max_rows - 1, " more"});
            rows_.resize(max_rows + 1);
            row({rest});
        }
        if (chosen_layout == layout::markdown) return print_markdown();
        std::vector<std::size_t> widths = fitted_widths();
        for (const auto& cells : rows_) {
            std::string line = "  ";
            for (std::size_t n = 0; n < cells.size(); ++n) {
                const std::string padding(widths[n] - characters(cells[n]), ' ');
                line += n == 0 ? cells[n] + padding : joined({"  ", padding, cells[n]});
            }
            line.erase(line.find_last_not_of(' ') + 1);
            standard_output.append((&cells == &rows_[0] ? styled(output_terminal, style::strong, line) : line) + "\n");
        }
    }

private:
    void print_markdown() const {
        const std::size_t columns = widths_of_columns().size();
        std::string text;
        for (const auto& cells : rows_) {
            std::string line = "|";
            for (std::size_t n = 0; n != columns; ++n)
                line += joined({" ", n < cells.size() ? in_markdown(cells[n]) : std::string(), " |"});
            text += line + "\n";
            if (&cells != &rows_[0]) continue;
            text += "|---|";
            for (std::size_t n = 1; n != columns; ++n) text += "---:|";
            text += "\n";
        }
        print_piece(text);
    }
    std::vector<std::size_t> widths_of_columns() const {
        std::vector<std::size_t> widths;
        for (const auto& cells : rows_)
            for (std::size_t n = 0; n < cells.size(); ++n) {
                if (n == widths.size()) widths.push_back(0);
                widths[n] = (std::max)(widths[n], characters(cells[n]));
            }
        return widths;
    }
    static std::size_t width_of_lines(const std::vector<std::size_t>& widths) {
        std::size_t width = 0;
        for (const std::size_t column : widths) width += 2 + column;
        return width;
    }
    // Leaves out columns until the lines are no wider than the terminal, then cuts the names in the first one.
    std::vector<std::size_t> fitted_widths() {
        std::vector<std::size_t> widths = widths_of_columns();
        const std::size_t max_width = output_terminal.width;
        while (width_of_lines(widths) > max_width && widths.size() > 2) {
            const std::size_t minor = next_column_to_drop(widths.size());
            for (auto& cells : rows_)
                if (minor < cells.size()) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(minor));
            for (std::size_t& column : minor_) column -= column > minor ? 1 : 0;
            widths = widths_of_columns();
            ++columns_left_out;
        }
        constexpr std::size_t min_name = 12;
        const std::size_t width = width_of_lines(widths);
        if (width <= max_width || widths.empty() || widths[0] < min_name + (width - max_width)) return widths;
        for (auto& cells : rows_)
            if (!cells.empty()) cut(cells[0], widths[0] - (width - max_width));
        return widths_of_columns();
    }
    // Returns the column to leave out next: the minor ones first, then the last column.
    std::size_t next_column_to_drop(std::size_t columns) {
        while (!minor_.empty()) {
            const std::size_t column = minor_.front();
            minor_.erase(minor_.begin());
            if (column < columns) return column;
        }
        return columns - 1;
    }
    // Keeps the beginning and the end of a name.
    static void cut(std::string& name, std::size_t size) {
        if (characters(name) <= size) return;
        const auto is_inside = [&](std::size_t n) { return (static_cast<unsigned char>(name[n]) & 0xC0U) == 0x80U; };
        std::size_t end = size - 3 - size / 3;
        while (end != 0 && is_inside(end)) --end;
        std::size_t next = name.size() - size / 3;
        while (next != name.size() && is_inside(next)) ++next;
        name = name.substr(0, end) + "..." + name.substr(next);
    }

    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> minor_;
};

// A sum may overflow a double; what is computed from it is then unknown.
inline std::string fixed(double v, int decimals) {
    if (!std::isfinite(v)) return v > 0 ? "over 1.8e308" : v < 0 ? "below -1.8e308" : "unknown";
    char buffer[400];
    static_cast<void>(std::snprintf(buffer, sizeof buffer, "%.*f", decimals, v));
    // A number that rounds to 0 has no minus sign.
    const std::string_view text = buffer;
    return std::string(text.substr(text[0] == '-' && text.find_first_not_of("-0.") == text.npos ? 1 : 0));
}
inline std::string share(double part, double whole) {
    return whole > 0 && std::isfinite(whole) ? fixed(100 * part / whole, 1) + "%" : "-";
}

// Overloads for the numbers of answers, which may be limits or unknown.
using wlfmt::analysis::bounded;
inline std::string fixed(const bounded& v, int decimals) {
    return message(v, [decimals](double number) { return fixed(number, decimals); });
}
inline std::string share(const bounded& part, const bounded& whole) {
    const auto percent = [](double number) { return number > 1.001 ? "over 100%" : fixed(100 * number, 1) + "%"; };
    return whole.number() > 0 ? message(part / whole, percent) : "-";
}

// Microseconds in the form of PyTorch's tables.
inline std::string time_text(double us) {
    if (us >= 1e6) return fixed(us / 1e6, 3) + "s";
    return us >= 1e3 ? fixed(us / 1e3, 3) + "ms" : fixed(us, 3) + "us";
}

// A number of bytes for people, in powers of 1024.
inline std::string sized(double bytes) {
    constexpr const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    std::size_t unit = 0;
    for (; std::fabs(bytes) >= 1024 && std::isfinite(bytes) && unit + 1 < sizeof units / sizeof *units; ++unit)
        bytes /= 1024;
    return fixed(bytes, unit == 0 ? 0 : 2) + units[unit];
}

}  // namespace tool

#endif
