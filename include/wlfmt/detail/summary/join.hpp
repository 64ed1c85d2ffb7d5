// How parts of a text, and summaries, are joined.
#ifndef WLFMT_DETAIL_SUMMARY_JOIN_HPP
#define WLFMT_DETAIL_SUMMARY_JOIN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../base/kernel.hpp"
#include "../base/ordered_map.hpp"
#include "../oplog/run.hpp"
#include "groups.hpp"
#include "measure.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

template <class Way>
struct summary_joining {
    static summary_key chosen(const summary_key& all, oplog::dimension by) noexcept {
        using oplog::dimension;
        summary_key to;
        if (has(by, dimension::operation)) to.operation = all.operation;
        if (has(by, dimension::collective)) to.collective = all.collective;
        if (has(by, dimension::group)) to.group = all.group;
        if (has(by, dimension::state)) to.state = all.state;
        if (has(by, dimension::stage)) to.stage = all.stage;
        if (has(by, dimension::rank)) to.rank = all.rank;
        return to;
    }

    // Counts a record in the breakdowns: nested operations in those by collective, operations in all others.
    static void add_record(summary_state& s, const summary_key& of, bool nested, const record_sums& sums,
                           bool doubled) {
        for (std::size_t n = 0; n != s.dimensions.size(); ++n) {
            if (has(s.dimensions[n], oplog::dimension::collective) != nested) continue;
            oplog::tally& to = s.tallies[n][chosen(of, s.dimensions[n])];
            ++to.records;
            if (sums.bytes) static_cast<void>(to.bytes.add(*sums.bytes));
            to.doubles += doubled;
            if (doubled) continue;
            to.unmeasured += !sums.duration;
            if (sums.duration) static_cast<void>(to.duration.add(*sums.duration));
            summary_access::add_communication(to, wide(sums.communication), wide(sums.overlap));
        }
    }
    static void add_gap(summary_state& s, const summary_key& of, std::int64_t length) {
        for (std::size_t n = 0; n != s.dimensions.size(); ++n)
            if (!has(s.dimensions[n], oplog::dimension::collective))
                static_cast<void>(s.tallies[n][chosen(of, s.dimensions[n])].gap.add(length));
    }
    // Counts an operation in the sums of its rank, which have its nested operations already.
    static void add_operation(summary_state& s, rank_sums& to, const summary_key& of, const record_sums& sums,
                              bool is_message, bool doubled) {
        add_record(s, of, false, sums, doubled);
        to.doubles += doubled;
        if (doubled) return;
        to.unmeasured += !sums.duration;
        to.busy += sums.duration.value_or(0);
        to.communication += sums.communication;
        if (is_message) to.pipeline += sums.duration.value_or(0);
    }
    // Counts a message in what is kept of its rank: `repeats` if its time is that of `before`, the message before it.
    static void add_message(summary_state& s, rank_calls& to, std::uint32_t operation, const timed_message& m,
                            const timed_message& before) {
        if (!m.repeats) {
            to.times[operation] += m.duration;
            auto& sent = to.sent[{operation, m.bytes}];
            ++sent.count;
            sent.least = (std::min)(sent.least, m.duration);
            sent.time += m.duration;
            return;
        }
        to.doubled += m.duration;
        if (before.repeats) return;
        // The time belongs to the send and the receive: it is moved to a name that stands for the two.
        const bool forward =
            m.what == timed_message::kind::send_forward || m.what == timed_message::kind::recv_backward;
        const std::string_view first = m.what == timed_message::kind::send_forward    ? "recv_backward"
                                       : m.what == timed_message::kind::recv_backward ? "send_forward"
                                       : m.what == timed_message::kind::send_backward ? "recv_forward"
                                                                                      : "send_backward";
        const std::uint32_t one = s.names.id_of(first);
        const std::uint32_t both = s.names.id_of(forward ? "send_forward_recv_backward" : "send_backward_recv_forward");
        to.times[one] += -m.duration;
        to.times[both] += m.duration;
        auto& alone = to.sent[{one, before.bytes}];
        --alone.count;
        alone.time += -m.duration;
        auto& combined = to.sent[{both, before.bytes}];
        ++combined.count;
        combined.least = (std::min)(combined.least, m.duration);
        combined.time += m.duration;
    }

