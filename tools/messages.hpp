// Messages between pipeline stages, matched over the files of a run.
#ifndef WLFMT_TOOLS_MESSAGES_HPP
#define WLFMT_TOOLS_MESSAGES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <wlfmt/detail/summary/ordered_map.hpp>
#include <wlfmt/wlfmt.hpp>

#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// Counts the messages of op logs and reports, after all files have been read, which of them have no other end.
//
// The n-th rank of a stage exchanges messages with the n-th one of the next stage, whatever the order of ranks. Two
// stages are compared if the run has files of equally many ranks of both: the files of other ranks may be elsewhere.
//
// For each rank it keeps a few words and not the messages: a sum that does not depend on the order of micro-batches.
// Where the sums of two ranks differ, their files are read again. The messages of standard input and of pipes, which
// cannot be read again, are kept.
class messages {
public:
    // Begins a file. The names of a run's files differ in the digits of the rank only.
    void open(std::string_view file) { open(run_of(file), file); }
    // The same for a file whose run is known.
    void open(const std::string& name, std::string_view file) {
        run_ = &runs_[name];
        std::error_code failed;
        file_ = files_.size();
        files_.push_back({std::string(file), std::filesystem::is_regular_file(std::filesystem::path(file), failed)});
    }
    void see(const wlfmt::oplog::operation& op, std::uint64_t line) {
        const auto stage = op.stage_id.as<std::int64_t>();
        if (op.origin != wlfmt::oplog::origin::rank || !stage) return;
        of_rank& own = run_->stages[*stage][op.rank];
        if (own.files.empty() || own.files.back() != file_) own.files.push_back(file_);
        const auto batch = op.batch_id.as<std::int64_t>();
        const std::size_t k = kind_of(op.op);
        if (!batch || k == kinds_count) return;
        own.sums[k].add(*batch);
        if (!files_[file_].can_be_read_again) own.kept[k].push_back(message_of(op, *batch, file_, line));
    }

    // Prints the first unmatched messages, as many as the settings allow. Returns whether there are any.
    bool tell_unmatched(const settings& s) const {
        teller to{s};
        for (const auto& [name, of] : runs_)
            for (auto here = of.stages.begin(); here != of.stages.end(); ++here) {
                auto next = here;
                if (++next == of.stages.end() || next->first - 1 != here->first) continue;
                if (next->second.size() != here->second.size()) continue;
                auto peer = next->second.begin();
                for (const auto& [rank, own] : here->second) {
                    compare(to, {here->first, rank, own}, {next->first, peer->first, peer->second});
                    ++peer;
                }
            }
        to.finish();
        return to.any();
    }

private:
    // Forward messages first, and sends before receives.
    static constexpr std::size_t kinds_count = 4;
    using operations = wlfmt::detail::oplog_operations<wlfmt::detail::build>;
    static std::size_t kind_of(std::string_view op) noexcept {
        using wlfmt::detail::operation_kind;
        const auto facts = operations::facts_of(op);
        if (!facts.between_stages || facts.kind == operation_kind::exchange) return kinds_count;
        return (facts.backward ? 2U : 0U) + (facts.kind == operation_kind::receive ? 1U : 0U);
    }
    static std::string_view name_of(std::size_t kind) noexcept {
        using wlfmt::detail::operation_kind;
        return operations::name_of(kind % 2 == 0 ? operation_kind::send : operation_kind::receive, kind > 1);
    }

    struct message {
        std::string text;  // the beginning of its line
        std::uint64_t line = 0;
        std::int64_t batch = 0;
        std::size_t file = 0;
    };
    static message message_of(const wlfmt::oplog::operation& op, std::int64_t batch, std::size_t file,
                              std::uint64_t line) {
        return {std::string(op.source.substr(0, 200)), line, batch, file};
    }
    using message_lists = std::array<std::vector<message>, kinds_count>;

    // A sum of micro-batches, mixed (splitmix64) so that sums of different ones are different.
    struct batch_sum {
        std::uint64_t count = 0;
        std::uint64_t sum = 0;

        void add(std::int64_t batch) noexcept {
            std::uint64_t v = static_cast<std::uint64_t>(batch) + 0x9e3779b97f4a7c15U;
            v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9U;
            v = (v ^ (v >> 27)) * 0x94d049bb133111ebU;
            sum += v ^ (v >> 31);
            ++count;
        }
        bool operator!=(const batch_sum& other) const noexcept { return count != other.count || sum != other.sum; }
    };
    struct of_rank {
        std::array<batch_sum, kinds_count> sums;
        std::vector<std::size_t> files;
        message_lists kept;
    };
    struct run {
        wlfmt::detail::ordered_map<std::int64_t, wlfmt::detail::ordered_map<std::int64_t, of_rank>> stages;
    };
    struct source {
        std::string name;
        bool can_be_read_again = false;
    };
    // A rank and the stage that it is seen in.
    struct end {
        std::int64_t stage;
        std::int64_t rank;
        const of_rank& own;
    };

