// Drawing a run: a lane for each rank, or a heat map of ranks by operations.
#ifndef WLFMT_DETAIL_PLOT_LANES_HPP
#define WLFMT_DETAIL_PLOT_LANES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../../trace.hpp"
#include "../../types/answers.hpp"
#include "../base/order.hpp"
#include "../base/ordered_map.hpp"
#include "../oplog/bytes.hpp"
#include "../oplog/nested.hpp"
#include "../summary/groups.hpp"
#include "../trace/run.hpp"
#include "svg.hpp"
#include "waiting.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

inline constexpr std::size_t most_lanes = 64;
inline constexpr std::size_t most_names = 40;
inline constexpr std::size_t most_map_rows = 512;

class drawn_lanes {
public:
    drawn_lanes(const trace::run& run, std::string_view title, const std::optional<oplog::run_sizes>& sizes);
    void add(const oplog::operation& op);
    std::string picture() const;

private:
    static constexpr double height = 20;
    static constexpr double strip = 9;
    struct known_kind {
        std::string name;
        std::string colour;
        double sum;  // in milliseconds
        bool nested;
    };
    struct bar {
        std::size_t lane;
        std::int64_t begin;
        std::int64_t end;
        std::size_t kind;
        std::int64_t batch;       // -1: none
        std::uint64_t count;      // of operations
        std::int64_t together;    // their durations
        plot_waiting::call call;  // the first one
    };
    struct waited {
        std::size_t kind;
        std::int64_t together;
        plot_waiting::call call;
        std::uint64_t count;
    };
    // Lane, kind, and the pixels of the beginning and the end.
    using pixels = std::tuple<std::size_t, std::size_t, std::int64_t, std::int64_t>;

    std::size_t kind_of(std::string_view name, std::string_view colour, bool nested);
    plot_waiting::call call_of(const oplog::operation& op, const trace_time& t);
    void add_span(std::size_t lane, std::size_t kind, const trace_time& t, std::int64_t batch,
                  const plot_waiting::call& call);
    void join_waits(std::size_t lane);
    double waiting_of(const plot_waiting::call& call, std::uint64_t count, std::int64_t together) const;
    std::string about() const;
    void draw_bars(svg& to, double top, double scale) const;
    void draw_nested(svg& to, double top) const;
    std::string map_picture() const;
    std::vector<double> work_by_kind() const;

    const trace::run& run_;
    std::int64_t begin_;  // when the run begins
    std::string title_;
    plot_waiting waiting_;
    bool can_wait_;
    bool is_map_ = false;
    std::vector<const trace::rank_facts*> lanes_;
    ordered_map<std::int64_t, std::size_t> lane_of_;  // by rank
    std::vector<known_kind> kinds_;
    std::vector<bar> bars_;
    ordered_map<pixels, std::size_t> bar_at_;
    std::int64_t range_ = 1;  // of the picture, in nanoseconds
    double pixel_ = 1;        // in nanoseconds
    // The operation before: the next one may be the other half of a combined exchange.
    trace_time last_;
    std::size_t last_lane_ = 0;
    bool last_is_message_ = false;
    // For a heat map, by lane: the time of each kind, and what may be waiting.
    std::vector<std::vector<std::int64_t>> times_;
    std::vector<std::vector<waited>> waits_;
};

inline drawn_lanes::drawn_lanes(const trace::run& run, std::string_view title,
                                const std::optional<oplog::run_sizes>& sizes)
    : run_(run),
      begin_(run.begin()),
      title_(title),
      waiting_(sizes),
      can_wait_(run.aligned() != trace::alignment::first) {
    for (const trace::rank_facts& rank : run.ranks())
        if (rank.timed) lanes_.push_back(&rank);
    is_map_ = lanes_.size() > most_lanes;
    for (std::size_t n = 0; n != lanes_.size(); ++n) {
        lane_of_.try_emplace(lanes_[n]->rank, n);
        range_ = (std::max)(range_, lanes_[n]->end + lanes_[n]->offset - begin_);
    }
    if (is_map_) {
        times_.resize(lanes_.size());
        waits_.resize(lanes_.size());
    }
    pixel_ = static_cast<double>(range_) / svg::inside;
}

