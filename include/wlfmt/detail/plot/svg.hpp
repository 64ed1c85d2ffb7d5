// SVG: a picture as it grows, its colours, legends and axes.
#ifndef WLFMT_DETAIL_PLOT_SVG_HPP
#define WLFMT_DETAIL_PLOT_SVG_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../../table.hpp"
#include "../../trace.hpp"
#include "../../workload.hpp"
#include "../base/characters.hpp"
#include "../base/order.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "../number/write.hpp"
#include "../trace/run.hpp"
#include "../trace/workload.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// How much is drawn at most.

inline namespace WLFMT_IMPL {

inline std::string fixed_text(double v, int decimals) {
    char digits[max_fixed_chars];
    return std::string(digits, static_cast<std::size_t>(write_fixed(digits, v, decimals) - digits));
}
// A coordinate: hundredths of a pixel are more than enough.
inline std::string coordinate(double v) { return fixed_text(v, 2); }

// A number of bytes as a person reads it: `1.2 MiB`.
inline std::string bytes_text(double bytes) {
    constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t n = 0;
    while (bytes >= 1024 && n + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        ++n;
    }
    return fixed_text(bytes, n == 0 ? 0 : 1) + " " + std::string(units[n]);
}
inline std::string microseconds_text(double us) {
    if (us >= 1e6) return fixed_text(us / 1e6, 3) + " s";
    if (us >= 1e3) return fixed_text(us / 1e3, 3) + " ms";
    return fixed_text(us, 3) + " us";
}

// The step of an axis of about `steps` steps: 1, 2 or 5 times a power of ten.
inline double axis_step(double range, int steps) {
    if (!(range > 0)) return 1;
    const double raw = range / steps;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double times = raw / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

// Whatever is drawn has the colour of its kind, which is the same in every picture. The last colours are for names of
// no known kind, each of which is given one of them.
struct colour_row {
    std::string_view kind;
    std::string_view fill;
};
inline constexpr colour_row colour_rows[] = {
    {"forward", "#3366cc"},   {"backward", "#e07b00"}, {"weight", "#8c6d31"}, {"loss", "#d4a017"},
    {"optimizer", "#7e57c2"}, {"data", "#7a8b00"},     {"pp", "#00897b"},     {"tp", "#26a9e0"},
    {"dp", "#c2185b"},        {"exp", "#d32f2f"},      {"ep_dp", "#f06292"},  {"embedding", "#5d6d7e"},
    {"other", "#9e9d24"},     {"u0", "#4e79a7"},       {"u1", "#59a14f"},     {"u2", "#b07aa1"},
    {"u3", "#9c755f"},        {"u4", "#76b7b2"},       {"u5", "#bab0ac"}};

inline bool begins_with(std::string_view s, std::string_view begin) noexcept {
    return s.substr(0, begin.size()) == begin;
}
// The kind of a communication group; Megatron's `ep` of a record is the embedding group.
inline std::string_view colour_of_group(std::string_view group) noexcept {
    for (const std::string_view kind : {"tp", "dp", "exp", "ep_dp", "embedding", "pp"})
        if (group == kind) return kind;
    return group == "exp_dp" ? "ep_dp" : group == "ep" ? "exp" : "other";
}
inline std::string_view colour_of_operation(std::string_view op) noexcept {
    if (begins_with(op, "forward")) return "forward";
    if (begins_with(op, "backward")) return "backward";
    if (begins_with(op, "loss")) return "loss";
    if (begins_with(op, "optimizer")) return "optimizer";
    if (op == "get_batch") return "data";
    if (begins_with(op, "send_") || begins_with(op, "recv_")) return "pp";
    for (const std::string_view end : {"_allreduce", "_all_reduce"})
        if (op.size() > end.size() && op.substr(op.size() - end.size()) == end) {
            const std::string_view group = op.substr(0, op.size() - end.size());
            return group == "ep" ? "embedding" : colour_of_group(group);
        }
    // The colour follows from the bytes of the name, so that it is the same on every machine.
    unsigned sum = 0;
    for (const char c : op) sum = sum * 31 + static_cast<unsigned char>(c);
    constexpr std::size_t first = sizeof colour_rows / sizeof *colour_rows - 6;
    return colour_rows[first + sum % 6].kind;
}

// Collectives of one group share its colour in several strengths.
inline std::string look_of_collective(std::string_view token) {
    return token == "ALLREDUCE"       ? ""
           : token == "ALLGATHER"     ? " gather"
           : token == "REDUCESCATTER" ? " scatter"
           : token == "ALLTOALL"      ? " each"
                                      : " rest";
}

// The picture as it grows from top to bottom.
class svg {
public:
    static constexpr double width = 1200;
    static constexpr double left = 214;
    static constexpr double right = 24;
    static constexpr double inside = width - left - right;

    void rectangle(double x, double y, double w, double h, const std::string& kind, const std::string& title = {}) {
        body_ += "<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(w) +
                 "\" height=\"" + coordinate(h) + "\" class=\"" + kind + "\"";
        if (title.empty()) {
            body_ += "/>\n";
            return;
        }
        body_ += "><title>";
        escape(title);
        body_ += "</title></rect>\n";
    }
    void line(double x1, double y1, double x2, double y2) {
        body_ += "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" + coordinate(x2) +
                 "\" y2=\"" + coordinate(y2) + "\" class=\"grid\"/>\n";
    }
    // A text that rises to the right from the place where it begins.
    void slanted(double x, double y, std::string_view s, int degrees, const char* anchor, const char* kind) {
        body_ += "<text transform=\"translate(" + coordinate(x) + " " + coordinate(y) + ") rotate(" +
                 std::to_string(-degrees) + ")\" text-anchor=\"";
        end_text(s, anchor, kind);
    }
    // `opacity` in hundredths.
    void shade(double x, double y, double w, double h, const char* kind, int opacity, const std::string& title) {
        body_ += "<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(w) +
                 "\" height=\"" + coordinate(h) + "\" class=\"" + kind + "\" fill-opacity=\"" +
                 fixed_text(opacity / 100.0, 2) + "\"><title>";
        escape(title);
        body_ += "</title></rect>\n";
    }
    // A bracket that opens upwards, below the layers that it holds together.
    void bracket(double from, double end, double y) {
        body_ += "<path d=\"M" + coordinate(from) + " " + coordinate(y) + "v6h" + coordinate(end - from) +
                 "v-6\" class=\"line\"/>\n";
    }
    // Many rectangles of one kind, as one path.
    void path(const std::string& rectangles, std::string_view kind) {
        if (rectangles.empty()) return;
        body_ += "<path d=\"" + rectangles + "\" class=\"";
        body_ += kind;
        body_ += "\"/>\n";
    }
    static void add_rectangle(std::string& to, double x, double y, double w, double h) {
        to += "M" + coordinate(x) + " " + coordinate(y) + "h" + coordinate(w) + "v" + coordinate(h) + "h-" +
              coordinate(w) + "z";
    }
    // `anchor`: start, middle or end.
    void text(double x, double y, std::string_view s, const char* anchor = "start", const char* kind = "label") {
        body_ += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"";
        end_text(s, anchor, kind);
    }
    // Cut in its middle, as names differ at their ends.
    static std::string cut(std::string_view s, std::size_t most) {
        if (count_characters(s) <= most) return std::string(s);
        const std::size_t head = character_start(s, most / 2);
        const std::size_t tail = character_start(s, s.size() - (most / 2 - 1));
        return std::string(s.substr(0, head)) + ".." + std::string(s.substr(tail));
    }
    // To the left of the drawing.
    void name(double y, std::string_view s) { text(left - 8, y, cut(s, 26), "end"); }
    void heading(std::string_view s) { text(left, 28, cut(s, 84), "start", "title"); }
    // Coloured squares with names, in as many lines as they take; the y after them.
    double legend(double y, const std::vector<std::pair<std::string, std::string>>& entries) {
        double x = left;
        for (const auto& [kind, label] : entries) {
            const auto capitals =
                std::count_if(label.begin(), label.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
            const double room =
                38 + 7 * static_cast<double>(count_characters(label)) + 3 * static_cast<double>(capitals);
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
        svg head;
        head.escape(title);
        all += head.body_;
        all +=
            "</title>\n<style>\n"
            "text{font:13px "
            "sans-serif;fill:#222}.title{font-size:18px;font-weight:bold}.small{font-size:12px;fill:#555}.tiny{font-"
            "size:9.5px;fill:#555}\n"
            ".back{fill:#fff}.lane{fill:#eceff1}.grid{stroke:#b0b8bd;stroke-width:.5}\n"
            ".wait{fill:url(#waiting)}.under{fill:#e3e8ea}.stripe{stroke:#7d8b93}"
            ".line{stroke:#555;fill:none}.total{fill:#b7c4dc}.gather{fill-opacity:.7}.scatter{fill-opacity:.45}.each{"
            "fill-opacity:.85}"
            ".rest{fill-opacity:.3}.hot{fill:#c2410c}rect:hover{stroke:#000}\n";
        for (const colour_row& row : colour_rows)
            all += "." + std::string(row.kind) + "{fill:" + std::string(row.fill) + "}";
        all +=
            "\n@media (prefers-color-scheme:dark){text{fill:#e6e6e6}.small,.tiny{fill:#aaa}.back{fill:#15191c}"
            ".lane{fill:#1e2427}.grid{stroke:#556}.under{fill:#37434a}.stripe{stroke:#90a4ae}.line{stroke:#aaa}"
            ".hot{fill:#fb923c}.total{fill:#3c4a66}rect:hover{stroke:#fff}}\n</style>\n"
            "<defs><pattern id=\"waiting\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
            "<rect x=\"0\" y=\"0\" width=\"5\" height=\"5\" class=\"under\"/>"
            "<path d=\"M-1 1L1 -1M0 5L5 0M4 6L6 4\" class=\"stripe\"/></pattern></defs>\n"
            "<rect width=\"100%\" height=\"100%\" class=\"back\"/>\n";
        all += body_;
        all += "</svg>\n";
        return all;
    }

private:
    void end_text(std::string_view s, const char* anchor, const char* kind) {
        body_ += anchor;
        body_ += "\" class=\"";
        body_ += kind;
        body_ += "\">";
        escape(s);
        body_ += "</text>\n";
    }
    void escape(std::string_view s) {
        for (std::size_t at = 0; at < s.size();) {
            const std::size_t size = utf8_size(s, at);
            const std::string_view one = s.substr(at, size == 0 ? 1 : size);
            at += one.size();
            if (one == "&")
                body_ += "&amp;";
            else if (one == "<")
                body_ += "&lt;";
            else if (one == ">")
                body_ += "&gt;";
            else if (one == "\n")
                body_ += '\n';
            else if (size == 0 || !is_printable(one))
                body_ += '.';
            else
                body_ += one;
        }
    }
    std::string body_;
};

// Numbers at even steps below the drawing, each with a line through it. `scale` is the number of pixels for 1.
inline void draw_axis(svg& to, double top, double bottom, double range, double scale, std::string_view unit) {
    const double step = axis_step(range, 10);
    const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    const auto count = static_cast<int>(range / step * (1 + 1e-9));
    for (int n = 0; n <= count; ++n) {
        const double at = n * step;
        to.line(svg::left + at * scale, top, svg::left + at * scale, bottom + 4);
        const std::string label = fixed_text(at, decimals);
        // The last number may not fit around its line.
        const bool fits = at * scale + 3.5 * static_cast<double>(label.size()) < svg::inside + svg::right;
        to.text(fits ? svg::left + at * scale : svg::width - 2, bottom + 18, label, fits ? "middle" : "end", "small");
    }
    to.text(svg::left - 14, bottom + 18, unit, "end", "small");
}

template <class Sink>
error write_picture(Sink& sink, const std::string& picture) {
    return append_to(sink, picture.data(), picture.size()) ? error() : sink_error();
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
