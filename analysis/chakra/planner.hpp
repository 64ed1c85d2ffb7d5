// Checks a workload and converts it, once for all ranks, into the plan from which its traces are written.
#ifndef WLFMT_ANALYSIS_CHAKRA_PLANNER_HPP
#define WLFMT_ANALYSIS_CHAKRA_PLANNER_HPP

#include <iterator>

#include <wlfmt/lint.hpp>

#include "../library.hpp"
#include "../simulators/simulators.hpp"
#include "workload.hpp"

namespace wlfmt::analysis {

// Checks a document and makes its plan. Each step returns false after an error.
class trace_planner : trace_source {
public:
    trace_planner(const workload::document& doc, std::string_view text, const chakra::options& options)
        : trace_source(text), doc_(doc), head_(doc.header), shared_(std::make_shared<trace_plan>()) {
        plan_.options = options;
    }

    result<chakra::traces> plan() {
        if (!read_policy() || !read_ranks() || !read_layers() || !read_schedule()) return {chakra::traces(), error_};
        for (std::size_t n = 0; n != parallelism::group_count; ++n)
            if (groups_used_[n]) plan_.groups.add(n);
        if (!check_nodes()) return {chakra::traces(), error_};
        return chakra::traces(std::move(shared_));
    }

private:
    bool refuse_option(error_kind kind, std::string_view name, std::int64_t found = 0, std::int64_t expected = 0) {
        return refuse_at(kind, {}, name, found, expected);
    }

    // Checks that every stage has nodes. One rank of each stage is enough, as all of its ranks have the same nodes.
    bool check_nodes() {
        output nowhere;
        for (std::int64_t stage = 0; stage != plan_.groups.stages(); ++stage)
            if (!workload_trace(nowhere, plan_, plan_.groups.rank_of_stage(0, stage)).has_nodes())
                return refuse(error_kind::empty_trace, head_, "policy", stage);
        return true;
    }

    bool read_policy() {
        plan_.policy = workload::policies::of(head_.policy);
        if (plan_.policy.traced == workload::policies::trace_policy::none)
            return refuse(error_kind::untraceable, head_, "policy");
        if (options_.passes < 1) return refuse_option(error_kind::size_below_one, "passes", options_.passes);
        if (!(options_.tick > 0)) return refuse_option(error_kind::negative_value, "tick");
        if (options_.tick > 1e12) return refuse_option(error_kind::number_overflow, "tick");
        if (!is_utf8(options_.input)) return refuse_option(error_kind::untraceable, "input");
        if (options_.splits < 1) return refuse_option(error_kind::size_below_one, "splits", options_.splits);
        in_groups_ = plan_.policy.has(workload::policies::in_groups);
        is_whole_ = options_.all_gather == chakra::all_gather_size::whole ||
                    (options_.all_gather == chakra::all_gather_size::by_header && in_groups_ &&
                     !head_.find("all_gpus").is_missing());
        plan_.notes.forward_only = in_groups_ && head_.find("mode") == 1;
        const double micros = options_.tick / 1000;
        plan_.bare = !in_groups_ && micros == static_cast<double>(static_cast<std::int64_t>(micros));
        return true;
    }