    // Prints unmatched messages until there are too many of them.
    class teller {
    public:
        explicit teller(const settings& of) : s(of) {}
        const settings& s;

        bool full() const noexcept { return s.limit != 0 && told_ >= s.limit; }
        std::uint64_t count() const noexcept { return told_ + untold_; }
        bool any() const noexcept { return count() != 0 || pairs_ != 0; }
        void pass_over_pair() noexcept { ++pairs_; }
        void tell(const message& m, std::string_view file, std::string_view op, std::int64_t stage) {
            if (full()) {
                ++untold_;
                return;
            }
            ++told_;
            wlfmt::error e;
            e.kind = wlfmt::error_kind::unmatched_message;
            e.offset = static_cast<std::uint64_t>((std::min)(m.text.find(op), m.text.size()));
            e.length = op.size();
            e.field = op;
            e.found = m.batch;
            e.expected = stage;
            standard_error.append(wlfmt::explain(e, m.text, wlfmt::in_file(file),
                                                 s.strict ? wlfmt::severity::error : wlfmt::severity::warning, m.line));
        }
        void finish() const {
            if (untold_ != 0)
                standard_error.append("wlfmt: " + counted(untold_, "more message", "more messages") +
                                      " without another end\n");
            if (pairs_ != 0)
                standard_error.append("wlfmt: messages without another end between " +
                                      counted(pairs_, "more pair", "more pairs") + " of ranks\n");
        }

    private:
        std::uint64_t told_ = 0;
        std::uint64_t untold_ = 0;
        std::uint64_t pairs_ = 0;
    };

    // Removes the digits of the rank from a name.
    static std::string run_of(std::string_view file) {
        std::string name(file);
        const std::size_t rank = name.rfind("rank");
        if (rank == std::string::npos) return name;
        const std::size_t digits = rank + 4;
        const std::size_t end = (std::min)(name.find_first_not_of("0123456789", digits), name.size());
        return name.erase(digits, end - digits);
    }

    // `next` is in the stage after that of `here`.
    void compare(teller& to, const end& here, const end& next) const {
        const auto& sums = here.own.sums;
        const auto& others = next.own.sums;
        const bool forward = sums[0] != others[1];
        const bool backward = others[2] != sums[3];
        if (!forward && !backward) return;
        if (to.full()) return to.pass_over_pair();
        const std::uint64_t before = to.count();
        const message_lists own = gather(to.s, here);
        const message_lists peer = gather(to.s, next);
        if (forward) {
            tell_surplus(to, own[0], peer[1], name_of(0), next.stage);
            tell_surplus(to, peer[1], own[0], name_of(1), here.stage);
        }
        if (backward) {
            tell_surplus(to, peer[2], own[3], name_of(2), here.stage);
            tell_surplus(to, own[3], peer[2], name_of(3), next.stage);
        }
        // The files have changed since then, and no longer show which messages these were.
        if (to.count() == before) to.pass_over_pair();
    }

    // The messages of a rank, in the order of its files.
    message_lists gather(const settings& s, const end& of) const {
        message_lists all = of.own.kept;
        for (const std::size_t file : of.own.files) {
            const source& from = files_[file];
            if (!from.can_be_read_again) continue;
            input again(from.name.c_str());
            report silent(again.name(), s);
            silent.silence();
            if (again.error()) continue;
            for_each_operation(
                again, s, silent, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream& log) {
                    const std::size_t k = kind_of(op.op);
                    const auto batch = op.batch_id.as<std::int64_t>();
                    if (k == kinds_count || !batch || op.rank != of.rank || silent.blames(op.source)) return;
                    if (op.origin != wlfmt::oplog::origin::rank || op.stage_id.as<std::int64_t>() != of.stage) return;
                    all[k].push_back(message_of(op, *batch, file, log.line_of(op.source).number));
                });
        }
        return all;
    }

    // Reports the messages that have no other end among `others`, the messages of that stage.
    void tell_surplus(teller& to, const std::vector<message>& all, const std::vector<message>& others,
                      std::string_view op, std::int64_t stage) const {
        wlfmt::detail::ordered_map<std::int64_t, std::size_t> there;
        for (const message& m : others) ++there[m.batch];
        for (const message& m : all) {
            std::size_t& left = there[m.batch];
            if (left != 0)
                --left;
            else
                to.tell(m, files_[m.file].name, op, stage);
        }
    }

    wlfmt::detail::ordered_map<std::string, run> runs_;
    std::vector<source> files_;
    run* run_ = nullptr;
    std::size_t file_ = 0;
};

}  // namespace tool

#endif
