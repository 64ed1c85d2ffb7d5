// Tables of cells and the lines around them, for a terminal or as Markdown.
#ifndef WLFMT_TOOLS_GRID_HPP
#define WLFMT_TOOLS_GRID_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output.hpp"

namespace tool {

// The layout of what people read; --markdown sets it before anything is printed.
enum class layout { lines, markdown };
inline layout chosen_layout = layout::lines;

// Escapes what Markdown would take for markup.
inline std::string in_markdown(std::string_view text) {
    std::string to;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>#|").find(c) != std::string_view::npos) to += '\\';
        to += c;
    }
    return to;
}
// Prints a title for what follows.
inline void print_title(std::string_view text) {
    if (chosen_layout == layout::markdown)
        print_line("## " + in_markdown(text) + "\n");
    else
        print_line(text);
}
// Prints a sentence below a title.
inline void print_note(std::string_view text) {
    if (chosen_layout == layout::markdown)
        standard_output.append("- " + in_markdown(printable(text)) + "\n");
    else
        standard_output.append("  " + printable(text) + "\n");
}
inline void print_gap() { standard_output.append("\n"); }

// Lines of cells, each column as wide as its widest cell: the first column left-aligned, the others right-aligned.
class grid {
public:
    void row(std::vector<std::string> cells) {
        for (std::string& cell : cells) cell = printable(cell);
        rows_.push_back(std::move(cells));
    }
    // The first row is the columns' names.
    void print() const {
        if (rows_.empty()) return;
        if (chosen_layout == layout::markdown) return print_markdown();
        std::vector<std::size_t> widths;
        for (const auto& cells : rows_)
            for (std::size_t n = 0; n < cells.size(); ++n) {
                if (n == widths.size()) widths.push_back(0);
                widths[n] = (std::max)(widths[n], characters(cells[n]));
            }
        for (const auto& cells : rows_) {
            std::string line = "  ";
            for (std::size_t n = 0; n < cells.size(); ++n) {
                const std::string padding(widths[n] - characters(cells[n]), ' ');
                line += n == 0 ? cells[n] + padding : "  " + padding + cells[n];
            }
            line.erase(line.find_last_not_of(' ') + 1);
            standard_output.append(line + "\n");
        }
    }

private:
    void print_markdown() const {
        std::size_t columns = 0;
        for (const auto& cells : rows_) columns = (std::max)(columns, cells.size());
        bool first = true;
        for (const auto& cells : rows_) {
            std::string line = "|";
            for (std::size_t n = 0; n != columns; ++n)
                line += " " + (n < cells.size() ? in_markdown(cells[n]) : std::string()) + " |";
            if (first) {
                line += "\n|---|";
                for (std::size_t n = 1; n != columns; ++n) line += "---:|";
            }
            first = false;
            standard_output.append(line + "\n");
        }
    }
    static std::size_t characters(const std::string& s) {
        return static_cast<std::size_t>(
            std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    }
    std::vector<std::vector<std::string>> rows_;
};

inline std::string fixed(double v, int decimals) {
    char buffer[400];
    static_cast<void>(std::snprintf(buffer, sizeof buffer, "%.*f", decimals, v));
    return buffer;
}
inline std::string share(double part, double all) { return all > 0 ? fixed(100 * part / all, 1) + "%" : "-"; }

// A number of bytes for people, in powers of 1024.
inline std::string sized(double bytes) {
    constexpr const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof *units; ++unit) bytes /= 1024;
    return fixed(bytes, unit == 0 ? 0 : 2) + units[unit];
}

}  // namespace tool

#endif
