// chakra: writes the traces of a workload file, one file per rank.
#ifndef WLFMT_TOOLS_CHAKRA_WORKLOAD_HPP
#define WLFMT_TOOLS_CHAKRA_WORKLOAD_HPP

#include "../command_line/settings.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "files.hpp"
#include "network.hpp"

namespace tool {

// Prints a sentence for each way in which the traces differ from what the file says.
inline void report_remarks(const wlfmt::analysis::chakra::remarks& notes, const settings& s,
                           const wlfmt::workload::header& head, std::string_view file) {
    const auto note = [&](parts difference) { say(file, {"note: ", joined(difference)}); };
    for (std::size_t n = 0; n != wlfmt::parallelism::group_count; ++n) {
        if (notes.left_out[n] == 0) continue;
        const auto group = static_cast<wlfmt::parallelism::group>(n);
        // A size that the header has cannot be given otherwise.
        const bool is_assumed =
            group == wlfmt::parallelism::group::tensor_parallel && s.tensor == 0 && head.tensor_parallel().is_missing();
        note({counted(notes.left_out[n], "collective", "collectives"), " of ", name_of(group), " groups ",
              notes.left_out[n] == 1 ? "is" : "are", " left out, as each group has one rank",
              is_assumed ? "; is it otherwise? --tp=N" : ""});
    }
    if (notes.rounded_up != 0)
        note({counted(notes.rounded_up, "all-gather", "all-gathers"), " of less than a byte for each of ", s.splits,
              " pieces ", notes.rounded_up == 1 ? "is" : "are",
              " rounded up, as ASTRA-sim would never end them (--splits)"});
    if (const std::size_t raised = notes.raised.size() - static_cast<std::size_t>(notes.rounded_up); raised != 0)
        note({counted(raised, "collective", "collectives"),
              " of fewer bytes than there are ranks and pieces (--splits): ASTRA-sim takes ",
              raised == 1 ? "it" : "them", " for more"});
    if (notes.nameless != 0)
        note({counted(notes.nameless, "collective is", "collectives are"),
              " called None, which AICB writes where it has no word for it: no communication, as for SimAI"});
    if (notes.shares != 0 && s.gathered.empty())
        note({counted(notes.shares, "ALLGATHER has", "ALLGATHERs have"),
              " the bytes of one rank, as for Chakra's converter; --all-gather=whole if they are those of all ranks"});
    if (notes.unmoved != 0)
        note({counted(notes.unmoved, "phase has", "phases have"), " bytes and NONE: nothing moves them"});
    if (notes.forward_only) note({"mode: 1 is inference: there is no backward pass"});
    if (notes.first_stage_layers + notes.last_stage_layers != 0)
        note({counted(notes.first_stage_layers, "layer of the embedding runs", "layers of the embedding run"),
              " in the first stage alone, ", counted(notes.last_stage_layers, "layer", "layers"),
              " after the last block in the last one"});
    if (notes.no_messages)
        note({"there is no pp_comm: the stages are simulated side by side, without messages between them"});
}

// Names the option that solves a problem, for example by giving a value that the header lacks.
inline void report_remedy(const wlfmt::problem& e) {
    const bool missing = e.kind == wlfmt::error_kind::header_value;
    std::string remedy;
    if (missing && e.field == "all_gpus") remedy = "--world-size=N says how many ranks there are";
    else if (missing && e.field == "vpp")
        remedy = joined({"--vpp=", e.found > 1 ? joined({e.found, ", as many chunks as a stage has blocks"}) : "N",
                         ", says into how many chunks a stage is divided"});
    else if (missing && e.field == "pp") remedy = "--pp=N says how many pipeline stages there are";
    else if (e.kind == wlfmt::error_kind::schedule_mismatch)
        remedy = joined({"--schedule=1f1b divides nothing",
                         e.field == "vpp" || e.field == "blocks" ? "; --vpp=N is the number of chunks" : ""});
    else if (e.kind == wlfmt::error_kind::micro_batch_mismatch)
        remedy = "micro-batches begin with a layer called embedding_layer";
    if (!remedy.empty()) say("wlfmt", {"note: ", remedy});
}

// What is traced or checked: a workload with groups of ranks or without them, op logs, or a simulation.
enum class traced { groups, no_groups, logs, simulation };

inline bool is_same(const wlfmt::parallelism::rank_order& a, const wlfmt::parallelism::rank_order& b) {
    for (std::size_t n = 0; n != wlfmt::parallelism::rank_order::axis_count; ++n)
        if (a[n] != b[n]) return false;
    return true;
}

// The first given option that has no meaning for such files; null if there is none.
inline const char* meaningless_option(const settings& s, traced files) {
    const settings defaults;
    const bool groups = files == traced::groups;
    const bool workload = groups || files == traced::no_groups;
    const bool logs = files == traced::logs;
    const struct {
        const char* name;
        bool is_given;
        bool is_used;
    } options[] = {{"--lenient", s.lenient, workload || logs},
                   {"--tick", s.tick != defaults.tick, workload},
                   {"--passes", s.passes != defaults.passes, workload},
                   {"--all-gather", !s.gathered.empty(), workload},
                   {"--schedule", !s.schedule.empty(), groups},
                   {"--world-size", s.ranks != 0, workload || logs},
                   {"--tp", s.tensor != 0, groups || logs},
                   {"--pp", s.pipeline != 0, groups || logs},
                   {"--ep", s.expert != 0, groups || logs},
                   {"--order", !is_same(s.order, defaults.order), groups || logs},
                   {"--splits", s.splits != defaults.splits, workload || logs},
                   {"--active-chunks", s.active_chunks != defaults.active_chunks, workload || logs},
                   {"--balance", s.balance, logs},
                   {"--only-ranks", s.only_ranks.is_given(), workload || logs},
                   {"--network", !s.network.empty(), workload || logs},
                   {"--link", s.link, workload || logs}};
    for (const auto& option : options)
        if (option.is_given && !option.is_used) return option.name;
    return nullptr;
}

inline exit_status chakra_of_workload(input& from, const std::string& path, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    const auto file = wlfmt::workload::read(text, options_for(s, r));
    if (!file) r.error(file.error());
    if (!file || r.errors() != 0) return problems;
    wlfmt::analysis::chakra::options options;
    options.tick = s.tick;
    options.passes = s.passes;
    options.ranks = s.ranks;
    options.tensor = s.tensor;
    options.pipeline = s.pipeline;
    options.expert = s.expert;
    options.order = s.order;
    using wlfmt::analysis::chakra::all_gather_size;
    options.all_gather = s.gathered.empty()      ? all_gather_size::by_header
                         : s.gathered == "whole" ? all_gather_size::whole
                                                 : all_gather_size::share;
    options.splits = s.splits;
    options.active_chunks = s.active_chunks;
    using wlfmt::analysis::chakra::schedule;
    options.schedule = s.schedule == "1f1b"          ? schedule::one_forward_one_backward
                       : s.schedule == "interleaved" ? schedule::interleaved
                                                     : schedule::gpipe;
    options.chunks = s.chunks;
    // Chakra's converter puts the file's text into each trace. The policies with groups, which it does not know, go
    // without: the text would be an eighth of all bytes that are written.
    const std::string_view policy = file->header.policy;
    const bool has_groups = wlfmt::parallelism::facts_of(policy).has_groups;
    std::string converted;
    if (!has_groups) {
        // Python reads the file for the converter, and turns all line ends into \n.
        for (std::size_t n = 0; n != text.size(); ++n) {
            if (text[n] != '\r') converted += text[n];
            else if (n + 1 == text.size() || text[n + 1] != '\n') converted += '\n';
        }
        options.input = converted;
    }
    if (const auto sizes = wlfmt::parallelism::sizes_of(file->header, text); !options.order.names_all(*sizes)) {
        r.error({"--order leaves out an axis of which there is more than one rank; all are in tp-cp-ep-dp-pp"});
        return problems;
    }
    const auto traces = wlfmt::analysis::chakra::traces_of(*file, text, options);
    if (!traces) {
        r.error(traces.error());
        report_remedy(traces.error());
        return problems;
    }
    if (const char* const option = meaningless_option(s, has_groups ? traced::groups : traced::no_groups)) {
        r.error({option, " means nothing for ",
                 has_groups ? std::string("a workload file") : "policy " + printable(policy)});
        return problems;
    }
    report_remarks(traces->notes(), s, file->header, path);
    const auto declared = file->header.declared_layers.as<std::uint64_t>();
    if (declared && *declared != file->layers.size())
        say(path, {"note: the traces have the ", counted(file->layers.size(), "layer that is", "layers that are"),
                   " there", *declared < file->layers.size() ? "; SimAI reads as many as are declared" : ""});
    trace_files files(s, traces->ranks());
    if (const exit_status refused = files.refusal(); refused != clean) return refused;
    exit_status status = clean;
    if (!s.network.empty()) files.use(network_of(s, status));
    if (status != clean) return status;
    fingerprint made_from(s);
    made_from.add(text);
    files.inputs().add(path);
    if (!files.begin(made_from)) return problems;
    // One pass is enough for an estimate: all passes are alike.
    options.passes = 1;
    const auto one_pass = wlfmt::analysis::chakra::traces_of(*file, text, options);
    files.estimate_size(s.passes, [&](stream& to, std::int64_t rank) { return write(to, *one_pass, rank); });
    if (s.splits > 1000000)
        say("wlfmt", {"note: ASTRA-sim divides each collective into ", s.splits,
                      " pieces (--splits), and simulates one after the other"});
    progress shown("traces", static_cast<std::size_t>(files.chosen()));
    for (std::int64_t n = 0; n != files.chosen(); ++n) {
        const std::int64_t rank = s.only_ranks.nth(n);
        if (!files.write_trace(rank, [&](stream& to) { return write(to, *traces, rank, files.mark()); }))
            return unusable;
        shown.step();
    }
    return files.write_others(*traces) ? clean : unusable;
}

}  // namespace tool

#endif