    // Counts the first record of a part, which was held back until the part before it came: only then is it known
    // whether the record repeats the time of the record before it.
    static void release(summary_state& s, std::int64_t rank, rank_edge& of, const timed_message& before) {
        if (!of.held) return;
        of.held = false;
        timed_message& m = of.held_message;
        m.repeats = timed_message::is_one_span(before, m);
        add_operation(s, s.ranks[rank], of.first_key, of.held_sums, true, m.repeats);
        if (has_room(s)) add_message(s, of.calls.get(), of.first_key.operation, m, before);
        // The first record may also be the last one of its part.
        if (of.before.end == m.end && of.before.what == m.what && of.before.duration == m.duration && m.repeats)
            of.before.repeats = true;
    }
    // Appends a part to the part before it.
    static void append(summary_state& s, text_part& to, text_part& next) {
        for (auto& [rank, later] : next.ranks) {
            rank_edge& here = to.ranks[rank];
            if (!here.any) {
                here = std::move(later);
                if (to.begin == 0) release(s, rank, here, timed_message());
                continue;
            }
            const bool was_held = later.held;
            release(s, rank, later, here.before);
            const bool repeats = was_held && later.held_message.repeats;
            if (here.last == no_number) {
                here.first_key = later.first_key;
                here.first = later.first;
            } else if (later.first != no_number && !repeats) {
                add_gap(s, later.first_key, later.first - here.last);
            }
            if (later.last != no_number) here.last = later.last;
            here.before = later.before;
            if (later.calls) here.calls.get().append(*later.calls);
        }
        to.end = next.end;
    }
    // Calls are kept of one text for each rank: of two texts it is not known which came first.
    static void add_text(summary_state& s, rank_sums& to, const rank_source& from) {
        if ((to.source.texts += from.texts) > 1 && !s.repeated) {
            s.repeated = true;
            limit_calls(s);
        }
        if (std::tie(from.time, s.names[from.run]) > std::tie(to.source.time, s.names[to.source.run])) {
            to.source.time = from.time;
            to.source.run = from.run;
        }
    }
    static void set_source(summary_state& s, std::string_view path) {
        s.current_run = s.names.id_of(run_name(path));
        s.current_time = 0;
        for (const char c : facts_in(path).time) s.current_time = s.current_time * 10 + (c - '0');
    }
    static bool has_room(const summary_state& s) noexcept { return s.keeps_calls && !s.too_many_calls && !s.repeated; }
    // Where there are too many calls, or a rank is in several texts, drops all calls, and none are kept from then on.
    static void limit_calls(summary_state& s) noexcept {
        if (s.call_count > s.most_calls) s.too_many_calls = true;
        if (!s.keeps_calls || has_room(s)) return;
        s.call_count = 0;
        for (auto& [rank, sums] : s.ranks) sums.calls.reset();
        for (auto& [rank, edge] : s.current.ranks) edge.calls.reset();
        for (auto& [key, part] : s.parts)
            for (auto& [rank, edge] : part.ranks) edge.calls.reset();
        s.open_groups.clear();
        s.groups.clear();
        s.leaving.clear();
    }

