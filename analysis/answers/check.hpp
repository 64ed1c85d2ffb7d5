// Finds what makes no sense in the op logs of a run as a whole: unknown operations, repeated records, calls that some
// members of a group lack, and messages between pipeline stages that have only one end.
#ifndef WLFMT_ANALYSIS_ANSWERS_CHECK_HPP
#define WLFMT_ANALYSIS_ANSWERS_CHECK_HPP

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "../library.hpp"
#include "../summary/add.hpp"
#include "conclude.hpp"

namespace wlfmt::analysis {

class run_checking {
    using adding = summary_adding;

public:
    run_checking() { sums_.keeps_calls = true; }
    void begin_text(std::string_view file) {
        named_rank_ = oplog::facts_of(file).rank;
        adding::begin_text(sums_, file);
        files_.emplace_back(file);
        seen_.clear();
    }
    template <class Each> void add(const oplog::operation& op, std::string_view text, std::uint64_t line, Each&& each) {
        if (op.origin != oplog::origin::rank) return;
        // Other files may be of any size: nothing from them is kept.
        if (named_rank_ && *named_rank_ != op.rank)
            ++misnamed_
                  .try_emplace(files_.size() - 1,
                               strange_log{*named_rank_, op.rank, strange_log::cause::misnamed, 0, 0})
                  .first->second.number;
        else if (named_rank_ && keep(op, line))
            each(problem_at(error_kind::repeated_record, op.source.substr(0, op.source.find('(')), text, {}));
        // Each unknown name is reported once.
        if (operations::facts_of(op.op).kind != operation_kind::other || names_.size() == max_names ||
            !names_.try_emplace(std::string(op.op), true).second)
            return;
        const std::string_view place = oplog::where(op, "op");
        each(problem_at(error_kind::unknown_operation, place.empty() ? op.source.substr(0, 0) : place, text, "op"));
    }
    template <class Each, class EachTime, class EachLog, class EachLogs>
    std::uint64_t missing_calls(Each&& each, EachTime&& each_time, EachLog&& each_log, EachLogs&& each_logs) const {
        const run_answers a = run_conclusions(sums_, sizes_of_names(sums_)).answer();
        for (auto [file, log] : misnamed_) {
            const auto own = ranks_.find(log.rank);
            if (own != ranks_.end() && own->second.file == file) log.of_other = own->second.lines.size();
            each_log(log, std::string_view(files_[file]));
        }
        for (const strange_log& s : a.strange_logs) each_log(s, std::string_view(files_[ranks_.at(s.rank).file]));
        for (const auto& c : a.contradicting_logs) each_logs(c, std::string_view(files_[ranks_.at(c.rank).file]));
        for (const doubtful_time& d : a.doubtful_times) {
            const rank_records& own = ranks_.at(d.rank);
            const auto record = static_cast<std::size_t>(d.record);
            each_time(d, std::string_view(files_[own.file]), record < own.lines.size() ? own.lines[record] : 0);
        }
        for (const missing_call& m : a.missing_calls) {
            const rank_records& own = ranks_.at(m.rank);
            // A missing record is reported at the line of the next one or, if there is none, of the last one.
            const std::uint64_t record = m.record ? *m.record : m.before.value_or(own.lines.size());
            const std::uint64_t last_line = m.before && !own.lines.empty() ? own.lines.back() : 0;
            each(m, std::string_view(files_[own.file]), record < own.lines.size() ? own.lines[record] : last_line);
        }
        return a.missing_call_count;
    }

private:
    static constexpr std::size_t max_seen = std::size_t{1} << 22;
    static constexpr std::size_t max_names = 1000;

    // Keeps a record, and returns whether the same one came before.
    bool keep(const oplog::operation& op, std::uint64_t line) {
        adding::add(sums_, op);
        rank_records& own = ranks_[op.rank];
        own.file = files_.size() - 1;
        own.lines.push_back(line);
        // Records without a timestamp may well be equal; records without a source text cannot be compared.
        return op.timestamp.value_or(0.0) != 0 && !op.source.empty() && seen_.size() < max_seen &&
               !seen_.insert(std::hash<std::string_view>()(op.source)).second;
    }

