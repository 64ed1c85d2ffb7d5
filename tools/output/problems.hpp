// Prints and counts the problems of a file as they come up.
#ifndef WLFMT_TOOLS_OUTPUT_PROBLEMS_HPP
#define WLFMT_TOOLS_OUTPUT_PROBLEMS_HPP

#include <functional>
#include <optional>

#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/types/mend.hpp>

#include "../command_line/settings.hpp"
#include "output.hpp"

namespace tool {

inline constexpr std::string_view layer_count = "layer count";

// Whether some of the input is in no record because of a tolerated problem: it was dropped, or may have been cut off.
// Values of op logs and tables that cannot be read are kept as they are written.
bool is_loss(const wlfmt::problem& e, wlfmt::file_format kind) noexcept;

// Whether the problem is that the text ends too early, so that more of it may be missing.
bool is_cut(const wlfmt::problem& e) noexcept;

// The name of the text that a place is in, and the number of its line there. `column`: 0, or that in the original text
// if the text was mended.
struct line_place {
    std::string name;
    std::uint64_t number = 1;
    std::uint64_t column = 0;
};
// A problem that is printed later, with the line that it is in.
struct deferred_problem {
    wlfmt::problem e;
    std::string field;
    std::string line;
    line_place where;
    wlfmt::severity s = wlfmt::severity::error;
};

// What a cell of a notebook has printed: the part of the text from `begin` on.
struct notebook_cell {
    std::uint64_t number;  // counted from 1
    std::uint64_t begin;
    std::uint64_t first_line;  // the number of its first line in the text
};
// The cell that has printed what is at this place of the text; null if the text is not from a notebook.
const notebook_cell* cell_at(const std::vector<notebook_cell>& cells, std::uint64_t offset) noexcept;
// The name of a text, or of the notebook cell that has printed this part of it.
std::string name_of_part(std::string_view name, const notebook_cell* cell);

// What problems are about: a whole text, or the lines of a stream that are in memory.
class reported_text {
public:
    using stream_line = wlfmt::oplog::stream_line;

    reported_text() = default;
    reported_text(std::string_view text, std::uint64_t first_line) noexcept : text_(text), first_line_(first_line) {}
    explicit reported_text(const wlfmt::oplog::stream& log) noexcept : log_(&log) {}

    // Call this before the stream is destroyed.
    void forget_log() noexcept;
    // The line of the last problem; its number is 0 if there is none yet.
    const stream_line& last_line() const noexcept { return line_; }
    bool is_in_last_line(std::uint64_t offset) const noexcept;
    // Finds the line that holds an offset. As problems come in the order of the text, one pass over it finds all lines.
    const stream_line& line_at(std::uint64_t offset);
    // The line of a stream that holds the offset, or the whole text.
    stream_line around(std::uint64_t offset) const;
    stream_line around(std::string_view place) const;
    // Where a view begins in the text; nothing if it is not a view of it.
    std::optional<std::uint64_t> offset_of(std::string_view place) const noexcept;
    stream_line whole() const noexcept { return {text_, 0, first_line_}; }
    // The bytes that a problem is about; empty if they are not in memory.
    std::string_view bytes_of(const wlfmt::problem& e) const;

private:
    std::string_view text_;
    std::uint64_t first_line_ = 1;
    const wlfmt::oplog::stream* log_ = nullptr;
    stream_line line_;
};

// Prints the problems of a file as they come up, and counts them.
class report {
public:
    report(std::string_view name, const settings& s);

