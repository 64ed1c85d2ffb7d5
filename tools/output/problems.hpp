// Prints and counts the problems of a file as they come up.
#ifndef WLFMT_TOOLS_OUTPUT_PROBLEMS_HPP
#define WLFMT_TOOLS_OUTPUT_PROBLEMS_HPP

#include <functional>
#include <optional>

#include <wlfmt/oplog/stream.hpp>

#include "../command_line/settings.hpp"
#include "output.hpp"

namespace tool {

inline constexpr std::string_view layer_count = "layer count";

// Whether a bad number in this field keeps a layer, or the second line of a workload file, from being read. The entries
// of the header are kept in any case.
inline bool is_needed(std::string_view field) noexcept {
    return field == layer_count || field == "dependency" || field == "update" || has_ending(field, ".compute") ||
           has_ending(field, ".bytes");
}

// Whether some of the input is in no record because of a tolerated problem: it was dropped, or may have been cut off.
// Values of op logs and tables that cannot be read are kept as they are written.
inline bool is_loss(const wlfmt::problem& e, wlfmt::file_format kind) noexcept {
    switch (e.kind) {
    case wlfmt::error_kind::not_a_number:
    case wlfmt::error_kind::not_an_integer:
    case wlfmt::error_kind::number_overflow:
        return kind == wlfmt::file_format::workload ? is_needed(e.field) : e.field == "rank" || e.field == "stage";
    case wlfmt::error_kind::layer_count_mismatch: return e.found < e.expected;
    case wlfmt::error_kind::negative_value: return e.field == layer_count;  // how many layers there were is unknown
    case wlfmt::error_kind::duplicate_key:
    case wlfmt::error_kind::bad_escape:
    case wlfmt::error_kind::missing_layer_count:
    case wlfmt::error_kind::header_value:
    case wlfmt::error_kind::header_mismatch:
    case wlfmt::error_kind::missing_rule: return false;
    default: return true;
    }
}

// Whether the problem is that the text ends too early, so that more of it may be missing.
inline bool is_cut(const wlfmt::problem& e) noexcept {
    return (e.kind == wlfmt::error_kind::layer_count_mismatch && e.found < e.expected) ||
           e.kind == wlfmt::error_kind::unterminated_record || e.kind == wlfmt::error_kind::unterminated_list ||
           e.kind == wlfmt::error_kind::unclosed_table || e.kind == wlfmt::error_kind::cut_column;
}

// The name of the text that a line is in, and the number of the line there.
struct line_place {
    std::string name;
    std::uint64_t number = 1;
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
inline const notebook_cell* cell_at(const std::vector<notebook_cell>& cells, std::uint64_t offset) noexcept {
    const notebook_cell* found = nullptr;
    for (const notebook_cell& cell : cells)
        if (cell.begin <= offset) found = &cell;
    return found;
}
// The name of a text, or of the notebook cell that has printed this part of it.
inline std::string name_of_part(std::string_view name, const notebook_cell* cell) {
    return cell == nullptr ? std::string(name) : joined({name, ": cell ", cell->number});
}

// What problems are about: a whole text, or the lines of a stream that are in memory.
class reported_text {
public:
    using stream_line = wlfmt::oplog::stream_line;

    reported_text() = default;
    reported_text(std::string_view text, std::uint64_t first_line) noexcept : text_(text), first_line_(first_line) {}
    explicit reported_text(const wlfmt::oplog::stream& log) noexcept : log_(&log) {}

