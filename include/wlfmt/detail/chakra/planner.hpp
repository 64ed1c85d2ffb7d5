// Checks a workload and converts it, once for all ranks, into what its traces are written from.
#ifndef WLFMT_DETAIL_CHAKRA_PLANNER_HPP
#define WLFMT_DETAIL_CHAKRA_PLANNER_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "../../parallelism.hpp"
#include "../../types/chakra.hpp"
#include "../../workload.hpp"
#include "../base/characters.hpp"
#include "../error/place.hpp"
#include "../error/problems.hpp"
#include "../lint/check.hpp"
#include "node.hpp"
#include "plan.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Checks a document and makes a plan of it.
template <class Build> class trace_planner {
public:
    trace_planner(const workload::document& doc, std::string_view text, const chakra::options& how) noexcept
        : doc_(doc), text_(text), how_(how) {}

    result<chakra::traces> plan() {
        auto to = std::make_shared<trace_plan>();
        to->passes = how_.passes;
        to->splits = how_.splits;
        to->schedule = how_.schedule;
        to->input = how_.input;
        if (read_policy(*to) && read_ranks(*to) && read_layers(*to) && read_schedule(*to))
            return chakra::traces(std::shared_ptr<const trace_plan>(std::move(to)));
        return {chakra::traces(), error_};
    }

private:
    bool refuse(error_kind kind, std::string_view place, std::string_view field, std::int64_t found = 0,
                std::int64_t expected = 0) {
        error_ = error_at(kind, place, text_, field, found, expected);
        return false;
    }

    bool read_policy(trace_plan& to) {
        const workload::header& head = doc_.header();
        to.policy = policy_table<Build>::of(head.policy);
        if (to.policy.traced == trace_policy::none)
            return refuse(error_kind::untraceable, where(head, "policy"), "policy");
        if (how_.passes < 0) return refuse(error_kind::negative_value, {}, "passes");
        if (!(how_.tick > 0)) return refuse(error_kind::negative_value, {}, "tick");
        if (how_.tick > 1e12) return refuse(error_kind::number_overflow, {}, "tick");
        if (!is_utf8(how_.input)) return refuse(error_kind::untraceable, {}, "input");
        if (how_.splits < 1) return refuse(error_kind::size_below_one, {}, "splits", how_.splits);
        is_whole_ = how_.all_gather == chakra::all_gather_size::whole ||
                    (how_.all_gather == chakra::all_gather_size::by_header && !head.find("all_gpus").is_missing());
        to.notes.forward_only = to.policy.has(in_groups) && head.find("mode") == 1;
        const double micros = how_.tick / 1000;
        const bool whole = micros == static_cast<double>(static_cast<std::int64_t>(micros));
        to.bare = !to.policy.has(in_groups) && whole;
        return true;
    }

    bool read_ranks(trace_plan& to) {
        const workload::header& head = doc_.header();
        parallelism::sizes all;
        if (how_.ranks < 0 || how_.ranks > most_ranks)
            return refuse(how_.ranks < 0 ? error_kind::negative_value : error_kind::number_overflow, {}, "ranks");
        if (!(to.policy.has(in_groups) ? read_sizes(head, all) : read_count(head, all))) return false;
        // Chakra's ranks are of 32 bits.
        if (all.ranks > most_ranks) return refuse(error_kind::number_overflow, where(head, "all_gpus"), "all_gpus");
        if (!how_.order.names_all(all)) return refuse(error_kind::untraceable, {}, "order");
        to.ranks = parallelism::layout(all, how_.order);
        const auto mixed = to.ranks.ranks_of_two_stages();
        return !mixed || refuse(error_kind::order_mismatch, {}, "order", mixed->first, mixed->second);
    }
    // The policies of Chakra's converter have no groups.
    bool read_count(const workload::header& head, parallelism::sizes& all) {
        const value declared = head.find("all_gpus");
        all.ranks = declared.is_missing() ? how_.ranks : declared.as<std::int64_t>().value_or(0);
        if (all.ranks > 0) return agrees(head, "all_gpus", all.ranks, how_.ranks);
        if (declared.is_missing()) return refuse(error_kind::header_value, end_of_header(), "all_gpus", 0, -1);
        const bool whole = declared.as<std::int64_t>().has_value();
        return refuse(whole ? error_kind::size_below_one : error_kind::not_an_integer, where(head, "all_gpus"),
                      "all_gpus", all.ranks);
    }
    bool agrees(const workload::header& head, std::string_view key, std::int64_t declared, std::int64_t given) {
        if (given == 0 || given == declared) return true;
        return refuse(error_kind::given_mismatch, where(head, key), key, declared, given);
    }
    bool read_sizes(const workload::header& head, parallelism::sizes& all) {
        const bool short_name = head.find("expert_parallel_npu_group").is_missing();
        const struct {
            std::string_view key;
            std::int64_t given;
            std::int64_t parallelism::sizes::*size;
        } options[] = {{"all_gpus", how_.ranks, &parallelism::sizes::ranks},
                       {"model_parallel_NPU_group", how_.tensor, &parallelism::sizes::tensor},
                       {"pp", how_.pipeline, &parallelism::sizes::pipeline},
                       {short_name ? "ep" : "expert_parallel_npu_group", how_.expert, &parallelism::sizes::expert}};
        // The options give the sizes that the header does not have.
        char digits[std::size(options)][max_integer_chars];
        workload::header counted = head;
        for (std::size_t n = 0; n != std::size(options); ++n) {
            if (options[n].given < 0) return refuse(error_kind::negative_value, {}, options[n].key);
            if (options[n].given == 0 || !head.find(options[n].key).is_missing()) continue;
            char* const end = write_integer(digits[n], options[n].given);
            counted.entries.edit().push_back({options[n].key, view(digits[n], end), true});
        }
        const auto sizes = parallelism::sizes_of(counted, text_);
        // SimAI only warns of a missing pp_comm, too. Without it there are no messages between stages.
        if (!sizes && sizes.error().kind != error_kind::pipeline_mismatch) {
            error_ = sizes.error();
            return false;
        }
        all = sizes.value();
        for (const auto& o : options)
            if (!agrees(head, o.key, all.*o.size, o.given)) return false;
        return true;
    }

    bool read_layers(trace_plan& to) {
        to.layers.reserve(doc_.layers.size());
        for (const workload::layer& one : doc_.layers) {
            trace_layer l;
            l.name = one.name;
            if (!is_utf8(one.name)) return refuse(error_kind::untraceable, where(one, "name"), "name");
            // Fields that a policy does not use are not checked.
            const bool micro = to.policy.traced == trace_policy::micro;
            if (!micro && !read_time(one.forward.compute, one, "forward.compute", l.forward.ns)) return false;
            if (!micro && !read_time(one.input_grad.compute, one, "input_grad.compute", l.input_grad.ns)) return false;
            if (!micro && !read_time(one.weight_grad.compute, one, "weight_grad.compute", l.weight_grad.ns))
                return false;
            if (to.policy.has(in_groups) && !read_time(one.update, one, "update", l.update_ns)) return false;
            trace_phase* const phases[] = {&l.forward, &l.input_grad, &l.weight_grad};
            for (std::size_t n = 0; n != parallelism::phase_count; ++n)
                if ((to.policy.traits >> n & 1U) != 0 && !read_comm(to, one, n, one.*phase_rows[n].of, *phases[n]))
                    return false;
            l.begins_micro_batch = one.name == how_.micro_batch;
            place_in_stage(to, l);
            l.recompute_from = to.layers.size();
            to.layers.push_back(l);
        }
        return true;
    }

    // AICB lists one stage with the layers of the first and of the last one in it, and names these.
    void place_in_stage(trace_plan& to, trace_layer& l) const {
        if (!to.policy.has(in_groups) || to.ranks.sizes().pipeline == 1) return;
        const auto begins = [&](std::string_view word) { return l.name.substr(0, word.size()) == word; };
        l.first_stage_only = begins("embedding_layer");
        l.last_stage_only = begins("final_") || begins("cross_entropy") || begins("optimizer");
        to.notes.first_stage_layers += l.first_stage_only ? 1U : 0U;
        to.notes.last_stage_layers += l.last_stage_only ? 1U : 0U;
    }

    bool read_time(const number& n, const workload::layer& one, std::string_view field, std::uint64_t& ns) {
        const auto ticks = n.as<double>();
        if (!ticks) return refuse(error_kind::not_a_number, where(one, field), field);
        const auto whole = n.as<std::int64_t>();
        const auto tick = static_cast<std::int64_t>(how_.tick);
        if (*ticks < 0) return refuse(error_kind::negative_value, where(one, field), field);
        constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)() / 2;
        if (whole && tick >= 1 && static_cast<double>(tick) == how_.tick && *whole <= most / tick) {
            ns = static_cast<std::uint64_t>(*whole * tick);
            return true;
        }
        const double rounded = *ticks * how_.tick + 0.5;
        // Returns false for nan, too.
        if (!(rounded < 4611686018427387904.0)) return refuse(error_kind::number_overflow, where(one, field), field);
        ns = static_cast<std::uint64_t>(rounded);
        return true;
    }

    bool read_comm(trace_plan& to, const workload::layer& one, std::size_t n, const workload::phase& from,
                   trace_phase& p) {
        using workload::collective;
        const phase_row& row = phase_rows[n];
        const workload::communication c = workload::communication_of(from.comm);
        if (from.comm == "None") {
            ++to.notes.nameless;
            return true;
        }
        if (c.collective == collective::other)
            return refuse(error_kind::unknown_collective, where(one, row.comm), row.comm,
                          nearest_collective(from.comm));
        const auto bytes = from.bytes.as<std::int64_t>();
        if (!bytes) return refuse(error_kind::not_an_integer, where(one, row.bytes), row.bytes);
        if (*bytes < 0) return refuse(error_kind::negative_value, where(one, row.bytes), row.bytes);
        if (c.collective == collective::none) return true;
        const std::int8_t number = collective_table<build>::rows[static_cast<std::size_t>(c.collective)].chakra;
        // SimAI has no broadcast.
        if (number < 0 || c.collective == collective::broadcast)
            return refuse(error_kind::untraceable, where(one, row.comm), row.comm);
        const auto type = static_cast<comm_type>(number);
        // Chakra's policies have no groups.
        if (!to.policy.has(in_groups) && c.group != workload::group::by_phase)
            return refuse(error_kind::untraceable, where(one, row.comm), row.comm);
        if (*bytes == 0) return true;
        p.type = static_cast<std::uint8_t>(type);
        p.bytes = *bytes;
        if (to.policy.has(in_groups)) {
            p.group = *parallelism::group_of(static_cast<parallelism::phase>(n), c);
            const std::int64_t ranks = to.ranks.size(p.group);
            if (ranks < 2) {
                ++to.notes.left_out[static_cast<std::size_t>(p.group)];
                return true;
            }
            to.groups_used[static_cast<std::size_t>(p.group)] = true;
            if (type == comm_type::all_gather && is_whole_) p.bytes = *bytes / ranks + (*bytes % ranks != 0 ? 1 : 0);
        }
        // ASTRA-sim would divide it into pieces of no bytes, and loop for ever.
        if (type == comm_type::all_gather && p.bytes < how_.splits) {
            p.bytes = how_.splits;
            ++to.notes.rounded_up;
        }
        p.comm = from.comm;
        return true;
    }

    bool read_schedule(trace_plan& to) {
        const workload::header& head = doc_.header();
        if (to.policy.has(number_follows)) {
            const auto last = head.dlrm_last_bottom_layer().as<std::int64_t>();
            if (!last) return refuse(error_kind::header_value, end_of_header(), last_bottom_layer);
            to.last_bottom_layer = *last;
        }
        if (!to.policy.has(in_groups)) return true;
        if (to.policy.has(recomputes) && !read_checkpoints(head, to)) return false;
        const auto bytes = head.pipeline_bytes().as<std::int64_t>();
        if (to.ranks.sizes().pipeline > 1 && bytes) to.message_bytes = *bytes;
        to.notes.no_messages = to.ranks.sizes().pipeline > 1 && to.message_bytes == 0;
        if (to.message_bytes == 0 && to.schedule == chakra::schedule::gpipe) return true;
        if (!count_micro_batches(head, to)) return false;
        return divide_micro_batches(head, to) && recomputes_in_chunks(head, to);
    }

    // Before a layer that initiates recomputation there has to be a checkpoint, and no other initiating layer between
    // the two: SimAI would leave the layers between the initiating ones out of the backward pass.
    bool read_checkpoints(const workload::header& head, trace_plan& to) {
        const auto count = static_cast<std::int64_t>(to.layers.size());
        std::vector<bool> checkpoint(to.layers.size());
        std::vector<bool> initiates(to.layers.size());
        for (const bool second : {false, true}) {
            const std::string_view key = second ? "checkpoint_initiates" : "checkpoints";
            const auto list = second ? head.checkpoint_initiates() : head.checkpoints();
            for (const std::int64_t n : list) {
                if (n < 0 || n >= count) return refuse(error_kind::checkpoint_range, where(head, key), key, n, count);
                (second ? initiates : checkpoint)[static_cast<std::size_t>(n)] = true;
            }
        }
        for (std::size_t n = 0; n != to.layers.size(); ++n) {
            if (!initiates[n]) continue;
            std::size_t from = n;
            while (from > 0 && (from == n || (!checkpoint[from] && !initiates[from]))) --from;
            const bool good = from < n && checkpoint[from] && !initiates[from] && !checkpoint[n];
            if (!good)
                return refuse(error_kind::checkpoint_mismatch, where(head, "checkpoint_initiates"),
                              "checkpoint_initiates", static_cast<std::int64_t>(n));
            to.layers[n].recompute_from = from;
        }
        return true;
    }

    // AICB lists the layers of the ga micro-batches one after the other. A single micro-batch may begin with any layer.
    bool count_micro_batches(const workload::header& head, trace_plan& to) {
        const number ga = head.gradient_accumulation();
        const std::int64_t expected = ga.is_missing() ? 1 : ga.as<std::int64_t>().value_or(0);
        std::int64_t found = 0;
        for (const trace_layer& l : to.layers) found += l.begins_micro_batch ? 1 : 0;
        if (found == expected) return true;
        if (found == 0 && expected == 1 && !to.layers.empty()) return to.layers[0].begins_micro_batch = true;
        return refuse(error_kind::micro_batch_mismatch, where(head, "ga"), "ga", found, expected);
    }

    // Where the chunks of each micro-batch begin.
    bool divide_micro_batches(const workload::header& head, trace_plan& to) {
        if (to.schedule == chakra::schedule::interleaved && !read_chunks(head, to)) return false;
        const std::size_t count = to.layers.size();
        for (std::size_t begin = 0; begin != count;) {
            std::size_t end = begin + 1;
            while (end != count && !to.layers[end].begins_micro_batch) ++end;
            if (to.layers[begin].begins_micro_batch) {
                ++to.batches;
                to.chunks.push_back(begin);
                if (to.chunks_of_stage != 1 && !divide_blocks(to, begin, end)) return false;
            }
            begin = end;
        }
        const std::int64_t stages = to.ranks.sizes().pipeline;
        if (to.chunks_of_stage != 1 && to.batches % stages != 0)
            return refuse(error_kind::schedule_mismatch, where(head, "ga"), "ga", to.batches, stages);
        to.chunks.push_back(count);
        return true;
    }
    // Megatron interleaves at least two chunks on at least two stages.
    bool read_chunks(const workload::header& head, trace_plan& to) {
        const std::int64_t stages = to.ranks.sizes().pipeline;
        if (stages < 2) return refuse(error_kind::schedule_mismatch, where(head, "pp"), "pp", stages, 2);
        const number vpp = head.vpp();
        if (how_.chunks == 0 && vpp.is_missing())
            return refuse(error_kind::header_value, end_of_header(), "vpp", blocks_of_stage(to), -1);
        to.chunks_of_stage = how_.chunks != 0 ? how_.chunks : vpp.as<std::int64_t>().value_or(1);
        return to.chunks_of_stage >= 2 ||
               refuse(error_kind::schedule_mismatch, where(head, "vpp"), "vpp", to.chunks_of_stage, 2);
    }
    // In each micro-batch; there is one. AICB writes this number as vpp.
    std::int64_t blocks_of_stage(const trace_plan& to) const {
        std::size_t first = 0;
        while (!to.layers[first].begins_micro_batch) ++first;
        const auto blocks = static_cast<std::int64_t>(blocks_of(to, first, to.layers.size()).size());
        return blocks / doc_.header().gradient_accumulation().as<std::int64_t>().value_or(1);
    }
    // A block begins with each layer that is called as the first one that all stages have is, but for its number. Each
    // chunk has as many blocks as any other.
    static std::vector<std::size_t> blocks_of(const trace_plan& to, std::size_t begin, std::size_t end) {
        std::vector<std::size_t> blocks;
        for (std::size_t n = begin; n != end; ++n) {
            const trace_layer& l = to.layers[n];
            if (l.first_stage_only || l.last_stage_only) continue;
            if (blocks.empty() || without_number(l.name) == without_number(to.layers[blocks[0]].name))
                blocks.push_back(n);
        }
        return blocks;
    }
    bool divide_blocks(trace_plan& to, std::size_t begin, std::size_t end) {
        const std::vector<std::size_t> blocks = blocks_of(to, begin, end);
        const auto count = static_cast<std::int64_t>(blocks.size());
        if (count == 0 || count % to.chunks_of_stage != 0)
            return refuse(error_kind::schedule_mismatch, where(doc_.layers[begin], "name"), "blocks", count,
                          to.chunks_of_stage);
        for (std::int64_t n = 1; n != to.chunks_of_stage; ++n)
            to.chunks.push_back(blocks[static_cast<std::size_t>(n * (count / to.chunks_of_stage))]);
        return true;
    }
    static std::string_view without_number(std::string_view name) noexcept {
        const std::size_t last = name.find_last_not_of("0123456789");
        name = name.substr(0, last == std::string_view::npos ? 0 : last + 1);
        return name.substr(0, name.find_last_not_of('_') + 1);
    }
    // Layers that are computed again have been computed before in the same pass.
    bool recomputes_in_chunks(const workload::header& head, const trace_plan& to) {
        if (to.schedule == chakra::schedule::gpipe) return true;
        std::size_t chunk = 0;
        for (std::size_t n = 0; n != to.layers.size(); ++n) {
            while (chunk + 1 < to.chunks.size() && to.chunks[chunk] <= n) ++chunk;
            const std::size_t begin = chunk == 0 ? 0 : to.chunks[chunk - 1];
            if (to.layers[n].recompute_from < begin)
                return refuse(error_kind::checkpoint_mismatch, where(head, "checkpoint_initiates"),
                              "checkpoint_initiates", static_cast<std::int64_t>(n));
        }
        return true;
    }

    std::string_view end_of_header() const noexcept {
        const std::string_view line = doc_.header().source.substr(0, doc_.header().source.find_first_of("\r\n"));
        return line.substr(line.size());
    }

    static constexpr std::int64_t most_ranks = (std::numeric_limits<std::int32_t>::max)();
    const workload::document& doc_;
    std::string_view text_;
    const chakra::options& how_;
    error error_;
    bool is_whole_ = false;  // all-gathers have the bytes of all ranks
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
