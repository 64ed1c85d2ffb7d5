// Divides a rank's time into slices of six classes, which pictures and pages draw; and draws the picture of a run: a
// lane for each rank, or a heat map of ranks by operations.
#ifndef WLFMT_ANALYSIS_PLOT_RUN_HPP
#define WLFMT_ANALYSIS_PLOT_RUN_HPP

#include <algorithm>
#include <array>
#include <map>

#include "../answers/headline.hpp"
#include "../answers/schedule.hpp"
#include "../draw/svg.hpp"
#include "../library.hpp"

namespace wlfmt::analysis {

struct time_slice {
    double begin;  // milliseconds since the rank's first record
    double end;
    std::size_t which;           // a position in classes_of_time
    const program_step* step;    // the step; for a gap, the step after it
    bool may_have_lost = false;  // a gap in which a record may have been lost
    bool waits() const noexcept { return which == stage_class || which == pipeline_class; }
    // The time that it stands for. Of what may be waiting, the least is drawn; of all else, the most.
    bounded time() const noexcept {
        const double ms = end - begin;
        if (waits()) return step->waiting.is_exact() ? bounded(ms) : step->waiting;
        const bool is_sure = which == work_class       ? step->work.is_exact()
                             : which == transfer_class ? step->transfer().is_exact()
                                                       : !may_have_lost;
        return bounded::between(is_sure ? ms : 0, ms);
    }
    std::string_view sign() const noexcept { return time().is_exact() ? "" : waits() ? ">= " : "<= "; }
};

// The slices of a rank in the order of time: the parts of steps, and the gaps, that are longer than 0.
class rank_slices {
public:
    explicit rank_slices(const rank_answer& rank) {
        const auto& steps = rank.program;
        double last = 0;  // the latest end of the records so far
        for (std::size_t n = 0; n != steps.size();) {
            const program_step& record = steps[n];
            at_ = last;
            add_until(record.start, gap_class, record);
            add_parts(record);
            for (++n; n != steps.size() && steps[n].nested; ++n)
                if (!steps[n].alone) add_call(steps[n], record);
            const double end = record.start + record.duration;
            last = (std::max)({last, at_, end});
            add_until(end, work_class, record);
        }
        // A record may have been lost in a gap if the gaps may be shorter in all, by more than the sum's rounding: else
        // only before the first record or after the last.
        if (!rank.account.gaps.is_exact() && rank.account.gaps.at_least() < gaps_ - 1e-6)
            for (time_slice& s : slices_) s.may_have_lost = s.which == gap_class;
    }
    auto begin() const noexcept { return slices_.begin(); }
    auto end() const noexcept { return slices_.end(); }

private:
    // Adds a slice from where the last one ends.
    void add_until(double end, std::size_t which, const program_step& step) {
        if (end > at_) {
            slices_.push_back({at_, end, which, &step});
            if (which == gap_class) gaps_ += end - at_;
        }
        at_ = end;
    }
    // Adds a call: its record computes before it, and, if it is asynchronous, until it waits at its end.
    void add_call(const program_step& call, const program_step& record) {
        const bool is_asynchronous = call.what == program_step::kind::asynchronous;
        const double after = is_asynchronous ? call.duration - call.waiting.number() : 0;
        add_until((std::max)(at_, call.start + after), work_class, record);
        add_parts(call);
    }
    void add_parts(const program_step& step) {
        add_until(at_ + step.waiting.number(), step.in_stage ? stage_class : pipeline_class, step);
        if (!step.is_unknown) add_until(at_ + step.transfer().at_most(), transfer_class, step);
        add_until(at_ + step.unknown(), unknown_class, step);
    }

    std::vector<time_slice> slices_;
    double at_ = 0;    // where the last slice ends
    double gaps_ = 0;  // how long all gaps are
};

// The label of a slice: `forward_step, tp allreduce, 80.0 MiB`.
inline std::string label_of(const run_answers& a, const time_slice& s) {
    const program_step& step = *s.step;
    const auto name = [&](std::uint32_t n) { return n < a.names.size() ? shortened(a.names[n], 100) : std::string(); };
    if (s.which == gap_class) return "before " + name(step.operation);
    std::string words = name(step.operation);
    if (step.nested) append(words, {", ", name(step.group), " ", name(step.function)});
    if (step.bytes >= 0 && s.which != work_class) append(words, {", ", bytes_text(static_cast<double>(step.bytes))});
    return words;
}

// `rank 3, stage 1`
inline std::string name_of_rank(const rank_answer& rank) {
    return joined({"rank ", rank.rank, rank.stage ? joined({", stage ", *rank.stage}) : ""});
}

// The positions of the ranks in the answers, sorted by stage.
inline std::vector<std::size_t> ranks_by_stage(const run_answers& a) {
    std::vector<std::size_t> order = positions_of(a.ranks.size());
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return a.ranks[x].stage.value_or(-1) < a.ranks[y].stage.value_or(-1);
    });
    return order;
}

