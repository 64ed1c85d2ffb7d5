// What pictures and pages share: escaped names, colours for screens and paper, sizes and shapes. Also pictures with
// legends and axes.
#ifndef WLFMT_ANALYSIS_DRAW_SVG_HPP
#define WLFMT_ANALYSIS_DRAW_SVG_HPP

#include <algorithm>
#include <cmath>

#include <wlfmt/types/sink.hpp>

#include "../library.hpp"
#include "text.hpp"

namespace wlfmt::analysis {

inline std::string microseconds_text(double us) {
    const double size = std::fabs(us);
    return size >= 1e6   ? fixed_text(us / 1e6, 3) + " s"
           : size >= 1e3 ? fixed_text(us / 1e3, 3) + " ms"
                         : fixed_text(us, 3) + " us";
}
// Whether the character changes the direction of the text after it, so that a name could alter how other text reads.
inline bool turns_direction(std::string_view character) noexcept {
    const auto byte = [&](std::size_t n) -> unsigned { return static_cast<unsigned char>(character[n]); };
    if (character.size() != 3 || byte(0) != 0xE2) return false;
    return (byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||  // U+202A to U+202E
           (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);    // U+2066 to U+2069
}
// Returns the text with a dot in place of characters that are not printable or change the direction of text.
inline std::string shown_text(std::string_view s) {
    std::string shown;
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t size = utf8_size(s, at);
        const std::string_view character = s.substr(at, size == 0 ? 1 : size);
        at += character.size();
        const bool is_shown =
            character == "\n" || (size != 0 && is_printable(character) && !turns_direction(character));
        shown.append(is_shown ? character : std::string_view("."));
    }
    return shown;
}
// shown_text() as XML or HTML, between tags or as a value in double quotes.
inline std::string markup(std::string_view s) {
    std::string text;
    for (const char c : shown_text(s)) switch (c) {
        case '&': text += "&amp;"; break;
        case '<': text += "&lt;"; break;
        case '>': text += "&gt;"; break;
        case '"': text += "&quot;"; break;
        default: text += c;
        }
    return text;
}
// Shortens a long text in its middle, as names often differ at their ends.
inline std::string shortened(std::string_view s, std::size_t max_characters) {
    if (count_characters(s) <= max_characters) return std::string(s);
    const std::size_t head = character_start(s, max_characters / 2);
    const std::size_t tail = character_start(s, s.size() - (max_characters / 2 - 1));
    return joined({s.substr(0, head), "..", s.substr(tail)});
}
// Shortens a long text at its end.
inline std::string cut_short(std::string_view s, std::size_t max_characters) {
    if (count_characters(s) <= max_characters) return std::string(s);
    return joined({s.substr(0, character_start(s, max_characters - 2)), ".."});
}
// Estimates the width of a text in pixels, on the wide side, as fonts differ.
inline double width_of(std::string_view s, double font_size) {
    const auto capitals = std::count_if(s.begin(), s.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    return font_size * (0.54 * static_cast<double>(count_characters(s)) + 0.23 * static_cast<double>(capitals));
}

// The width of a step on an axis of about `steps` steps: 1, 2 or 5 times a power of ten. It is 1 if the range is so
// close to 0 that labels would have hundreds of decimals, or is not finite.
inline double axis_step(double range, int steps) {
    if (!(range > 1e-300) || !std::isfinite(range)) return 1;
    const double raw = range / steps;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double times = raw / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}
inline int axis_decimals(double step) { return step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9)); }

// A colour's use determines its least contrast with the ground: 4.5:1 for text, 3:1 for a mark. Marks of one family
// stand side by side; they must differ from each other, even for the colour-blind and on paper in grey
// (tests/report/colours.py).
enum class medium : unsigned char { light, dark, print };
enum class colour_use : unsigned char { ground, text, mark };