    bool read_ranks() {
        parallelism::sizes sizes;
        if (options_.ranks < 0) return refuse_option(error_kind::negative_value, "ranks");
        if (options_.ranks > max_ranks) return refuse_option(error_kind::number_overflow, "ranks");
        if (!(in_groups_ ? read_sizes(sizes) : read_count(sizes))) return false;
        // Chakra's ranks have 32 bits.
        if (sizes.ranks > max_ranks) return refuse(error_kind::number_overflow, head_, "all_gpus");
        if (!options_.order.names_all(sizes)) return refuse_option(error_kind::untraceable, "order");
        const parallelism::layout ranks(sizes, options_.order);
        plan_.groups = named_groups(ranks);
        const auto mixed = ranks.ranks_of_two_stages();
        return !mixed || refuse_option(error_kind::order_mismatch, "order", mixed->first, mixed->second);
    }
    // As the policies of Chakra's converter have no groups, only the number of ranks is read.
    bool read_count(parallelism::sizes& sizes) {
        const value declared = head_.find("all_gpus");
        const auto count = declared.as<std::int64_t>();
        sizes.ranks = declared.is_missing() ? options_.ranks : count.value_or(0);
        if (sizes.ranks > 0) return agrees("all_gpus", sizes.ranks, options_.ranks);
        if (declared.is_missing()) return refuse_at(error_kind::header_value, end_of_header(), "all_gpus", 0, -1);
        return refuse(count ? error_kind::size_below_one : error_kind::not_an_integer, head_, "all_gpus", sizes.ranks);
    }
    bool agrees(std::string_view key, std::int64_t declared, std::int64_t given) {
        return given == 0 || given == declared || refuse(error_kind::given_mismatch, head_, key, declared, given);
    }
    bool read_sizes(parallelism::sizes& sizes) {
        const bool short_name = head_.find("expert_parallel_npu_group").is_missing();
        const struct {
            std::string_view key;
            std::int64_t given;
            std::int64_t parallelism::sizes::*size;
        } options[] = {{"all_gpus", options_.ranks, &parallelism::sizes::ranks},
                       {"model_parallel_NPU_group", options_.tensor, &parallelism::sizes::tensor},
                       {"pp", options_.pipeline, &parallelism::sizes::pipeline},
                       {short_name ? "ep" : "expert_parallel_npu_group", options_.expert, &parallelism::sizes::expert}};
        // The options give the sizes that the header lacks.
        std::string digits[std::size(options)];
        workload::header counted = head_;
        for (std::size_t n = 0; n != std::size(options); ++n) {
            if (options[n].given < 0) return refuse_option(error_kind::negative_value, options[n].key);
            if (options[n].given == 0 || !head_.find(options[n].key).is_missing()) continue;
            digits[n] = std::to_string(options[n].given);
            counted.entries.edit().push_back({options[n].key, digits[n], true});
        }
        const auto read = parallelism::sizes_of(counted, text_);
        // A missing pp_comm only means that stages exchange no messages; SimAI warns of that but accepts it.
        if (!read && read.error().kind != error_kind::pipeline_mismatch) {
            error_ = read.error();
            return false;
        }
        sizes = read.partial();
        for (const auto& o : options)
            if (!agrees(o.key, sizes.*o.size, o.given)) return false;
        return true;
    }

    bool read_layers() {
        // Fields that a policy does not use are not checked.
        const bool timed = plan_.policy.traced != workload::policies::trace_policy::micro;
        trace_phase trace_layer::*const phases[] = {&trace_layer::forward, &trace_layer::input_grad,
                                                    &trace_layer::weight_grad};
        plan_.layers.reserve(doc_.layers.size());
        for (const workload::layer& layer : doc_.layers) {
            trace_layer l;
            l.name = layer.name;
            if (!is_utf8(layer.name)) return refuse(error_kind::untraceable, layer, "name");
            for (std::size_t n = 0; n != parallelism::phase_count && timed; ++n)
                if (!read_time((layer.*workload::phase_rows[n].member).compute, layer, workload::phase_rows[n].compute,
                               (l.*phases[n]).ns))
                    return false;
            if (in_groups_ && !read_time(layer.update, layer, "update", l.update_ns)) return false;
            for (std::size_t n = 0; n != parallelism::phase_count; ++n)
                if ((plan_.policy.traits >> n & 1U) != 0 && !read_comm(layer, n, l.*phases[n])) return false;
            l.begins_micro_batch = layer.name == options_.micro_batch;
            place_in_stage(l);
            l.recompute_from = plan_.layers.size();
            plan_.layers.push_back(l);
        }
        return true;
    }

