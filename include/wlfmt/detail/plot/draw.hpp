// Drawing SVG.
#ifndef WLFMT_DETAIL_PLOT_DRAW_HPP
#define WLFMT_DETAIL_PLOT_DRAW_HPP

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
#include "../base/out.hpp"
#include "../error/problems.hpp"
#include "../number/write.hpp"
#include "../trace/run.hpp"
#include "../trace/workload.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// How much is drawn at most.
inline constexpr std::size_t most_lanes = 64;
inline constexpr std::size_t most_rows = 24;
inline constexpr std::size_t most_names = 40;

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

// The picture as it grows from top to bottom.
class svg {
public:
    static constexpr double width = 1200;
    static constexpr double left = 214;
    static constexpr double right = 24;
    static constexpr double inside = width - left - right;
    static constexpr std::size_t colours = 14;

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
    // `anchor`: start, middle or end.
    void text(double x, double y, std::string_view s, const char* anchor = "start", const char* kind = "label") {
        body_ += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"";
        body_ += anchor;
        body_ += "\" class=\"";
        body_ += kind;
        body_ += "\">";
        escape(s);
        body_ += "</text>\n";
    }
    // The text that fits to the left of the drawing, cut in its middle: names differ at their ends.
    void name(double y, const std::string& s) {
        constexpr std::size_t most = 26;
        if (count_characters(s) <= most) return text(left - 8, y, s, "end");
        const std::size_t head = character_start(s, 13);
        const std::size_t tail = character_start(s, s.size() - 12);
        text(left - 8, y, s.substr(0, head) + ".." + s.substr(tail), "end");
    }
    // Coloured squares with names, in as many lines as they take; the y after them.
    double legend(double y, const std::vector<std::pair<std::string, std::string>>& entries) {
        double x = left;
        for (const auto& [kind, label] : entries) {
            const double room = 34 + 7.2 * static_cast<double>(count_characters(label));
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
            "sans-serif;fill:#222}.title{font-size:18px;font-weight:bold}.small{font-size:12px;fill:#555}\n"
            ".back{fill:#fff}.lane{fill:#eceff1}.grid{stroke:#b0b8bd;stroke-width:.5}\n"
            ".wait{fill:#cfd8dc}rect:hover{stroke:#000}\n";
        static constexpr std::string_view fills[colours] = {"#3366cc", "#e07b00", "#2e8b57", "#b5367a", "#8c6d31",
                                                            "#17a2b8", "#7e57c2", "#c0392b", "#7a8b00", "#5d6d7e",
                                                            "#d4a017", "#f06292", "#00796b", "#a1887f"};
        for (std::size_t n = 0; n != colours; ++n)
            all += ".c" + std::to_string(n) + "{fill:" + std::string(fills[n]) + "}";
        all +=
            "\n@media (prefers-color-scheme:dark){text{fill:#e6e6e6}.small{fill:#aaa}.back{fill:#15191c}"
            ".lane{fill:#23292d}.grid{stroke:#556}.wait{fill:#455a64}rect:hover{stroke:#fff}}\n</style>\n"
            "<rect width=\"100%\" height=\"100%\" class=\"back\"/>\n";
        all += body_;
        all += "</svg>\n";
        return all;
    }

private:
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

inline std::string colour_of(std::size_t n) { return "c" + std::to_string(n % svg::colours); }

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

// A panel with a bar for each layer, stacked from its parts. `say` prints the numbers of the scale.
struct layer_part {
    double size;
    std::string kind;
    std::string title;
};
inline double draw_layers(svg& to, double y, std::string_view title, const std::vector<std::vector<layer_part>>& layers,
                          std::string (*say)(double)) {
    constexpr double height = 170;
    double most = 0;
    for (const auto& parts : layers) {
        double sum = 0;
        for (const layer_part& p : parts) sum += p.size;
        most = (std::max)(most, sum);
    }
    to.text(svg::left, y + 4, title);
    y += 14;
    to.rectangle(svg::left, y, svg::inside, height, "lane");
    for (int n = 0; n <= 4; ++n) {
        const double at = y + height - height * n / 4;
        to.line(svg::left, at, svg::left + svg::inside, at);
        to.text(svg::left - 8, at + 4, say(most * n / 4), "end", "small");
    }
    const double step = svg::inside / static_cast<double>((std::max)(layers.size(), std::size_t{1}));
    const double gap = step > 4 ? 1 : 0;
    for (std::size_t n = 0; n != layers.size(); ++n) {
        double at = y + height;
        for (const layer_part& p : layers[n]) {
            if (!(p.size > 0) || !(most > 0)) continue;
            const double size = height * p.size / most;
            at -= size;
            to.rectangle(svg::left + step * static_cast<double>(n), at, (std::max)(step - gap, 0.5), size, p.kind,
                         p.title);
        }
    }
    return y + height + 34;
}

inline std::string ticks_text(double ticks) { return fixed_text(ticks, 0); }

// What plot::lanes draws.
class drawn_lanes {
public:
    explicit drawn_lanes(const trace::run& run) : run_(run) {
        std::size_t timed = 0;
        for (const trace::rank_facts& rank : run.ranks()) timed += rank.timed ? 1U : 0U;
        by_stage_ = timed > most_lanes;
        for (const trace::rank_facts& rank : run.ranks()) {
            if (!rank.timed) continue;
            const bool other_of_stage = by_stage_ && !lanes_.empty() && lanes_.back()->stage == rank.stage;
            if (other_of_stage || lanes_.size() == most_lanes)
                ++left_out_;
            else
                lanes_.push_back(&rank);
        }
        for (const trace::rank_facts* rank : lanes_)
            range_ = (std::max)(range_, rank->end + rank->offset - run.begin());
        pixel_ = static_cast<double>(range_) / svg::inside;
    }
    void add(const oplog::operation& op) {
        if (op.origin != oplog::origin::rank) return;
        const trace_time t = time_of(op.timestamp, op.duration);
        if (!t.timed || t.instant) return;
        std::size_t lane = 0;
        while (lane != lanes_.size() && lanes_[lane]->rank != op.rank) ++lane;
        if (lane == lanes_.size()) return;
        std::size_t kind = 0;
        while (kind != kinds_.size() && kinds_[kind] != op.op) ++kind;
        if (kind == most_names) kind = most_names - 1;
        if (kind == kinds_.size()) {
            kinds_.emplace_back(kind + 1 == most_names ? std::string_view("other operations")
                                                       : std::string_view(op.op));
            sums_.push_back(0);
        }
        const std::int64_t offset = lanes_[lane]->offset - run_.begin();
        const bar one{lane, t.begin + offset, t.end + offset, kind, op.batch_id.as<std::int64_t>().value_or(-1),
                      1,    t.end - t.begin};
        sums_[kind] += static_cast<double>(one.together) / 1e6;
        // What is narrower than a pixel is in that of its beginning.
        const auto pixel_of = [&](std::int64_t ns) {
            return static_cast<std::int64_t>(static_cast<double>(ns) / pixel_);
        };
        const std::int64_t from = pixel_of(one.begin);
        const std::int64_t to = static_cast<double>(one.together) < pixel_ ? from : pixel_of(one.end);
        const auto [at, is_new] = bar_at_.try_emplace({lane, kind, from, to}, bars_.size());
        if (is_new) return bars_.push_back(one);
        bar& all = bars_[at->second];
        all.begin = (std::min)(all.begin, one.begin);
        all.end = (std::max)(all.end, one.end);
        if (all.batch != one.batch) all.batch = -1;
        ++all.count;
        all.together += one.together;
    }

    std::string picture() const {
        svg to;
        constexpr double height = 20;
        const auto is_wait = [&](std::size_t kind) { return kinds_[kind].substr(0, 5) == "recv_"; };
        std::vector<std::string> colours;
        std::size_t used = 0;
        for (std::size_t n = 0; n != kinds_.size(); ++n)
            colours.push_back(is_wait(n) ? std::string("wait") : colour_of(used++));
        to.text(svg::left, 28, "Operations in time", "start", "title");
        std::string about = std::to_string(lanes_.size()) + (by_stage_ ? " stages, the first rank of each" : " ranks");
        if (left_out_ != 0) about += "; " + std::to_string(left_out_) + " ranks are not drawn";
        to.text(svg::left, 48, about + "; sums of all lanes in ms", "start", "small");
        std::vector<std::pair<std::string, std::string>> entries;
        for (std::size_t n = 0; n != kinds_.size(); ++n)
            entries.emplace_back(colours[n], kinds_[n] + " " + fixed_text(sums_[n], 1));
        entries.emplace_back("lane", "nothing traced");
        const double top = to.legend(60, entries);
        const double bottom = top + static_cast<double>(lanes_.size()) * (height + 4);
        const double ms = static_cast<double>(range_) / 1e6;
        const double scale = svg::inside / ms;
        for (std::size_t n = 0; n != lanes_.size(); ++n) {
            const double y = top + static_cast<double>(n) * (height + 4);
            to.rectangle(svg::left, y, svg::inside, height, "lane");
            std::string name = "rank " + std::to_string(lanes_[n]->rank);
            if (lanes_[n]->stage >= 0) name += ", stage " + std::to_string(lanes_[n]->stage);
            to.name(y + 14.5, name);
        }
        draw_axis(to, top, bottom, ms, scale, "ms");
        // A bar that begins before the previous one has ended is drawn over it at half its height.
        std::vector<bar> ordered = bars_;
        sort_list(ordered, [](const bar& x, const bar& y) { return x.begin < y.begin; });
        std::vector<std::int64_t> ends(lanes_.size());
        for (const bar& b : ordered) {
            const double begin = static_cast<double>(b.begin) / 1e6;
            const double length = static_cast<double>(b.end - b.begin) / 1e6;
            // Of bars that hold several operations it is not known within a pixel.
            const auto grain = static_cast<std::int64_t>(b.count > 1 ? pixel_ : 0);
            const bool over = b.begin + (std::max)(grain, trace_rounding) < ends[b.lane];
            ends[b.lane] = (std::max)(ends[b.lane], b.end);
            std::string title = kinds_[b.kind];
            if (b.batch >= 0) title += ", batch " + std::to_string(b.batch);
            if (b.count > 1) title += ", " + std::to_string(b.count) + " operations";
            title += "\n" + fixed_text(static_cast<double>(b.together) / 1e6, 2) + " ms, from " + fixed_text(begin, 2) +
                     " ms on";
            to.rectangle(svg::left + begin * scale,
                         top + static_cast<double>(b.lane) * (height + 4) + (over ? height / 2 : 0),
                         (std::max)(length * scale, 0.5), over ? height / 2 : height, colours[b.kind], title);
        }
        return to.finish(bottom + 36, "Operations in time");
    }

private:
    struct bar {
        std::size_t lane;
        std::int64_t begin;
        std::int64_t end;
        std::size_t kind;
        std::int64_t batch;     // -1: none
        std::uint64_t count;    // of operations
        std::int64_t together;  // their durations
    };
    // Lane, kind, and the pixels of the beginning and the end.
    using pixels = std::tuple<std::size_t, std::size_t, std::int64_t, std::int64_t>;

    const trace::run& run_;
    std::vector<const trace::rank_facts*> lanes_;
    bool by_stage_ = false;
    std::size_t left_out_ = 0;
    std::vector<std::string> kinds_;
    std::vector<double> sums_;  // in milliseconds, by kind
    std::vector<bar> bars_;
    std::map<pixels, std::size_t> bar_at_;
    std::int64_t range_ = 1;  // of the picture, in nanoseconds
    double pixel_ = 1;        // in nanoseconds
};

inline std::string picture_of(const workload::document& doc) {
    svg to;
    static constexpr std::string_view phases[] = {"forward", "input gradient", "weight gradient"};
    std::vector<std::vector<layer_part>> compute(doc.layers.size());
    std::vector<std::vector<layer_part>> bytes(doc.layers.size());
    std::map<std::string, double> kinds;
    static constexpr std::string_view groups[] = {"", "TP", "DP", "EP", "DP_EP"};
    const auto kind_of = [&](const workload::phase& p, pass pass) {
        const workload::communication c = workload::communication_of(p.comm);
        const std::string token(p.comm.substr(
            0, p.comm.find('_') == std::string_view::npos || p.comm.substr(0, 7) == "REDUCE_" ? p.comm.size()
                                                                                              : p.comm.find('_')));
        return token + " " + std::string(groups[static_cast<std::size_t>(track_of(c, pass)) - 1]);
    };
    const auto each = [&](const auto& visit) {
        for (std::size_t n = 0; n != doc.layers.size(); ++n) {
            const workload::layer& l = doc.layers[n];
            visit(n, std::size_t{0}, l.forward, pass::forward);
            visit(n, std::size_t{1}, l.input_grad, pass::input_grad);
            visit(n, std::size_t{2}, l.weight_grad, pass::weight_grad);
        }
    };
    each([&](std::size_t, std::size_t, const workload::phase& p, pass pass) {
        if (const double moved = p.bytes.value_or(0); moved > 0) kinds[kind_of(p, pass)] += moved;
    });
    each([&](std::size_t n, std::size_t phase, const workload::phase& p, pass pass) {
        const std::string where = "layer " + std::to_string(n) + ": " + std::string(doc.layers[n].name) + "\n";
        const double ticks = p.compute.value_or(0);
        compute[n].push_back(
            {ticks, colour_of(phase), where + std::string(phases[phase]) + ", " + fixed_text(ticks, 0) + " ticks"});
        const double moved = p.bytes.value_or(0);
        if (!(moved > 0)) return;
        const std::string kind = kind_of(p, pass);
        const auto colour = static_cast<std::size_t>(std::distance(kinds.begin(), kinds.find(kind)));
        bytes[n].push_back({moved, colour_of(3 + colour),
                            where + kind + ", " + std::string(phases[phase]) + ", " + fixed_text(moved, 0) + " bytes"});
    });
    to.text(svg::left, 28, std::string(doc.header().policy) + ", " + std::to_string(doc.layers.size()) + " layers",
            "start", "title");
    std::vector<std::pair<std::string, std::string>> entries;
    for (std::size_t n = 0; n != 3; ++n) entries.emplace_back(colour_of(n), std::string(phases[n]));
    double y = to.legend(42, entries);
    y = draw_layers(to, y + 6, "compute of each layer, in ticks", compute, ticks_text);
    y = draw_layers(to, y, "bytes that each layer communicates", bytes, bytes_text);
    to.text(svg::left, y, "bytes by collective and group");
    y += 10;
    double most = 1;
    for (const auto& kind : kinds) most = (std::max)(most, kind.second);
    std::size_t n = 0;
    for (const auto& kind : kinds) {
        const double length = (svg::inside - 110) * kind.second / most;
        to.name(y + 14.5, kind.first);
        to.rectangle(svg::left, y, (std::max)(length, 0.5), 20, colour_of(3 + n++),
                     kind.first + "\n" + fixed_text(kind.second, 0) + " bytes");
        to.text(svg::left + length + 8, y + 14.5, bytes_text(kind.second), "start", "small");
        y += 24;
    }
    return to.finish(y + 16, "Compute and communication of a workload");
}

inline std::string picture_of(const table::summary& one) {
    // The columns of the device if they hold anything, otherwise those of the processor.
    std::size_t self = one.find_column("Self CPU");
    std::size_t total = one.find_column("CPU total");
    for (const char* device : {"CUDA", "XPU", "HPU", "NPU", "MTIA", "MUSA", "PRIVATEUSE1"}) {
        const std::size_t s = one.find_column(std::string("Self ").append(device));
        const std::size_t t = one.find_column(std::string(device).append(" total"));
        double sum = 0;
        for (std::size_t n = 0; n != one.size(); ++n) sum += one.at(n, t).value_or(0);
        if (!(sum > 0)) continue;
        self = s;
        total = t;
    }
    const auto value = [&](std::size_t row, std::size_t column) {
        return (std::max)(one.at(row, column).value_or(0), 0.0);
    };
    std::vector<std::size_t> rows(one.size());
    for (std::size_t n = 0; n != rows.size(); ++n) rows[n] = n;
    sort_list(rows, [&](std::size_t a, std::size_t b) {
        return (std::max)(value(a, self), value(a, total)) > (std::max)(value(b, self), value(b, total));
    });
    const std::size_t shown = (std::min)(rows.size(), most_rows);
    const auto name_of_column = [&](std::size_t c, const char* otherwise) {
        return c < one.columns.size() ? std::string(one.columns[c].name) : std::string(otherwise);
    };
    svg to;
    to.text(svg::left, 28, "The heaviest operations", "start", "title");
    to.text(svg::left, 48, std::to_string(shown) + " of " + std::to_string(rows.size()) + " rows", "start", "small");
    double y =
        to.legend(60, {{"c0", name_of_column(self, "no self time")}, {"wait", name_of_column(total, "no total time")}});
    const double top = y;
    double most = 1e-3;
    for (const std::size_t row : rows) most = (std::max)(most, (std::max)(value(row, self), value(row, total)));
    const double room = svg::inside - 90;
    const bool seconds = most >= 1e6;
    const double range = most / (seconds ? 1e6 : 1e3);
    draw_axis(to, top, top + 24 * static_cast<double>(shown), range, room / range, seconds ? "s" : "ms");
    for (std::size_t n = 0; n != shown; ++n) {
        const std::string name(one.at(rows[n], one.find_column("Name")).text());
        const double own = value(rows[n], self);
        const double all = value(rows[n], total);
        const std::string title = name + "\nself " + microseconds_text(own) + ", total " + microseconds_text(all);
        to.name(y + 14.5, name);
        to.rectangle(svg::left, y, (std::max)(room * all / most, 0.5), 20, "wait", title);
        to.rectangle(svg::left, y + 4, (std::max)(room * own / most, 0.5), 12, "c0", title);
        to.text(svg::left + room * (std::max)(own, all) / most + 8, y + 14.5, microseconds_text((std::max)(own, all)),
                "start", "small");
        y += 24;
    }
    return to.finish(y + 36, "The heaviest operations of a profiler table");
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
