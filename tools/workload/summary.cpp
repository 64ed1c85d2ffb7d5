#include "summary.hpp"
#include "blocks.hpp"
#include "facts.hpp"

namespace tool {

std::string_view phase_name(std::size_t n) {
    return wlfmt::parallelism::name_of(static_cast<wlfmt::parallelism::phase>(n));
}
const wlfmt::workload::phase& phase_of(const wlfmt::workload::layer& layer, std::size_t n) noexcept {
    return n == 0 ? layer.forward : n == 1 ? layer.input_grad : layer.weight_grad;
}
double bytes_of(const wlfmt::workload::phase& phase) noexcept {
    return communicates(phase) ? phase.bytes.value_or(0.0) : 0;
}

void layer_sums::add(const wlfmt::workload::layer& layer) {
    for (std::size_t n = 0; n != phase_count; ++n) {
        const wlfmt::workload::phase& phase = phase_of(layer, n);
        ticks[n] += phase.compute.value_or(0.0);
        calls += communicates(phase) ? 1 : 0;
        bytes[n] += bytes_of(phase);
    }
    ticks[update_time] += layer.update.value_or(0.0);
}

std::string unnumbered(std::string_view name) {
    std::string unnumbered_name;
    for (const char c : name)
        if (c < '0' || c > '9') unnumbered_name += c;
    return unnumbered_name;
}
std::string kind_of_layer(const wlfmt::workload::layer& layer) {
    std::string kind = unnumbered(layer.name);
    for (std::size_t n = 0; n != phase_count; ++n) kind.append("\n").append(phase_of(layer, n).comm);
    return kind;
}

void layer_blocks::add(const wlfmt::workload::layer& layer) {
    block single;
    single.first = names_.size();
    single.count = 1;
    single.kind = kinds_.number_of(kind_of_layer(layer));
    names_.emplace_back(layer.name);
    layers_.push_back(std::move(single));
}
std::vector<layer_blocks::block> layer_blocks::blocks() {
    std::vector<block> folded_layers = folded(layers_);
    for (block& top : folded_layers) fold_parts(top);
    return folded_layers;
}
std::vector<std::size_t> layer_blocks::places() {
    std::vector<std::size_t> first_places(layers_.size());
    for (std::size_t n = 0; n != first_places.size(); ++n) first_places[n] = n;
    for (const block& top : blocks()) set_places(top, first_places);
    return first_places;
}
std::string layer_blocks::title_of(const std::vector<block>& shown, std::uint64_t times) const {
    std::string names = names_of(shown);
    if (times == 1) return names;
    return joined({times, " x ", shown.size() == 1 && shown[0].parts.empty() ? names : joined({"(", names, ")"})});
}
std::vector<std::string> layer_blocks::names_in(const block& shown) const {
    const auto first = names_.begin() + static_cast<std::ptrdiff_t>(shown.first);
    return {first, first + static_cast<std::ptrdiff_t>(shown.count)};
}
std::vector<layer_blocks::block> layer_blocks::folded(std::vector<block> list) {
    for (std::size_t before = 0; before != list.size();) {
        before = list.size();
        list = folded_once(list);
    }
    return list;
}
std::vector<layer_blocks::block> layer_blocks::folded_once(const std::vector<block>& list) {
    std::vector<block> shorter;
    const std::size_t end = list.size();
    for (std::size_t at = 0; at != end;) {
        std::size_t best_size = 1;
        std::size_t best_times = 1;
        for (std::size_t size = 1; size <= max_in_block && at + 2 * size <= end; ++size) {
            std::size_t alike = 0;
            while (at + size + alike != end && list[at + alike].kind == list[at + size + alike].kind) ++alike;
            const std::size_t times = alike / size + 1;
            if (times > 1 && times * size > best_times * best_size) {
                best_times = times;
                best_size = size;
            }
            if (at + size + alike == end) break;
        }
        if (best_times == 1) shorter.push_back(list[at]);
        else shorter.push_back(repeated(list, at, best_size, best_times));
        at += best_size * best_times;
    }
    return shorter;
}
layer_blocks::block layer_blocks::repeated(const std::vector<block>& list, std::size_t at, std::size_t size,
                                           std::size_t times) {
    block repetition;
    repetition.first = list[at].first;
    repetition.times = times;
    std::string kind = joined({times, " x"});
    for (std::size_t n = at; n != at + size; ++n) {
        repetition.count += list[n].size();
        kind += joined({" ", list[n].kind});
    }
    // No layer has this kind: the words of a layer contain no blanks.
    repetition.kind = kinds_.number_of(kind);
    repetition.parts = {list.begin() + static_cast<std::ptrdiff_t>(at),
                        list.begin() + static_cast<std::ptrdiff_t>(at + size)};
    return repetition;
}
void layer_blocks::fold_parts(block& outer) {  // NOLINT(misc-no-recursion)
    if (outer.parts.size() > 1) outer.parts = folded(std::move(outer.parts));
    for (block& part : outer.parts) fold_parts(part);
}
// NOLINTNEXTLINE(misc-no-recursion)
void layer_blocks::set_places(const block& outer, std::vector<std::size_t>& first_places) {
    for (const block& part : outer.parts) set_places(part, first_places);
    for (std::size_t n = outer.count; n < outer.size(); ++n)
        first_places[outer.first + n] = first_places[outer.first + n - outer.count];
}
std::string layer_blocks::names_of(const std::vector<block>& list) const {  // NOLINT(misc-no-recursion)
    constexpr std::size_t max_names = 6;
    std::string names;
    for (std::size_t n = 0; n != (std::min)(list.size(), max_names); ++n) {
        const block& shown = list[n];
        if (n != 0) names += ", ";
        if (shown.parts.empty()) names += names_[shown.first];
        else if (shown.count == 1) names += joined({shown.times, " x ", names_of(shown.parts)});
        else names += joined({shown.times, " x (", names_of(shown.parts), ")"});
    }
    if (list.size() > max_names) names += joined({" and ", list.size() - max_names, " more"});
    return names;
}

workload_counts::workload_counts(const wlfmt::workload::header& head, std::string_view whole)
    : header(head),
      text(whole),
      policy(wlfmt::parallelism::facts_of(head.policy)),
      sizes(*wlfmt::parallelism::sizes_of(head, whole)) {
    const auto declared = head.declared_layers.as<std::int64_t>().value_or(0);
    wlfmt::lint::examine(head, declared, whole, [&](const wlfmt::problem& e) { count_limit(e); });
}
void workload_counts::add(const wlfmt::workload::layer& layer) {
    ++layers;
    const bool begins_batch = layer.name == micro_batch;
    const std::string name = unnumbered(layer.name);
    if (batches != 0 && !begins_batch && first_of_block_.empty()) first_of_block_ = name;
    if (begins_batch) ++batches;
    if (!first_of_block_.empty() && name == first_of_block_) ++blocks;
    for (std::size_t n = 0; n != phase_count; ++n) add(phase_of(layer, n), n);
    if (sizes.known()) wlfmt::lint::examine(layer, sizes, text, [&](const wlfmt::problem& e) { count_limit(e); });
}
std::optional<std::uint64_t> workload_counts::entry(std::string_view key) const {
    const auto n = header.find(key).as<std::int64_t>();
    if (!n || *n < 1) return std::nullopt;
    return static_cast<std::uint64_t>(*n);
}
void workload_counts::add(const wlfmt::workload::phase& phase, std::size_t n) {
    const auto c = wlfmt::workload::communication_of(phase.comm);
    const bool is_traced = policy.communicates[n];
    if (c.collective == collective::none) {
        silent += is_traced ? 1U : 0U;
        return;
    }
    const bool is_nameless = phase.comm == "None";
    unknown += c.collective == collective::other && !is_nameless ? 1U : 0U;
    broadcasts += c.collective == collective::broadcast ? 1U : 0U;
    joint += c.collective == collective::allreduce_all_to_all ? 1U : 0U;
    gathers += c.collective == collective::allgather ? 1U : 0U;
    named_data += c.group == wlfmt::workload::group::data_parallel ? 1U : 0U;
    if (is_traced && !is_nameless) {
        const auto row = static_cast<std::size_t>(c.collective);
        const auto& rows = wlfmt::workload::collectives::rows;
        const bool has_node = c.collective != collective::other && rows[row].chakra >= 0 && rows[row].in_simai;
        const bool has_group = c.group == wlfmt::workload::group::by_phase || policy.has_groups;
        refused += has_node && has_group ? 0 : 1;
    }
    if (const auto kind = wlfmt::parallelism::group_of(static_cast<wlfmt::parallelism::phase>(n), c))
        ++calls_[static_cast<std::size_t>(*kind)];
}
void workload_counts::count_limit(const wlfmt::problem& e) {
    const wlfmt::lint::simulator_limit* const limit = wlfmt::lint::limit_of(e);
    if (limit == nullptr) return;
    for (auto& [known, count] : limits)
        if (known == limit) return void(++count);
    limits.push_back({limit, 1});
}

workload_facts::workload_facts(const workload_counts& file) : file_(file) {
    if (file.has_stages()) {
        say_stages();
        say_micro_batches();
    }
    say_simulators();
    say_simai();
    say_chakra();
}
void workload_facts::say(std::string_view about, std::string_view name, parts text) {
    facts_.push_back({about, name, joined(text)});
}
void workload_facts::say_condition(std::string_view name, std::uint64_t count) {
    const auto& row = wlfmt::analysis::simulators::condition_named(name);
    say("simai", name,
        {row.simulator, " does not take a file with ", row.what,
         count > 1 ? joined({", of which there are ", count}) : "", ": ", row.result});
}

void workload_facts::say_stages() {
    const std::int64_t stages = file_.sizes.pipeline;
    if (stages == 1) return say("file", "whole_model", {"it holds the whole model, which has one pipeline stage"});
    const std::string all_stages = joined({stages, " pipeline stages"});
    const auto vpp = file_.entry("vpp");
    const std::string blocks =
        file_.batches == 0 ? ""
                           : counted(file_.blocks / file_.batches, "block", "blocks") + " of layers in a micro-batch";
    if (vpp && file_.batches != 0 && file_.blocks == file_.batches * *vpp)
        return say("file", "one_stage", {"it holds one of ", all_stages, ": it has ", blocks, ", as vpp says"});
    if (vpp && file_.batches != 0 && *vpp <= file_.blocks &&
        file_.blocks == file_.batches * *vpp * static_cast<std::uint64_t>(stages))
        return say("file", "all_stages", {"it holds all ", all_stages, ": it has ", blocks, ", pp times vpp"});
    const std::string found = counted(file_.batches, "micro-batch", "micro-batches");
    const std::string why = file_.batches == 0 ? joined({"no layer is called ", file_.micro_batch})
                            : !vpp             ? "vpp is missing"
                                   : joined({"it has ", file_.blocks, " blocks in ", found, ", and vpp is ", *vpp});
    say("file", "unknown_stages", {"whether it holds one or all of ", all_stages, " cannot be told: ", why});
}
void workload_facts::say_micro_batches() {
    const auto ga = file_.entry("ga");
    if (!ga) return;
    if (file_.batches == *ga && *ga == 1)
        say("file", "one_micro_batch", {"it holds one micro-batch, which is all of them: ga is 1"});
    else if (file_.batches == *ga)
        say("file", "all_micro_batches",
            {"it holds all ", *ga, " micro-batches (ga), one after the other: sums are those of a step"});
    else if (file_.batches == 1)
        say("file", "first_micro_batch",
            {"it holds one micro-batch, and ga is ", *ga, ": sums are those of one of them"});
    else if (file_.batches != 0)
        say("file", "other_micro_batches",
            {"it holds ", file_.batches, " layers called ", file_.micro_batch,
             ", each of which begins a micro-batch, and ga is ", *ga});
    else if (*ga > 1)
        say("file", "unknown_micro_batches",
            {"whether it holds the ", *ga, " micro-batches (ga) cannot be told: no layer is called ",
             file_.micro_batch});
}
void workload_facts::say_simulators() {
    if (!file_.policy.is_known)
        say("simulators", "unknown_policy", {"no simulator that is known has the policy ", file_.header.policy});
    else if (!file_.policy.is_simulated)
        say("simulators", "policy_of_forks",
            {"neither ASTRA-sim nor SimAI has the policy ", file_.header.policy, ", which forks of them have"});
    if (file_.policy.is_simulated && file_.policy.has_groups && file_.header.find("all_gpus").is_missing())
        say("simulators", "no_ranks",
            {"the header has no all_gpus, as in files for ASTRA-sim 1.0: the simulator has to be told of how many "
             "ranks it is"});
    if (file_.unknown != 0)
        say("simulators", "unknown_collectives",
            {"ASTRA-sim and SimAI take ", counted(file_.unknown, "collective", "collectives"),
             " of a name that they do not know for no communication"});
}
void workload_facts::say_simai() {
    if (!file_.policy.is_simulated) return;
    const auto declared = file_.header.declared_layers.as<std::int64_t>();
    const auto layers = static_cast<std::uint64_t>(declared.value_or(-1));
    if (declared && *declared >= 0 && layers < file_.layers) say_condition("fewer_layers");
    if (declared && *declared > 0 && layers > file_.layers) say_condition("missing_layers", layers - file_.layers);
    if (file_.joint != 0) say_condition("joint_collectives", file_.joint);
    if (file_.broadcasts != 0) say_condition("broadcasts", file_.broadcasts);
    if (file_.named_data != 0) say_condition("data_suffix", file_.named_data);
    bool differ = false;
    for (const std::string_view key : {"checkpoints", "checkpoint_initiates"}) {
        const auto list = key == "checkpoints" ? file_.header.checkpoints() : file_.header.checkpoint_initiates();
        for (const std::int64_t n : list) differ = differ || n != *list.begin();
    }
    if (differ) say_condition("first_checkpoint");
    for (const auto& [limit, count] : file_.limits) {
        if (limit->name == "no_expert_groups" && file_.calls(wlfmt::parallelism::group::expert_parallel) == 0) continue;
        say_condition(limit->name, count);
    }
    if (!file_.has_stages()) return;
    if (file_.sizes.pipeline > 1) {
        say("simai", "one_stage",
            {"SimAI simulates these layers on all ranks, as one stage, and adds what ",
             counted(static_cast<std::uint64_t>(file_.sizes.pipeline) - 1, "further stage takes",
                     "further stages take"),
             " by a formula"});
        const auto data = wlfmt::parallelism::simai_sizes(file_.sizes).data;
        if (file_.calls(wlfmt::parallelism::group::data_parallel) != 0 && data != file_.sizes.data)
            say("simai", "data_groups",
                {"SimAI's data parallel groups have ", data, " ranks, of all stages; AICB's and Megatron's ",
                 file_.sizes.data});
    }
}
void workload_facts::say_chakra() {
    if (!file_.policy.is_traced)
        return say("chakra", "refused_policy",
                   {"neither Chakra's converter nor `wlfmt chakra` takes the policy ", file_.header.policy});
    if (file_.policy.has_groups) {
        say("chakra", "own_policy",
            {"Chakra's converter does not have the policy; `wlfmt chakra` traces what SimAI simulates, every stage "
             "with the layers of the file"});
        if (file_.gathers != 0)
            say("chakra", "gathers",
                {"`wlfmt chakra` takes the bytes of an ALLGATHER for ",
                 file_.header.find("all_gpus").is_missing()
                     ? "those of one rank, as in files for ASTRA-sim 1.0: there is no all_gpus"
                     : "those of all ranks of its group, as SimAI does"});
    } else {
        say("chakra", "all_ranks", {"to Chakra's converter each collective is one of all ranks"});
        if (file_.silent != 0)
            say("chakra", "silent_collectives",
                {"Chakra's converter makes an all-reduce of ", counted(file_.silent, "NONE", "NONE"),
                 ", of which `wlfmt chakra` makes nothing"});
    }
    if (file_.refused != 0)
        say("chakra", "refused_collectives",
            {"`wlfmt chakra` refuses the file: ", counted(file_.refused, "collective has", "collectives have"),
             " no counterpart there"});
    if (!file_.has_stages() || file_.sizes.pipeline < 2) return;
    if (file_.header.pipeline_bytes().as<std::int64_t>().value_or(0) <= 0)
        return say("chakra", "no_messages",
                   {"without pp_comm there are no messages between the stages: in a trace they are side by side"});
    const std::uint64_t expected = file_.entry("ga").value_or(1);
    if (expected != file_.batches && !(expected == 1 && file_.batches == 0))
        say("chakra", "other_micro_batches",
            {"`wlfmt chakra` refuses the file: ", counted(file_.batches, "layer begins", "layers begin"),
             " a micro-batch, and ga is ", expected});
}

static std::vector<group_traffic> traffic_of(const wlfmt::parallelism::sizes& sizes,
                                             const wlfmt::parallelism::traffic& traffic) {
    using wlfmt::parallelism::group;
    const wlfmt::parallelism::layout ranks(sizes);
    std::vector<group_traffic> kinds;
    for (const group kind : {group::tensor_parallel, group::data_parallel, group::expert_parallel,
                             group::expert_data_parallel, group::pipeline_parallel}) {
        group_traffic& sums = kinds.emplace_back();
        sums.kind = kind;
        sums.ranks = ranks.size(kind);
        sums.groups = ranks.count(kind);
        sums.all = traffic.rank(kind);
        for (std::size_t n = 0; n != phase_count; ++n) {
            const auto phase = static_cast<wlfmt::parallelism::phase>(n);
            sums.phases[n] = traffic.rank(phase, kind);
            sums.job_sends += traffic.job_wire(phase, kind);
        }
    }
    return kinds;
}

workload_summary::workload_summary(input& from, const settings& s, report& r) : name_(from.name()) {
    const std::string_view text = from.whole();
    r.about(text);
    wlfmt::workload::reader file(text, options_for(s, r));
    const auto sizes = wlfmt::parallelism::sizes_of(file.header(), text);
    wlfmt::parallelism::traffic traffic(*sizes);
    traffic.add_pipeline(file.header());
    workload_counts counts(file.header(), text);
    while (const wlfmt::workload::layer* layer = file.next()) {
        counts.add(*layer);
        traffic.add(*layer);
        blocks_.add(*layer);
        add(*layer);
    }
    if (!file.ok()) r.error(file.error());
    const std::int64_t declared = file.header().declared_layers.as<std::int64_t>().value_or(0);
    lacks_layers_ = !file.ok() || (declared > 0 && static_cast<std::uint64_t>(declared) > layers_.size());
    if (sizes->known()) groups_ = traffic_of(*sizes, traffic);
    folded_ = blocks_.blocks();
    facts_ = workload_facts(counts).take();
    if (s.json || s.partial) put(file.header());
    else print(file.header());
}
void workload_summary::add(const wlfmt::workload::layer& layer) {
    layers_.push_back(layer);
    sums_.add(layer);
    for (std::size_t n = 0; n != phase_count; ++n) {
        const wlfmt::workload::phase& phase = phase_of(layer, n);
        if (!communicates(phase)) continue;
        call_sum& calls = calls_[std::string(phase.comm)][n];
        ++calls.count;
        calls.bytes += bytes_of(phase);
    }
}
std::string workload_summary::title_of(const wlfmt::workload::entry& e) {
    return e.key.empty() ? "last bottom layer" : std::string(e.key);
}
call_sum workload_summary::sum_of(const std::array<call_sum, phase_count>& calls) noexcept {
    return {calls[0].count + calls[1].count + calls[2].count, calls[0].bytes + calls[1].bytes + calls[2].bytes};
}
void workload_summary::print(const wlfmt::workload::header& head) const {
    print_title(joined({name_, ": workload, policy ", head.policy, ", ", counted(layers_.size(), "layer", "layers")}));
    grid entries;
    for (const wlfmt::workload::entry& e : head.entries) entries.row({title_of(e), e.value});
    entries.print();
    if (!facts_.empty()) print_gap();
    for (const workload_fact& fact : facts_) print_note(fact.text);
    print_gap();
    if (lacks_layers_) print_note("layers are missing: sums are lower limits (>=)");
    if (lacks_layers_) print_gap();
    const auto sum = [&](double v) { return (lacks_layers_ ? ">= " : "") + fixed(v, 0); };
    grid times;
    times.row({"compute", "time", "share"});
    const auto part = [&](double v) { return lacks_layers_ ? "-" : share(v, sums_.all_ticks()); };
    for (std::size_t n = 0; n != phase_count; ++n)
        times.row({phase_name(n), sum(sums_.ticks[n]), part(sums_.ticks[n])});
    times.row({"all", sum(sums_.all_ticks()), part(sums_.all_ticks())});
    times.row({"update", sum(sums_.ticks[update_time])});
    times.print();
    print_blocks();
    if (!groups_.empty()) print_groups();
    if (calls_.empty()) return;
    print_gap();
    grid bytes;
    bytes.row({"bytes", "count", phase_name(0), phase_name(1), phase_name(2), "all"});
    for (const auto& [token, calls] : calls_) {
        bytes.row({token, sum(static_cast<double>(sum_of(calls).count))});
        for (const call_sum& phase : calls) bytes.add({sum(phase.bytes)});
        bytes.add({sum(sum_of(calls).bytes)});
    }
    bytes.print();
}
layer_sums workload_summary::sums_of(const layer_blocks::block& block) const {
    layer_sums sums;
    for (std::size_t n = block.first; n != block.first + block.size(); ++n) sums.add(layers_[n]);
    return sums;
}
void workload_summary::print_blocks() const {
    constexpr std::size_t max_blocks = 40;
    if (folded_.empty()) return;
    grid lines;
    lines.row({"layers"});
    for (const char* sum : {"compute: ", "bytes: "})
        lines.add({joined({sum, phase_name(0)}), phase_name(1), phase_name(2)});
    for (std::size_t n = 0; n != (std::min)(folded_.size(), max_blocks); ++n) {
        lines.row({blocks_.title_of({folded_[n]})});
        const layer_sums sums = sums_of(folded_[n]);
        for (std::size_t k = 0; k != phase_count; ++k) lines.add({fixed(sums.ticks[k], 0)});
        for (const double bytes : sums.bytes) lines.add({fixed(bytes, 0)});
    }
    print_gap();
    lines.print();
    if (folded_.size() > max_blocks) print_note({"and ", folded_.size() - max_blocks, " more blocks of layers"});
}
void workload_summary::print_groups() const {
    grid lines;
    lines.row(
        {"group", "ranks", "groups", phase_name(0), phase_name(1), phase_name(2), "a rank sends", "the job sends"});
    for (const group_traffic& g : groups_) {
        lines.row({name_of(g.kind), g.ranks, g.groups});
        for (const wlfmt::parallelism::tally& phase : g.phases)
            lines.add({(phase.count == 0 && !lacks(g)) || g.ranks == 1 ? "-"
                       : phase.count == phase.unknown                  ? "unknown"
                                                                       : (lacks(g) ? ">= " : "") + sized(phase.wire)});
        for (const double bytes : {g.all.wire, g.job_sends})
            lines.add({g.is_silent() && !(lacks(g) && g.ranks != 1) ? "-"
                       : g.knows_all() && !lacks(g)                 ? sized(bytes)
                       : g.knows_any()                              ? "at least " + sized(bytes)
                                                                    : "unknown"});
    }
    print_gap();
    lines.print();
}
void workload_summary::put(const wlfmt::workload::header& head) const {
    print_object([&](auto& json) {
        put_text(json, "name", name_);
        put_text(json, "format", name_of(wlfmt::file_format::workload));
        put_text(json, "policy", head.policy);
        put_count(json, "layers", layers_.size());
        if (lacks_layers_) put_flag(json, "is_whole", false);
        put_object(json, "header", [&] {
            for (const wlfmt::workload::entry& e : head.entries) put_text(json, title_of(e), e.value);
        });
        put_objects(json, "facts", facts_, [&](const workload_fact& fact) {
            put_text(json, "about", fact.about);
            put_text(json, "name", fact.name);
            put_text(json, "text", fact.text);
        });
        put_object(json, "compute", [&] {
            put_phases(json, sums_.ticks);
            put_decimal(json, "all", sums_.all_ticks());
            put_decimal(json, "update", sums_.ticks[update_time]);
        });
        put_objects(json, "blocks", folded_, [&](const layer_blocks::block& block) {
            const layer_sums sums = sums_of(block);
            put_count(json, "times", block.times);
            put_texts(json, "layers", blocks_.names_in(block));
            put_object(json, "compute", [&] { put_phases(json, sums.ticks); });
            put_object(json, "bytes", [&] { put_phases(json, sums.bytes); });
        });
        put_objects(json, "groups", groups_, [&](const group_traffic& g) {
            put_text(json, "group", name_of(g.kind));
            put_numbers(json, {{"ranks", g.ranks}, {"groups", g.groups}});
            for (std::size_t n = 0; n != phase_count; ++n)
                if (g.phases[n].count != g.phases[n].unknown && g.ranks != 1)
                    put_decimal(json, phase_name(n), g.phases[n].wire);
            if (g.is_silent() || !g.knows_any()) return;
            put_decimal(json, "rank_sends", g.all.wire);
            put_decimal(json, "job_sends", g.job_sends);
            if (!g.knows_all() || lacks(g)) put_text(json, "limit", "least");
        });
        put_objects(json, "bytes", calls_, [&](const auto& item) {
            put_text(json, "collective", item.first);
            put_count(json, "count", sum_of(item.second).count);
            for (std::size_t n = 0; n != phase_count; ++n) put_decimal(json, phase_name(n), item.second[n].bytes);
            put_decimal(json, "all", sum_of(item.second).bytes);
        });
    });
}

}  // namespace tool