    // AICB lists the layers of all stages together; those with these names are only in the first or the last stage.
    void place_in_stage(trace_layer& l) {
        if (!in_groups_ || plan_.groups.stages() == 1) return;
        const auto begins = [&](std::string_view word) { return l.name.substr(0, word.size()) == word; };
        l.first_stage_only = begins("embedding_layer");
        l.last_stage_only = begins("final_") || begins("cross_entropy") || begins("optimizer");
        plan_.notes.first_stage_layers += l.first_stage_only ? 1U : 0U;
        plan_.notes.last_stage_layers += l.last_stage_only ? 1U : 0U;
    }

    bool read_time(const number& n, const workload::layer& layer, std::string_view field, std::uint64_t& ns) {
        const auto ticks = n.as<double>();
        if (!ticks) return refuse(error_kind::not_a_number, layer, field);
        const auto whole = n.as<std::int64_t>();
        const auto tick = static_cast<std::int64_t>(options_.tick);
        if (*ticks < 0) return refuse(error_kind::negative_value, layer, field);
        constexpr std::int64_t greatest = (std::numeric_limits<std::int64_t>::max)() / 2;
        if (whole && tick >= 1 && static_cast<double>(tick) == options_.tick && *whole <= greatest / tick) {
            ns = static_cast<std::uint64_t>(*whole * tick);
            return true;
        }
        const double rounded = *ticks * options_.tick + 0.5;
        if (!(rounded < 4611686018427387904.0))  // refuses NaN, too
            return refuse(error_kind::number_overflow, layer, field, 0, 62);
        ns = static_cast<std::uint64_t>(rounded);
        return true;
    }

    bool read_comm(const workload::layer& layer, std::size_t n, trace_phase& p) {
        using workload::collective;
        const workload::phase_row& row = workload::phase_rows[n];
        const workload::phase& from = layer.*row.member;
        const workload::communication c = workload::communication_of(from.comm);
        if (from.comm == "None") {
            ++plan_.notes.nameless;
            return true;
        }
        if (c.collective == collective::other)
            return refuse(error_kind::unknown_collective, layer, row.comm, lint::nearest_collective(from.comm));
        const auto bytes = from.bytes.as<std::int64_t>();
        if (!bytes) return refuse(error_kind::not_an_integer, layer, row.bytes);
        if (*bytes < 0) return refuse(error_kind::negative_value, layer, row.bytes);
        if (c.collective == collective::none) {
            plan_.notes.unmoved += *bytes != 0 ? 1U : 0U;
            return true;
        }
        const workload::collectives::row& known = workload::collectives::rows[static_cast<std::size_t>(c.collective)];
        // Traces of workload files have what SimAI has, which is no broadcast. Chakra's policies have no groups.
        const bool grouped = c.group != workload::group::by_phase;
        if (known.chakra < 0 || !known.in_simai || (grouped && !in_groups_))
            return refuse(error_kind::untraceable, layer, row.comm);
        if (*bytes == 0) return true;
        p.type = static_cast<comm_type>(known.chakra);
        p.bytes = *bytes;
        if (in_groups_) {
            p.group = *parallelism::group_of(static_cast<parallelism::phase>(n), c);
            if (plan_.groups.ranks().size(p.group) < 2) {
                ++plan_.notes.left_out[static_cast<std::size_t>(p.group)];
                return true;
            }
            groups_used_[static_cast<std::size_t>(p.group)] = true;
        }
        const std::int64_t all = plan_.groups.ranks().sizes().ranks;
        const std::int64_t ranks = in_groups_ ? plan_.groups.ranks().size(p.group) : all;
        if (p.type == comm_type::all_gather && is_whole_) {
            p.bytes = *bytes / ranks + (*bytes % ranks != 0 ? 1 : 0);
        } else if (p.type == comm_type::all_gather && !in_groups_) {
            plan_.notes.shares += 1;
        }
        // ASTRA-sim would split fewer bytes into pieces of 0 bytes and loop forever.
        const std::size_t place = plan_.layers.size();
        if (p.type == comm_type::all_gather && p.bytes < options_.splits) {
            p.bytes = options_.splits;
            ++plan_.notes.rounded_up;
            plan_.notes.raised.push_back({place, n, is_whole_ ? options_.splits * ranks : options_.splits});
        } else if (p.type != comm_type::all_gather && p.bytes / options_.splits < all) {
            plan_.notes.raised.push_back({place, n, options_.splits * all});
        }
        p.comm = from.comm;
        return true;
    }