struct colour_row {
    std::string_view name;  // the class of the elements that have the colour
    std::string_view light;
    std::string_view dark;
    std::string_view print;
    colour_use use;
    std::string_view family;  // empty unless it is a mark
};
inline constexpr colour_row colours[] = {
    {"ground", "#ffffff", "#14181b", "#ffffff", colour_use::ground, ""},
    {"lane", "#f3f5f6", "#1c2226", "#f3f5f6", colour_use::ground, ""},
    {"rule", "#d5dbdf", "#364047", "#d5dbdf", colour_use::ground, ""},
    {"ink", "#1a2025", "#e6eaec", "#1a2025", colour_use::text, ""},
    {"quiet", "#5a656d", "#9aa5ad", "#5a656d", colour_use::text, ""},
    {"alarm", "#b23a08", "#ff9a5f", "#b23a08", colour_use::text, ""},
    // Where time went: cool colours are for useful time, warm ones for waiting.
    {"work", "#125185", "#7199eb", "#0d3b66", colour_use::mark, "time"},
    {"transfer", "#0a96b9", "#5be1fd", "#4fb0cf", colour_use::mark, "time"},
    {"stage", "#d24811", "#fb8b47", "#c2410c", colour_use::mark, "time"},
    {"pipeline", "#a2794f", "#856840", "#ecc894", colour_use::mark, "time"},
    {"gap", "#595959", "#636e73", "#eff0f1", colour_use::mark, "time"},
    {"unknown", "#8d8d90", "#aeaeae", "#8d8d90", colour_use::mark, "time"},
    {"forward", "#125185", "#4a84da", "#0d3b66", colour_use::mark, "phase"},
    {"backward", "#937de6", "#d8aad9", "#8d7ad0", colour_use::mark, "phase"},
    {"weight", "#189e88", "#8de8a6", "#a8e0d2", colour_use::mark, "phase"},
    {"tp", "#239ab0", "#83e3f4", "#6cc3d3", colour_use::mark, "group"},
    {"dp", "#17247f", "#6c5fc4", "#17247f", colour_use::mark, "group"},
    {"exp", "#7b2d2f", "#cb3860", "#a3474a", colour_use::mark, "group"},
    {"ep_dp", "#968f13", "#f2e583", "#dcd687", colour_use::mark, "group"},
    {"self", "#125185", "#7199eb", "#125185", colour_use::mark, "table"},
    {"total", "#758aab", "#5d739b", "#b9c4d4", colour_use::mark, "table"},
};

inline std::string_view colour_of(std::string_view name, medium on) noexcept {
    for (const colour_row& row : colours)
        if (row.name == name) return on == medium::light ? row.light : on == medium::dark ? row.dark : row.print;
    return {};
}
// A mixture of two colours, as `#rrggbb`: `percent` of the named one, and the rest of the ground.
inline std::string weakened_colour(std::string_view name, unsigned percent, medium on) {
    const auto channel = [](std::string_view colour, std::size_t at) {
        unsigned v = 0;
        for (const char c : colour.substr(at, 2)) v = 16 * v + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
        return v;
    };
    constexpr char digits[] = "0123456789abcdef";
    std::string colour = "#";
    for (std::size_t at = 1; at != 7; at += 2) {
        const unsigned v =
            (channel(colour_of(name, on), at) * percent + channel(colour_of("ground", on), at) * (100 - percent)) / 100;
        colour.append({digits[v / 16], digits[v % 16]});
    }
    return colour;
}
// Collectives of one group share its colour, in different strengths; on paper, they are hatched at different angles.
struct group_look {
    std::string_view name;
    unsigned percent;
    int angle;
};
inline constexpr group_look group_looks[] = {
    {"gather", 70, 45}, {"scatter", 45, -45}, {"each", 85, 0}, {"rest", 30, 90}};
// The pattern that hatches what is unknown, in a picture or a page.
inline constexpr std::string_view hatching =
    "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect x=\"0\" y=\"0\" width=\"5\" height=\"5\" class=\"bare\"/>"
    "<rect x=\"0\" y=\"0\" width=\"2.5\" height=\"5\" class=\"stripe\"/></pattern></defs>";

// The patterns that distinguish waiting from work on paper, even in grey.
inline constexpr std::string_view print_hatching =
    "<defs><pattern id=\"hatch-stage\" width=\"3\" height=\"3\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect x=\"0\" y=\"0\" width=\"2\" height=\"3\" class=\"stage-stripe\"/></pattern>"
    "<pattern id=\"hatch-pipeline\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(-45)\"><rect x=\"0\" y=\"0\" width=\"2\" height=\"4\" "
    "class=\"pipeline-stripe\"/></pattern>"
    "</defs>";

// The sizes of labels and of smaller texts, in pixels.
inline constexpr int label_size = 13;
inline constexpr int small_size = 12;

// Returns a number of pixels with two decimals; 0 if it is not finite.
inline std::string coordinate(double v) { return fixed_text(std::isfinite(v) ? v : 0, 2); }

