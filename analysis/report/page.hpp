// Writes the HTML of reports: the page, its sections, tables and pictures. All names from files are escaped.
#ifndef WLFMT_ANALYSIS_REPORT_PAGE_HPP
#define WLFMT_ANALYSIS_REPORT_PAGE_HPP

#include "../answers/types.hpp"
#include "../draw/svg.hpp"
#include "../library.hpp"
#include "style.hpp"

namespace wlfmt::analysis {

inline std::string capitalised(std::string s) {
    if (!s.empty() && s[0] >= 'a' && s[0] <= 'z') s[0] = static_cast<char>(s[0] - 'a' + 'A');
    return s;
}
// Keeps a number and its unit on one line.
inline std::string unbroken(std::string_view s) {
    std::string text;
    for (const char c : s) c == ' ' ? text.append("&nbsp;") : text.append(1, c);
    return text;
}
// A number from the answers, printed as by message(), but in markup. `format(double)` must return text that needs no
// escaping. What may be below 0 is shown by shown_difference(): a lower limit of 0 says nothing of other numbers.
template <class Format> std::string shown_difference(const bounded& v, const Format& format) {
    const std::string text = message(v, format);
    if (text.compare(1, 2, "= ") != 0) return unbroken(text);
    return unbroken(joined({text[0] == '>' ? "&ge; " : "&le; ", text.substr(3)}));
}
inline bool says_something(const bounded& v) noexcept { return v.is_known() && v != bounded::no_less(0); }
template <class Format> std::string shown(const bounded& v, const Format& format) {
    return says_something(v) ? shown_difference(v, format) : "unknown";
}
inline std::string ms_markup(const bounded& ms) {
    return shown(ms, [](double v) { return milliseconds_text(v) + " ms"; });
}
// A share in per cent; 1 is the whole.
inline std::string percent_markup(const bounded& part) {
    return shown(part * 100, [](double v) { return percent_text(v); });
}
inline std::string percent_markup(double part, double whole) { return unbroken(percent_text(part, whole)); }
inline std::string times_markup(const bounded& ratio) {
    return shown(ratio, [](double v) { return digits_text(v) + " times"; });
}
inline std::string count_markup(const bounded& n) {
    return shown(n, [](double v) { return grouped_text(v, 0); });
}
inline constexpr const char* missing_value = "&ndash;";  // what a cell without a value shows
inline std::string strong(std::string_view s) { return joined({"<b>", s, "</b>"}); }
inline std::string link_to(std::string_view section, std::string_view s) {
    return joined({"<a href=\"#", section, "\">", s, "</a>"});
}
// `0 to 3, 7`; if there are many ranges, the first ones, and how many further numbers there are.
inline std::string ranges_text(const std::vector<std::int64_t>& ascending) {
    std::string text;
    constexpr int max_ranges = 8;
    int ranges = 0;
    for (std::size_t n = 0; n != ascending.size();) {
        std::size_t last = n;
        while (last + 1 != ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
        if (ranges++ == max_ranges) return text + " and " + count_text(ascending.size() - n) + " more";
        text.append(text.empty() ? "" : ", ").append(std::to_string(ascending[n]));
        if (last != n) text.append(last == n + 1 ? ", " : " to ").append(std::to_string(ascending[last]));
        n = last + 1;
    }
    return text;
}

// How strong the colour of a number is, from 1 to 10: the greatest has the strongest.
inline int shade_of(double v, double greatest) noexcept {
    const double tenths = greatest > 0 ? std::ceil(10 * (v / greatest) * (1 - 1e-12)) : 1;
    return tenths >= 10 ? 10 : tenths >= 1 ? static_cast<int>(tenths) : 1;
}

// Says what of the input was not read. `problems`: one per line. Empty if all are warnings, which limit no number.
inline std::string unread_markup(std::string_view problems) {
    std::uint64_t count = 0;
    std::string first;
    for (; !problems.empty(); problems.remove_prefix((std::min)(problems.find('\n'), problems.size() - 1) + 1)) {
        const std::string_view problem = problems.substr(0, problems.find('\n'));
        if (problem.find(": warning: ") != problem.npos) continue;
        if (count++ == 0) first = markup(shortened(problem, 300));
    }
    if (count == 0) return {};
    return joined({"not all of it was read: ", counted_text(count, "problem"),
                   count == 1 ? ", " : ", of which the first is ", first});
}

// Shapes in a page's column, `height` pixels high and as wide as the column. Screen readers read `words` aloud.
inline std::string drawing(const shapes& s, double height, std::string_view words) {
    return joined({"<svg height=\"", fixed_text(height, 0), "\" role=\"img\" aria-label=\"", markup(words), "\">",
                   s.body(), "</svg>"});
}

// Compresses rows of bytes by RFC 1951, with its fixed codes. As the bytes resemble their left and upper neighbours, it
// looks for repetitions at these two distances only. Takes time linear in the size of the text.
inline std::string packed_rows(const std::string& text, std::size_t row) {
    std::string bytes;
    unsigned byte = 0;
    unsigned filled = 0;
    // A number is written from its lowest bit on, a code from its highest bit on.
    const auto put = [&](std::uint32_t bits, unsigned count) {
        for (; count != 0; --count, bits >>= 1U) {
            byte |= (bits & 1U) << filled;
            if (++filled != 8) continue;
            bytes += static_cast<char>(byte);
            byte = filled = 0;
        }
    };
    const auto put_code = [&](std::uint32_t bits, unsigned count) {
        while (count != 0) put(bits >> --count, 1);
    };
    const auto put_symbol = [&](unsigned symbol) {
        if (symbol < 144) return put_code(0x30 + symbol, 8);
        if (symbol < 256) return put_code(0x190 + symbol - 144, 9);
        if (symbol < 280) return put_code(symbol - 256, 7);
        put_code(0xC0 + symbol - 280, 8);
    };
    const auto repeated = [&](std::size_t at, std::size_t distance) {
        unsigned n = 0;
        while (at >= distance && n != 258 && at + n != text.size() && text[at + n] == text[at + n - distance]) ++n;
        return n;
    };
    // How many of a number's lowest bits must be dropped to make it less than `limit`.
    const auto bits_beyond = [](unsigned v, unsigned limit) {
        unsigned n = 0;
        while (v >> n >= limit) ++n;
        return n;
    };
    put(3, 3);  // begins the last block, which has fixed codes
    for (std::size_t at = 0; at != text.size();) {
        const unsigned left = repeated(at, 1);
        const unsigned above = repeated(at, row);
        const unsigned length = (std::max)(left, above);
        if (length < 4) {
            put_symbol(static_cast<unsigned char>(text[at++]));
            continue;
        }
        // A code holds the highest bits of a length or distance, and how many lower bits follow.
        const unsigned l = length - 3;
        const unsigned l_bits = length == 258 ? 0 : bits_beyond(l, 8);
        put_symbol(length == 258 ? 285 : 257 + 4 * l_bits + (l >> l_bits));
        put(l, l_bits);
        const unsigned d = above > left ? static_cast<unsigned>(row - 1) : 0;
        const unsigned d_bits = bits_beyond(d, 4);
        put_code(2 * d_bits + (d >> d_bits), 5);
        put(d, d_bits);
        at += length;
    }
    put_symbol(256);
    put(0, 7);
    return bytes;
}

inline std::string base64(std::string_view bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve(bytes.size() * 4 / 3 + 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        for (std::size_t n = 0; n != 3; ++n)
            three = three << 8U | (at + n < bytes.size() ? static_cast<unsigned char>(bytes[at + n]) : 0U);
        for (unsigned n = 0; n != 4; ++n) text += at + n > bytes.size() ? '=' : digits[three >> (18 - 6 * n) & 63U];
    }
    return text;
}

// A PNG as a data: address. `pixels`: rows of `width` indexes into the palette; `width` must be even. `palette`: at
// most 16 colours as `#rrggbb`.
inline std::string png_address(const std::vector<unsigned char>& pixels, std::size_t width,
                               const std::vector<std::string_view>& palette) {
    std::string text;
    for (std::size_t at = 0; at + 1 < pixels.size(); at += 2) {
        if (at % width == 0) text += '\0';  // the row is not filtered
        text += static_cast<char>(pixels[at] << 4U | pixels[at + 1]);
    }
    const auto number = [](std::uint32_t v) {
        std::string bytes;
        for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(v >> shift & 255U);
        return bytes;
    };
    std::string file = "\x89PNG\r\n\x1A\n";
    const auto chunk = [&](const std::string& data) {
        std::uint32_t crc = 0xFFFFFFFF;
        for (const char c : data) {
            crc ^= static_cast<unsigned char>(c);
            for (int bit = 0; bit != 8; ++bit) crc = crc >> 1U ^ (0xEDB88320U & (0U - (crc & 1U)));
        }
        file += number(static_cast<std::uint32_t>(data.size() - 4)) + data + number(~crc);
    };
    chunk("IHDR" + number(static_cast<std::uint32_t>(width)) +
          number(static_cast<std::uint32_t>(pixels.size() / width)) + std::string("\4\3\0\0\0", 5));
    std::string colours_of_palette;
    for (const std::string_view colour : palette)
        for (std::size_t at = 1; at + 1 < colour.size(); at += 2) {
            const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
            colours_of_palette += static_cast<char>(digit(colour[at]) * 16 + digit(colour[at + 1]));
        }
    chunk("PLTE" + colours_of_palette);
    std::uint32_t low = 1;
    std::uint32_t high = 0;
    for (const char c : text) {
        low = (low + static_cast<unsigned char>(c)) % 65521;
        high = (high + low) % 65521;
    }
    chunk("IDAT\x78\x01" + packed_rows(text, 1 + width / 2) + number(high << 16U | low));
    chunk("IEND");
    return "data:image/png;base64," + base64(file);
}

// Draws columns of stacked parts, one of each kind; `parts` lists them by column. `full` is the value of a full column.
inline std::string stacked_columns(const std::vector<double>& parts, const std::vector<legend_entry>& kinds,
                                   double full, int height, std::string_view words) {
    // A sum beyond any double has no height.
    const auto level = [&](double v) {
        const double part = v / full;
        return std::to_string(1000 - (part > 0 && part < 1e6 ? std::lround(1000 * part) : 0));
    };
    const std::size_t count = parts.size() / kinds.size();
    std::vector<double> below(count);
    shapes drawn;
    for (std::size_t c = 0; c != kinds.size(); ++c) {
        std::string path;
        for (std::size_t x = 0; x != count; ++x) {
            const std::string bottom = level(below[x]);
            below[x] += parts[x * kinds.size() + c];
            if (const std::string top = level(below[x]); top != bottom)
                append(path, {"M", x, " ", bottom, "V", top, "h1V", bottom, "z"});
        }
        drawn.path(path, kinds[c].colour);
    }
    return joined({"<svg height=\"", height, "\" viewBox=\"0 0 ", count,
                   " 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"", words, "\">", drawn.body(),
                   "</svg>\n"});
}

// A table's cell: its markup, and its number, by which rows are sorted and which programs read. `kind` is its CSS
// class; if it is empty, a cell gets the class of its column, and a column gets that of numbers.
struct html_cell {
    html_cell(std::string markup, std::string_view css_class = {}) : text(std::move(markup)), kind(css_class) {}
    html_cell(const char* markup) : text(markup) {}
    html_cell(double number, std::string markup, std::string_view css_class = {})
        : text(std::move(markup)), kind(css_class), value(decimals_text(number)) {}

    std::string text;
    std::string kind;
    std::string value;  // the number by which rows are sorted, if any
};
// Cells with numbers of the answers. Unknown ones have no number to sort by; they come last.
template <class Format> html_cell cell_of(const bounded& v, const Format& format) {
    return says_something(v) ? html_cell(v.number(), shown(v, format)) : html_cell("unknown");
}
inline html_cell ms_cell(const bounded& ms) {
    return cell_of(ms, [](double v) { return milliseconds_text(v); });
}
inline html_cell count_cell(const bounded& n) {
    return cell_of(n, [](double v) { return grouped_text(v, 0); });
}
inline html_cell percent_cell(const bounded& part) {
    return cell_of(part * 100, [](double v) { return percent_text(v); });
}
inline html_cell count_cell(std::uint64_t n) { return {static_cast<double>(n), count_text(n)}; }
// All bytes of a table are in one unit, that of the greatest of them.
class byte_cells {
public:
    void fit(const bounded& bytes) noexcept { greatest_ = (std::max)(greatest_, std::fabs(bytes.number())); }
    std::string text(double bytes) const {
        double size = 1;
        while (greatest_ / size >= 1024 && size < 1e12) size *= 1024;
        const std::string whole = bytes_text(greatest_);
        return (size == 1 ? fixed_text(bytes, 0) : digits_text(bytes / size)) + whole.substr(whole.find(' '));
    }
    html_cell cell(const bounded& bytes) const {
        return cell_of(bytes, [this](double v) { return text(v); });
    }
    html_cell cell(double bytes) const { return cell(bounded(bytes)); }

private:
    double greatest_ = 0;
};
// A bar, `percent` of the cell long.
inline html_cell bar_cell(double percent, std::string_view colour, std::string_view words) {
    shapes bar("%");
    bar.rectangle(0, 0, (std::max)(0.0, percent), 14, colour);
    return drawing(bar, 14, words);
}
// Kinds of columns: cells of texts have no class; words may be long, and are never the heads of rows.
inline constexpr std::string_view text_kind = "text";
inline constexpr std::string_view words_kind = "words";
inline html_cell text_column(std::string_view head) { return {std::string(head), text_kind}; }
inline html_cell bar_column() { return {"<span class=\"unseen\">bar</span>", "bar"}; }

// A coloured square, to be put before a name.
inline std::string key_of(std::string_view colour) { return joined({"<span class=\"key ", colour, "\"></span>"}); }
// A legend. Labels are written unescaped: they must be markup.
inline std::string legend_of(const std::vector<legend_entry>& entries) {
    std::string text = "<ul class=\"legend\">";
    for (const legend_entry& e : entries) append(text, {"<li>", key_of(e.colour), e.label, "</li>"});
    return text + "</ul>\n";
}

class html_page {
public:
    // Begins a section. `finding` is its heading; `method` says how that was measured.
    void section(std::string_view id, std::string_view finding, std::string_view method) {
        end_section();
        append(body_, {"<section id=\"", id, "\"><h2>", finding, "</h2>\n"});
        if (!method.empty()) append(body_, {"<p class=\"how\">", method, "</p>\n"});
        in_section_ = true;
    }
    void note(std::string_view s) {
        if (!s.empty()) add({"<p class=\"note\">", s, "</p>\n"});
    }
    void heading(std::string_view s) { add({"<h3>", s, "</h3>\n"}); }
    void legend(std::string_view s) { add({"<p class=\"legend\">", s, "</p>"}); }
    static std::string named(std::string_view name, std::string_view s) {
        return joined({"<div class=\"row\"><span>", name, "</span>", s, "</div>\n"});
    }
    // Adds markup, after ending the current table if there is one.
    void add(std::initializer_list<text_piece> markup) {
        end_table();
        append(body_, markup);
    }
    void table(std::string_view kind, std::initializer_list<html_cell> columns, std::string_view caption = {}) {
        end_table();
        head_ = joined(
            {"<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table class=\"", kind, "\">"});
        if (!caption.empty()) append(head_, {"<caption>", caption, "</caption>"});
        head_ += "<thead><tr>";
        end_ = "</tbody>";
        add_columns(columns);
    }
    void add_columns(std::initializer_list<html_cell> columns) {
        for (const html_cell& column : columns) {
            kinds_.push_back(column.kind.empty() ? "n" : column.kind);
            add_cell(head_, "th", " scope=\"col\"", kinds_.back(), column);
        }
    }
    // Begins a row with its first cells, the first of which is its head. `attributes`: such as ` class="strong"`.
    void row(std::initializer_list<html_cell> cells, std::string_view attributes = {}) {
        append(rows_, {"<tr", attributes, ">"});
        add_cells(cells);
    }
    // Adds further cells; the last column's cell ends the row.
    void add_cells(std::initializer_list<html_cell> cells) {
        for (const html_cell& cell : cells) {
            const bool is_head = column_ == 0 && kinds_[0] != words_kind;
            add_cell(rows_, is_head ? "th" : "td", is_head ? " scope=\"row\"" : "",
                     cell.kind.empty() ? kinds_[column_] : cell.kind, cell);
            if (++column_ != kinds_.size()) continue;
            rows_ += "</tr>\n";
            column_ = 0;
        }
    }
    // Ends the body of a table: what follows is its foot.
    void foot() {
        append(rows_, {end_, "<tfoot>"});
        end_ = "</tfoot>";
    }
    // Folds the rows that follow: a click on the summary shows them, as a table of their own. The script sorts the rows
    // of both tables as one list.
    void fold(std::string_view summary) {
        const bool has_rows = !rows_.empty();
        if (has_rows) write_table();
        append(body_, {has_rows ? "<details class=\"rest\"><summary>" : "<details><summary>", summary, "</summary>"});
        is_folded_ = true;
    }
    // Adds data for programs. `json` is an object or empty; each `<` in it is escaped, as it could end the element.
    void data(std::string_view id, std::string_view json) {
        if (json.empty()) return;
        end_section();
        append(body_, {"<script type=\"application/json\" id=\"", id, "\">"});
        for (const char c : json) c == '<' ? body_.append("\\u003c") : body_.append(1, c);
        body_ += "</script>\n";
    }
    // Shows, under the page's heading, what of the input was not read. `problems`: one per line.
    void unread(std::string_view problems) {
        if (problems.empty()) return;
        is_part_ = !unread_markup(problems).empty();
        append(unread_, {"<div class=\"unread\"><b>Not all of the input was read</b>: what follows is what is there. ",
                         list_of_problems(problems), "</div>\n"});
    }
    // `source` says what the page is about, `finding` is its heading; both are markup. `title` is plain text.
    std::string finish(std::string_view title, std::string_view source, std::string_view finding) {
        end_section();
        const std::string version = joined({WLFMT_VERSION_MAJOR, ".", WLFMT_VERSION_MINOR, ".", WLFMT_VERSION_PATCH});
        std::string text =
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src '";
        append(text, {report_style_hash, "'; script-src '", report_script_hash, "'\">\n"});
        text +=
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"wlfmt ";
        append(text, {version, "\">\n<title>", markup(title), "</title>\n<style>", report_style()});
        text += "</style>\n</head>\n<body>\n<svg class=\"hatch\" width=\"0\" height=\"0\" aria-hidden=\"true\">";
        append(text, {hatching, print_hatching, "</svg>\n<main>\n<header><p class=\"source\">", source, "</p>\n<h1>",
                      is_part_ ? "In what was read: " : "", finding});
        append(text, {"</h1>\n", unread_, "</header>\n", body_, "<footer>wlfmt ", version});
        text +=
            "; this page sends and loads nothing</footer>\n</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n"
            "<script>";
        append(text, {report_script, "</script>\n</body>\n</html>\n"});
        return text;
    }

private:
    // A list that shows the first problem; a click shows the others.
    static std::string list_of_problems(std::string_view problems) {
        constexpr std::size_t max_problems = 50;
        std::size_t end = (std::min)(problems.find('\n'), problems.size());
        const auto count = static_cast<std::uint64_t>(std::count(problems.begin(), problems.end(), '\n')) + 1;
        std::string text = markup(shortened(problems.substr(0, end), 300));
        if (count == 1) return text;
        append(text, {"<details><summary>", count_text(count - 1), " more</summary><ul>"});
        for (std::size_t n = 1; n != (std::min)(count, std::uint64_t{max_problems}); ++n) {
            problems.remove_prefix(end + 1);
            end = (std::min)(problems.find('\n'), problems.size());
            append(text, {"<li>", markup(shortened(problems.substr(0, end), 300)), "</li>"});
        }
        if (count > max_problems) append(text, {"<li>", count_text(count - max_problems), " more</li>"});
        return text + "</ul></details>";
    }
    static void add_cell(std::string& row, std::string_view tag, std::string_view scope, std::string_view kind,
                         const html_cell& cell) {
        append(row, {"<", tag, scope});
        if (kind != text_kind) append(row, {" class=\"", kind, "\""});
        if (!cell.value.empty()) append(row, {" data-v=\"", cell.value, "\""});
        append(row, {">", cell.text, "</", tag, ">"});
    }
    void write_table() {
        append(body_, {head_, "</tr></thead><tbody>\n", std::exchange(rows_, {}), end_, "</table></div>\n"});
    }
    void end_table() {
        if (kinds_.empty()) return;
        write_table();
        kinds_.clear();
        if (std::exchange(is_folded_, false)) body_ += "</details>\n";
    }
    void end_section() {
        end_table();
        if (std::exchange(in_section_, false)) body_ += "</section>\n";
    }

    std::string body_;
    std::string unread_;
    bool is_part_ = false;  // a part of the input was not read, so that the finding is about the rest
    bool in_section_ = false;
    // The current table.
    std::string head_;
    std::string rows_;
    std::vector<std::string> kinds_;  // the classes of its columns; empty: no table has begun
    std::size_t column_ = 0;          // the column of the next cell
    std::string_view end_;
    bool is_folded_ = false;
};
}  // namespace wlfmt::analysis

#endif
