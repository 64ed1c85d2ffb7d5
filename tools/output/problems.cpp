#include "problems.hpp"

namespace tool {

// Whether a bad number in this field keeps a layer, or the second line of a workload file, from being read. The entries
// of the header are kept in any case.
static bool is_needed(std::string_view field) noexcept {
    return field == layer_count || field == "dependency" || field == "update" || has_ending(field, ".compute") ||
           has_ending(field, ".bytes");
}

bool is_loss(const wlfmt::problem& e, wlfmt::file_format kind) noexcept {
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
    case wlfmt::error_kind::header_mismatch: return false;
    default: return true;
    }
}

bool is_cut(const wlfmt::problem& e) noexcept {
    return (e.kind == wlfmt::error_kind::layer_count_mismatch && e.found < e.expected) ||
           e.kind == wlfmt::error_kind::unterminated_record || e.kind == wlfmt::error_kind::unterminated_list ||
           e.kind == wlfmt::error_kind::unclosed_table || e.kind == wlfmt::error_kind::cut_column;
}

const notebook_cell* cell_at(const std::vector<notebook_cell>& cells, std::uint64_t offset) noexcept {
    const notebook_cell* found = nullptr;
    for (const notebook_cell& cell : cells)
        if (cell.begin <= offset) found = &cell;
    return found;
}

