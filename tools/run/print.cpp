#include "print.hpp"

#include "analysis/order.hpp"

namespace tool {

static std::vector<dimension> dimensions_of(dimension by) {
    std::vector<dimension> dimensions;
    for (unsigned n = 0; n != 6; ++n)
        if (const auto single = static_cast<dimension>(1U << n); has(by, single)) dimensions.push_back(single);
    return dimensions;
}
std::string value_in(const wlfmt::analysis::tally_row& row, dimension d) {
    const auto number = [](const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : std::string("-"); };
    const auto text = [](const std::string& t) { return t.empty() ? std::string("-") : t; };
    switch (d) {
    case dimension::operation: return text(row.operation);
    case dimension::collective: return text(row.collective);
    case dimension::group: return text(row.group);
    case dimension::state: return text(row.state);
    case dimension::stage: return number(row.stage);
    default: return number(row.rank);
    }
}

run_totals::run_totals(const wlfmt::analysis::summary& s) {
    s.for_each_rank([&](const wlfmt::analysis::rank_total& r) {
        ranks.push_back(r.rank);
        busy += r.busy;
        communication += r.communication;
        const std::optional<double> own = r.idle();
        idle = idle && own ? std::optional<double>(*idle + *own) : std::nullopt;
        unmeasured += r.unmeasured;
        doubles += r.doubles;
        timed += r.span.has_value();
        computations.push_back(r.computation());
        communications.push_back(r.communication);
        idles.push_back(own.value_or(0));
    });
    if (!idle) idles.clear();
}

// Prints how the ranks differ in their times. Of ranks with equal times it names the first.
static void print_spread(const run_totals& t) {
    if (t.ranks.size() < 2) return;
    print_gap();
    grid lines;
    lines.row({"ranks", "least", "median", "greatest", "of rank"});
    const std::pair<const char*, const std::vector<double>*> rows[] = {
        {"computation ms", &t.computations}, {"communication ms", &t.communications}, {"idle ms", &t.idles}};
    for (const auto& [title, times] : rows) {
        if (times->empty()) continue;
        const auto greatest = std::max_element(times->begin(), times->end());
        lines.row({title, fixed(*std::min_element(times->begin(), times->end()), 2),
                   fixed(wlfmt::analysis::low_median(*times), 2), fixed(*greatest, 2),
                   t.ranks[static_cast<std::size_t>(greatest - times->begin())]});
    }
    lines.print();
}

std::string sketched(double v) {
    double size = v < 0 ? -v : v;
    int decimals = 2;
    while (size >= 10) {
        size /= 10;
        --decimals;
    }
    while (size > 0 && size < 1 && decimals < 6) {
        size *= 10;
        ++decimals;
    }
    if (decimals >= 0) return fixed(v, decimals);
    double unit = 1;
    for (; decimals < 0; ++decimals) unit *= 10;
    return fixed(std::round(v / unit) * unit, 0);
}

static void print_breakdown(const wlfmt::analysis::summary& s, dimension by, const bounded& whole,
                            const wlfmt::analysis::run_answers& a) {
    const auto rows = s.rows(by);
    if (rows.empty()) return;
    std::string title;
    for (const dimension d : dimensions_of(by)) title.append(title.empty() ? "" : ", ").append(name_of(d));
    print_gap();
    grid lines{6, 5, 4, 3};  // a narrow terminal leaves out the deviation, then quantiles, then the mean
    lines.row({title, "count", "ms", "mean ms", "median", "p99", "deviation", joined({"of ", fixed(whole, 2), " ms"})});
    for (const std::size_t n :
         heaviest_first(rows.size(), [&](std::size_t n) { return rows[n].tally.duration.sum(); })) {
        const wlfmt::analysis::tally_row& row = rows[n];
        std::string key;
        for (const dimension d : dimensions_of(by)) key.append(key.empty() ? "" : " ").append(value_in(row, d));
        const auto& ms = row.tally.duration;
        const sum_limit limit = limit_of_sum(a, by, row.rank, row.operation);
        const auto sum_of = [limit](double v, int decimals) {
            return limit == sum_limit::either ? "~ " + fixed(v, decimals) : fixed(bounded_sum(v, limit), decimals);
        };
        const auto roughly = [limit](const std::string& text) {
            return limit == sum_limit::exact ? text : "~ " + text;
        };
        lines.row({key, sum_of(static_cast<double>(row.tally.records), 0), sum_of(ms.sum(), 2),
                   roughly(fixed(ms.mean(), 3)), roughly(quantile_text(ms, 0.5)), roughly(quantile_text(ms, 0.99)),
                   roughly(fixed(ms.standard_deviation(), 3)), share(bounded_sum(ms.sum(), limit), whole)});
    }
    lines.print();
}

std::optional<wlfmt::analysis::run_sizes> sizes_for(const wlfmt::analysis::summary& s, const settings& wanted,
                                                    std::string& problem) {
    using wlfmt::analysis::run_sizes;
    auto sizes = wlfmt::analysis::sizes_of(s);
    if ((wanted.ranks | wanted.tensor | wanted.pipeline | wanted.expert) == 0) return sizes;
    wlfmt::oplog::file_facts named;
    run_sizes chosen;
    s.for_each_rank([&](const wlfmt::analysis::rank_total& r) {
        if (sizes) named = wlfmt::oplog::facts_of(r.source.run);
        chosen.world = (std::max)(chosen.world, r.rank + 1);
    });
    if (wanted.expected_ranks != 0) chosen.world = wanted.expected_ranks;
    const auto choose = [&](std::int64_t& size, const option& o, std::int64_t given,
                            const std::optional<std::int64_t>& name) {
        if (name && given != 0 && given != *name)
            problem = joined({o.name, "=", given, " contradicts the names of the files, which say ", *name});
        size = name ? *name : given != 0 ? given : size;
    };
    choose(chosen.world, options::rank_count, wanted.ranks, named.world_size);
    choose(chosen.tensor, options::tensor, wanted.tensor, named.tensor);
    choose(chosen.pipeline, options::pipeline, wanted.pipeline, named.pipeline);
    choose(chosen.expert, options::expert, wanted.expert, named.expert);
    if (!chosen.are_possible())
        problem = joined({counted(static_cast<std::uint64_t>(chosen.world), "rank", "ranks"),
                          " cannot be divided into groups of these sizes"});
    return chosen;
}

exit_status report_sizes(const wlfmt::analysis::summary& s, const settings& wanted) {
    std::string problem;
    static_cast<void>(sizes_for(s, wanted, problem));
    if (problem.empty()) return clean;
    say("wlfmt", {"error: ", printable(problem)});
    return problems;
}

wlfmt::analysis::run_answers answers_for(const wlfmt::analysis::summary& s, const settings& wanted) {
    std::string problem;
    return wlfmt::analysis::answers_of(s, sizes_for(s, wanted, problem));
}

static void print_summary(const std::string& title, const wlfmt::analysis::summary& s, const settings& wanted) {
    const run_totals t(s);
    std::string head = joined({title, ": rank op log, ", counted(s.operations(), "record", "records"), ", ",
                               counted(s.nested(), "sub-operation", "sub-operations")});
    if (!t.ranks.empty())
        head += joined(
            {", ", counted(t.ranks.size(), "rank", "ranks"), " (", range_text(t.ranks.front(), t.ranks.back()), ")"});
    if (s.planned() != 0) head += joined({", ", counted(s.planned(), "record", "records"), " of a plan"});
    const wlfmt::analysis::run_answers answers = answers_for(s, wanted);
    // The answer comes first, then what it is an answer about.
    if (answers.ranks.size() > 1) {
        print_title(wlfmt::analysis::headline(answers));
        print_note(head);
    } else {
        print_title(head);
    }
    // If there is an account of the time, a second division of the time would contradict it.
    const bool has_account = print_answers(answers);
    if (!has_account) {
        grid total;
        total.row({"time", "ms", "of all"});
        total.row({"computation", fixed(t.busy - t.communication, 2), share(t.busy - t.communication, t.busy)});
        total.row({"communication", fixed(t.communication, 2), share(t.communication, t.busy)});
        total.row({"all", fixed(t.busy, 2), share(t.busy, t.busy)});
        if (t.timed != 0) total.row({"idle", t.idle ? fixed(*t.idle, 2) : "unknown"});
        total.print();
        print_spread(t);
    }
    // All shares of a run are parts of the same whole.
    for (const dimension by : s.breakdowns())
        print_breakdown(s, by, has_account ? answers.total.span : bounded(t.busy), answers);
    if (t.unmeasured + t.doubles + s.nested_texts() + s.open_parts() + s.beyond() != 0) print_gap();
    if (s.beyond() != 0)
        print_note({counted(s.beyond(), "record has", "records have"),
                    " a time of more than 2.3e12 ms (73 years), which is in no sum: is it in microseconds or "
                    "nanoseconds?"});
    if (t.unmeasured != 0)
        print_note({counted(t.unmeasured, "record has", "records have"),
                    " no duration that was measured: in the counts, and in no time"});
    if (t.doubles != 0)
        print_note({counted(t.doubles, "record repeats", "records repeat"),
                    " the time of the record before (a combined send and receive): in the counts, and in no time"});
    if (s.nested_texts() != 0)
        print_note({counted(s.nested_texts(), "sub-operation is", "sub-operations are"), " a text that no sum counts"});
    if (s.open_parts() != 0)
        print_note({counted(s.open_parts(), "part of a file lacks", "parts of files lack"),
                    " the parts next to it: gaps are missing"});
}

void put_json(const std::string& title, const wlfmt::analysis::summary& s, const wlfmt::analysis::run_answers& answers,
              bool for_page) {
    print_object([&](auto& line) {
        const run_totals t(s);
        const auto put = [&](std::string_view key, double v) { put_decimal(line, key, v); };
        const auto count = [&](std::string_view key, std::uint64_t n) { put_count(line, key, n); };
        line.key("name").string(title);
        count("operations", s.operations());
        count("nested", s.nested());
        count("planned", s.planned());
        count("unmeasured", t.unmeasured);
        if (s.beyond() != 0) count("beyond", s.beyond());
        count("doubles", t.doubles);
        put("busy", t.busy);
        put("computation", t.busy - t.communication);
        put("communication", t.communication);
        if (t.timed != 0 && t.idle) put("idle", *t.idle);
        line.key("answers");
        constexpr std::size_t max_ranks_of_page = 64;
        put_answers(line, answers, for_page && t.ranks.size() > max_ranks_of_page);
        line.key("ranks").open('[');
        s.for_each_rank([&](const wlfmt::analysis::rank_total& r) {
            line.open('{');
            line.key("rank").integer(r.rank);
            if (r.stage) line.key("stage").integer(*r.stage);
            count("operations", r.operations);
            count("unmeasured", r.unmeasured);
            count("doubles", r.doubles);
            put("busy", r.busy);
            put("computation", r.computation());
            put("communication", r.communication);
            put("pipeline", r.pipeline);
            if (r.span) put("span", *r.span);
            if (const auto idle = r.idle()) put("idle", *idle);
            line.close('}');
        });
        line.close(']');
        line.key("breakdowns").open('[');
        for (const dimension by : s.breakdowns())
            for (const auto& row : s.rows(by)) {
                line.open('{');
                for (const dimension d : dimensions_of(by)) {
                    line.key(name_of(d));
                    const std::string value = value_in(row, d);
                    line.value(value == "-" ? std::string_view("None") : value);
                }
                count("records", row.tally.records);
                const sum_limit limit = limit_of_sum(answers, by, row.rank, row.operation);
                if (limit == sum_limit::least || limit == sum_limit::either)
                    put_object(line, "limit", [&] {
                        for (const std::string_view key : {"records", "duration"}) put_text(line, key, name_of(limit));
                    });
                count("unmeasured", row.tally.unmeasured);
                count("doubles", row.tally.doubles);
                put("communication", row.tally.communication());
                put("overlap", row.tally.overlap());
                put_measure(line, "duration", row.tally.duration);
                put_measure(line, "gap", row.tally.gap);
                put_measure(line, "bytes", row.tally.bytes);
                line.close('}');
            }
        line.close(']');
    });
}

void show(const std::string& title, const wlfmt::analysis::summary& s, const settings& wanted) {
    if (wanted.partial) wlfmt::analysis::write(standard_output, s);
    else if (wanted.json) put_json(title, s, answers_for(s, wanted));
    else print_summary(title, s, wanted);
}

bool report_missing_ranks(const wlfmt::analysis::summary& sum, const settings& s, wlfmt::severity severity) {
    std::int64_t expected = 0;
    std::int64_t world = s.expected_ranks;
    bool begun = world != 0;
    std::string missing;
    unsigned ranges = 0;
    bool beyond = false;
    const auto add = [&](std::int64_t first, std::int64_t last) {
        constexpr unsigned max_ranges = 16;
        if (s.expected_ranks != 0) last = (std::min)(last, s.expected_ranks - 1);
        if (first > last || ranges++ > max_ranges) return;
        if (ranges > max_ranges) {
            missing += ", ...";
            return;
        }
        missing.append(missing.empty() ? "" : ", ").append(range_text(first, last));
    };
    if (world == 0)
        sum.for_each_rank([&](const wlfmt::analysis::rank_total& r) {
            const auto size = wlfmt::oplog::facts_of(r.source.run).world_size;
            world = (std::max)(world, size.value_or(0));
        });
    sum.for_each_rank([&](const wlfmt::analysis::rank_total& r) {
        if (r.rank < 0) return;  // no rank lies between it and the next one
        if (begun || world != 0) add(expected, r.rank - 1);
        begun = true;
        expected = (std::min)(r.rank, (std::numeric_limits<std::int64_t>::max)() - 1) + 1;
        if (s.expected_ranks == 0 || r.rank < s.expected_ranks) return;
        if (!beyond)
            say("wlfmt",
                {"error: rank ", r.rank, " is beyond the ",
                 counted(static_cast<std::uint64_t>(s.expected_ranks), "rank that is", "ranks that are"), " expected"});
        beyond = true;
    });
    add(expected, world - 1);
    if (!missing.empty()) say("wlfmt", {name_of(severity), ": the sums lack rank ", missing});
    return missing.empty() && !beyond;
}

}  // namespace tool
