// HTML as it grows: the shell of a report, its sections and tables. All names from files are escaped.
#ifndef WLFMT_DETAIL_REPORT_PAGE_HPP
#define WLFMT_DETAIL_REPORT_PAGE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../version.hpp"
#include "../draw/svg.hpp"
#include "../draw/text.hpp"
#include "../io/out.hpp"
#include "../json/line.hpp"
#include "style.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// A number and its unit stay on one line.
inline std::string unbroken(std::string_view s) {
    std::string to;
    for (const char c : s) c == ' ' ? to.append("&nbsp;") : to.append(1, c);
    return to;
}
inline std::string ms_markup(double ms) { return unbroken(milliseconds_text(ms) + " ms"); }
inline std::string percent_markup(double part, double whole, int decimals = 1) {
    return unbroken(percent_text(part, whole, decimals));
}
inline std::string strong(std::string_view s) { return "<b>" + std::string(s) + "</b>"; }
inline std::string link_to(std::string_view section, std::string_view s) {
    return "<a href=\"#" + std::string(section) + "\">" + std::string(s) + "</a>";
}
// `0 to 3, 7`, and of many ranges the first ones with the number of the rest.
inline std::string ranges_text(const std::vector<std::int64_t>& ascending) {
    std::string to;
    constexpr int most = 8;
    int ranges = 0;
    for (std::size_t n = 0; n != ascending.size();) {
        std::size_t last = n;
        while (last + 1 != ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
        if (ranges++ == most) return to + " and " + count_text(ascending.size() - n) + " more";
        to.append(to.empty() ? "" : ", ").append(std::to_string(ascending[n]));
        if (last != n) to.append(last == n + 1 ? ", " : " to ").append(std::to_string(ascending[last]));
        n = last + 1;
    }
    return to;
}

// Shapes in a page's column, `height` pixels high and as wide as there is room. `words` are read aloud.
inline std::string drawing(const shapes& s, double height, std::string_view words) {
    std::string to = "<svg height=\"" + fixed_text(height, 0) + "\" role=\"img\" aria-label=\"";
    append_markup(to, words);
    return to.append("\">").append(s.body()).append("</svg>");
}

// A column for each of `count` things, stacked from the parts(thing, n) of the colours. The height stands for `full`.
template <class Parts>
std::string stacked_columns(std::size_t count, const Parts& parts,
                            const std::vector<std::string_view>& colours_of_parts, double full, int height,
                            std::string_view words) {
    shapes to;
    for (std::size_t c = 0; c != colours_of_parts.size(); ++c) {
        std::string path;
        for (std::size_t x = 0; x != count; ++x) {
            double below = 0;
            for (std::size_t n = 0; n != c; ++n) below += parts(x, n);
            // A sum that no double holds has no height.
            const auto level = [&](double v) {
                const double part = v / full;
                return std::to_string(1000 - (part > 0 && part < 1e6 ? std::lround(1000 * part) : 0));
            };
            const std::string bottom = level(below);
            if (const std::string top = level(below + parts(x, c)); top != bottom) {
                path.append("M").append(std::to_string(x)).append(" ").append(bottom);
                path.append("V").append(top).append("h1V").append(bottom).append("z");
            }
        }
        to.path(path, colours_of_parts[c]);
    }
    return "<svg height=\"" + std::to_string(height) + "\" viewBox=\"0 0 " + std::to_string(count) +
           " 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"" + std::string(words) + "\">" + to.body() +
           "</svg>\n";
}

// A table. Cells are markup. What has a value can be sorted by it, and is read by programs.
class html_table {
public:
    struct column {
        std::string head;
        bool is_number = true;
        std::string_view kind = {};  // a class of its cells
    };
    html_table(std::string_view kind, std::vector<column> columns, std::string_view caption = {})
        : columns_(std::move(columns)) {
        text_.append("<div class=\"scroll\"><table class=\"").append(kind).append("\">");
        if (!caption.empty()) text_.append("<caption>").append(caption).append("</caption>");
        text_ += "<thead><tr>";
        for (const column& c : columns_) {
            open("th scope=\"col\"", c);
            text_.append(c.head).append("</th>");
        }
        text_ += "</tr></thead><tbody>\n";
    }
    // `attributes`: as ` class="strong"`.
    void row(std::string_view attributes = {}) {
        end_row();
        text_.append("<tr").append(attributes).append(">");
        in_row_ = true;
    }
    void head(std::string_view s) {
        open("th scope=\"row\"", columns_[at_]);
        end_cell(s, "</th>");
    }
    void cell(std::string_view s) {
        open("td", columns_[at_]);
        end_cell(s, "</td>");
    }
    // Shows `s` for a number.
    void number(double value, std::string_view s) {
        open("td", columns_[at_], decimals_text(value));
        end_cell(s, "</td>");
    }
    // A number in a cell of a shade.
    void shaded(std::string_view shade, double value, std::string_view s) {
        open("td", {{}, true, shade}, value != 0 ? decimals_text(value) : std::string());
        end_cell(s, "</td>");
    }
    // A bar, `percent` of the cell long.
    void bar(double percent, std::string_view colour, std::string_view words) {
        shapes to("%");
        to.rectangle(0, 0, (std::max)(0.0, percent), 14, colour);
        cell(drawing(to, 14, words));
    }
    void ms(double value, std::string_view sign = {}) { number(value, std::string(sign) + milliseconds_text(value)); }
    void count(std::uint64_t n) { number(static_cast<double>(n), count_text(n)); }
    void foot() {
        end_row();
        text_ += "</tbody><tfoot>";
        has_foot_ = true;
    }
    std::string finish() {
        end_row();
        return std::move(text_.append(has_foot_ ? "</tfoot>" : "</tbody>").append("</table></div>\n"));
    }

private:
    void open(std::string_view tag, const column& c, std::string_view value = {}) {
        text_.append("<").append(tag);
        if (c.is_number || !c.kind.empty()) {
            text_ += " class=\"";
            text_.append(c.is_number ? "n" : "").append(c.is_number && !c.kind.empty() ? " " : "").append(c.kind);
            text_ += '"';
        }
        if (!value.empty()) text_.append(" data-v=\"").append(value).append("\"");
        text_ += '>';
    }
    void end_cell(std::string_view s, std::string_view tag) {
        text_.append(s).append(tag);
        ++at_;
    }
    void end_row() {
        if (in_row_) text_ += "</tr>\n";
        in_row_ = false;
        at_ = 0;
    }

    std::vector<column> columns_;
    std::string text_;
    std::size_t at_ = 0;
    bool in_row_ = false;
    bool has_foot_ = false;
};

struct legend_entry {
    std::string_view colour;
    std::string label;  // markup
};
inline std::string legend_of(const std::vector<legend_entry>& entries) {
    std::string to = "<ul class=\"legend\">";
    for (const legend_entry& e : entries)
        to.append("<li><span class=\"key ").append(e.colour).append("\"></span>").append(e.label).append("</li>");
    return to + "</ul>\n";
}

// The page from its first to its last section.
class html_page {
public:
    // Begins a section: what it finds, and how that was measured.
    void section(std::string_view id, std::string_view finding, std::string_view how) {
        end_section();
        body_.append("<section id=\"").append(id).append("\"><h2>").append(finding).append("</h2>\n");
        if (!how.empty()) body_.append("<p class=\"how\">").append(how).append("</p>\n");
        in_section_ = true;
    }
    void note(std::string_view s) {
        if (!s.empty()) body_.append("<p class=\"note\">").append(s).append("</p>\n");
    }
    void heading(std::string_view s) { body_.append("<h3>").append(s).append("</h3>\n"); }
    void add(std::string_view s) { body_ += s; }
    // What a click on the summary shows.
    void add_folded(std::string_view summary, std::string_view s) {
        body_.append("<details><summary>").append(summary).append("</summary>").append(s).append("</details>\n");
    }
    // A table of the first `most` of `count` rows, and a folded one of the others, as name(how many) calls them.
    template <class Name, class Row>
    void add_rows(const std::vector<html_table::column>& columns, std::size_t count, std::size_t most, const Name& name,
                  const Row& row) {
        for (std::size_t n = 0; n != count;) {
            html_table table("wide sortable", columns);
            const std::size_t first = n;
            for (; n != (first == 0 ? (std::min)(count, most) : count); ++n) row(table, n);
            first == 0 ? add(table.finish()) : add_folded(name(count - first), table.finish());
        }
    }
    // What programs read. `json` is an object; a `<` in it cannot end the element.
    void data(std::string_view id, std::string_view json) {
        end_section();
        body_.append("<script type=\"application/json\" id=\"").append(id).append("\">");
        for (const char c : json) c == '<' ? body_.append("\\u003c") : body_.append(1, c);
        body_ += "</script>\n";
    }
    // `source` says what the page is about, `finding` is its heading; both are markup. `title` is text.
    std::string finish(std::string_view title, std::string_view source, std::string_view finding) {
        end_section();
        std::string to =
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src '";
        to.append(report_style_hash).append("'; script-src '").append(report_script_hash).append("'\">\n");
        to +=
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"wlfmt ";
        to.append(version_text()).append("\">\n<title>");
        append_markup(to, title);
        to.append("</title>\n<style>").append(report_style()).append("</style>\n</head>\n<body>\n");
        to.append("<svg class=\"hatch\" width=\"0\" height=\"0\" aria-hidden=\"true\">").append(hatching);
        to.append("</svg>\n<main>\n<header>");
        to.append("<p class=\"source\">")
            .append(source)
            .append("</p>\n<h1>")
            .append(finding)
            .append("</h1></header>\n");
        to.append(body_).append("<footer>wlfmt ").append(version_text());
        to +=
            "; this page sends and loads nothing</footer>\n</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n"
            "<script>";
        return to.append(report_script).append("</script>\n</body>\n</html>\n");
    }

private:
    static std::string version_text() {
        return std::to_string(WLFMT_VERSION_MAJOR) + "." + std::to_string(WLFMT_VERSION_MINOR) + "." +
               std::to_string(WLFMT_VERSION_PATCH);
    }
    void end_section() {
        if (in_section_) body_ += "</section>\n";
        in_section_ = false;
    }

    std::string body_;
    bool in_section_ = false;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