    bool read_schedule() {
        if (plan_.policy.has(workload::policies::number_follows)) {
            const auto last = head_.dlrm_last_bottom_layer().as<std::int64_t>();
            if (!last) return refuse_at(error_kind::header_value, end_of_header(), workload::last_bottom_layer);
            plan_.last_bottom_layer = *last;
        }
        if (!in_groups_) return true;
        if (plan_.policy.has(workload::policies::recomputes) && !read_checkpoints()) return false;
        const bool staged = plan_.groups.stages() > 1;
        if (staged) plan_.message_bytes = head_.pipeline_bytes().as<std::int64_t>().value_or(0);
        plan_.notes.no_messages = staged && plan_.message_bytes == 0;
        if (plan_.message_bytes == 0 && options_.schedule == chakra::schedule::gpipe) return true;
        return count_micro_batches() && divide_micro_batches() && recomputes_in_chunks();
    }

    bool read_checkpoints() {
        const auto count = static_cast<std::int64_t>(plan_.layers.size());
        std::vector<bool> checkpoint(plan_.layers.size());
        std::vector<bool> initiates(plan_.layers.size());
        for (const bool second : {false, true}) {
            for (const std::int64_t n : second ? head_.checkpoint_initiates() : head_.checkpoints()) {
                if (n < 0 || n >= count)
                    return refuse(error_kind::checkpoint_range, head_, second ? "checkpoint_initiates" : "checkpoints",
                                  n, count);
                (second ? initiates : checkpoint)[static_cast<std::size_t>(n)] = true;
            }
        }
        const recomputation found = recomputation_of(checkpoint, initiates);
        if (found.stray) return refuse_checkpoint(*found.stray);
        for (std::size_t n = 0; n != plan_.layers.size(); ++n)
            if (found.from[n]) plan_.layers[n].recompute_from = *found.from[n];
        return true;
    }
    bool refuse_checkpoint(std::size_t layer) {
        return refuse(error_kind::checkpoint_mismatch, head_, "checkpoint_initiates", static_cast<std::int64_t>(layer));
    }

    // AICB lists the layers of the micro-batches one after another; `ga` is the number of micro-batches. A single
    // micro-batch may begin with any layer.
    bool count_micro_batches() {
        const number ga = head_.gradient_accumulation();
        const std::int64_t expected = ga.is_missing() ? 1 : ga.as<std::int64_t>().value_or(0);
        std::int64_t found = 0;
        for (const trace_layer& l : plan_.layers) found += l.begins_micro_batch ? 1 : 0;
        if (found == expected) return true;
        if (found == 0 && expected == 1 && !plan_.layers.empty()) return plan_.layers[0].begins_micro_batch = true;
        return refuse(error_kind::micro_batch_mismatch, head_, "ga", found, expected);
    }

