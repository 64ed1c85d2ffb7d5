// What a summary keeps of groups whose members are all known, as JSON, and back.
#ifndef WLFMT_DETAIL_SUMMARY_FOLDS_HPP
#define WLFMT_DETAIL_SUMMARY_FOLDS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../base/order.hpp"
#include "groups.hpp"
#include "state.hpp"
#include "values.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

struct summary_folds : summary_json {
    using summary_json::read;
    using summary_json::write;

    // Calls each(times) for the times of `sums` in the order of the line.
    template <class Sums, class Each>
    static void for_each_time(Sums& sums, const Each& each) {
        for (auto* one : {&sums.blocking, &sums.beside, &sums.waiting, &sums.beside_waiting, &sums.clocked_waiting,
                          &sums.clocked_most, &sums.caused, &sums.clocked_caused})
            each(*one);
    }
    // Sorted by name, so that the line does not depend on the order in which names were met.
    template <class Line>
    static void write(Line& to, const summary_state& s, const rank_calls& c) {
        if (c.folded.empty()) return;
        std::vector<const kind_of_calls*> kinds;
        for (const kind_of_calls& kind : c.folded) kinds.push_back(&kind);
        sort_list(kinds, [&](const auto* a, const auto* b) { return s.names[a->group] < s.names[b->group]; });
        to.key("folded");
        to.open('[');
        for (const kind_of_calls* kind : kinds) {
            to.open('{');
            write(to, "group", s.names[kind->group]);
            write(to, "least", kind->waiting_least.value(), 6);
            to.key("operations");
            to.open('[');
            std::vector<const kind_of_calls::sums*> operations;
            for (const auto& one : kind->operations) operations.push_back(&one);
            sort_list(operations,
                      [&](const auto* a, const auto* b) { return s.names[a->operation] < s.names[b->operation]; });
            for (const kind_of_calls::sums* one : operations) {
                to.string(s.names[one->operation]);
                to.integer(one->nested ? 1 : 0);
                to.integer(static_cast<std::int64_t>(one->calls));
                to.integer(static_cast<std::int64_t>(one->late));
                to.integer(static_cast<std::int64_t>(one->clocked_late));
                to.plain(one->bytes.value().text(0));
                for_each_time(*one, [&](const compact_wide& v) { to.plain(v.value().text(6)); });
            }
            to.close(']');
            to.close('}');
        }
        to.close(']');
    }
    template <class From>
    static bool read(From& from, summary_state& s, rank_calls& c) {
        if (!from.key("folded")) return true;
        if (!from.open("[")) return false;
        std::string name;
        while (!from.closes("]")) {
            kind_of_calls kind;
            name.clear();
            if (!from.open("{") || !read_any(from, "group", name) || !read(from, "least", kind.waiting_least, 6) ||
                !from.key("operations") || !from.open("["))
                return false;
            kind.group = s.names.id_of(name);
            while (!from.closes("]")) {
                kind_of_calls::sums one;
                std::int64_t nested = 0;
                wide number;
                if (!from.string(name) || !from.number(nested) || nested < 0 || nested > 1 || !from.number(one.calls) ||
                    !from.number(one.late) || !from.number(one.clocked_late) || one.late > one.calls ||
                    one.clocked_late > one.calls - one.late || !from.number(number, 0))
                    return false;
                one.operation = s.names.id_of(name);
                one.nested = nested == 1;
                one.bytes = number;
                bool all = true;
                for_each_time(one, [&](compact_wide& v) {
                    all = all && from.number(number, 6);
                    v = number;
                });
                if (!all) return false;
                kind.operations.push_back(std::move(one));
            }
            c.folded.push_back(std::move(kind));
            if (!from.closes("}")) return false;
        }
        return true;
    }

