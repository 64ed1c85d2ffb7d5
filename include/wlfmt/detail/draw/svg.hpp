// SVG: shapes for pictures and pages, and a picture as it grows, with its legends and axes.
#ifndef WLFMT_DETAIL_DRAW_SVG_HPP
#define WLFMT_DETAIL_DRAW_SVG_HPP

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../sink.hpp"
#include "../../types/error.hpp"
#include "../error/problems.hpp"
#include "text.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// A coordinate: hundredths of a pixel are more than enough.
inline std::string coordinate(double v) { return fixed_text(std::isfinite(v) ? v : 0, 2); }

// Shapes, appended to a text. Horizontal places and lengths are pixels, or with the unit "%" parts of a page's column,
// which is as wide as its window: texts then keep their size.
class shapes {
public:
    explicit shapes(std::string_view unit = {}) : unit_(unit) {}

    void rectangle(double x, double y, double w, double h, std::string_view kind, std::string_view title = {}) {
        begin_rectangle(x, y, w, h, kind);
        end_with_title("rect", title);
    }
    // `opacity` in hundredths.
    void shade(double x, double y, double w, double h, std::string_view kind, int opacity, std::string_view title) {
        begin_rectangle(x, y, w, h, kind);
        body_ += "\" fill-opacity=\"" + fixed_text(opacity / 100.0, 2);
        end_with_title("rect", title);
    }
    void circle(double x, double y, double radius, std::string_view kind, std::string_view title) {
        body_ +=
            "<circle cx=\"" + across(x) + "\" cy=\"" + coordinate(y) + "\" r=\"" + coordinate(radius) + "\" class=\"";
        body_ += kind;
        end_with_title("circle", title);
    }
    void line(double x1, double y1, double x2, double y2, std::string_view kind = "grid") {
        body_ += "<line x1=\"" + across(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" + across(x2) + "\" y2=\"" +
                 coordinate(y2) + "\" class=\"";
        body_ += kind;
        body_ += "\"/>\n";
    }
    // Many shapes of one kind.
    void path(std::string_view d, std::string_view kind) {
        if (d.empty()) return;
        body_.append("<path d=\"").append(d).append("\" class=\"").append(kind).append("\"/>\n");
    }
    static void add_rectangle(std::string& to, double x, double y, double w, double h) {
        to += "M" + coordinate(x) + " " + coordinate(y) + "h" + coordinate(w) + "v" + coordinate(h) + "h-" +
              coordinate(w) + "z";
    }
    // `anchor`: start, middle or end.
    void text(double x, double y, std::string_view s, std::string_view anchor = "start",
              std::string_view kind = "label") {
        body_ += "<text x=\"" + across(x) + "\" y=\"" + coordinate(y);
        end_text(s, anchor, kind);
    }
    // A text that rises to the right from the place where it begins.
    void slanted(double x, double y, std::string_view s, int degrees, std::string_view anchor, std::string_view kind) {
        body_ += "<text transform=\"translate(" + across(x) + " " + coordinate(y) + ") rotate(" +
                 std::to_string(-degrees) + ")";
        end_text(s, anchor, kind);
    }
    const std::string& body() const noexcept { return body_; }

private:
    std::string across(double x) const { return coordinate(x).append(unit_); }
    void begin_rectangle(double x, double y, double w, double h, std::string_view kind) {
        body_ += "<rect x=\"" + across(x) + "\" y=\"" + coordinate(y) + "\" width=\"" + across(w) + "\" height=\"" +
                 coordinate(h) + "\" class=\"";
        body_ += kind;
    }
    void end_with_title(std::string_view tag, std::string_view title) {
        if (title.empty()) {
            body_ += "\"/>\n";
            return;
        }
        body_ += "\"><title>";
        append_markup(body_, title);
        body_.append("</title></").append(tag).append(">\n");
    }
    void end_text(std::string_view s, std::string_view anchor, std::string_view kind) {
        body_.append("\" text-anchor=\"").append(anchor).append("\" class=\"").append(kind).append("\">");
        append_markup(body_, s);
        body_ += "</text>\n";
    }

    std::string_view unit_;

protected:
    std::string body_;
};

// A picture of its own, from top to bottom.
class svg : public shapes {
public:
    static constexpr double width = 1200;
    static constexpr double left = 214;
    static constexpr double right = 24;
    static constexpr double inside = width - left - right;

