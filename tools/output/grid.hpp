// Tables of cells and the lines around them, for a terminal or as Markdown.
#ifndef WLFMT_TOOLS_OUTPUT_GRID_HPP
#define WLFMT_TOOLS_OUTPUT_GRID_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/types/answers.hpp>

#include "output.hpp"

namespace tool {

// The layout of what people read; --markdown sets it before anything is printed.
enum class layout { lines, markdown };
inline layout chosen_layout = layout::lines;

// --top: how many rows a list has at most, and how long the Markdown is then. What does not fit is counted.
struct digest {
    static constexpr std::size_t most_lines = 40;
    std::size_t most_rows = 0;  // 0: any number, and Markdown of any length
    std::size_t lines = 0;
    std::size_t left_out = 0;
    bool gap = false;    // before what is printed next
    bool blank = false;  // the last line is
};
inline digest chosen_digest;

// Prints what belongs together, or counts it.
inline void print_piece(const std::string& text) {
    digest& to = chosen_digest;
    if (chosen_layout != layout::markdown || to.most_rows == 0) return standard_output.append(text);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (to.gap ? 1 : 0);
    // The last line says what was left out.
    if (to.lines + lines + 1 > digest::most_lines) {
        ++to.left_out;
        return;
    }
    standard_output.append((to.gap ? "\n" : "") + text);
    to.gap = false;
    to.blank = text.size() > 1 && text.compare(text.size() - 2, 2, "\n\n") == 0;
    to.lines += lines;
}

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
    if (chosen_layout == layout::markdown) print_piece(joined({"## ", in_markdown(printable(text)), "\n\n"}));
    else print_line(text);
}
// Prints a sentence below a title.
inline void print_note(std::string_view text) {
    if (chosen_layout == layout::markdown) print_piece(joined({"- ", in_markdown(printable(text)), "\n"}));
    else standard_output.append({"  ", printable(text), "\n"});
}
inline void print_note(parts all) { print_note(joined(all)); }
// How many lines of the input hold nothing that is read.
inline void print_passed_over(std::uint64_t lines, const std::string& where) {
    if (lines == 0) return;
    print_note({counted(lines, "line that is", "lines that are"), " in no ", where, lines == 1 ? " was" : " were",
                " passed over"});
}
inline void print_gap() {
    if (chosen_layout == layout::markdown && chosen_digest.most_rows != 0)
        chosen_digest.gap = chosen_digest.lines != 0 && !chosen_digest.blank;
    else standard_output.append("\n");
}
// After everything else.
inline void end_digest() {
    if (chosen_layout != layout::markdown || chosen_digest.left_out == 0) return;
    standard_output.append(
        {"- ", chosen_digest.left_out, " more lists and sentences: without --top they are all here\n"});
}

// Lines of cells, each column as wide as its widest cell: the first column left-aligned, the others right-aligned.
class grid {
public:
    void row(parts cells) {
        rows_.emplace_back();
        add(cells);
    }
    // Adds cells to the last row.
    void add(parts cells) {
        for (const part& cell : cells) rows_.back().push_back(printable(cell.text()));
    }
    // The first row is the columns' names.
    void print() {
        if (rows_.empty()) return;
        const std::size_t most = chosen_digest.most_rows;
        if (most != 0 && rows_.size() > most + 1) {
            const std::string rest = joined({"and ", rows_.size() - most - 1, " more"});
            rows_.resize(most + 1);
            row({rest});
        }
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
                line += n == 0 ? cells[n] + padding : joined({"  ", padding, cells[n]});
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
        std::string all;
        for (const auto& cells : rows_) {
            std::string line = "|";
            for (std::size_t n = 0; n != columns; ++n)
                line += joined({" ", n < cells.size() ? in_markdown(cells[n]) : std::string(), " |"});
            if (first) {
                line += "\n|---|";
                for (std::size_t n = 1; n != columns; ++n) line += "---:|";
            }
            first = false;
            all += line + "\n";
        }
        print_piece(all);
    }
    static std::size_t characters(const std::string& s) {
        return static_cast<std::size_t>(
            std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    }
    std::vector<std::vector<std::string>> rows_;
};

// A sum may be beyond what a double holds; what is computed from it is unknown then.
inline std::string fixed(double v, int decimals) {
    if (!std::isfinite(v)) return v > 0 ? "over 1.8e308" : v < 0 ? "below -1.8e308" : "unknown";
    char buffer[400];
    static_cast<void>(std::snprintf(buffer, sizeof buffer, "%.*f", decimals, v));
    // What rounds to 0 has no sign.
    const std::string_view text = buffer;
    return std::string(text.substr(text[0] == '-' && text.find_first_not_of("-0.") == text.npos ? 1 : 0));
}
inline std::string share(double part, double all) {
    return all > 0 && std::isfinite(all) ? fixed(100 * part / all, 1) + "%" : "-";
}

// The numbers of answers, which may be limits or unknown.
using wlfmt::oplog::bounded;
inline std::string fixed(const bounded& v, int decimals) {
    return message(v, [decimals](double number) { return fixed(number, decimals); });
}
inline std::string share(const bounded& part, const bounded& all) {
    return all.number() > 0 ? message(part / all, [](double number) { return fixed(100 * number, 1) + "%"; }) : "-";
}
inline std::string counted_times(const bounded& n) { return fixed(n, 0); }

// Microseconds as PyTorch's tables have them.
inline std::string time_text(double us) {
    if (us >= 1e6) return fixed(us / 1e6, 3) + "s";
    return us >= 1e3 ? fixed(us / 1e3, 3) + "ms" : fixed(us, 3) + "us";
}

// A number of bytes for people, in powers of 1024.
inline std::string sized(double bytes) {
    constexpr const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && std::isfinite(bytes) && unit + 1 < sizeof units / sizeof *units; ++unit) bytes /= 1024;
    return fixed(bytes, unit == 0 ? 0 : 2) + units[unit];
}

}  // namespace tool

#endif