// Appends shapes to a text. Horizontal positions and lengths are in pixels or, with the unit "%", in percent of a
// page's column: shapes then grow with the window, while texts keep their size.
class shapes {
public:
    explicit shapes(std::string_view unit = {}) : unit_(unit) {}

    // `attributes` are additional ones, such as ` fill-opacity="0.40"`. `kind` and `attributes` are written unescaped,
    // here and below: pass nothing that comes from a file.
    void rectangle(double x, double y, double w, double h, std::string_view kind, std::string_view title = {},
                   std::string_view attributes = {}) {
        append(body_, {"<rect x=\"", across(x), "\" y=\"", coordinate(y), "\" width=\"", across(w), "\" height=\"",
                       coordinate(h), "\" class=\"", kind, "\"", attributes});
        end_with_title("rect", title);
    }
    void circle(double x, double y, double radius, std::string_view kind, std::string_view title) {
        append(body_, {"<circle cx=\"", across(x), "\" cy=\"", coordinate(y), "\" r=\"", coordinate(radius),
                       "\" class=\"", kind, "\""});
        end_with_title("circle", title);
    }
    void line(double x1, double y1, double x2, double y2, std::string_view kind = "grid") {
        append(body_, {"<line x1=\"", across(x1), "\" y1=\"", coordinate(y1), "\" x2=\"", across(x2), "\" y2=\"",
                       coordinate(y2), "\" class=\"", kind, "\"/>\n"});
    }
    // Draws many shapes of one kind.
    void path(std::string_view d, std::string_view kind) {
        if (!d.empty()) append(body_, {"<path d=\"", d, "\" class=\"", kind, "\"/>\n"});
    }
    // `anchor` is start, middle or end.
    void text(double x, double y, std::string_view s, std::string_view anchor = "start",
              std::string_view kind = "label") {
        append(body_, {"<text x=\"", across(x), "\" y=\"", coordinate(y)});
        end_text(s, anchor, kind);
    }
    // Draws a text that is rotated by `degrees`, so that it rises to the right.
    void slanted(double x, double y, std::string_view s, int degrees, std::string_view anchor, std::string_view kind) {
        append(body_, {"<text transform=\"translate(", across(x), " ", coordinate(y), ") rotate(", -degrees, ")"});
        end_text(s, anchor, kind);
    }
    const std::string& body() const noexcept { return body_; }

private:
    std::string across(double x) const { return coordinate(x).append(unit_); }
    void end_with_title(std::string_view tag, std::string_view title) {
        if (title.empty()) body_ += "/>\n";
        else append(body_, {"><title>", markup(title), "</title></", tag, ">\n"});
    }
    void end_text(std::string_view s, std::string_view anchor, std::string_view kind) {
        append(body_, {"\" text-anchor=\"", anchor, "\" class=\"", kind, "\">", markup(s), "</text>\n"});
    }

    std::string_view unit_;
    std::string body_;
};

struct legend_entry {
    std::string_view colour;
    std::string label;
};

// A picture that is drawn from top to bottom.
class svg : public shapes {
public:
    static constexpr double width = 1200;
    static constexpr double left = 214;
    static constexpr double right = 24;
    static constexpr double inside = width - left - right;

