// The state of a summary: sums, and each rank's program step by step, from which answers.hpp tells waiting from work.
#ifndef WLFMT_ANALYSIS_SUMMARY_STATE_HPP
#define WLFMT_ANALYSIS_SUMMARY_STATE_HPP

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "../library.hpp"
#include "types.hpp"
#include "wide.hpp"

namespace wlfmt::analysis {

// Values beyond this limit are not summed up. Times are within half of it, so that their differences are within it.
inline constexpr std::int64_t measured_limit = std::int64_t{1} << 62;

// The bucket of a value: values below 64 have a bucket each, and each range between powers of two above has 64. A value
// below 0 has the negative of its magnitude's bucket number.
inline std::int32_t bucket_of(std::int64_t value) noexcept {
    const std::uint64_t v = magnitude(value);
    unsigned doublings = 0;
    if (v >= 64) {
        // The exponent of the nearest double is that of the value, or of the next power of two.
        const auto nearest = static_cast<double>(v);
        std::uint64_t bits = 0;
        std::memcpy(&bits, &nearest, sizeof bits);
        doublings = static_cast<unsigned>(bits >> 52) - 1023 - 6;
        if (v >> doublings < 64) --doublings;
    }
    const auto index = static_cast<std::int32_t>(64 * doublings + (v >> doublings));
    return value < 0 ? -index : index;
}
inline double middle_of(std::int32_t index) noexcept {
    const std::int32_t size = index < 0 ? -index : index;
    if (size < 128) return index;
    const std::int32_t doublings = size / 64 - 1;
    const double middle = std::ldexp(size % 64 + 64.5, doublings) - 0.5;
    return index < 0 ? -middle : middle;
}

// Access to the private members of tallies.
struct summary_access {
    template <class Number>
    static void add_communication(analysis::tally& tally, const Number& communication, const Number& overlap) noexcept {
        tally.communication_ += communication;
        tally.overlap_ += overlap;
    }
    static void merge(analysis::tally& tally, const analysis::tally& more) {
        tally.duration.merge(more.duration);
        tally.gap.merge(more.gap);
        tally.bytes.merge(more.bytes);
        tally.records += more.records;
        tally.unmeasured += more.unmeasured;
        tally.doubles += more.doubles;
        add_communication(tally, more.communication_, more.overlap_);
    }
};

// An optional value in memory of its own, which copies do not share. It is as large as a pointer.
template <class T> struct boxed : std::unique_ptr<T> {
    boxed() noexcept = default;
    boxed(const boxed& from) : std::unique_ptr<T>(from ? std::make_unique<T>(*from) : nullptr) {}
    boxed(boxed&&) noexcept = default;
    boxed& operator=(boxed from) noexcept {
        this->swap(from);
        return *this;
    }

    // The value; makes it if there is none.
    T& made() {
        if (!*this) this->reset(new T());
        return **this;
    }
};

inline constexpr std::int64_t no_number = (std::numeric_limits<std::int64_t>::min)();

// A timed record, or a timed nested operation, which follows its record. Times are in millionths of a millisecond;
// names are numbers in the summary's list.
struct kept_step {
    std::int64_t end = 0;
    std::int64_t duration = 0;
    std::int64_t bytes = -1;         // the size of the tensor; -1 if it is not known
    std::int64_t place = no_number;  // a record's micro-batch, or a nested operation's position
    std::uint32_t name = 0;          // the name of the operation, or comm_func
    std::uint32_t group = 0;         // the kind of group
    std::uint32_t source = 0;        // trace_src_func of a nested operation
    std::uint32_t record : 30;       // the position of its record among those of the rank
    std::uint32_t is_nested : 1;
    std::uint32_t runs_beside : 1;  // a nested operation that lasts from its launch to the end of the wait for it
    static constexpr std::uint32_t max_record = (1U << 30) - 1;
    kept_step() noexcept : record(0), is_nested(0), runs_beside(0) {}
};

// The records of a rank, and their steps. A record or a nested operation without a duration or a timestamp is no step.
struct kept_program {
    std::uint64_t records = 0;
    std::uint64_t untimed = 0;
    std::uint64_t unread = 0;  // records that could not be read, which `records` does not count
    wide doubled;              // the time of exchanges that the tracer wrote twice
    std::vector<kept_step> steps;
    std::vector<kept_step> untimed_steps;  // without a time: durations are 0, and ends that are not known