// Where the ranks' lanes begin on a common axis, in milliseconds. Of the ranks whose clocks can be compared with each
// other, the first one begins at 0.
struct lane_axis {
    std::vector<double> begin;  // when each rank begins, in the order of the answers
    double end = 0;
    bool is_common = true;  // whether the times of all ranks can be compared
};
inline lane_axis axis_of(const run_answers& a) {
    lane_axis axis;
    std::map<std::uint32_t, double> first;
    for (const rank_answer& r : a.ranks) {
        const double at = r.begin - r.clock_ahead;
        const auto [known, is_new] = first.try_emplace(r.aligned, at);
        if (!is_new) known->second = (std::min)(known->second, at);
    }
    axis.is_common = a.together && first.size() <= 1;
    for (const rank_answer& r : a.ranks) {
        axis.begin.push_back(a.together ? r.begin - r.clock_ahead - first[r.aligned] : 0);
        axis.end = (std::max)(axis.end, axis.begin.back() + r.account.span.number());
    }
    return axis;
}

// The axis is divided into columns of equal width; this is the share of each class in one of them.
using time_column = std::array<float, time_classes>;
// Adds a slice. Its times are in columns: 2.5 is the middle of the third column.
inline void add_to_columns(std::vector<time_column>& columns, double from, double until, std::size_t which) {
    for (auto n = static_cast<std::size_t>((std::max)(from, 0.0)); n < columns.size(); ++n) {
        const auto left = static_cast<double>(n);
        if (!(left < until)) break;
        columns[n][which] += static_cast<float>((std::min)(until, left + 1) - (std::max)(from, left));
    }
}

inline constexpr std::size_t max_plot_lanes = 64;  // with more ranks, pages show lanes as images, and pictures are maps
inline constexpr std::size_t max_map_rows = 512;   // beyond this number, several ranks share a row

struct run_picture {
    run_picture(const run_answers& a, std::string_view title)
        : a_(a), title_(title), axis_(axis_of(a)), order_(ranks_by_stage(a)) {}
    std::string draw() {
        const bool is_map = order_.size() > max_plot_lanes;
        if (title_.empty()) title_ = is_map ? "Ranks by operations" : "The time of each rank";
        svg_.heading(title_);
        const double height = is_map ? draw_map() : draw_lanes();
        return svg_.finish(height, title_);
    }

