// What a summary keeps.
#ifndef WLFMT_DETAIL_SUMMARY_STATE_HPP
#define WLFMT_DETAIL_SUMMARY_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../../types/summary.hpp"
#include "../base/build.hpp"
#include "ordered_map.hpp"
#include "program.hpp"
#include "wide.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The values that operations share. Names are numbers here; 0 is that of what is missing, or not asked for.
struct summary_key {
    std::uint32_t operation = 0;
    std::uint32_t collective = 0;
    std::uint32_t group = 0;
    std::uint32_t state = 0;
    std::int64_t stage = no_number;
    std::int64_t rank = no_number;
    friend bool operator<(const summary_key& a, const summary_key& b) noexcept {
        return std::tie(a.operation, a.collective, a.group, a.state, a.stage, a.rank) <
               std::tie(b.operation, b.collective, b.group, b.state, b.stage, b.rank);
    }
    friend bool operator==(const summary_key& a, const summary_key& b) noexcept { return !(a < b) && !(b < a); }
};

// Names have numbers in the order in which they were met. An ordered map, so that no choice of names makes it slow;
// before it, the names that were met last, because a log repeats a few of them.
class name_list {
public:
    std::uint32_t id_of(std::string_view name) {
        if (name.empty()) return 0;
        const std::size_t place = (name.size() + 7U * static_cast<unsigned char>(name.front()) +
                                   13U * static_cast<unsigned char>(name.back())) %
                                  recent_count;
        if (const std::uint32_t id = recent_[place]; id != 0 && names_[id] == name) return id;
        auto at = ids_.find(name);
        if (at == ids_.end()) {
            at = ids_.try_emplace(name, static_cast<std::uint32_t>(names_.size())).first;
            names_.emplace_back(name);
        }
        return recent_[place] = at->second;
    }
    const std::string& operator[](std::uint32_t id) const noexcept { return names_[id]; }
    std::size_t size() const noexcept { return names_.size(); }
    // What it says if it is the name of an operation; found out once.
    const operation_facts& facts_of(std::uint32_t id) {
        if (facts_.size() <= id) facts_.resize(names_.size());
        known_facts& known = facts_[id];
        if (!known.is_known) known = {true, oplog_operations<build>::facts_of(names_[id])};
        return known.facts;
    }

private:
    struct known_facts {
        bool is_known = false;
        operation_facts facts = {};
    };
    std::vector<known_facts> facts_;
    static constexpr std::size_t recent_count = 64;
    std::vector<std::string> names_ = std::vector<std::string>(1);
    ordered_map<std::string, std::uint32_t> ids_;
    std::uint32_t recent_[recent_count] = {};
};

// What a record adds to a breakdown; times in millionths of a millisecond.
struct record_sums {
    std::optional<std::int64_t> duration;
    std::optional<std::int64_t> bytes;
    std::int64_t communication = 0;
    std::int64_t overlap = 0;
};

struct nested_sums {
    std::uint64_t operations = 0;
    std::int64_t duration = 0;
};

// Where a rank's operations in a part of a text begin and end.
struct rank_edge {
    bool any = false;
    summary_key first_key;
    std::int64_t first = no_number;  // the beginning of its first operation, where that is known
    std::int64_t last = no_number;   // the end of the last one whose end is known
    timed_message before;            // the last record, if it is a message
    // The first record, if it is a message that may repeat the last record of the part before this one: it is in no
    // sum of times until that part is here.
    bool held = false;
    record_sums held_sums;
    timed_message held_message;
    optional_program program;  // of a part: that of a whole text is with the rank
};
struct text_part {
    std::string text;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    ordered_map<std::int64_t, rank_edge> ranks;
};

// Which text a rank's records come from. Of several texts, that of the greatest time and name is kept.
struct rank_source {
    std::uint64_t texts = 0;
    std::uint32_t run = 0;
    std::int64_t time = 0;
};
struct rank_sums {
    std::int64_t stage = no_number;
    std::uint64_t operations = 0;
    std::uint64_t nested = 0;
    std::uint64_t unmeasured = 0;
    std::uint64_t doubles = 0;
    std::uint64_t negative = 0;  // of the unmeasured ones: those with a duration below 0
    rank_source source;
    compact_wide busy;
    compact_wide communication;
    compact_wide pipeline;
    std::int64_t first = no_number;
    std::int64_t last = no_number;
    optional_program program;  // only as long as all records of all ranks come from one text each
};

struct summary_state {
    std::vector<oplog::dimension> dimensions;
    std::vector<ordered_map<summary_key, oplog::tally>> tallies;  // one for each dimension
    bool any_nested = false;                                      // a dimension asks for collectives
    bool keeps_calls = false;
    // If there were more steps than this in the programs of all ranks, none would be kept. This number takes 400 MB.
    std::uint64_t most_steps = std::uint64_t{1} << 23;
    std::uint64_t step_count = 0;
    bool too_many_steps = false;
    bool repeated = false;  // a rank is in several texts: the program of no rank is kept
    name_list names;
    std::vector<std::uint32_t> read_names;  // while a line is read: the numbers of the names that its steps refer to
    ordered_map<std::int64_t, rank_sums> ranks;  // ordered, so that no choice of ranks makes it slow
    std::uint64_t operations = 0;
    std::uint64_t nested = 0;
    std::uint64_t nested_texts = 0;
    std::uint64_t planned = 0;
    // The text, or the part of a text, that operations are added to.
    text_part current;
    bool in_part = false;
    std::uint32_t current_run = 0;
    std::int64_t current_time = 0;
    // Parts that wait for their neighbours, by text and beginning.
    std::multimap<std::pair<std::string, std::uint64_t>, text_part> parts;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