inline std::size_t drawn_lanes::kind_of(std::string_view name, std::string_view colour, bool nested) {
    std::size_t kind = 0;
    while (kind != kinds_.size() && (kinds_[kind].nested != nested || kinds_[kind].name != name)) ++kind;
    if (kind == most_names) return kind - 1;
    if (kind == kinds_.size()) {
        const bool is_last = kind + 1 == most_names;
        kinds_.push_back({std::string(is_last ? "other operations" : name), std::string(is_last ? "other" : colour), 0,
                          nested && !is_last});
    }
    return kind;
}

inline void drawn_lanes::add(const oplog::operation& op) {
    if (op.origin != oplog::origin::rank) return;
    const auto lane = lane_of_.find(op.rank);
    if (lane == lane_of_.end()) return;
    const trace_time t = time_of(op.timestamp, op.duration);
    const bool is_timed = t.timed && !t.instant;
    const std::size_t kind = kind_of(op.op, colour_of_operation(op.op), false);
    // A time that was written twice, as a send and as a receive, is drawn once.
    const bool is_message = begins_with(op.op, "send_") || begins_with(op.op, "recv_");
    const bool repeats = is_timed && is_message && last_lane_ == lane->second && last_.begin == t.begin &&
                         last_.end == t.end && last_is_message_;
    last_ = t;
    last_lane_ = lane->second;
    last_is_message_ = is_message && !repeats;
    if (is_timed && !repeats)
        add_span(lane->second, kind, t, op.batch_id.as<std::int64_t>().value_or(-1), call_of(op, t));
    for (const oplog::sub_operation& sub : nested_operations_of(op)) {
        const trace_time n = time_of(sub.timestamp, sub.duration);
        if (!n.timed || n.instant) continue;
        const bool beside = runs_beside(sub);
        // An asynchronous call lasts from its launch to the end of the wait for it: most of that is no waiting.
        plot_waiting::call call = waiting_.add_call(op.rank, sub.group, n.end - n.begin);
        if (beside) call = {};
        const std::size_t group = kind_of(sub.group.empty() ? "no group" : sub.group, colour_of_group(sub.group), true);
        if (is_map_) {
            // The operation's time has this time in it: what of it is waiting is subtracted.
            if (is_timed && !beside) waits_[lane->second].push_back({kind, n.end - n.begin, call, 1});
            join_waits(lane->second);
            continue;
        }
        add_span(lane->second, group, n, -1, call);
    }
}

inline plot_waiting::call drawn_lanes::call_of(const oplog::operation& op, const trace_time& t) {
    const std::int64_t duration = t.end - t.begin;
    const std::string_view colour = colour_of_operation(op.op);
    if (colour == "pp") return waiting_.add_message(tensor_bytes(op.input_shape, op.input_dtype), duration);
    if (op.op == "optimizer_step") return waiting_.add_call(op.rank, "model", duration);
    if (!is_collective(op.op)) return {};
    return waiting_.add_call(op.rank, kind_of_record(op.group_kind), duration);
}