    static constexpr double lane_height = 20;
    const rank_answer& at(std::size_t row) const { return a_.ranks[order_[row]]; }
    bool is_slowest(std::size_t row) const { return a_.slowest_rank && a_.slowest_rank->rank == at(row).rank; }
    std::string subtitle() const {
        const std::size_t lacking = a_.missing_ranks.size() + a_.left_out.size();
        std::string words = lacking == 0
                                ? counted_text(order_.size(), "rank")
                                : joined({order_.size(), " of ", counted_text(order_.size() + lacking, "rank")});
        if (!a_.together) return words + ", each from its own beginning: they were not traced together";
        if (a_.clocks > 1) append(words, {", ", counted_text(a_.clocks, "clock"), axis_.is_common ? ", aligned" : ""});
        if (!axis_.is_common) words += "; not all clocks are aligned";
        if (a_.interleaved) words += "; stages are interleaved";
        if (!a_.sizes) words += "; collectives are unknown: no sizes in names";
        return words;
    }
    // The parts of a rank's account, waiting and unknown time first, with up to six decimals.
    std::string sums_of(const rank_answer& rank) const {
        std::string words;
        const auto add = [&](std::string_view name, const bounded& ms) {
            append(words, {"\n", name, ": ", message(ms, [](double v) { return decimals_text(v) + " ms"; })});
        };
        if (a_.together) add("waiting", rank.account.stage_waiting + rank.account.pipeline_waiting);
        for (const std::size_t n : {unknown_class, work_class, transfer_class, stage_class, pipeline_class, gap_class})
            if ((rank.account.*classes_of_time[n].part).number() > 0)
                add(classes_of_time[n].name, rank.account.*classes_of_time[n].part);
        return words;
    }
    // Draws a rank's slices. Those that are at least two pixels wide have a tooltip; the others are drawn pixel by
    // pixel, each class as high as its share.
    void draw_slices(std::size_t row, double top, double scale) {
        const rank_answer& rank = at(row);
        const double begin = axis_.begin[order_[row]];
        constexpr auto columns = static_cast<std::size_t>(svg::inside);
        std::vector<time_column> narrow(columns, time_column{});
        for (const time_slice& s : rank_slices(rank)) {
            const double from = (begin + s.begin) * scale;
            const double until = (begin + s.end) * scale;
            if (until - from < 2) {
                add_to_columns(narrow, from, until, s.which);
                continue;
            }
            const program_step& step = *s.step;
            std::string title = joined({classes_of_time[s.which].name, " ",
                                        message(s.time(), [](double v) { return fixed_text(v, 2) + " ms"; })});
            if (s.waits() && step.late >= 0) append(title, {", for rank ", step.late});
            append(title, {"\n", label_of(a_, s)});
            const std::int64_t batch = batch_of(a_.names, step);
            if (batch != program_step::no_batch && s.which != gap_class) append(title, {", batch ", batch});
            append(title, {"\nfrom ", fixed_text(begin + s.begin, 2), " ms on"});
            svg_.rectangle(svg::left + from, top, until - from, lane_height, classes_of_time[s.which].colour, title);
        }
        std::vector<double> bases(columns);
        for (std::size_t which = 0; which != time_classes; ++which) {
            std::string path;
            for (std::size_t n = 0; n != columns; ++n) {
                const auto part = static_cast<double>(narrow[n][which]);
                const double base = std::exchange(bases[n], bases[n] + part);
                if (part > 0.02)
                    append(path,
                           {"M", coordinate(svg::left + static_cast<double>(n)), " ",
                            coordinate(top + lane_height * base), "h1.00v", coordinate(lane_height * part), "h-1.00z"});
            }
            svg_.path(path, classes_of_time[which].colour);
        }
    }
    // Draws a lane for each rank. Returns the picture's height, as draw_map() does.
    double draw_lanes() {
        svg_.small_text(svg::left, 48, subtitle() + "; sums of all lanes in ms");
        std::vector<legend_entry> entries;
        for (const time_class& c : classes_of_time)
            if (const bounded& sum = a_.total.*c.part; sum.number() > 0)
                entries.push_back(
                    {c.colour, joined({c.name, " ", message(sum, [](double v) { return grouped_text(v, 2); })})});
        const double top = svg_.legend(60, entries);
        const double bottom = top + static_cast<double>(order_.size()) * (lane_height + 4);
        const double range = axis_.end > 0 ? axis_.end : 1;
        draw_axis(svg_, top, bottom, range, svg::inside / range, "ms");
        for (std::size_t row = 0; row != order_.size(); ++row) {
            const double y = top + static_cast<double>(row) * (lane_height + 4);
            const std::string name = name_of_rank(at(row));
            svg_.rectangle(svg::left, y, svg::inside, lane_height, "lane", name + sums_of(at(row)));
            svg_.text(svg::left - 8, y + 14.5, name, "end", is_slowest(row) ? "label strong" : "label");
            draw_slices(row, y, svg::inside / range);
        }
        return bottom + 36;
    }