    static std::uint32_t kind_of(summary_state& s, const timed_call& call) {
        const call_shape& shape = s.shapes[call.shape];
        return is_embedding(s.names, shape) ? s.names.id_of("embedding") : shape.group;
    }
    // The calls of a kind in one rank.
    struct calls_of_kind {
        std::optional<group_place> place;
        std::vector<const timed_call*> calls;  // empty if they wait for other members of the group
        bool is_alone() const noexcept { return !place || place->size < 2; }
    };
    // To be called at the end of a rank's text: folds the groups of which it was the last member to come. What is kept
    // in the end depends on which ranks there are, and not on the order in which they came.
    static void end_rank(summary_state& s, std::int64_t rank) {
        rank_sums& sums = s.ranks[rank];
        if (!sums.calls || sums.calls->calls.empty()) return;
        const auto sizes = sizes_in(s.names[sums.source.run]);
        if (!sizes || rank < 0 || rank >= sizes->world) return;
        ordered_map<std::uint32_t, calls_of_kind> kinds;
        bool any_alone = false;
        for (const timed_call& call : sums.calls->calls) {
            const std::uint32_t kind = kind_of(s, call);
            const auto [at, is_new] = kinds.try_emplace(kind);
            if (is_new) at->second.place = place_of(s.names[kind], rank, *sizes);
            if (!at->second.is_alone()) continue;
            at->second.calls.push_back(&call);
            any_alone = true;
        }
        // A log may name any number of kinds that are not known. The calls of all of them are dropped in one pass, so
        // that the time stays linear.
        for (auto& [kind, of] : kinds)
            if (of.is_alone()) fold(s, kind, of.place ? of.place->size : 0, {{rank, std::move(of.calls), 0}});
        if (any_alone)
            drop_calls(s, rank,
                       [&](const timed_call& call) { return kinds.find(kind_of(s, call))->second.is_alone(); });
        for (const auto& [kind, of] : kinds) {
            if (of.is_alone()) continue;
            const auto at = s.open_groups.try_emplace(group_key(sizes, s.names[kind], *of.place)).first;
            auto& ranks = at->second;
            ranks.insert(std::lower_bound(ranks.begin(), ranks.end(), rank), rank);
            if (static_cast<std::int64_t>(ranks.size()) != of.place->size) continue;
            folded_group all = fold_group(s, kind, of.place->size, ranks);
            s.leaving[at->first.kind].merge(all.leaving);
            s.groups.try_emplace(at->first, std::move(all.facts));
            s.open_groups.erase(at);
        }
    }
    static void end_ranks(summary_state& s) {
        std::vector<std::int64_t> ranks;
        for (const auto& [rank, sums] : s.ranks) ranks.push_back(rank);
        for (const std::int64_t rank : ranks) end_rank(s, rank);
    }
    static bool is_text_open(const summary_state& s) noexcept {
        return !s.in_part && has_room(s) && !s.current.ranks.empty();
    }
    static void end_text(summary_state& s) {
        if (s.in_part || !has_room(s)) return;
        for (const auto& [rank, edge] : s.current.ranks) end_rank(s, rank);
    }
    // Keeps for each member the sums of its calls. The calls themselves are still there afterwards.
    static folded_group fold(summary_state& s, std::uint32_t kind, std::int64_t size,
                             std::vector<call_group::member> members) {
        call_group group;
        group.kind = s.names[kind];
        group.size = size;
        group.members = std::move(members);
        folded_group to = group_folding::fold(s.shapes, s.names, group);
        for (std::size_t n = 0; n != group.members.size(); ++n) {
            to.sums[n].group = kind;
            s.ranks[group.members[n].rank].calls.get().folded.push_back(std::move(to.sums[n]));
        }
        return to;
    }
    // Folds all calls of one kind in these ranks. Each call is looked at once for each kind that is known, of which
    // there are a few.
    static folded_group fold_group(summary_state& s, std::uint32_t kind, std::int64_t size,
                                   const std::vector<std::int64_t>& ranks) {
        std::vector<call_group::member> members;
        members.reserve(ranks.size());
        for (const std::int64_t rank : ranks) {
            members.push_back({rank, {}, 0});
            for (const timed_call& call : s.ranks[rank].calls->calls)
                if (kind_of(s, call) == kind) members.back().calls.push_back(&call);
        }
        folded_group to = fold(s, kind, size, std::move(members));
        for (const std::int64_t rank : ranks)
            drop_calls(s, rank, [&](const timed_call& call) { return kind_of(s, call) == kind; });
        return to;
    }
    template <class IsFolded>
    static void drop_calls(summary_state& s, std::int64_t rank, const IsFolded& is_folded) {
        std::vector<timed_call>& calls = s.ranks[rank].calls->calls;
        const auto rest = std::remove_if(calls.begin(), calls.end(), is_folded);
        s.call_count -= static_cast<std::uint64_t>(calls.end() - rest);
        calls.erase(rest, calls.end());
        if (calls.capacity() > 2 * calls.size() + 8) calls.shrink_to_fit();
    }
    // Joins a part with those that it touches. What covers a whole text is done.
    static void join(summary_state& s, text_part more) {
        if (more.begin == more.end && more.ranks.empty()) return;
        for (;;) {
            const auto after = s.parts.lower_bound({more.text, more.begin});
            if (after != s.parts.begin()) {
                const auto before = std::prev(after);
                if (before->second.text == more.text && before->second.end == more.begin) {
                    text_part all = std::move(before->second);
                    s.parts.erase(before);
                    append(s, all, more);
                    more = std::move(all);
                    continue;
                }
            }
            const auto next = s.parts.lower_bound({more.text, more.end});
            if (next == s.parts.end() || next->second.text != more.text || next->second.begin != more.end) break;
            text_part later = std::move(next->second);
            s.parts.erase(next);
            append(s, more, later);
        }
        constexpr std::uint64_t text_end = (std::numeric_limits<std::uint64_t>::max)();
        if (more.begin != 0 || more.end != text_end) {
            std::pair<std::string, std::uint64_t> key(more.text, more.begin);
            s.parts.emplace(std::move(key), std::move(more));
            return;
        }
        set_source(s, more.text);
        for (auto& [rank, edge] : more.ranks) {
            rank_sums& to = s.ranks[rank];
            if (to.source.texts == 0) to.calls = std::move(edge.calls);
            add_text(s, to, {1, s.current_run, s.current_time});
            if (has_room(s)) end_rank(s, rank);
        }
        limit_calls(s);
    }