    void set_kind(wlfmt::file_format kind) noexcept { kind_ = kind; }
    // Call this if the text is what the cells of a notebook have printed: places are then counted in each cell.
    void set_cells(const std::vector<notebook_cell>& cells) { cells_ = cells; }
    // Call this if the text, or that of each cell, was mended: places are then told in the original one.
    void set_mended(std::vector<wlfmt::table::mended>&& mended) { mended_ = std::move(mended); }
    bool is_mended() const noexcept { return !mended_.empty(); }
    // Prints nothing from now on, as for a file that is read a second time.
    void silence() noexcept { silent_ = true; }
    // Sets the text that the next problems are about, and the number of its first line.
    void about(std::string_view text, std::uint64_t first_line = 1) { begin(reported_text(text, first_line)); }
    void about(const wlfmt::oplog::stream& log) { begin(reported_text(log)); }
    // Call this before the log is destroyed.
    void forget_log() noexcept { text_.forget_log(); }
    // Keeps the first few problems after this call in a list instead of printing them.
    void keep_in(std::vector<deferred_problem>& problems) noexcept { kept_ = &problems; }
    // Reports the error that ended the reading, or a record that is not in the output.
    void error(const wlfmt::problem& e);
    // Reports what the command itself finds wrong. `place` is a view of the text, or has no data.
    void error(std::string_view place, std::string_view words);
    void error(parts words) { error(std::string_view(), joined(words)); }
    void warning(std::string_view place, std::string_view words) { print(place, words, count_warning()); }
    void warning(parts words) { warning(std::string_view(), joined(words)); }
    // Reports that some of the input is not in the output.
    void loss(std::string_view place, std::string_view words);
    // Reports that the file also holds records of another format, which are read only if the command line says so.
    void other_format(std::string_view other_records, wlfmt::file_format other, bool is_loss);
    // Reports lines that hold a record after other text, which no option makes less of a loss. Of a part of a file they
    // are only counted: its lines have no numbers yet.
    void lost_records(wlfmt::problem e);
    // Reports what is odd, although nothing of it is missing from the output.
    void warning(const wlfmt::problem& e) { print(e, count_warning()); }
    // Receives a problem that lenient reading tolerated.
    void tolerated(const wlfmt::problem& e);
    // Whether the last error is in this record. A reader reports what is wrong in a record before it hands the record
    // out.
    bool blames(std::string_view source) const noexcept;

    void close();
    std::uint64_t errors() const noexcept { return errors_; }
    // How many of the errors are warnings without --strict.
    std::uint64_t strict_errors() const noexcept { return strict_errors_; }
    // How many problems kept a record, or a part of one, from being read.
    std::uint64_t losses() const noexcept { return losses_; }
    std::uint64_t warnings() const noexcept { return warnings_; }

private:
    using stream_line = wlfmt::oplog::stream_line;
    // Warnings of one kind about one field: the first is printed, the others are counted.
    struct warning_group {
        std::string title;
        std::string place;
        std::uint64_t more;
    };
    line_place place_of(const stream_line& line, std::uint64_t column = 1) const;
    void count_loss(const wlfmt::problem& e) noexcept;
    // Counts a warning, and returns its severity: with --strict it is an error.
    wlfmt::severity count_warning() noexcept;
    void begin(const reported_text& text);
    void print(const wlfmt::problem& e, wlfmt::severity s);
    void print(std::string_view place, std::string_view words, wlfmt::severity s);

    const stream_line& line_at(std::uint64_t offset);
    // Whether a long line has so many problems that this one is only counted: finding the column of a problem takes
    // reading its line from the beginning.
    bool is_one_of_many();
    void print_rest_of_line();
    bool is_like_another(const wlfmt::problem& e);
    void keep(const wlfmt::problem& e, wlfmt::severity s);
    std::vector<deferred_problem>* kept_ = nullptr;
    std::string name_;
    std::vector<notebook_cell> cells_;
    std::vector<wlfmt::table::mended> mended_;
    wlfmt::file_format kind_ = wlfmt::file_format::unknown;
    bool check_;
    bool strict_;
    bool lenient_;
    bool silent_ = false;
    std::uint64_t limit_;
    std::uint64_t printed_ = 0;
    std::uint64_t dropped_ = 0;  // problems beyond the limit
    std::vector<warning_group> groups_;
    reported_text text_;
    std::uint64_t problems_in_line_ = 0;
    std::uint64_t unprinted_in_line_ = 0;
    bool blamed_ = false;
    std::uint64_t last_offset_ = 0;
    std::uint64_t errors_ = 0;
    std::uint64_t strict_errors_ = 0;
    std::uint64_t losses_ = 0;
    std::uint64_t warnings_ = 0;
};

}  // namespace tool

#endif