    struct rank_records {
        std::size_t file = 0;
        std::vector<std::uint64_t> lines;  // the lines of its records
    };
    summary_state sums_;
    std::optional<std::int64_t> named_rank_;  // the rank in the name of the file
    std::vector<std::string> files_;
    std::map<std::size_t, strange_log> misnamed_;  // the files with records of another rank than that in their names
    std::map<std::int64_t, rank_records> ranks_;
    std::unordered_set<std::uint64_t> seen_;  // hashes of the file's records
    std::map<std::string, bool> names_;       // the names of unknown operations
};

// Matches the messages between pipeline stages. For each rank, keeps only sums of its messages, which do not depend on
// the order of micro-batches. If the sums of two ranks differ, their files are read again; the messages of files that
// cannot be read again are kept.
class message_checking {
public:
    explicit message_checking(bool is_one_run) : is_one_run_(is_one_run) {}
    void begin_text(std::string_view file, bool can_be_read_again) {
        const auto [found, is_new] = names_.try_emplace(is_one_run_ ? std::string() : run_of(file), runs_.size());
        if (is_new) {
            runs_.emplace_back();
            misnamed_.emplace_back();
        }
        current_run_ = found->second;
        named_rank_ = oplog::facts_of(file).rank;
        files_.push_back({std::string(file), can_be_read_again});
    }
    void add(const oplog::operation& op, std::uint64_t line) {
        const auto stage = op.stage_id.as<std::int64_t>();
        if (op.origin != oplog::origin::rank || !stage) return;
        if (files_.empty()) begin_text({}, false);
        const std::size_t file = files_.size() - 1;
        const bool is_misnamed = named_rank_ && *named_rank_ != op.rank;
        rank_messages& own = (is_misnamed ? misnamed_ : runs_)[current_run_][{*stage, op.rank}];
        own.stage = *stage;
        own.rank = op.rank;
        if (own.files.empty() || own.files.back() != file) own.files.push_back(file);
        const auto batch = op.batch_id.as<std::int64_t>();
        const std::size_t k = kind_of(op.op);
        if (!batch || k == kinds) return;
        ++own.sums[k].first;
        own.sums[k].second += mixed(*batch);
        if (!files_[file].can_be_read_again) own.kept.push_back(message_of(op, k, *batch, file, line));
    }
    // Whatever the order of ranks, the n-th rank of a stage exchanges messages with the n-th one of the next stage.
    // Compares two stages only if both have files of equally many ranks: otherwise, some files may be elsewhere.
    template <class Read, class Each>
    unmatched_messages find(std::uint64_t max_reported, Read&& read, Each&& each) const {
        matching<Read, Each> found{files_, max_reported, read, each};
        for (const auto& [name, position] : names_) {
            std::vector<std::vector<const rank_messages*>> stages;
            // What the file of another rank says counts only for a rank without a file of its own.
            run both;
            if (!misnamed_[position].empty()) {
                both = runs_[position];
                both.insert(misnamed_[position].begin(), misnamed_[position].end());
            }
            for (const auto& [place, own] : both.empty() ? runs_[position] : both) {
                if (stages.empty() || stages.back()[0]->stage != own.stage) stages.emplace_back();
                stages.back().push_back(&own);
            }
            for (std::size_t n = 1; n < stages.size(); ++n) {
                const auto& here = stages[n - 1];
                const auto& next = stages[n];
                if (next[0]->stage - 1 != here[0]->stage || next.size() != here.size()) continue;
                for (std::size_t k = 0; k != here.size(); ++k) found.compare(*here[k], *next[k]);
            }
        }
        return found.found;
    }

private:
    static constexpr std::size_t kinds = 4;  // sends and receives forward, then backward

    struct message {
        std::string text;  // the beginning of its line
        std::size_t kind = 0;
        std::int64_t batch = 0;
        std::size_t file = 0;
        std::uint64_t line = 0;
    };

    struct rank_messages {
        std::int64_t stage = 0;
        std::int64_t rank = 0;
        std::pair<std::uint64_t, std::uint64_t> sums[kinds];  // count, and sum of mixed() micro-batches
        std::vector<std::size_t> files;
        std::vector<message> kept;
    };
    using run = std::map<std::pair<std::int64_t, std::int64_t>, rank_messages>;  // keys: stage and rank
    struct source {
        std::string name;
        bool can_be_read_again = false;
    };