    // Call this before the stream is destroyed.
    void forget_log() noexcept {
        log_ = nullptr;
        line_.text = {};
    }
    // The line of the last problem; its number is 0 if there is none yet.
    const stream_line& last_line() const noexcept { return line_; }
    bool is_in_last_line(std::uint64_t offset) const noexcept {
        return line_.number != 0 && offset >= line_.offset && offset <= line_.offset + line_.text.size();
    }
    // Finds the line that holds an offset. As problems come in the order of the text, one pass over it finds all lines.
    const stream_line& line_at(std::uint64_t offset) {
        if (is_in_last_line(offset)) return line_;
        if (log_ != nullptr) return line_ = log_->line_at(offset);
        if (line_.number == 0 || offset < line_.offset) line_ = {{}, 0, first_line_};
        auto begin = static_cast<std::size_t>(line_.offset);
        std::size_t end = text_.find('\n', begin);
        for (; end < offset && end != std::string_view::npos; end = text_.find('\n', begin)) {
            begin = end + 1;
            ++line_.number;
        }
        line_.offset = begin;
        line_.text = text_.substr(begin, end == std::string_view::npos ? end : end - begin);
        return line_;
    }
    // The line of a stream that holds the offset, or the whole text.
    stream_line around(std::uint64_t offset) const {
        return log_ != nullptr ? log_->line_at(offset) : stream_line{text_, 0, 1};
    }
    stream_line around(std::string_view place) const {
        return log_ != nullptr ? log_->line_of(place) : stream_line{text_, 0, 1};
    }
    // Where a view begins in the text; nothing if it is not a view of it.
    std::optional<std::uint64_t> offset_of(std::string_view place) const noexcept {
        const std::less_equal<const char*> ordered;
        if (log_ != nullptr || place.data() == nullptr || !ordered(text_.data(), place.data()) ||
            !ordered(place.data(), text_.data() + text_.size()))
            return std::nullopt;
        return static_cast<std::uint64_t>(place.data() - text_.data());
    }
    stream_line whole() const noexcept { return {text_, 0, first_line_}; }
    // The bytes that a problem is about; empty if they are not in memory.
    std::string_view bytes_of(const wlfmt::problem& e) const {
        if (e.offset + e.length > text_.size()) return {};
        return text_.substr(static_cast<std::size_t>(e.offset), static_cast<std::size_t>(e.length));
    }

private:
    std::string_view text_;
    std::uint64_t first_line_ = 1;
    const wlfmt::oplog::stream* log_ = nullptr;
    stream_line line_;
};

// Prints the problems of a file as they come up, and counts them.
class report {
public:
    report(std::string_view name, const settings& s)
        : name_(printable(name)),
          check_(s.lists_problems),
          strict_(s.strict),
          lenient_(s.lenient),
          limit_(check_ ? s.limit : 0) {}

    void set_kind(wlfmt::file_format kind) noexcept { kind_ = kind; }
    // Call this if the text is what the cells of a notebook have printed: places are then counted in each cell.
    void set_cells(const std::vector<notebook_cell>& cells) { cells_ = cells; }
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
    void error(const wlfmt::problem& e) {
        ++errors_;
        count_loss(e);
        blamed_ = true;
        last_offset_ = e.offset;
        print(e, wlfmt::severity::error);
    }
    // Reports what the command itself finds wrong. `place` is a view of the text, or has no data.
    void error(std::string_view place, std::string_view words) {
        ++errors_;
        print(place, words, wlfmt::severity::error);
    }
    void error(parts words) { error(std::string_view(), joined(words)); }
    void warning(std::string_view place, std::string_view words) { print(place, words, count_warning()); }
    void warning(parts words) { warning(std::string_view(), joined(words)); }
    // Reports that some of the input is not in the output.
    void loss(std::string_view place, std::string_view words) {
        lenient_ ? warning(place, words) : error(place, words);
    }
    // Reports that the file also holds records of another format, which are read only if the command line says so.
    void other_format(std::string_view other_records, wlfmt::file_format other, bool is_loss) {
        if (silent_ || kept_ != nullptr) return;
        const std::string found = joined({"the file holds ", other_records, ", too, which --kind=", name_of(other),
                                          " reads, and --kind=", name_of(kind_), " leaves out"});
        is_loss ? loss(std::string_view(), found) : warning(std::string_view(), found);
    }
    // Reports lines that hold a record after other text, which no option makes less of a loss. Of a part of a file they
    // are only counted: its lines have no numbers yet.
    void lost_records(wlfmt::problem e) {
        ++errors_;
        losses_ += static_cast<std::uint64_t>(e.found);
        if (silent_ || kept_ != nullptr) return;
        const line_place first = place_of({{}, e.offset, static_cast<std::uint64_t>(e.expected)});
        e.expected = static_cast<std::int64_t>(first.number);
        standard_error.append(wlfmt::explain(e, {}, wlfmt::in_file(first.name)));
    }
    // Reports what is odd, although nothing of it is missing from the output.
    void warning(const wlfmt::problem& e) { print(e, count_warning()); }
    // Receives a problem that lenient reading tolerated.
    void tolerated(const wlfmt::problem& e) {
        if (severity_of(e) != wlfmt::severity::warning) {
            if (check_ || (is_loss(e, kind_) && !lenient_)) return error(e);
            count_loss(e);
        }
        warning(e);
    }
    // Whether the last error is in this record. A reader reports what is wrong in a record before it hands the record
    // out.
    bool blames(std::string_view source) const noexcept {
        if (!blamed_) return false;
        const stream_line line = text_.around(source);
        const std::uint64_t begin = line.offset + static_cast<std::uint64_t>(source.data() - line.text.data());
        return last_offset_ >= begin && last_offset_ <= begin + source.size();
    }