    // Finds where the chunks of each micro-batch begin.
    bool divide_micro_batches() {
        if (options_.schedule == chakra::schedule::interleaved && !read_chunks()) return false;
        const std::size_t count = plan_.layers.size();
        for (std::size_t begin = 0; begin != count;) {
            std::size_t end = begin + 1;
            while (end != count && !plan_.layers[end].begins_micro_batch) ++end;
            if (plan_.layers[begin].begins_micro_batch) {
                ++plan_.batches;
                plan_.chunks.push_back(begin);
                if (plan_.chunks_of_stage != 1 && !divide_blocks(begin, end)) return false;
            }
            begin = end;
        }
        if (plan_.chunks_of_stage != 1 && plan_.batches % plan_.groups.stages() != 0)
            return refuse(error_kind::schedule_mismatch, head_, "ga", plan_.batches, plan_.groups.stages());
        plan_.chunks.push_back(count);
        return true;
    }
    // Megatron interleaves at least two chunks on at least two stages.
    bool read_chunks() {
        const std::int64_t stages = plan_.groups.stages();
        if (stages < 2) return refuse(error_kind::schedule_mismatch, head_, "pp", stages, 2);
        const number vpp = head_.vpp();
        if (options_.chunks == 0 && vpp.is_missing())
            return refuse_at(error_kind::header_value, end_of_header(), "vpp", blocks_per_micro_batch(), -1);
        plan_.chunks_of_stage = options_.chunks != 0 ? options_.chunks : vpp.as<std::int64_t>().value_or(1);
        return plan_.chunks_of_stage >= 2 ||
               refuse(error_kind::schedule_mismatch, head_, "vpp", plan_.chunks_of_stage, 2);
    }
    // The number of blocks in each micro-batch. Call it only if there is a micro-batch. AICB writes this number as vpp.
    std::int64_t blocks_per_micro_batch() const {
        std::size_t first = 0;
        while (!plan_.layers[first].begins_micro_batch) ++first;
        const auto blocks = static_cast<std::int64_t>(blocks_of(first, plan_.layers.size()).size());
        return blocks / head_.gradient_accumulation().as<std::int64_t>().value_or(1);
    }
    // The positions of the first layers of the blocks. A block begins with each layer whose name, without its number,
    // is that of the first layer that all stages have. All chunks have the same number of blocks.
    std::vector<std::size_t> blocks_of(std::size_t begin, std::size_t end) const {
        std::vector<std::size_t> blocks;
        for (std::size_t n = begin; n != end; ++n) {
            const trace_layer& l = plan_.layers[n];
            if (l.first_stage_only || l.last_stage_only) continue;
            if (blocks.empty() || without_number(l.name) == without_number(plan_.layers[blocks[0]].name))
                blocks.push_back(n);
        }
        return blocks;
    }
    bool divide_blocks(std::size_t begin, std::size_t end) {
        const std::vector<std::size_t> blocks = blocks_of(begin, end);
        const auto count = static_cast<std::int64_t>(blocks.size());
        if (count == 0 || count % plan_.chunks_of_stage != 0)
            return refuse_at(error_kind::schedule_mismatch, where(doc_.layers[begin], "name"), "blocks", count,
                             plan_.chunks_of_stage);
        for (std::int64_t n = 1; n != plan_.chunks_of_stage; ++n)
            plan_.chunks.push_back(blocks[static_cast<std::size_t>(n * (count / plan_.chunks_of_stage))]);
        return true;
    }
    static std::string_view without_number(std::string_view name) noexcept {
        const std::size_t last = name.find_last_not_of("0123456789");
        name = name.substr(0, last == std::string_view::npos ? 0 : last + 1);
        return name.substr(0, name.find_last_not_of('_') + 1);
    }
    // Checks that no layer's backward pass recomputes layers from before its own chunk.
    bool recomputes_in_chunks() {
        if (options_.schedule == chakra::schedule::gpipe) return true;
        std::size_t next = 0;  // the position in `chunks` of the first chunk after the layer
        for (std::size_t n = 0; n != plan_.layers.size(); ++n) {
            while (plan_.chunks[next] <= n) ++next;
            if (next != 0 && plan_.layers[n].recompute_from < plan_.chunks[next - 1]) return refuse_checkpoint(n);
        }
        return true;
    }

    std::string_view end_of_header() const noexcept {
        const std::string_view line = head_.source.substr(0, head_.source.find_first_of("\r\n"));
        return line.substr(line.size());
    }

    static constexpr std::int64_t max_ranks = (std::numeric_limits<std::int32_t>::max)();
    const workload::document& doc_;
    const workload::header& head_;
    std::shared_ptr<trace_plan> shared_;
    trace_plan& plan_ = *shared_;
    const chakra::options& options_ = plan_.options;
    bool in_groups_ = false;  // the policy's collectives are among the ranks of groups
    bool is_whole_ = false;   // the size of an all-gather is that of all ranks together
    bool groups_used_[parallelism::group_count] = {};
};

}  // namespace wlfmt::analysis

#endif