    template <class Line>
    static void write_groups(Line& to, const summary_state& s) {
        if (!s.groups.empty()) {
            to.key("groups");
            to.open('[');
            for (const auto& [key, facts] : s.groups) write_group(to, key, facts);
            to.close(']');
        }
        if (s.leaving.empty()) return;
        to.key("leaving");
        to.open('[');
        for (const auto& [kind, times] : s.leaving) {
            to.open('{');
            write(to, "group", kind);
            write(to, "leave", times.leave);
            write(to, "arrive", times.arrive);
            to.close('}');
        }
        to.close(']');
    }
    template <class From>
    static bool read_groups(From& from, summary_state& s) {
        if (from.key("groups")) {
            if (!from.open("[")) return false;
            while (!from.closes("]"))
                if (!read_group(from, s)) return false;
        }
        if (!from.key("leaving")) return true;
        if (!from.open("[")) return false;
        while (!from.closes("]")) {
            std::string kind;
            leave_times times;
            if (!from.open("{") || !read_any(from, "group", kind) || !read(from, "leave", times.leave) ||
                !read(from, "arrive", times.arrive) || !from.closes("}") ||
                times.leave.count() != times.arrive.count() || !s.leaving.try_emplace(kind, std::move(times)).second)
                return false;
        }
        return true;
    }

private:
    template <class Line>
    static void write_group(Line& to, const group_key& key, const group_facts& facts) {
        to.open('{');
        to.key("sizes");
        to.open('[');
        for (const std::int64_t size : {key.world, key.tensor, key.pipeline, key.expert}) to.integer(size);
        to.close(']');
        write(to, "group", key.kind);
        to.key("place");
        to.open('[');
        to.integer(key.first);
        to.integer(key.second);
        to.close(']');
        write(to, "differs", facts.differs ? 1 : 0, 0, 0);
        write(to, "offsets", facts.has_offsets ? 1 : 0, 0, 0);
        write(to, "farthest", facts.farthest, 6, 0);
        write(to, "spread", facts.spread, 6, no_number);
        write(to, "extent", facts.extent, 6, no_number);
        if (!facts.sent.empty()) {
            to.key("sent");
            to.open('[');
            for (const auto& one : facts.sent) {
                to.integer(one.rank);
                to.plain(one.all.value().text(0));
                to.plain(one.varying.value().text(0));
            }
            to.close(']');
            write(to, "varying", facts.any_varying ? 1 : 0, 0, 0);
            to.key("worst");
            to.open('[');
            to.integer(facts.worst_most);
            to.plain(facts.worst_sum.value().text(0));
            to.integer(facts.worst_count);
            to.close(']');
        }
        to.close('}');
    }
    template <class From>
    static bool read_group(From& from, summary_state& s) {
        group_key key;
        group_facts facts;
        std::int64_t differs = 0;
        std::int64_t offsets = 0;
        std::int64_t varying = 0;
        if (!from.open("{") || !from.key("sizes") || !from.open("[") || !from.number(key.world) ||
            !from.number(key.tensor) || !from.number(key.pipeline) || !from.number(key.expert) || !from.closes("]") ||
            !read_any(from, "group", key.kind) || !from.key("place") || !from.open("[") || !from.number(key.first) ||
            !from.number(key.second) || !from.closes("]") || !read_any(from, "differs", differs) ||
            !read_any(from, "offsets", offsets) || !read_any(from, "farthest", facts.farthest, 6) ||
            !read_any(from, "spread", facts.spread, 6) || !read_any(from, "extent", facts.extent, 6) ||
            (facts.spread == no_number) != (facts.extent == no_number))
            return false;
        if (from.key("sent")) {
            if (!from.open("[")) return false;
            wide number;
            while (!from.closes("]")) {
                group_facts::sent_bytes one;
                if (!from.number(one.rank) || !from.number(number, 0)) return false;
                one.all = number;
                if (!from.number(number, 0)) return false;
                one.varying = number;
                if (!facts.sent.empty() && facts.sent.back().rank >= one.rank) return false;
                facts.sent.push_back(std::move(one));
            }
            if (facts.sent.empty() || !read_any(from, "varying", varying) || !from.key("worst") || !from.open("[") ||
                !from.number(facts.worst_most) || !from.number(number, 0) || !from.number(facts.worst_count) ||
                !from.closes("]"))
                return false;
            facts.worst_sum = number;
        }
        facts.differs = differs != 0;
        facts.has_offsets = offsets != 0;
        facts.any_varying = varying != 0;
        return s.groups.try_emplace(std::move(key), std::move(facts)).second && from.closes("}");
    }
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
