// What the op logs of a run have together that makes no sense: operations that are not known, records that occur twice,
// calls that some members of a group lack.
#ifndef WLFMT_DETAIL_ANSWERS_CHECK_HPP
#define WLFMT_DETAIL_ANSWERS_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "../../oplog.hpp"
#include "../../types/answers.hpp"
#include "../../types/run.hpp"
#include "../base/text_slots.hpp"
#include "../error/problems.hpp"
#include "../oplog/operations.hpp"
#include "../summary/add.hpp"
#include "../summary/files.hpp"
#include "../summary/ordered_map.hpp"
#include "conclude.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

struct run_check_state {
    struct of_rank {
        std::size_t file = 0;
        std::vector<std::uint64_t> lines;  // of its records
    };
    run_check_state() { sums.keeps_calls = true; }

    summary_state sums;
    bool is_of_run = false;  // the name of the file has a rank
    std::vector<std::string> files;
    ordered_map<std::int64_t, of_rank> ranks;
    std::unordered_set<std::uint64_t> seen;  // records of the file, as numbers that stand for their texts
    std::vector<std::string> names;          // of operations that are not known
    text_slots named;
};

template <class Build> struct run_checking {
    using adding = summary_adding<Build>;
    using operations = oplog_operations<Build>;
    static constexpr std::size_t most_seen = std::size_t{1} << 22;
    static constexpr std::size_t most_names = 1000;

    static void begin_text(run_check_state& s, std::string_view file) {
        s.is_of_run = facts_in(file).rank.has_value();
        adding::begin_text(s.sums, file);
        s.files.emplace_back(file);
        s.seen.clear();
    }
    template <class Each>
    static void add(run_check_state& s, const oplog::operation& op, std::string_view text, std::uint64_t line,
                    Each&& each) {
        if (op.origin != oplog::origin::rank) return;
        // Of other files, which may be of any size, nothing is kept.
        if (s.is_of_run && keep(s, op, line))
            each(error_at(error_kind::repeated_record, op.source.substr(0, op.source.find('(')), text, {}));
        if (!is_new_name(s, op.op)) return;
        const std::string_view place = oplog::where(op, "op");
        each(error_at(error_kind::unknown_operation, place.empty() ? op.source.substr(0, 0) : place, text, "op"));
    }
    template <class Each> static std::uint64_t missing_calls(const run_check_state& s, Each&& each) {
        const oplog::run_answers a = run_conclusions(s.sums, sizes_of_names(s.sums)).answer();
        if (!a.together) return 0;
        for (const oplog::missing_call& m : a.missing_calls) {
            const run_check_state::of_rank& own = s.ranks.at(m.rank);
            // Of a record that is missing, the line of the next one, or of the last one.
            const std::uint64_t record = m.record ? *m.record : m.before.value_or(own.lines.size());
            const std::uint64_t last = m.before && !own.lines.empty() ? own.lines.back() : 0;
            each(m, std::string_view(s.files[own.file]), record < own.lines.size() ? own.lines[record] : last);
        }
        return a.missing_call_count;
    }

private:
    // Returns whether the same record has been before.
    static bool keep(run_check_state& s, const oplog::operation& op, std::uint64_t line) {
        adding::add(s.sums, op);
        run_check_state::of_rank& own = s.ranks[op.rank];
        own.file = s.files.size() - 1;
        own.lines.push_back(line);
        // Of records without a timestamp, several may be equal; of those that were not read, a text shows nothing.
        return op.timestamp.value_or(0.0) != 0 && !op.source.empty() && s.seen.size() < most_seen &&
               !s.seen.insert(hash_of(op.source)).second;
    }
    // Whether nothing is known of the operation, and its name has not been met.
    static bool is_new_name(run_check_state& s, std::string_view name) {
        if (operations::facts_of(name).kind != operation_kind::other || s.names.size() >= most_names) return false;
        const auto text_of = [&s](std::int32_t n) -> std::string_view { return s.names[static_cast<std::size_t>(n)]; };
        if (s.named.find(name, text_of) >= 0) return false;
        s.names.emplace_back(name);
        s.named.add_last(s.names.size(), text_of);
        return true;
    }
};

// `rank 3 lacks the 7th all_to_all of exp in forward_step, batch 2, which ranks 1, 5 and 7 have`
inline std::string sentence_of(const oplog::missing_call& m) {
    const auto ordinal = [](std::uint64_t n) {
        const char* const ends[] = {"th", "st", "nd", "rd"};
        const bool is_teen = n % 100 / 10 == 1;
        return std::to_string(n) + ends[n % 10 < 4 && !is_teen ? n % 10 : 0];
    };
    std::string to = "rank " + std::to_string(m.rank) + " lacks the " + ordinal(m.number) + " ";
    if (m.record) to += (m.function.empty() ? "call" : m.function) + " of " + m.group + " in " + m.operation;
    else to += m.operation;
    if (m.batch != oplog::program_step::no_batch)
        to += (m.record ? ", batch " : " of batch ") + std::to_string(m.batch);
    if (m.in_a_row > 1)
        to += " and " + std::to_string(m.in_a_row - 1) + (m.in_a_row == 2 ? " record" : " records") + " after it";
    to += m.ranks.size() == 1 ? ", which rank " : ", which ranks ";
    for (std::size_t n = 0; n != m.ranks.size(); ++n)
        to.append(n == 0 ? "" : n + 1 == m.ranks.size() ? " and " : ", ").append(std::to_string(m.ranks[n]));
    return to + (m.ranks.size() == 1 ? " has" : " have");
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