    // The numbers that names and shapes of another summary have in this one.
    struct translation {
        std::vector<std::uint32_t> names;
        std::vector<std::uint32_t> shapes;
        translation(summary_state& s, const summary_state& other) {
            for (std::uint32_t n = 0; n != other.names.size(); ++n) names.push_back(s.names.id_of(other.names[n]));
            for (std::uint32_t n = 0; n != other.shapes.size(); ++n) {
                call_shape one = other.shapes[n];
                one.operation = names[one.operation];
                one.group = names[one.group];
                one.function = names[one.function];
                shapes.push_back(s.shapes.id_of(one));
            }
        }
        summary_key of(summary_key k) const noexcept {
            k.operation = names[k.operation];
            k.collective = names[k.collective];
            k.group = names[k.group];
            k.state = names[k.state];
            return k;
        }
        void apply(optional_calls& calls) const {
            if (calls) calls->translate(names, shapes);
        }
    };
    static void merge_all_but_ranks(summary_state& s, const summary_state& other, const translation& in) {
        for (std::size_t n = 0; n != s.dimensions.size(); ++n)
            for (const auto& [k, t] : other.tallies[n]) summary_access::merge(s.tallies[n][in.of(k)], t);
        s.operations += other.operations;
        s.nested += other.nested;
        s.nested_texts += other.nested_texts;
        s.planned += other.planned;
        for (const auto& [key, of] : other.parts) {
            text_part one = of;
            for (auto& [rank, e] : one.ranks) {
                e.first_key = in.of(e.first_key);
                in.apply(e.calls);
            }
            join(s, std::move(one));
        }
    }
    // `more` has the names and shapes of the summary that it is added to.
    static void add_sums(summary_state& s, rank_sums& to, rank_sums more) {
        to.operations += more.operations;
        to.nested += more.nested;
        to.unmeasured += more.unmeasured;
        to.doubles += more.doubles;
        to.busy += more.busy.value();
        to.communication += more.communication.value();
        to.pipeline += more.pipeline.value();
        const auto keep_least = [](std::int64_t& a, std::int64_t b) {
            if (a == no_number || (b != no_number && b < a)) a = b;
        };
        keep_least(to.stage, more.stage);
        keep_least(to.first, more.first);
        to.last = (std::max)(to.last, more.last);
        if (to.source.texts == 0) to.calls = std::move(more.calls);
        add_text(s, to, more.source);
    }
    // Ranks first: what parts bring to an end is added to them.
    static void merge(summary_state& s, const summary_state& other) {
        const translation in(s, other);
        std::vector<std::int64_t> ranks;
        for (const auto& [rank, sums] : other.ranks) {
            rank_sums more = sums;
            in.apply(more.calls);
            more.source.run = in.names[more.source.run];
            add_sums(s, s.ranks[rank], std::move(more));
            ranks.push_back(rank);
        }
        end_merge(s, other, in, ranks);
    }
    static void merge(summary_state& s, summary_state&& other) {
        const translation in(s, other);
        std::vector<std::int64_t> ranks;
        for (auto& [rank, sums] : other.ranks) {
            in.apply(sums.calls);
            sums.source.run = in.names[sums.source.run];
            ranks.push_back(rank);
            if (const auto at = s.ranks.find(rank); at != s.ranks.end())
                add_sums(s, at->second, std::move(sums));
            else
                s.ranks.try_emplace(rank, std::move(sums));
        }
        end_merge(s, other, in, ranks);
    }
    static void end_merge(summary_state& s, const summary_state& other, const translation& in,
                          const std::vector<std::int64_t>& ranks) {
        s.too_many_calls = s.too_many_calls || other.too_many_calls;
        s.repeated = s.repeated || other.repeated;
        s.call_count += other.call_count;
        if (has_room(s)) {
            for (const auto& [key, facts] : other.groups) s.groups.try_emplace(key, facts);
            for (const auto& [kind, times] : other.leaving) s.leaving[kind].merge(times);
            for (const std::int64_t rank : ranks) end_rank(s, rank);
        }
        merge_all_but_ranks(s, other, in);
        limit_calls(s);
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
