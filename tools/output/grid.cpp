#include "grid.hpp"
#include "compared.hpp"
#include "json_print.hpp"

namespace tool {

// Prints a piece, such as a table or a sentence, or counts it as left out if the digest has no room for all of it.
static void print_piece(const std::string& text) {
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

void print_title(std::string_view text) {
    if (chosen_layout == layout::markdown) print_piece(joined({"## ", in_markdown(printable(text)), "\n\n"}));
    else
        standard_output.append(styled(output_terminal, style::strong, wrapped(printable(text), output_terminal.width)) +
                               '\n');
}

void print_note(std::string_view text) {
    if (chosen_layout == layout::markdown) print_piece(joined({"- ", in_markdown(printable(text)), "\n"}));
    else print_line({"  ", text});
}

void print_finding(parts words) {
    const std::string text = joined(words);
    if (!output_terminal.has_colours || chosen_layout == layout::markdown) return print_note(text);
    const std::string lines = wrapped("  " + printable(text), output_terminal.width);
    const std::size_t comma = (std::min)(lines.find(','), lines.find('\n'));
    const std::string_view first = std::string_view(lines).substr(0, comma);
    standard_output.append(
        {styled(output_terminal, style::slow, first), std::string_view(lines).substr(first.size()), "\n"});
}

void print_passed_over(std::uint64_t lines, const std::string& where) {
    if (lines == 0) return;
    print_note({counted(lines, "line that is", "lines that are"), " in no ", where, lines == 1 ? " was" : " were",
                " passed over"});
}
void print_gap() {
    if (chosen_layout == layout::markdown && chosen_digest.max_rows != 0)
        chosen_digest.gap = chosen_digest.lines != 0 && !chosen_digest.blank;
    else standard_output.append("\n");
}
void end_digest() {
    if (chosen_layout != layout::markdown || chosen_digest.left_out == 0) return;
    standard_output.append(
        {"- ", chosen_digest.left_out, " more lists and sentences: without --top they are all here\n"});
}
void grid::row(parts cells) {
    rows_.emplace_back();
    add(cells);
}
void grid::add(parts cells) {
    for (const auto& cell : cells) rows_.back().push_back(printable(cell.text()));
}
void grid::print() {
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
void grid::print_markdown() const {
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
std::vector<std::size_t> grid::widths_of_columns() const {
    std::vector<std::size_t> widths;
    for (const auto& cells : rows_)
        for (std::size_t n = 0; n < cells.size(); ++n) {
            if (n == widths.size()) widths.push_back(0);
            widths[n] = (std::max)(widths[n], characters(cells[n]));
        }
    return widths;
}
std::size_t grid::width_of_lines(const std::vector<std::size_t>& widths) {
    std::size_t width = 0;
    for (const std::size_t column : widths) width += 2 + column;
    return width;
}
std::vector<std::size_t> grid::fitted_widths() {
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
std::size_t grid::next_column_to_drop(std::size_t columns) {
    while (!minor_.empty()) {
        const std::size_t column = minor_.front();
        minor_.erase(minor_.begin());
        if (column < columns) return column;
    }
    return columns - 1;
}
void grid::cut(std::string& name, std::size_t size) {
    if (characters(name) <= size) return;
    const auto is_inside = [&](std::size_t n) { return (static_cast<unsigned char>(name[n]) & 0xC0U) == 0x80U; };
    std::size_t end = size - 3 - size / 3;
    while (end != 0 && is_inside(end)) --end;
    std::size_t next = name.size() - size / 3;
    while (next != name.size() && is_inside(next)) ++next;
    name = name.substr(0, end) + "..." + name.substr(next);
}

std::string fixed(double v, int decimals) { return wlfmt::analysis::fixed_text(v, decimals); }
std::string share(double part, double whole) {
    return whole > 0 && std::isfinite(whole) ? fixed(100 * part / whole, 1) + "%" : "-";
}
std::string fixed(const bounded& v, int decimals) {
    return message(v, [decimals](double number) { return fixed(number, decimals); });
}
std::string share(const bounded& part, const bounded& whole) {
    const auto percent = [](double number) { return number > 1.001 ? "over 100%" : fixed(100 * number, 1) + "%"; };
    return whole.number() > 0 ? message(part_of(part, whole), percent) : "-";
}
std::string time_text(double us) {
    if (us >= 1e6) return fixed(us / 1e6, 3) + "s";
    return us >= 1e3 ? fixed(us / 1e3, 3) + "ms" : fixed(us, 3) + "us";
}
std::string sized(double bytes) {
    constexpr const char* units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    std::size_t unit = 0;
    for (; std::fabs(bytes) >= 1024 && std::isfinite(bytes) && unit + 1 < sizeof units / sizeof *units; ++unit)
        bytes /= 1024;
    return fixed(bytes, unit == 0 ? 0 : 2) + units[unit];
}

std::string decimals_of(double v) {
    std::string digits = fixed(v, 6);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
    return digits == "-0" ? "0" : digits;
}

std::string signed_text(double v, const number_words& text) {
    return std::isfinite(v) ? (v > 0 ? "+" : v < 0 ? "-" : "") + text(std::fabs(v)) : text(v);
}
void compared_sum::add(const compared_sum& more) noexcept {
    before += more.before;
    after += more.after;
}
bool compared_sum::differs(double tolerance) const noexcept {
    // Written with !(<=) for an infinite sum without a tolerance: the right side is 0 * inf, which is NaN.
    return before != after && !(std::fabs(by()) <= tolerance * (std::max)(std::fabs(before), std::fabs(after)));
}
std::string compared_sum::growth() const {
    if (before == 0 || !std::isfinite(by())) return {};
    const double percent = 100 * by() / std::fabs(before);
    return joined({" (", percent > 0 ? "+" : "", fixed(percent, 1), "%)"});
}
std::string compared_sum::part_of(const compared_sum& totals) const {
    return totals.by() == 0 || by() == 0 || !std::isfinite(totals.by()) ? "-"
                                                                        : fixed(100 * by() / totals.by(), 1) + "%";
}

bool growth_report::check(const std::string& item, const compared_sum& sum, const compared_sum& whole,
                          const number_words& text, double microseconds, bool is_least) {
    if (!is_exceeded(sum, whole, microseconds)) return false;
    any_ = true;
    say("wlfmt", {item, is_least ? " grew by at least " : " grew by ", signed_text(sum.by(), text), sum.growth(),
                  ", which is above ", limit_.text});
    return true;
}
void growth_report::check_limits(const std::string& item, const bounded& was, const bounded& now,
                                 const compared_sum& whole, const number_words& text, double microseconds) {
    const bounded by = now - was;
    if (by.has_least() && check(item, {was.at_most(), now.at_least()}, whole, text, microseconds, !by.is_exact()))
        return;
    if (!by.is_exact()) doubt(item, {(std::max)(0.0, was.at_least()), now.at_most()}, whole, microseconds);
}
void growth_report::doubt(const std::string& item, const compared_sum& sum, const compared_sum& whole,
                          double microseconds) {
    if (is_exceeded(sum, whole, microseconds) && doubts_++ == 0) doubted_ = item;
}
bool growth_report::report_doubts() const {
    if (doubts_ == 0) return false;
    const std::string others =
        doubts_ == 1 ? " is" : joined({" and ", counted(doubts_ - 1, "other time", "other times"), " are"});
    say("wlfmt", {"growth above ", limit_.text, " is not ruled out: ", doubted_, others, " not known exactly"});
    return true;
}
exit_status growth_report::status(bool differs, bool incomplete) const noexcept {
    if (limit_.is_asked()) return any_ ? grown : incomplete ? problems : clean;
    return differs || incomplete ? problems : clean;
}
bool growth_report::is_exceeded(const compared_sum& sum, const compared_sum& whole,
                                double microseconds) const noexcept {
    // The total itself counts, even if --fail-above allows more than 100%.
    const bool is_all = sum.before == whole.before && sum.after == whole.after;
    const bool is_large =
        is_all || limit_.is_large(sum.before, whole.before) || limit_.is_large(sum.after, whole.after);
    return limit_.is_asked() && !is_ignored_ && is_large &&
           limit_.is_exceeded(sum.before * microseconds, sum.after * microseconds);
}

std::size_t max_lines(std::size_t count, const settings& s) {
    return (std::min)(count, s.top != 0 ? s.top : s.markdown || output_terminal.is_there ? 10 : count);
}

}  // namespace tool