std::string name_of_part(std::string_view name, const notebook_cell* cell) {
    return cell == nullptr ? std::string(name) : joined({name, ": cell ", cell->number});
}
void reported_text::forget_log() noexcept {
    log_ = nullptr;
    line_.text = {};
}
bool reported_text::is_in_last_line(std::uint64_t offset) const noexcept {
    return line_.number != 0 && offset >= line_.offset && offset <= line_.offset + line_.text.size();
}
const reported_text::stream_line& reported_text::line_at(std::uint64_t offset) {
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
reported_text::stream_line reported_text::around(std::uint64_t offset) const {
    return log_ != nullptr ? log_->line_at(offset) : stream_line{text_, 0, 1};
}
reported_text::stream_line reported_text::around(std::string_view place) const {
    return log_ != nullptr ? log_->line_of(place) : stream_line{text_, 0, 1};
}
std::optional<std::uint64_t> reported_text::offset_of(std::string_view place) const noexcept {
    const std::less_equal<const char*> ordered;
    if (log_ != nullptr || place.data() == nullptr || !ordered(text_.data(), place.data()) ||
        !ordered(place.data(), text_.data() + text_.size()))
        return std::nullopt;
    return static_cast<std::uint64_t>(place.data() - text_.data());
}
std::string_view reported_text::bytes_of(const wlfmt::problem& e) const {
    if (e.offset + e.length > text_.size()) return {};
    return text_.substr(static_cast<std::size_t>(e.offset), static_cast<std::size_t>(e.length));
}

report::report(std::string_view name, const settings& s)
    : name_(printable(name)),
      check_(s.lists_problems),
      strict_(s.strict),
      lenient_(s.lenient),
      limit_(check_ ? s.limit : 0) {}
void report::error(const wlfmt::problem& e) {
    ++errors_;
    count_loss(e);
    blamed_ = true;
    last_offset_ = e.offset;
    print(e, wlfmt::severity::error);
}
void report::error(std::string_view place, std::string_view words) {
    ++errors_;
    print(place, words, wlfmt::severity::error);
}
void report::loss(std::string_view place, std::string_view words) {
    lenient_ ? warning(place, words) : error(place, words);
}
void report::other_format(std::string_view other_records, wlfmt::file_format other, bool is_loss) {
    if (silent_ || kept_ != nullptr) return;
    const std::string found = joined({"the file holds ", other_records, ", too, which --kind=", name_of(other),
                                      " reads, and --kind=", name_of(kind_), " leaves out"});
    is_loss ? loss(std::string_view(), found) : warning(std::string_view(), found);
}
void report::lost_records(wlfmt::problem e) {
    ++errors_;
    losses_ += static_cast<std::uint64_t>(e.found);
    if (silent_ || kept_ != nullptr) return;
    const line_place first = place_of({{}, e.offset, static_cast<std::uint64_t>(e.expected)});
    e.expected = static_cast<std::int64_t>(first.number);
    say(e, {}, first.name);
}
void report::tolerated(const wlfmt::problem& e) {
    if (severity_of(e) != wlfmt::severity::warning) {
        if (check_ || (is_loss(e, kind_) && !lenient_)) return error(e);
        count_loss(e);
    }
    warning(e);
}
bool report::blames(std::string_view source) const noexcept {
    if (!blamed_) return false;
    const stream_line line = text_.around(source);
    const std::uint64_t begin = line.offset + static_cast<std::uint64_t>(source.data() - line.text.data());
    return last_offset_ >= begin && last_offset_ <= begin + source.size();
}
void report::close() {
    print_rest_of_line();
    for (const warning_group& g : groups_)
        if (g.more != 0)
            say(name_, {counted(g.more, "more warning", "more warnings"), " like that of ", g.place, ": ", g.title});
    if (dropped_ != 0)
        say(name_, {counted(dropped_, "more problem", "more problems"), ", ", errors_ + warnings_, " in all"});
}
line_place report::place_of(const stream_line& line, std::uint64_t column) const {
    const notebook_cell* const cell = cell_at(cells_, line.offset);
    line_place place{name_of_part(name_, cell), cell == nullptr ? line.number : line.number - cell->first_line + 1};
    if (mended_.empty()) return place;
    const std::size_t part = cell == nullptr ? 0 : static_cast<std::size_t>(cell - cells_.data());
    const wlfmt::table::text_place there = mended_[part].place_of({place.number, column});
    return {std::move(place.name), there.line, there.column};
}
void report::count_loss(const wlfmt::problem& e) noexcept {
    if (severity_of(e) == wlfmt::severity::error && is_loss(e, kind_)) ++losses_;
}
wlfmt::severity report::count_warning() noexcept {
    ++(strict_ ? errors_ : warnings_);
    strict_errors_ += strict_ ? 1 : 0;
    return strict_ ? wlfmt::severity::error : wlfmt::severity::warning;
}
void report::begin(const reported_text& text) {
    print_rest_of_line();
    text_ = text;
    blamed_ = false;
}
void report::print(const wlfmt::problem& e, wlfmt::severity s) {
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
    const line_place where = place_of(line, in_line.offset + 1);
    say(in_line, line.text, where.name, s, where.number, where.column);
}
void report::print(std::string_view place, std::string_view words, wlfmt::severity s) {
    const std::optional<std::uint64_t> offset = text_.offset_of(place);
    const stream_line line = offset ? line_at(*offset) : text_.whole();
    const std::uint64_t column = offset ? static_cast<std::uint64_t>(place.data() - line.text.data()) + 1 : 0;
    const line_place where = offset ? place_of(line, column) : line_place{name_, line.number};
    notice said;
    said.text = wlfmt::explain(wlfmt::at_place(place), wlfmt::with_message(words), line.text,
                               wlfmt::in_file(where.name), s, where.number);
    said.severity = name_of(s);
    said.file = where.name;
    said.words = words;
    said.split_kind();
    if (offset) {
        said.line = where.number;
        said.column = column;
        if (where.column != 0) said.move_to(where.column);
    }
    standard_error.append(std::move(said));
}
const report::stream_line& report::line_at(std::uint64_t offset) {
    if (!text_.is_in_last_line(offset)) print_rest_of_line();
    return text_.line_at(offset);
}
bool report::is_one_of_many() {
    constexpr std::size_t long_line = 1 << 16;
    constexpr std::uint64_t max_printed = 20;
    if (text_.last_line().text.size() < long_line || ++problems_in_line_ <= max_printed) return false;
    ++unprinted_in_line_;
    return true;
}
void report::print_rest_of_line() {
    if (unprinted_in_line_ != 0) {
        const line_place where = place_of(text_.last_line());
        say(joined({where.name, ":", where.number}),
            {counted(unprinted_in_line_, "more problem", "more problems"), " in this line"});
    }
    problems_in_line_ = unprinted_in_line_ = 0;
}
bool report::is_like_another(const wlfmt::problem& e) {
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
void report::keep(const wlfmt::problem& e, wlfmt::severity s) {
    constexpr std::size_t max_kept = 3;
    if (kept_->size() == max_kept) return;
    const stream_line line = text_.around(e.offset);
    deferred_problem problem{e, std::string(e.field), std::string(line.text),
                             place_of(line, e.offset - line.offset + 1), s};
    problem.e.offset -= line.offset;
    kept_->push_back(std::move(problem));
}

}  // namespace tool