    void close() {
        print_rest_of_line();
        for (const warning_group& g : groups_)
            if (g.more != 0)
                say(name_,
                    {counted(g.more, "more warning", "more warnings"), " like that of ", g.place, ": ", g.title});
        if (dropped_ != 0)
            say(name_, {counted(dropped_, "more problem", "more problems"), ", ", errors_ + warnings_, " in all"});
    }
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
    line_place place_of(const stream_line& line) const {
        const notebook_cell* const cell = cell_at(cells_, line.offset);
        return {name_of_part(name_, cell), cell == nullptr ? line.number : line.number - cell->first_line + 1};
    }
    void count_loss(const wlfmt::problem& e) noexcept {
        if (severity_of(e) == wlfmt::severity::error && is_loss(e, kind_)) ++losses_;
    }
    // Counts a warning, and returns its severity: with --strict it is an error.
    wlfmt::severity count_warning() noexcept {
        ++(strict_ ? errors_ : warnings_);
        strict_errors_ += strict_ ? 1 : 0;
        return strict_ ? wlfmt::severity::error : wlfmt::severity::warning;
    }
    void begin(const reported_text& text) {
        print_rest_of_line();
        text_ = text;
        blamed_ = false;
    }
    void print(const wlfmt::problem& e, wlfmt::severity s) {
        if (silent_) return;
        if (kept_ != nullptr) return keep(e, s);
        if (limit_ != 0 && s == wlfmt::severity::warning && is_like_another(e)) return;
        if (limit_ != 0 && printed_ == limit_) {
            ++dropped_;
            return;
        }
        ++printed_;
        const stream_line line = line_at(e.offset);
        if (is_one_of_many()) return;
        wlfmt::problem in_line = e;
        in_line.offset -= (std::min)(line.offset, e.offset);
        const line_place where = place_of(line);
        standard_error.append(wlfmt::explain(in_line, line.text, wlfmt::in_file(where.name), s, where.number));
    }
    void print(std::string_view place, std::string_view words, wlfmt::severity s) {
        const std::optional<std::uint64_t> offset = text_.offset_of(place);
        const stream_line line = offset ? line_at(*offset) : text_.whole();
        const line_place where = offset ? place_of(line) : line_place{name_, line.number};
        standard_error.append(wlfmt::explain(wlfmt::at_place(place), wlfmt::with_message(words), line.text,
                                             wlfmt::in_file(where.name), s, where.number));
    }

    const stream_line& line_at(std::uint64_t offset) {
        if (!text_.is_in_last_line(offset)) print_rest_of_line();
        return text_.line_at(offset);
    }
    // Whether a long line has so many problems that this one is only counted: finding the column of a problem takes
    // reading its line from the beginning.
    bool is_one_of_many() {
        constexpr std::size_t long_line = 1 << 16;
        constexpr std::uint64_t max_printed = 20;
        if (text_.last_line().text.size() < long_line || ++problems_in_line_ <= max_printed) return false;
        ++unprinted_in_line_;
        return true;
    }
    void print_rest_of_line() {
        if (unprinted_in_line_ != 0) {
            const line_place where = place_of(text_.last_line());
            say(joined({where.name, ":", where.number}),
                {counted(unprinted_in_line_, "more problem", "more problems"), " in this line"});
        }
        problems_in_line_ = unprinted_in_line_ = 0;
    }
    bool is_like_another(const wlfmt::problem& e) {
        constexpr std::size_t max_groups = 200;
        std::string title(name_of(e.kind));
        if (!e.field.empty()) title.append(": ").append(printable(e.field));
        // Each unknown word has a group of its own.
        if (const std::string_view word = text_.bytes_of(e);
            e.kind == wlfmt::error_kind::unknown_collective && !word.empty())
            title.append(" `").append(printable(word)).append("`");
        for (warning_group& g : groups_)
            if (g.title == title) {
                ++g.more;
                return true;
            }
        if (groups_.size() == max_groups) return false;
        const stream_line& line = line_at(e.offset);
        const notebook_cell* const cell = cell_at(cells_, line.offset);
        std::string place = joined({"line ", place_of(line).number});
        if (cell != nullptr) place += joined({" of cell ", cell->number});
        groups_.push_back({std::move(title), std::move(place), 0});
        return false;
    }
    void keep(const wlfmt::problem& e, wlfmt::severity s) {
        constexpr std::size_t max_kept = 3;
        if (kept_->size() == max_kept) return;
        const stream_line line = text_.around(e.offset);
        deferred_problem problem{e, std::string(e.field), std::string(line.text), place_of(line), s};
        problem.e.offset -= line.offset;
        kept_->push_back(std::move(problem));
    }
    std::vector<deferred_problem>* kept_ = nullptr;
    std::string name_;
    std::vector<notebook_cell> cells_;
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