    // Splitmix64, so that sums of different micro-batches differ.
    static std::uint64_t mixed(std::int64_t batch) noexcept {
        std::uint64_t v = static_cast<std::uint64_t>(batch) + 0x9e3779b97f4a7c15U;
        v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9U;
        v = (v ^ (v >> 27)) * 0x94d049bb133111ebU;
        return v ^ (v >> 31);
    }
    static std::size_t kind_of(std::string_view op) noexcept {
        const auto facts = operations::facts_of(op);
        if (!facts.between_stages || facts.kind == operation_kind::exchange) return kinds;
        return (facts.backward ? 2U : 0U) + (facts.kind == operation_kind::receive ? 1U : 0U);
    }
    static std::string_view name_of(std::size_t kind) noexcept {
        return operations::name_of(kind % 2 == 0 ? operation_kind::send : operation_kind::receive, kind > 1);
    }
    static message message_of(const oplog::operation& op, std::size_t kind, std::int64_t batch, std::size_t file,
                              std::uint64_t line) {
        return {std::string(op.source.substr(0, 200)), kind, batch, file, line};
    }
    // The names of a run's files differ only in the digits of the rank.
    static std::string run_of(std::string_view file) {
        std::string name(file);
        const std::size_t rank = name.rfind("rank");
        if (rank == std::string::npos) return name;
        const std::size_t digits = rank + 4;
        const std::size_t end = (std::min)(name.find_first_not_of("0123456789", digits), name.size());
        return name.erase(digits, end - digits);
    }

    template <class Read, class Each> struct matching {
        const std::vector<source>& files;
        const std::uint64_t max_reported;
        Read& read;
        Each& each;
        unmatched_messages found = {};

        bool is_full() const noexcept { return max_reported != 0 && found.reported >= max_reported; }
        void compare(const rank_messages& here, const rank_messages& next) {
            if (here.sums[0] == next.sums[1] && next.sums[2] == here.sums[3]) return;
            const std::uint64_t before = found.reported + found.more;
            if (!is_full()) {
                const std::vector<message> own = gather(here);
                const std::vector<message> peer = gather(next);
                report_surplus(0, own, peer, next.stage);
                report_surplus(1, peer, own, here.stage);
                report_surplus(2, peer, own, here.stage);
                report_surplus(3, own, peer, next.stage);
            }
            // Files that have changed since they were first read may not show these messages any more.
            if (found.reported + found.more == before) ++found.pairs;
        }
        // A rank's messages in the order of its files.
        std::vector<message> gather(const rank_messages& own) {
            std::vector<message> messages = own.kept;
            for (const std::size_t file : own.files) {
                if (!files[file].can_be_read_again) continue;
                read(file, std::string_view(files[file].name), [&](const oplog::operation& op, std::uint64_t line) {
                    const std::size_t k = kind_of(op.op);
                    const auto batch = op.batch_id.as<std::int64_t>();
                    if (k == kinds || !batch || op.rank != own.rank || op.origin != oplog::origin::rank) return;
                    if (op.stage_id.as<std::int64_t>() == own.stage)
                        messages.push_back(message_of(op, k, *batch, file, line));
                });
            }
            return messages;
        }
        // Reports the messages of a kind whose other end is not among `others`, the messages of stage `stage`.
        void report_surplus(std::size_t kind, const std::vector<message>& messages, const std::vector<message>& others,
                            std::int64_t stage) {
            std::map<std::int64_t, std::size_t> counts;
            for (const message& m : others)
                if (m.kind == (kind ^ 1)) ++counts[m.batch];
            for (const message& m : messages) {
                if (m.kind != kind) continue;
                std::size_t& unmatched = counts[m.batch];
                if (unmatched != 0) --unmatched;
                else if (is_full()) ++found.more;
                else report(m, name_of(kind), stage);
            }
        }
        void report(const message& m, std::string_view op, std::int64_t stage) {
            ++found.reported;
            problem e;
            e.kind = error_kind::unmatched_message;
            e.offset = static_cast<std::uint64_t>((std::min)(m.text.find(op), m.text.size()));
            e.length = op.size();
            e.field = op;
            e.found = m.batch;
            e.expected = stage;
            each(e, std::string_view(m.text), std::string_view(files[m.file].name), m.line);
        }
    };

    bool is_one_run_;
    std::map<std::string, std::size_t> names_;  // the position of each run, by its name
    std::vector<run> runs_;
    std::vector<run> misnamed_;  // the messages of ranks in files that are named after others
    std::optional<std::int64_t> named_rank_;
    std::size_t current_run_ = 0;
    std::vector<source> files_;
};

}  // namespace wlfmt::analysis

#endif