inline void drawn_lanes::add_span(std::size_t lane, std::size_t kind, const trace_time& t, std::int64_t batch,
                                  const plot_waiting::call& call) {
    const std::int64_t offset = lanes_[lane]->offset - begin_;
    const bar one{lane, t.begin + offset, t.end + offset, kind, batch, 1, t.end - t.begin, call};
    kinds_[kind].sum += static_cast<double>(one.together) / 1e6;
    if (is_map_) {
        std::vector<std::int64_t>& times = times_[lane];
        if (times.size() <= kind) times.resize(kind + 1);
        times[kind] += one.together;
        waits_[lane].push_back({kind, one.together, call, 1});
        return join_waits(lane);
    }
    // Whatever is narrower than a pixel belongs to the pixel in which it begins.
    const auto pixel_of = [&](std::int64_t ns) { return static_cast<std::int64_t>(static_cast<double>(ns) / pixel_); };
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

// Calls that follow one another in a sequence, or messages of one size, share an entry.
inline void drawn_lanes::join_waits(std::size_t lane) {
    std::vector<waited>& all = waits_[lane];
    if (all.empty()) return;
    const waited last = all.back();
    if (!last.call.is_known()) return all.pop_back();
    for (std::size_t n = 0; n + 1 < all.size(); ++n) {
        waited& one = all[n];
        if (one.kind != last.kind || !one.call.is_followed_by(one.count, last.call)) continue;
        ++one.count;
        one.together += last.together;
        return all.pop_back();
    }
}

// The part of a bar that is waiting.
inline double drawn_lanes::waiting_of(const plot_waiting::call& call, std::uint64_t count,
                                      std::int64_t together) const {
    const auto least = can_wait_ ? waiting_.least(call, count) : std::nullopt;
    return least && *least < together ? static_cast<double>(together - *least) : 0;
}

inline std::string drawn_lanes::about() const {
    std::string to = std::to_string(lanes_.size()) + (lanes_.size() == 1 ? " rank" : " ranks");
    if (run_.aligned() == trace::alignment::first) to += ", each from its own beginning: waiting is not known";
    if (run_.aligned() == trace::alignment::flows) to += ", clocks aligned by messages";
    if (run_.aligned() == trace::alignment::collectives) to += ", clocks aligned by collectives";
    if (can_wait_ && !waiting_.knows_groups()) to += "; waiting in collectives is not known (no sizes in names)";
    return to;
}

inline void drawn_lanes::draw_bars(svg& to, double top, double scale) const {
    // A bar that begins before the previous one has ended is drawn over it at half its height.
    std::vector<bar> ordered;
    for (const bar& b : bars_)
        if (!kinds_[b.kind].nested) ordered.push_back(b);
    sort_list(ordered, [](const bar& x, const bar& y) { return x.begin < y.begin; });
    std::vector<std::int64_t> ends(lanes_.size());
    for (const bar& b : ordered) {
        const double begin = static_cast<double>(b.begin) / 1e6;
        const double length = static_cast<double>(b.end - b.begin) / 1e6;
        // A bar that stands for several operations says nothing about the order within a pixel.
        const auto grain = static_cast<std::int64_t>(b.count > 1 ? pixel_ : 0);
        const bool over = b.begin + (std::max)(grain, trace_rounding) < ends[b.lane];
        ends[b.lane] = (std::max)(ends[b.lane], b.end);
        const double waiting = waiting_of(b.call, b.count, b.together);
        std::string title = kinds_[b.kind].name;
        if (b.batch >= 0) title += ", batch " + std::to_string(b.batch);
        if (b.count > 1) title += ", " + std::to_string(b.count) + " operations";
        title += "\n" + fixed_text(static_cast<double>(b.together) / 1e6, 2) + " ms, from " + fixed_text(begin, 2) +
                 " ms on";
        if (waiting > 0) title += "\nwaiting: " + fixed_text(waiting / 1e6, 2) + " ms";
        const double x = svg::left + begin * scale;
        const double y = top + static_cast<double>(b.lane) * (height + 4) + (over ? height / 2 : 0);
        const double width = (std::max)(length * scale, 0.5);
        const double pale = width * waiting / static_cast<double>((std::max)(b.together, std::int64_t{1}));
        if (pale >= 0.5) to.rectangle(x, y, pale, over ? height / 2 : height, "wait", title);
        if (width - pale >= 0.25)
            to.rectangle(x + (pale >= 0.5 ? pale : 0), y, width - (pale >= 0.5 ? pale : 0), over ? height / 2 : height,
                         kinds_[b.kind].colour, title);
    }
}

// Nested communication is drawn as a strip in its operation's bar: in each pixel as high as its share of the time,
// with waiting at the bottom.
inline void drawn_lanes::draw_nested(svg& to, double top) const {
    constexpr auto columns = static_cast<std::size_t>(svg::inside);
    const std::size_t layers = kinds_.size() + 1;  // the first is waiting
    std::vector<std::vector<const bar*>> of_lane(lanes_.size());
    for (const bar& b : bars_)
        if (kinds_[b.kind].nested) of_lane[b.lane].push_back(&b);
    std::vector<std::string> paths(layers);
    std::vector<double> parts(layers * columns);
    for (std::size_t lane = 0; lane != lanes_.size(); ++lane) {
        if (of_lane[lane].empty()) continue;
        std::fill(parts.begin(), parts.end(), 0.0);
        for (const bar* b : of_lane[lane]) {
            const double waiting = waiting_of(b->call, b->count, b->together) / static_cast<double>(b->together + 1);
            const double begin = static_cast<double>(b->begin) / pixel_;
            const double end = (std::max)(static_cast<double>(b->end) / pixel_, begin + 1e-9);
            const double fill =
                static_cast<double>(b->together) / static_cast<double>((std::max)(b->end - b->begin, std::int64_t{1}));
            // A single call waits first, and then moves its bytes; of several calls only the shares of both are known.
            const double split = b->count == 1 ? begin + (end - begin) * waiting : end;
            for (auto column = static_cast<std::size_t>((std::max)(begin, 0.0));
                 column < columns && static_cast<double>(column) < end; ++column) {
                const auto at = static_cast<double>(column);
                const auto covered = [&](double a, double z) {
                    return (std::max)(0.0, (std::min)(z, at + 1) - (std::max)(a, at));
                };
                const double all = covered(begin, end) * fill;
                const double pale = b->count == 1 ? covered(begin, split) * fill : all * waiting;
                parts[column] += pale;
                parts[(b->kind + 1) * columns + column] += all - pale;
            }
        }
        const double bottom = top + static_cast<double>(lane) * (height + 4) + height;
        std::vector<double> base(columns);
        for (std::size_t layer = 0; layer != layers; ++layer)
            for (std::size_t column = 0; column != columns;) {
                const double part = (std::min)(parts[layer * columns + column], 1 - base[column]);
                std::size_t end = column + 1;
                const auto same = [&](std::size_t other) {
                    return std::fabs((std::min)(parts[layer * columns + other], 1 - base[other]) - part) < 0.02 &&
                           std::fabs(base[other] - base[column]) < 0.02;
                };
                while (end != columns && part > 0.02 && same(end)) ++end;
                if (part > 0.02)
                    svg::add_rectangle(paths[layer], svg::left + static_cast<double>(column),
                                       bottom - strip * (base[column] + part), static_cast<double>(end - column),
                                       strip * part);
                const double from = base[column];
                for (; column != end; ++column) base[column] = from + (std::max)(part, 0.0);
            }
    }
    to.path(paths[0], "wait");
    for (std::size_t kind = 0; kind != kinds_.size(); ++kind) to.path(paths[kind + 1], kinds_[kind].colour);
}

inline std::string drawn_lanes::picture() const {
    if (is_map_) return map_picture();
    svg to;
    const std::string title = title_.empty() ? "Operations in time" : title_;
    to.heading(title);
    to.text(svg::left, 48, about() + "; sums of all lanes in ms", "start", "small");
    double waiting = 0;
    double nested_waiting = 0;
    for (const bar& b : bars_)
        (kinds_[b.kind].nested ? nested_waiting : waiting) += waiting_of(b.call, b.count, b.together);
    std::vector<std::pair<std::string, std::string>> entries;
    bool any_nested = false;
    for (const bool nested : {false, true})
        for (const known_kind& k : kinds_) {
            if (k.nested != nested || !(k.sum > 0)) continue;
            any_nested = any_nested || nested;
            entries.emplace_back(k.colour, (nested ? "inside: " : "") + k.name + " " + fixed_text(k.sum, 1));
        }
    std::string waits = "waiting for other ranks, of these " + fixed_text(waiting / 1e6, 1);
    if (any_nested) waits += ", inside " + fixed_text(nested_waiting / 1e6, 1);
    if (can_wait_) entries.emplace_back("wait", waits);
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
    draw_bars(to, top, scale);
    draw_nested(to, top);
    return to.finish(bottom + 36, title);
}

// The time of all ranks without waiting, by kind.
inline std::vector<double> drawn_lanes::work_by_kind() const {
    std::vector<double> work;
    for (const known_kind& k : kinds_) work.push_back(k.sum);
    for (const auto& lane : waits_)
        for (const waited& w : lane) work[w.kind] -= waiting_of(w.call, w.count, w.together) / 1e6;
    return work;
}

// Ranks by operations: a shade shows how much time an operation takes in a rank, beside the median of its stage, whose
// ranks do the same work: a stage that has more to do would hide its slow ranks.
inline std::string drawn_lanes::map_picture() const {
    svg to;
    const std::string title = title_.empty() ? "Ranks by operations" : title_;
    to.heading(title);
    std::vector<std::size_t> columns;
    for (std::size_t n = 0; n != kinds_.size(); ++n)
        if (!kinds_[n].nested && kinds_[n].sum > 0) columns.push_back(n);
    const std::vector<double> worked = work_by_kind();
    sort_list(columns, [&](std::size_t a, std::size_t b) { return worked[a] > worked[b]; });
    constexpr std::size_t most_columns = 22;
    if (columns.size() > most_columns) columns.resize(most_columns);
    // By column and rank: the time without waiting; then the waiting; then the gaps.
    std::vector<std::vector<double>> values(columns.size() + 2, std::vector<double>(lanes_.size()));
    for (std::size_t lane = 0; lane != lanes_.size(); ++lane) {
        std::vector<double> waiting(kinds_.size());
        double all_waiting = 0;
        double all = 0;
        for (const waited& w : waits_[lane]) {
            const double ns = waiting_of(w.call, w.count, w.together);
            waiting[w.kind] += ns;
            all_waiting += ns;
        }
        for (const std::int64_t ns : times_[lane]) all += static_cast<double>(ns);
        for (std::size_t c = 0; c != columns.size(); ++c)
            if (columns[c] < times_[lane].size())
                values[c][lane] =
                    (std::max)(0.0, static_cast<double>(times_[lane][columns[c]]) - waiting[columns[c]]) / 1e6;
        values[columns.size()][lane] = all_waiting / 1e6;
        values[columns.size() + 1][lane] =
            (std::max)(0.0, static_cast<double>(lanes_[lane]->end - lanes_[lane]->begin) - all) / 1e6;
    }
    const std::size_t per_row = (lanes_.size() + most_map_rows - 1) / most_map_rows;
    const std::size_t rows = (lanes_.size() + per_row - 1) / per_row;
    std::string line = about() + (can_wait_ ? "; time without waiting" : "; time by operation");
    if (per_row > 1) line += "; a row is the greatest of " + std::to_string(per_row) + " ranks";
    to.text(svg::left, 48, line, "start", "small");
    double y = 60;
    double x = svg::left;
    for (const auto& [shade, label] :
         {std::pair<int, const char*>{8, "little"}, {50, "the median of the stage"}, {100, "1.5 times that or more"}}) {
        to.shade(x, y, 12, 12, "hot", shade, label);
        to.text(x + 18, y + 10.5, label);
        x += 60 + 7.2 * static_cast<double>(std::string_view(label).size());
    }
    const double row_height = rows <= 64 ? 12 : rows <= 128 ? 8 : rows <= 256 ? 4 : 2;
    const double top = 190;
    const double bottom = top + row_height * static_cast<double>(rows);
    const double step = (std::min)(90.0, (svg::inside - 50) / static_cast<double>(values.size()));
    for (std::size_t c = 0; c != values.size(); ++c) {
        std::vector<double> all;
        ordered_map<std::int64_t, std::vector<double>> by_stage;
        for (std::size_t lane = 0; lane != lanes_.size(); ++lane) {
            if (!(values[c][lane] > 0)) continue;
            all.push_back(values[c][lane]);
            by_stage[lanes_[lane]->stage].push_back(values[c][lane]);
        }
        ordered_map<std::int64_t, double> medians;
        for (auto& [stage, some] : by_stage) medians[stage] = low_median(std::move(some));
        // The time of a rank as a multiple of the median of its stage; 0 where the rank has no such time.
        const auto ratio_of = [&](std::size_t lane) {
            return values[c][lane] > 0 ? values[c][lane] / medians[lanes_[lane]->stage] : 0;
        };
        const std::string name = c < columns.size()    ? kinds_[columns[c]].name
                                 : c == columns.size() ? "waiting"
                                                       : "gaps";
        const double left = svg::left + step * static_cast<double>(c);
        const double median = all.empty() ? 0 : low_median(std::move(all));
        to.slanted(left + step / 2, top - 8, svg::cut(name, 20) + " " + fixed_text(median, median < 10 ? 2 : 1) + " ms",
                   50, "start", "small");
        for (std::size_t row = 0; row != rows; ++row) {
            std::size_t most = row * per_row;
            for (std::size_t n = most; n < (std::min)(lanes_.size(), (row + 1) * per_row); ++n)
                if (ratio_of(n) > ratio_of(most)) most = n;
            const double ratio = ratio_of(most);
            if (!(ratio > 0)) continue;
            const trace::rank_facts& rank = *lanes_[most];
            const auto shade = static_cast<int>((std::min)(100.0, (std::max)(2.0, 100 * ratio - 50)));
            to.shade(left, top + row_height * static_cast<double>(row), step - 1, row_height, "hot", shade,
                     "rank " + std::to_string(rank.rank) + ": " + name + "\n" + fixed_text(values[c][most], 2) +
                         " ms, median of " + (rank.stage < 0 ? "all" : "stage " + std::to_string(rank.stage)) + " " +
                         fixed_text(medians[rank.stage], 2) + " ms");
        }
    }
    // The stages, and as many ranks as there is room for.
    const auto begins_stage = [&](std::size_t row) {
        return row == 0 || lanes_[(row - 1) * per_row]->stage != lanes_[row * per_row]->stage;
    };
    const auto rows_of_name = static_cast<std::size_t>(std::ceil(12 / row_height));
    double named = -100;
    for (std::size_t row = 0; row != rows; ++row) {
        const trace::rank_facts& first = *lanes_[row * per_row];
        const double at = top + row_height * static_cast<double>(row);
        const bool is_new_stage = begins_stage(row);
        if (is_new_stage && row != 0)
            to.line(svg::left - 60, at, svg::left + step * static_cast<double>(values.size()), at);
        bool is_taken = at < named + (is_new_stage ? 12 : 24);
        // A stage's name comes before a rank's.
        for (std::size_t next = row + 1; !is_new_stage && next < (std::min)(rows, row + rows_of_name); ++next)
            is_taken = is_taken || begins_stage(next);
        if (is_taken) continue;
        named = at;
        std::string name = "rank " + std::to_string(first.rank);
        if (is_new_stage && first.stage >= 0) name.insert(0, "stage " + std::to_string(first.stage) + ", ");
        to.text(svg::left - 8, at + (row_height > 8 ? 10 : 9), name, "end", "small");
    }
    return to.finish(bottom + 24, title);
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
