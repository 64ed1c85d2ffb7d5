// The sizes of messages and calls: the least time that a message of a size took, and which sizes are lost.
#ifndef WLFMT_ANALYSIS_ANSWERS_SIZES_HPP
#define WLFMT_ANALYSIS_ANSWERS_SIZES_HPP

#include <map>

#include "../library.hpp"
#include "align.hpp"

namespace wlfmt::analysis {

// The least time of the messages of one size. `is_lost`: one of them was lost, and may have been faster.
struct message_floor {
    std::int64_t least = (std::numeric_limits<std::int64_t>::max)();
    bool is_lost = false;
};
using message_floors = std::map<std::int64_t, message_floor>;  // keys: bytes
// A message whose time is doubtful may have been the quickest of its size.
inline message_floors floors_of(const std::vector<analysed_rank>& ranks) {
    message_floors floors;
    for (const bool doubtful : {false, true})
        for (const analysed_rank& r : ranks)
            for (const program_step& own : r.program) {
                if (!is_message(own) || own.is_doubtful != doubtful) continue;
                message_floor& floor = floors[known_bytes(own)];
                if (doubtful) floor.is_lost = true;
                else floor.least = (std::min)(floor.least, static_cast<std::int64_t>(own.duration));
            }
    return floors;
}

// Which sizes are lost: a call or a message has none, and others like it have one.
class known_sizes {
public:
    // A message without a size may have been the quickest of any.
    void find(const std::vector<analysed_rank>& ranks, message_floors& floors) {
        for (const analysed_rank& r : ranks)
            for (const program_step& own : r.program) {
                if (own.bytes < 0) continue;
                std::int64_t& most = greatest_[key_of(own)];
                most = (std::max)(most, own.bytes);
            }
        for (const analysed_rank& r : ranks)
            for (const program_step& own : r.program)
                any_message_lost_ = any_message_lost_ || (is_message(own) && greatest(own));
        for (auto& floor : floors) floor.second.is_lost = floor.second.is_lost || any_message_lost_;
    }
    // The greatest size of those like a step whose own size is lost.
    std::optional<std::int64_t> greatest(const program_step& own) const {
        const auto at = own.bytes < 0 ? greatest_.find(key_of(own)) : greatest_.end();
        return at == greatest_.end() ? std::nullopt : std::optional<std::int64_t>(at->second);
    }
    // Adds the bytes of a step to the sums of its rank, and to those of its kind of group.
    void add(analysed_rank& r, bounded& bytes, const program_step& own) const {
        bytes.add(static_cast<double>(known_bytes(own)));
        const auto most = greatest(own);
        if (!most) return;
        bytes.widen(0, bounded::unlimited);
        if (!own.nested) return;
        r.nested_bytes.widen(0, bounded::unlimited);
        r.lost_bytes += static_cast<double>(*most);
    }
    // Writes to the answers which sizes have a known least time. Size 0 may stand for messages whose size is lost.
    void tell(const message_floors& floors, run_answers& run) const {
        for (const auto& [bytes, floor] : floors)
            if (floor.least != message_floor().least && !(bytes == 0 && any_message_lost_))
                run.message_floors.emplace_back(static_cast<double>(bytes),
                                                bounded(in_milliseconds(static_cast<double>(floor.least))));
    }

private:
    static three_numbers key_of(const program_step& s) { return {s.operation, s.function, s.group}; }
    bool any_message_lost_ = false;
    std::map<three_numbers, std::int64_t> greatest_;
};

}  // namespace wlfmt::analysis

#endif