    // Writes a name to the left of the drawing.
    void name(double y, std::string_view s) { text(left - 8, y, shortened(s, 26), "end"); }
    void heading(std::string_view s) { text(left, 28, shortened(s, 84), "start", "title"); }
    void small_text(double x, double y, std::string_view s, std::string_view anchor = "start") {
        text(x, y, s, anchor, "small");
    }
    // Draws coloured squares with names in as many lines as they need. Returns the y below them.
    double legend(double y, const std::vector<legend_entry>& entries) {
        double x = left;
        for (const auto& [kind, label] : entries) {
            const double entry_width = 38 + width_of(label, label_size);
            if (x + entry_width > width - right && x > left) {
                x = left;
                y += 20;
            }
            rectangle(x, y, 12, 12, kind);
            text(x + 18, y + 10.5, label);
            x += entry_width;
        }
        return y + 28;
    }
    std::string finish(double height, std::string_view title) const {
        const std::string pixels = coordinate(height);
        constexpr std::string_view looks = ".0px}.tiny{font-size:9.5px}\n.line{fill:none}\n";
        return joined({"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 ",
                       pixels,
                       "\" width=\"1200\" height=\"",
                       pixels,
                       "\" role=\"img\">\n<title>",
                       markup(title),
                       "</title>\n<style>\ntext{font-family:sans-serif}.title,.strong{font-weight:bold}text{font-size:",
                       label_size,
                       ".0px}.title{font-size:18.0px}.small{font-size:",
                       small_size,
                       looks,
                       rules(medium::light),
                       "\n@media screen and (prefers-color-scheme:dark){",
                       rules(medium::dark),
                       "}\n@media print{",
                       rules(medium::print),
                       "}\n</style>\n",
                       hatching,
                       print_hatching,
                       hatching_of_looks(),
                       "\n<rect width=\"100%\" height=\"100%\" class=\"ground\"/>\n",
                       body(),
                       "</svg>\n"});
    }

private:
    // Calls each(group, look) for each look of a group that occurs in the picture.
    template <class Each> void for_each_look(const Each& each) const {
        for (const colour_row& row : colours)
            for (const group_look& look : group_looks)
                if (row.family == "group" &&
                    body().find(joined({"\"", row.name, " ", look.name, "\""})) != std::string::npos)
                    each(row.name, look);
    }
    std::string hatching_of_looks() const {
        std::string defs;
        for_each_look([&](std::string_view group, const group_look& look) {
            append(defs, {"<defs><pattern id=\"", group, "-", look.name,
                          "\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(",
                          look.angle, ")\"><rect x=\"0\" y=\"0\" width=\"4\" height=\"4\" class=\"", group,
                          "\"/><rect x=\"0\" y=\"0\" width=\"1.5\" height=\"4\" class=\"ground\"/></pattern></defs>"});
        });
        return defs;
    }
    std::string rules(medium on) const {
        std::string css;
        const auto rule = [&](std::string_view selector, std::string_view property, std::string_view name) {
            append(css, {selector, "{", property, ":", colour_of(name, on), "}"});
        };
        for (const colour_row& row : colours) rule(joined({".", row.name}), "fill", row.name);
        for_each_look([&](std::string_view group, const group_look& look) {
            append(css, {".", group, ".", look.name, "{fill:"});
            if (on == medium::print) append(css, {"url(#", group, "-", look.name, ")}"});
            else append(css, {weakened_colour(group, look.percent, on), "}"});
        });
        css += ".unknown{fill:url(#hatch)}";
        if (on == medium::print) css += "rect.stage{fill:url(#hatch-stage)}rect.pipeline{fill:url(#hatch-pipeline)}";
        for (const std::string_view name : {"stage", "pipeline"}) rule(joined({".", name, "-stripe"}), "fill", name);
        rule(".bare", "fill", "lane");
        rule(".stripe", "fill", "unknown");
        rule("text", "fill", "ink");
        rule(".small,.tiny", "fill", "quiet");
        rule(".grid", "stroke", "rule");
        rule(".line", "stroke", "quiet");
        rule("rect:hover", "stroke", "ink");
        return css;
    }
};

// The unit of all times in a column: its size in microseconds and its name.
struct column_unit {
    double size;
    std::string_view name;

    std::string text(double us) const { return grouped_text(us / size, 3); }
};
inline column_unit unit_of_column(double greatest_us) noexcept {
    return greatest_us >= 1e9   ? column_unit{1e6, "s"}
           : greatest_us >= 1e3 ? column_unit{1e3, "ms"}
                                : column_unit{1, "us"};
}

// Draws numbers in even steps below a drawing, with a line up through the drawing for each. `scale` is the number of
// pixels for a difference of 1.
inline void draw_axis(svg& picture, double top, double bottom, double range, double scale, std::string_view unit) {
    const double step = axis_step(range, 10);
    const auto count = static_cast<int>(range / step * (1 + 1e-9));
    for (int n = 0; n <= count; ++n) {
        const double at = svg::left + n * step * scale;
        picture.line(at, top, at, bottom + 4);
        const std::string label = grouped_text(n * step, axis_decimals(step));
        // The last number may not fit if it is centred below its line.
        const bool fits = at + width_of(label, small_size) / 2 < svg::width;
        picture.small_text(fits ? at : svg::width - 2, bottom + 18, label, fits ? "middle" : "end");
    }
    picture.small_text(svg::left - 14, bottom + 18, unit, "end");
}

}  // namespace wlfmt::analysis

#endif