    // Grows by 25 %, as there is a list for each rank: doubling would leave much memory unused.
    static void add(std::vector<kept_step>& steps, const kept_step& step) {
        if (steps.size() == steps.capacity()) steps.reserve(steps.size() + steps.size() / 4 + 32);
        steps.push_back(step);
    }
    // Renames the last record, which has turned out to be half of an exchange.
    void name_last_record(std::uint32_t name) noexcept {
        for (std::size_t n = steps.size(); n-- != 0;)
            if (!steps[n].is_nested) {
                steps[n].name = name;
                return;
            }
    }
    // Appends the next part of the text. `repeats` says that its first step is the other half of the last record here.
    void append(const kept_program& more, bool repeats) {
        for (std::size_t n = repeats ? 1 : 0; n < more.steps.size(); ++n) {
            add(steps, more.steps[n]);
            const std::uint64_t record = records + more.steps[n].record;
            steps.back().record = static_cast<std::uint32_t>(record) & kept_step::max_record;
        }
        if (repeats && !more.steps.empty()) doubled += more.steps[0].duration;
        for (kept_step own : more.untimed_steps) {
            own.record = static_cast<std::uint32_t>(records + own.record) & kept_step::max_record;
            add(untimed_steps, own);
        }
        records += more.records;
        untimed += more.untimed;
        unread += more.unread;
        doubled += more.doubled;
    }
    // Replaces the numbers of names with those in another summary.
    void translate(const std::vector<std::uint32_t>& names) noexcept {
        for (std::vector<kept_step>* const list : {&steps, &untimed_steps})
            for (kept_step& s : *list)
                for (std::uint32_t* const name : {&s.name, &s.group, &s.source}) *name = names[*name];
    }
};

// The values that operations of one row of a breakdown share. Names are numbers; 0 is a missing name, or one that the
// breakdown does not distinguish.
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

// Numbers names in the order in which they first occur. Looks for a name among recent ones first, as a log repeats a
// few, and then in an ordered map, which no choice of names makes slow.
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
            // Stores the name first: if there is then no memory for its number, the number stays unused.
            names_.emplace_back(name);
            at = ids_.try_emplace(names_.back(), static_cast<std::uint32_t>(names_.size() - 1)).first;
        }
        recent_[place] = at->second;
        return at->second;
    }
    const std::string& operator[](std::uint32_t id) const noexcept { return names_[id]; }
    std::size_t size() const noexcept { return names_.size(); }
    // The facts that the name gives about an operation, computed once for each name.
    const operation_facts& facts_of(std::uint32_t id) {
        if (facts_.size() <= id) facts_.resize(names_.size());
        std::optional<operation_facts>& known = facts_[id];
        if (!known) known = operations::facts_of(names_[id]);
        return *known;
    }

private:
    std::vector<std::optional<operation_facts>> facts_;
    static constexpr std::size_t recent_count = 64;
    std::vector<std::string> names_ = std::vector<std::string>(1);
    std::map<std::string, std::uint32_t, std::less<>> ids_;
    std::uint32_t recent_[recent_count] = {};
};

// What a record adds to a breakdown. Times are in millionths of a millisecond.
struct record_sums {
    std::optional<std::int64_t> duration;
    std::optional<std::int64_t> bytes;
    std::int64_t communication = 0;
    std::int64_t overlap = 0;
};

// Where a rank's operations in a part of a text begin and end.
struct rank_edge {
    bool any = false;
    summary_key first_key;
    std::int64_t first = no_number;  // when its first operation began, if that is known
    std::int64_t last = no_number;   // when the last operation with a known end ended
    timed_message before;            // the last record, if it is a message
    // The first record is held back if it may repeat the last one of the part before. Until that is known, it is in no
    // sum of times.
    bool held = false;
    record_sums held_sums;
    timed_message held_message;
    boxed<kept_program> program;  // the program of a part; that of a whole text is in rank_sums
};
struct text_part {
    std::string text;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::map<std::int64_t, rank_edge> ranks;
};

// Where a rank's records come from. Of several texts, `run` and `time` are those with the greatest time, then name.
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
    std::uint64_t negative = 0;  // the unmeasured operations whose duration is below 0
    rank_source source;
    wide busy;
    wide communication;
    wide pipeline;
    std::int64_t first = no_number;
    std::int64_t last = no_number;
    boxed<kept_program> program;  // null if no calls are kept, or limit_steps() has dropped them
};

struct summary_state {
    std::vector<dimension> dimensions;
    std::vector<std::map<summary_key, tally>> tallies;  // one for each dimension
    bool any_nested = false;                            // a dimension asks for collectives
    bool keeps_calls = false;
    std::uint64_t max_steps = std::uint64_t{1} << 23;  // if there are more, none is kept; this many take 400 MB
    std::uint64_t step_count = 0;
    bool too_many_steps = false;
    bool repeated = false;  // a rank is in several texts: no rank's program is kept
    name_list names;
    std::map<std::int64_t, rank_sums> ranks;  // ordered, so that no choice of ranks makes it slow
    std::uint64_t operations = 0;
    std::uint64_t nested = 0;
    std::uint64_t nested_texts = 0;
    std::uint64_t planned = 0;
    std::uint64_t beyond = 0;  // records with a time that is too great for in_millionths()
    // The text, or the part of a text, to which the next operations belong.
    text_part current;
    bool in_part = false;
    std::uint32_t current_run = 0;
    std::int64_t current_time = 0;
    // Parts that wait for their neighbours. The key is text and beginning.
    std::multimap<std::pair<std::string, std::uint64_t>, text_part> parts;
};

}  // namespace wlfmt::analysis

#endif