    struct map_column {
        std::string name;
        std::vector<bounded> values;  // one for each row
        double sum = 0;
        void set(std::size_t row, const bounded& ms) {
            values[row] = ms;
            sum += ms.number();
        }
    };
    // The time of each operation without waiting, the greatest sum first; then waiting, gaps and unknown time.
    std::vector<map_column> map_columns() const {
        std::vector<map_column> columns;
        std::map<std::string, std::size_t> known;
        for (std::size_t row = 0; row != order_.size(); ++row)
            for (const operation_answer& o : at(row).operations) {
                const auto [found, is_new] = known.try_emplace(o.operation, columns.size());
                if (is_new) columns.push_back({o.operation, std::vector<bounded>(order_.size())});
                columns[found->second].set(row, a_.together ? o.work + o.transfer : o.work);
            }
        std::stable_sort(columns.begin(), columns.end(),
                         [](const map_column& x, const map_column& y) { return x.sum > y.sum; });
        constexpr std::size_t max_columns = 22;
        while (!columns.empty() && (columns.size() > max_columns || !(columns.back().sum > 0))) columns.pop_back();
        for (const std::size_t which : {stage_class, pipeline_class, gap_class, unknown_class}) {
            const time_class& c = classes_of_time[which];
            // A heading holds at most 22 characters.
            const std::string name(which == pipeline_class ? "waiting for pipeline" : c.name);
            columns.push_back({name, std::vector<bounded>(order_.size())});
            for (std::size_t row = 0; row != order_.size(); ++row) columns.back().set(row, at(row).account.*c.part);
            if (!(columns.back().sum > 0)) columns.pop_back();
        }
        return columns;
    }
    // The lower median of the times in these rows that are greater than 0; 0 if there are none.
    static bounded median_of(const map_column& column, std::size_t first, std::size_t end) {
        std::vector<double> least;
        std::vector<double> most;
        for (std::size_t row = first; row != end; ++row) {
            if (!(column.values[row].at_most() > 0)) continue;
            least.push_back(column.values[row].at_least());
            most.push_back(column.values[row].at_most());
        }
        if (least.empty()) return bounded();
        return bounded::between(low_median(std::move(least)), low_median(std::move(most)));
    }
    static std::string hundredths(const bounded& ms) {
        return message(ms, [](double v) { return fixed_text(v, 2); });
    }
    // The positions of a map's rows and columns. If a row stands for several ranks, each of its cells shows the rank
    // whose time differs most from the median of that rank's stage.
    struct map_layout {
        std::size_t ranks;
        std::size_t per_row;
        std::size_t rows;
        double row_height;
        double step;  // the distance from one column to the next
        double top = 214;

