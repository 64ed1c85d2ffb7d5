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

// Escapes what Markdown would take for markup.
inline std::string in_markdown(std::string_view text) { return escaped(text, "\\`*_[]<>#|"); }
void print_title(std::string_view text);
// Prints a sentence below a title.
void print_note(std::string_view text);
// Prints a sentence about what is slow, highlighted up to its first comma.
void print_finding(parts words);
inline void print_note(parts words) { print_note(joined(words)); }
// Says how many lines of the input were passed over because they are in no `where`.
void print_passed_over(std::uint64_t lines, const std::string& where);
void print_gap();
// Says what was left out, after everything else.
void end_digest();

// Lines of cells, each column as wide as its widest cell: the first column left-aligned, the others right-aligned.
class grid {
public:
    // How many columns of all grids did not fit the terminal.
    static inline std::size_t columns_left_out = 0;

    grid() = default;
    // `minor`: the columns to leave out first if a terminal is too narrow for all. The last columns come next.
    explicit grid(std::initializer_list<std::size_t> minor) : minor_(minor) {}
    void row(parts cells);
    // Adds cells to the last row.
    void add(parts cells);
    // The first row holds the names of the columns.
    void print();

private:
    void print_markdown() const;
    std::vector<std::size_t> widths_of_columns() const;
    static std::size_t width_of_lines(const std::vector<std::size_t>& widths);
    // Leaves out columns until the lines are no wider than the terminal, then cuts the names in the first one.
    std::vector<std::size_t> fitted_widths();
    // Returns the column to leave out next: the minor ones first, then the last column.
    std::size_t next_column_to_drop(std::size_t columns);
    // Keeps the beginning and the end of a name.
    static void cut(std::string& name, std::size_t size);

    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> minor_;
};

// A sum may overflow a double; what is computed from it is then unknown.
std::string fixed(double v, int decimals);
std::string share(double part, double whole);

// Overloads for the numbers of answers, which may be limits or unknown.
using wlfmt::analysis::bounded;
std::string fixed(const bounded& v, int decimals);
std::string share(const bounded& part, const bounded& whole);

// Microseconds in the form of PyTorch's tables.
std::string time_text(double us);

// A number of bytes for people, in powers of 1024.
std::string sized(double bytes);

}  // namespace tool

#endif