    // A bracket that opens upwards, below the layers that it holds together.
    void bracket(double from, double end, double y) {
        path("M" + coordinate(from) + " " + coordinate(y) + "v6h" + coordinate(end - from) + "v-6", "line");
    }
    // To the left of the drawing.
    void name(double y, std::string_view s) { text(left - 8, y, shortened(s, 26), "end"); }
    void heading(std::string_view s) { text(left, 28, shortened(s, 84), "start", "title"); }
    // Coloured squares with names, in as many lines as they take; the y after them.
    double legend(double y, const std::vector<std::pair<std::string, std::string>>& entries) {
        double x = left;
        for (const auto& [kind, label] : entries) {
            const double room = 38 + width_of(label, sizes_of_type::label);
            if (x + room > width - right && x > left) {
                x = left;
                y += 20;
            }
            rectangle(x, y, 12, 12, kind);
            text(x + 18, y + 10.5, label);
            x += room;
        }
        return y + 28;
    }
    std::string finish(double height, std::string_view title) const {
        std::string all = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 " + coordinate(height) +
                          "\" width=\"1200\" height=\"" + coordinate(height) + "\" role=\"img\">\n<title>";
        append_markup(all, title);
        all += "</title>\n<style>\n";
        const auto size = [&](std::string_view of, double pixels) {
            all.append(of).append("{font-size:").append(fixed_text(pixels, 1)).append("px}");
        };
        all += "text{font-family:sans-serif}.title,.strong{font-weight:bold}";
        size("text", sizes_of_type::label);
        size(".title", sizes_of_type::title);
        size(".small", sizes_of_type::small_text);
        size(".tiny", sizes_of_type::tiny);
        all +=
            "\n.line{fill:none}.gather{fill-opacity:.7}.scatter{fill-opacity:.45}.each{fill-opacity:.85}"
            ".rest{fill-opacity:.3}\n";
        add_rules(all, false);
        all += "\n@media (prefers-color-scheme:dark){";
        add_rules(all, true);
        all += "}\n</style>\n";
        all.append(hatching).append("\n<rect width=\"100%\" height=\"100%\" class=\"ground\"/>\n");
        all += body_;
        all += "</svg>\n";
        return all;
    }

private:
    static void add_rules(std::string& to, bool dark) {
        const auto rule = [&](std::string_view of, std::string_view property, std::string_view name) {
            to.append(of).append("{").append(property).append(":").append(colour_of(name, dark)).append("}");
        };
        to += fill_rules(dark) + ".unknown{fill:url(#hatch)}";
        rule(".bare", "fill", "lane");
        rule(".stripe", "fill", "unknown");
        rule("text", "fill", "ink");
        rule(".small,.tiny", "fill", "quiet");
        rule(".grid", "stroke", "rule");
        rule(".line", "stroke", "quiet");
        rule("rect:hover", "stroke", "ink");
    }
};

// Numbers at even steps below the drawing, each with a line through it. `scale` is the number of pixels for 1.
inline void draw_axis(svg& to, double top, double bottom, double range, double scale, std::string_view unit) {
    const double step = axis_step(range, 10);
    const auto count = static_cast<int>(range / step * (1 + 1e-9));
    for (int n = 0; n <= count; ++n) {
        const double at = svg::left + n * step * scale;
        to.line(at, top, at, bottom + 4);
        const std::string label = grouped_text(n * step, axis_decimals(step));
        // The last number may not fit around its line.
        const bool fits = at + width_of(label, sizes_of_type::small_text) / 2 < svg::width;
        to.text(fits ? at : svg::width - 2, bottom + 18, label, fits ? "middle" : "end", "small");
    }
    to.text(svg::left - 14, bottom + 18, unit, "end", "small");
}

template <class Sink> error write_picture(Sink& sink, const std::string& picture) {
    return append_to(sink, picture.data(), picture.size()) ? error() : sink_error();
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