        map_layout(std::size_t rank_count, std::size_t columns)
            : ranks(rank_count),
              per_row((ranks + max_map_rows - 1) / max_map_rows),
              rows((ranks + per_row - 1) / per_row),
              row_height(rows <= 64    ? 12
                         : rows <= 128 ? 8
                         : rows <= 256 ? 4
                                       : 2),
              step((std::min)(90.0, (svg::inside - 90) / static_cast<double>((std::max)(columns, std::size_t{1})))) {}
        double y_of(std::size_t row) const { return top + row_height * static_cast<double>(row); }
        double x_of(std::size_t column) const { return svg::left + step * static_cast<double>(column); }
        std::size_t first_rank(std::size_t row) const { return row * per_row; }
        std::size_t end_rank(std::size_t row) const { return (std::min)(ranks, (row + 1) * per_row); }
    };
    // Draws ranks by operations: a shade shows how much longer or shorter an operation takes than the median of the
    // rank's stage, whose ranks do the same work. Beside the median of all ranks, slow ranks of a stage that has more
    // to do would not stand out.
    double draw_map() {
        const std::vector<map_column> columns = map_columns();
        const map_layout layout(order_.size(), columns.size());
        svg_.small_text(svg::left, 48, subtitle() + "; time without waiting, by the stage's median");
        if (layout.per_row > 1)
            svg_.small_text(svg::left - 8, layout.top - 24, joined({"most different of ", layout.per_row, " ranks"}),
                            "end");
        draw_scale_of_map();
        svg_.small_text(svg::left - 8, layout.top - 8, "median of all ranks", "end");
        for (std::size_t c = 0; c != columns.size(); ++c) draw_map_column(layout, layout.x_of(c), columns[c]);
        draw_names_of_map(layout, layout.x_of(columns.size()));
        return layout.y_of(layout.rows) + 24;
    }
    // A difference of 50 % or more from the median has the full colour.
    void draw_shade(double x, double y, double w, double h, double ratio, std::string_view tooltip) {
        const double part = (std::min)(1.0, std::fabs(ratio - 1) / 0.5);
        const std::string opacity = fixed_text(static_cast<double>(std::lround(4 + 96 * part)) / 100, 2);
        svg_.rectangle(x, y, w, h, ratio > 1 ? "stage" : "work", tooltip, " fill-opacity=\"" + opacity + "\"");
    }
    void draw_scale_of_map() {
        double x = svg::left;
        for (const int percent : {-50, -25, 0, 25, 50}) {
            const std::string label =
                percent == 0 ? "the median"
                             : joined({percent < 0 ? -percent : percent, " %", percent % 50 == 0 ? " or more" : "",
                                       percent < 0 ? " faster" : " slower"});
            draw_shade(x, 60, 12, 12, 1 + percent / 100.0, label);
            svg_.path(joined({"M", coordinate(x), " 60h12v12h-12z"}), "line");
            svg_.text(x + 18, 70.5, label);
            x += 44 + width_of(label, label_size);
        }
    }
    void draw_map_column(const map_layout& layout, double x, const map_column& column) {
        const bounded median = median_of(column, 0, order_.size());
        const std::string ms = milliseconds_text(median);
        const std::string heading =
            joined({shortened(column.name, 37 - (std::min)(ms.size(), std::size_t{27})), " ", ms});
        svg_.slanted(x + layout.step / 2, layout.top - 8, heading, 50, "start", "small");
        std::vector<bounded> medians;  // for each rank, the median of its stage
        while (medians.size() != order_.size()) {
            const std::size_t first = medians.size();
            std::size_t end = first + 1;
            while (end != order_.size() && at(end).stage == at(first).stage) ++end;
            medians.resize(end, median_of(column, first, end));
        }
        const auto ratio_of = [&](std::size_t n) { return column.values[n].number() / medians[n].number(); };
        const auto difference = [&](std::size_t n) {
            return column.values[n].number() > 0 ? std::fabs(ratio_of(n) - 1) : -1;
        };
        for (std::size_t row = 0; row != layout.rows; ++row) {
            std::size_t shown_rank = layout.first_rank(row);
            for (std::size_t n = shown_rank; n < layout.end_rank(row); ++n)
                if (difference(n) > difference(shown_rank)) shown_rank = n;
            if (!(column.values[shown_rank].number() > 0)) continue;
            const rank_answer& rank = at(shown_rank);
            draw_shade(x, layout.y_of(row), layout.step - 1, layout.row_height, ratio_of(shown_rank),
                       joined({"rank ", rank.rank, ": ", column.name, "\n", hundredths(column.values[shown_rank]),
                               " ms, median of ", rank.stage ? joined({"stage ", *rank.stage}) : "all", " ",
                               hundredths(medians[shown_rank]), " ms"}));
        }
    }
    // Names the stages, the slowest rank, and as many other ranks as fit. `end`: where the columns end.
    void draw_names_of_map(const map_layout& layout, double end) {
        const auto begins_stage = [&](std::size_t row) {
            return row == 0 || at(layout.first_rank(row - 1)).stage != at(layout.first_rank(row)).stage;
        };
        const auto rows_of_name = static_cast<std::size_t>(std::ceil(12 / layout.row_height));
        double last_named = -100;  // the y of the last name
        for (std::size_t row = 0; row != layout.rows; ++row) {
            const double y = layout.y_of(row);
            for (std::size_t n = layout.first_rank(row); n < layout.end_rank(row); ++n)
                if (is_slowest(n))
                    svg_.small_text(end + 4, y + layout.row_height / 2 + 4,
                                    joined({"< rank ", at(n).rank, ", slowest"}));
            const bool is_new_stage = begins_stage(row);
            if (is_new_stage && row != 0) svg_.line(svg::left - 60, y, end, y);
            bool is_taken = y < last_named + (is_new_stage ? 12 : 24);
            // A stage's name takes precedence over a rank's.
            for (std::size_t next = row + 1; !is_new_stage && next < (std::min)(layout.rows, row + rows_of_name);
                 ++next)
                is_taken = is_taken || begins_stage(next);
            if (is_taken) continue;
            last_named = y;
            const rank_answer& first = at(layout.first_rank(row));
            std::string name = joined({"rank ", first.rank});
            if (is_new_stage && first.stage) name = joined({"stage ", *first.stage, ", ", name});
            svg_.small_text(svg::left - 8, y + (layout.row_height > 8 ? 10 : 9), name, "end");
        }
    }

    const run_answers& a_;
    svg svg_;
    std::string title_;
    lane_axis axis_;
    std::vector<std::size_t> order_;  // ranks_by_stage()
};

inline std::string picture_of(const run_answers& a, std::string_view title) { return run_picture(a, title).draw(); }

}  // namespace wlfmt::analysis

#endif
