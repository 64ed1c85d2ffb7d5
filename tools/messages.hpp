// Messages between pipeline stages, matched over the files of a run.
#ifndef WLFMT_TOOLS_MESSAGES_HPP
#define WLFMT_TOOLS_MESSAGES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <wlfmt/wlfmt.hpp>

#include "output.hpp"
#include "settings.hpp"

namespace tool {

// Gathers the messages of op logs and tells, when all files are read, which of them have no other end.
//
// The n-th rank of a stage exchanges messages with the n-th one of the next stage, whatever the order of ranks. Two
// stages are compared where the run has files of as many ranks of the one as of the other: the files of other ranks may
// be elsewhere.
class messages {
public:
    // By their names: those of one run are the same but for the rank.
    void see(std::string_view file, const wlfmt::oplog::operation& op, std::uint64_t line) {
        see(run_of(file), file, op, line);
    }
    // Of a run that the program knows.
    void see(const std::string& name, std::string_view file, const wlfmt::oplog::operation& op, std::uint64_t line) {
        const auto stage = op.stage_id.as<std::int64_t>();
        if (op.origin != wlfmt::oplog::origin::rank || !stage) return;
        run& of = runs_[name];
        of.stages[*stage].try_emplace(op.rank);
        const auto batch = op.batch_id.as<std::int64_t>();
        if (!batch) return;
        for (const kind& k : kinds) {
            if (op.op != k.name) continue;
            message m;
            m.file = std::string(file);
            m.text = std::string(op.source.substr(0, 200));
            m.line = line;
            m.batch = *batch;
            of.stages[*stage][op.rank][&k - kinds].push_back(std::move(m));
        }
    }

    // How many there were.
    std::size_t tell_unmatched(const settings& s) const {
        std::size_t count = 0;
        for (const auto& [name, of] : runs_)
            for (auto here = of.stages.begin(); here != of.stages.end(); ++here) {
                const auto next = of.stages.find(here->first + 1);
                if (next == of.stages.end() || next->second.size() != here->second.size()) continue;
                auto peer = next->second.begin();
                for (const auto& [rank, own] : here->second) {
                    count += compare(s, own, 0, here->first, (peer)->second, 1, next->first);
                    count += compare(s, peer->second, 2, next->first, own, 3, here->first);
                    ++peer;
                }
            }
        return count;
    }

private:
    struct kind {
        std::string_view name;
    };
    static constexpr kind kinds[] = {{"send_forward"}, {"recv_forward"}, {"send_backward"}, {"recv_backward"}};
    struct message {
        std::string file;
        std::string text;
        std::uint64_t line = 0;
        std::int64_t batch = 0;
    };
    using of_rank = std::map<std::ptrdiff_t, std::vector<message>>;
    struct run {
        std::map<std::int64_t, std::map<std::int64_t, of_rank>> stages;
    };

    // The name without the digits of the rank.
    static std::string run_of(std::string_view file) {
        std::string name(file);
        const std::size_t rank = name.rfind("rank");
        if (rank == std::string::npos) return name;
        const std::size_t digits = rank + 4;
        const std::size_t end = std::min(name.find_first_not_of("0123456789", digits), name.size());
        return name.erase(digits, end - digits);
    }

    // Tells which of the messages that `from` sent `to` did not receive, and the other way round.
    static std::size_t compare(const settings& s, const of_rank& from, std::ptrdiff_t sends, std::int64_t sender,
                               const of_rank& to, std::ptrdiff_t receives, std::int64_t receiver) {
        std::size_t count = tell_surplus(s, from, sends, to, receives, receiver);
        return count + tell_surplus(s, to, receives, from, sends, sender);
    }
    static std::size_t tell_surplus(const settings& s, const of_rank& of, std::ptrdiff_t k, const of_rank& other,
                                    std::ptrdiff_t other_k, std::int64_t other_stage) {
        std::map<std::int64_t, std::size_t> there;
        if (const auto at = other.find(other_k); at != other.end())
            for (const message& m : at->second) ++there[m.batch];
        const auto at = of.find(k);
        if (at == of.end()) return 0;
        std::size_t count = 0;
        for (const message& m : at->second) {
            std::size_t& left = there[m.batch];
            if (left != 0) {
                --left;
                continue;
            }
            ++count;
            tell(s, m, kinds[k].name, other_stage);
        }
        return count;
    }
    static void tell(const settings& s, const message& m, std::string_view op, std::int64_t stage) {
        wlfmt::error e;
        e.kind = wlfmt::error_kind::unmatched_message;
        e.offset = static_cast<std::uint64_t>(std::min(m.text.find(op), m.text.size()));
        e.length = op.size();
        e.field = op;
        e.found = m.batch;
        e.expected = stage;
        standard_error.append(
            wlfmt::explain(e, m.text, m.file, s.strict ? wlfmt::severity::error : wlfmt::severity::warning, m.line));
    }

    std::map<std::string, run> runs_;
};

}  // namespace tool

#endif
