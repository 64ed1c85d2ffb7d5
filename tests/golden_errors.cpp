// One example of each problem as explain() prints it, held against tests/data/errors.txt.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <wlfmt/arrow.hpp>
#include <wlfmt/edit.hpp>
#include <wlfmt/error.hpp>
#include <wlfmt/file.hpp>
#include <wlfmt/json/read.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/table/lost.hpp>
#include <wlfmt/wlfmt.hpp>
#include "analysis/summary/summary.hpp"

#include "support.hpp"

namespace {

using wlfmt::error_kind;

struct example {
    // The name of the file as it is shown. Where `text` has no data, the text is the content of the file of this name
    // in tests/data.
    std::string_view name;
    std::string_view text;
    // The problem that the example shows.
    wlfmt::problem (*problem)(std::string_view text);
};

wlfmt::problem first_of_oplog(std::string_view text, bool strict) {
    wlfmt::options how;
    how.strict = strict;
    return wlfmt::oplog::read(text, how).error();
}
wlfmt::problem oplog(std::string_view text) { return first_of_oplog(text, false); }
wlfmt::problem strict_oplog(std::string_view text) { return first_of_oplog(text, true); }

wlfmt::problem unwritable_operation(std::string_view) {
    auto op = wlfmt::oplog::operation::traced(7, "forward_step");
    op.description = "a,b=c";
    return wlfmt::oplog::problem_of(op);
}

// The first operation of a document is good, the second one is not.
wlfmt::problem unwritable_log(std::string_view) {
    wlfmt::oplog::document log;
    log.operations.push_back(wlfmt::oplog::operation::traced(7, "forward_step"));
    log.operations.push_back(wlfmt::oplog::operation::traced(7, "backward_step"));
    log.operations[1].mg_state = "steady\nrank:8:x()";
    return wlfmt::oplog::problem_of(log);
}

wlfmt::problem workload(std::string_view text) { return wlfmt::workload::read(text).error(); }

wlfmt::problem unwritable_layer(std::string_view) {
    wlfmt::workload::layer one;
    one.name = "attention layer";
    return wlfmt::workload::problem_of(one);
}

wlfmt::problem first_of_table(std::string_view text, bool strict) {
    wlfmt::options how;
    how.strict = strict;
    return wlfmt::table::read(text, how).error();
}
wlfmt::problem table(std::string_view text) { return first_of_table(text, false); }
wlfmt::problem strict_table(std::string_view text) { return first_of_table(text, true); }

wlfmt::problem unwritable_table(std::string_view) {
    wlfmt::table::profile one;
    one.columns.emplace_back("Name");
    one.columns.emplace_back("# of Calls");
    CHECK(one.add_row({wlfmt::table::cell("aten::mm"), wlfmt::table::cell(1.5)}));
    return wlfmt::table::problem_of(one);
}

wlfmt::problem too_wide(std::string_view) {
    wlfmt::table::profile one;
    one.columns.emplace_back("Name");
    one.columns.emplace_back("# of Calls");
    one.columns[0].width = 100000;
    for (int n = 0; n != 100; ++n) CHECK(one.add_row({wlfmt::table::cell("aten::mm"), wlfmt::table::cell(n)}));
    return wlfmt::table::problem_of(one);
}

// The first warning that the reader reports.
wlfmt::problem negative(std::string_view text) {
    wlfmt::problem first;
    wlfmt::options how;
    how.on_problem = [&](const wlfmt::problem& e) { first = e; };
    CHECK(wlfmt::workload::read(text, how).ok());
    return first;
}

// The problem that tells of records which readers pass over.
wlfmt::problem lost_record(std::string_view text) {
    wlfmt::options how;
    how.prefix = wlfmt::any_prefix;
    wlfmt::oplog::reader log(text, how);
    while (log.next() != nullptr) continue;
    return log.lost();
}
wlfmt::problem lost_of_table(std::string_view text) {
    wlfmt::problem first;
    wlfmt::table::losses lost(text);
    const auto read = wlfmt::table::read(text);
    for (const auto& one : read->tables) lost.add(one);
    lost.report([&](const wlfmt::problem& e) {
        if (!first) first = e;
    });
    return first;
}

// The disk is full, or the pipe is closed.
struct full_sink {
    void write(const char*, std::ptrdiff_t) noexcept {}
    bool fail() const noexcept { return true; }
};
wlfmt::problem not_written(std::string_view text) {
    return wlfmt::workload::write(full_sink(), *wlfmt::workload::read(text));
}

wlfmt::problem overlapping(std::string_view text) {
    wlfmt::edits changes;
    changes.replace(text.substr(0, 8), "notes");
    changes.replace(text.substr(4, 3), "a");
    return changes.write(full_sink(), text);
}

// What a program reports that does not know the format of what it was given.
wlfmt::problem detected(std::string_view text) {
    wlfmt::problem e;
    if (wlfmt::detect(text) == wlfmt::file_format::unknown) e.kind = error_kind::unknown_format;
    return e;
}

wlfmt::problem opened(const char* path) { return wlfmt::text_file(path).error(); }
wlfmt::problem not_there(std::string_view) { return opened("no/such/file"); }
wlfmt::problem directory(std::string_view) { return opened("."); }
wlfmt::problem summed_up(std::string_view text) { return wlfmt::analysis::read_summary(text).error(); }

wlfmt::problem streamed(std::string_view text) {
    wlfmt::problem first;
    wlfmt::arrow::request what;
    what.on_problem = [&](const wlfmt::arrow::file_problem& p) {
        if (!first) first = p.error;
    };
    ArrowArrayStream stream;
    wlfmt::arrow::open({{"log", std::string(text)}}, what, stream);
    ArrowArray batch;
    if (stream.get_next(&stream, &batch) == 0 && batch.release != nullptr) batch.release(&batch);
    stream.release(&stream);
    return first;
}

// There is no file whose reading fails on every machine.
wlfmt::problem broken(std::string_view) {
    wlfmt::problem e;
    e.kind = error_kind::cannot_read;
    return e;
}

// The first thing in a text that makes no sense to a simulator.
wlfmt::problem odd(std::string_view text) {
    wlfmt::problem first;
    const auto keep = [&](const wlfmt::problem& e) {
        if (!first) first = e;
    };
    if (wlfmt::detect(text) == wlfmt::file_format::oplog) {
        const auto log = wlfmt::oplog::read(text);
        for (const auto& op : log->operations) wlfmt::lint::examine(op, text, keep);
        return first;
    }
    const auto file = wlfmt::workload::read(text);
    wlfmt::lint::examine(file->header, static_cast<std::int64_t>(file->layers.size()), text, keep);
    const auto sizes = wlfmt::parallelism::sizes_of(file->header, text);
    for (const auto& layer : file->layers)
        if (sizes->known()) wlfmt::lint::examine(layer, *sizes, text, keep);
        else wlfmt::lint::examine(layer, text, keep);
    return first;
}
// What only a program can find that has seen what comes before.
wlfmt::problem of_operation(std::string_view text, error_kind kind) {
    const auto log = wlfmt::oplog::read(text);
    const wlfmt::oplog::operation& op = log->operations.back();
    wlfmt::problem e;
    e.kind = kind;
    if (kind == error_kind::unknown_operation) e.field = "op";
    e.offset = static_cast<std::uint64_t>(op.op.data() - text.data());
    e.length = op.op.size();
    return e;
}
// A message that only a program can find, which has the files of all ranks.
wlfmt::problem unmatched(std::string_view text) {
    const auto log = wlfmt::oplog::read(text);
    wlfmt::problem e;
    e.kind = error_kind::unmatched_message;
    e.field = log->operations[0].op;
    e.offset = static_cast<std::uint64_t>(e.field.data() - text.data());
    e.length = e.field.size();
    e.found = log->operations[0].batch_id.as<std::int64_t>().value_or(0);
    e.expected = 2;
    return e;
}

// What chakra.hpp refuses, which needs a library that may not be here.
wlfmt::problem untraced(std::string_view text) {
    struct {
        std::string_view place;
        error_kind kind;
        std::string_view field;
        std::int64_t found;
        std::int64_t expected;
    } constexpr all[] = {{"TENSOR", error_kind::untraceable, "policy", 0, 0},
                         {"BROADCAST", error_kind::untraceable, "forward.comm", 0, 0},
                         {"None", error_kind::trace_lacks, "input__shape", 0, 0},
                         {"16", error_kind::micro_batch_mismatch, "ga", 12, 16},
                         {"2 19 10", error_kind::checkpoint_mismatch, "checkpoint_initiates", 19, 0},
                         {"3", error_kind::stage_mismatch, "stage_id", 3, 1},
                         {"pp: 4", error_kind::order_mismatch, "order", 0, 8},
                         {"6", error_kind::schedule_mismatch, "ga", 6, 8},
                         {"4", error_kind::given_mismatch, "all_gpus", 4, 8},
                         {"MICRO", error_kind::empty_trace, "policy", 0, 0}};
    for (const auto& one : all) {
        const std::size_t at = text.find(one.place);
        if (at == std::string_view::npos) continue;
        wlfmt::problem e;
        e.kind = one.kind;
        e.offset = at;
        e.length = one.place.size();
        e.field = one.field;
        e.found = one.found;
        e.expected = one.expected;
        return e;
    }
    return {};
}
// The field of such an error is kept with the texts of the records.
wlfmt::json::texts json_texts;
wlfmt::problem log_json(std::string_view text) { return wlfmt::json::read_oplog(text, json_texts).error(); }
wlfmt::problem workload_json(std::string_view text) { return wlfmt::json::read_workload(text, json_texts).error(); }

constexpr std::string_view mismatched_text =
    "DATA target_model_sha256: sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
    "target_step_sha256: sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb "
    "target_routing_sha256: sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc "
    "target_memory_event_plan_sha256: sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd "
    "target_workload_sha256: sha256:eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n1\n"
    "mlp -1 1 ALLTOALLV_EP 2 3 NONE 0 4 NONE 0 5 "
    "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
    "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb "
    "sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccf "
    "sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd "
    "sha256:eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n";

constexpr example examples[] = {
    {"oplog/error_not_a_number.txt", {}, oplog},
    {"oplog/error_not_an_integer.txt", {}, oplog},
    {"oplog/error_number_overflow.txt", {}, oplog},
    {"oplog/error_no_records.txt", {}, oplog},
    {"oplog/error_foreign_text.txt", {}, strict_oplog},
    {"an operation built by hand", "", unwritable_operation},
    {"an op log built by hand", "", unwritable_log},
    {"oplog/error_unterminated_record.txt", {}, oplog},
    {"oplog/error_text_after_record.txt", {}, oplog},
    {"oplog/error_key_expected.txt", {}, oplog},
    {"oplog/error_duplicate_key.txt", {}, oplog},
    {"oplog/error_bad_list.txt", {}, oplog},
    {"oplog/error_unterminated_list.txt", {}, oplog},
    {"oplog/error_unterminated_string.txt", {}, oplog},
    {"oplog/error_bad_escape.txt", {}, oplog},
    {"console.txt", "rank:0:f(a=1)\nloss: 3.2 rank:0:f(a=1)\n", lost_record},
    {"console.txt", "loss: 3.2 rank:0:f(a=1)\nrank:0:f(a=1)\nloss: 3.1 rank:0:g(a=1)\n", lost_record},

    {"workload/error_not_a_number.txt", {}, workload},
    {"workload/error_not_an_integer.txt", {}, workload},
    {"workload/error_number_overflow.txt", {}, workload},
    {"small.txt", "DATA\n1\nconv1 -1 5 NONE 0 -5 NONE 0 5 ALLREDUCE 1048576 5\n", negative},
    {"workload/error_no_records.txt", {}, workload},
    {"a layer built by hand", "", unwritable_layer},
    {"workload/error_missing_layer_count.txt", {}, workload},
    {"workload/error_fewer_layers.txt", {}, workload},
    {"workload/more_layers.txt", {}, negative},
    {"workload/error_header_value.txt", {}, workload},
    {"workload/error_header_list_short.txt", {}, workload},
    {"workload/error_missing_dependency.txt", {}, workload},
    {"workload/error_policy_missing.txt", {}, workload},
    {"workload/error_related_17_fields.txt", {}, workload},
    {"workload/error_related_titles.txt", {}, workload},
    {"bound.txt", mismatched_text, workload},
    {"workload/error_text_after_layers.txt", {}, workload},
    {"workload/error_text_after_count.txt", {}, workload},

    {"table/error_not_a_number.txt", {}, table},
    {"table/error_total.txt", {}, table},
    {"table/error_not_an_integer.txt", {}, table},
    {"table/error_number_overflow.txt", {}, table},
    {"table/error_no_records.txt", {}, table},
    {"table/error_foreign_text_behind.txt", {}, strict_table},
    {"a table built by hand", "", unwritable_table},
    {"a wide table built by hand", "", too_wide},
    {"table/error_column_mismatch.txt", {}, table},
    {"table/error_too_many_columns.txt", {}, table},
    {"table/no_closing_rule.txt", {}, table},
    {"table/cut_off.txt", {}, table},
    {"table/error_cut_column.txt", {}, table},
    {"above.txt", "Name  Self CPU\n----  --------\n  mm   1.000us\n----  --------\n", table},
    {"below.txt", "----  --------\nName  Self CPU\n  mm   1.000us\n----  --------\n", table},
    {"both.txt", "Name  Self CPU\n  mm   1.000us\n", table},
    {"table/error_row_mismatch.txt", {}, table},
    {"table/error_row_behind_columns.txt", {}, table},
    {"parted.txt",
     "--------  --------\nName      Self CPU\n--------  --------\naten::mm   1.000us\n--------  --------\nloss: 3.2\n"
     "aten::mm   1.000us\naten::mm   2.000us\n",
     lost_of_table},
    {"parted.txt",
     "--------  --------\nName      Self CPU\n--------  --------\naten::mm   1.000us\n--------  --------\nloss: 3.2\n"
     "Self CPU time total: 1.000us\n",
     lost_of_table},
    {"cut.txt",
     "----  ------------  ------------  ---------  ------------\n"
     "Name      Self CPU     CPU total  Self CUDA    CUDA total\n"
     "----  ------------  ------------  ---------  ------------\n"
     "  mm       1.000us       1.000us    1.000us       1.000us\n"
     "----  ------------  ------------  ---------  ------------\n",
     lost_of_table},
    {"devices.txt",
     "----  ---------  ---------\n"
     "Name  Self CUDA   Self XPU\n"
     "----  ---------  ---------\n"
     "  mm    1.000us    1.000us\n"
     "----  ---------  ---------\n",
     lost_of_table},
    {"loud.txt",
     "----  ---------\n"
     "NAME   SELF CPU\n"
     "----  ---------\n"
     "  mm    1.000us\n"
     "----  ---------\n",
     lost_of_table},
    {"total.txt",
     "----  ---------\n"
     "Name   Self CPU\n"
     "----  ---------\n"
     "  mm    1.000us\n"
     "----  ---------\n"
     "PU time total: 1.000us\n",
     lost_of_table},
    {"nameless.txt",
     "----  ---------  ---------  ---------\n"
     "Name   Self CPU             CPU total\n"
     "----  ---------  ---------  ---------\n"
     "  mm    1.000us    1.000us    1.000us\n"
     "----  ---------  ---------  ---------\n",
     lost_of_table},
    {"own.txt",
     "----  ---------  ---------  ---------\n"
     "Name   Self CPU  CPU total    Selfime\n"
     "----  ---------  ---------  ---------\n"
     "  mm    1.000us    1.000us    1.000us\n"
     "----  ---------  ---------  ---------\n",
     lost_of_table},
    {"page.txt",
     "------------  ---------\n"
     "        Name   Self CPU\n"
     "------------  ---------\n"
     "f&lt;int&gt;    1.000us\n"
     "------------  ---------\n",
     lost_of_table},

    {"notes.txt", "The run of Monday\nfailed.\n", detected},
    {"notes.txt", "The run of Monday\nfailed.\n", overlapping},
    {"/dev/full", "DATA\n0\n", not_written},
    {"no/such/file", "", not_there},
    {"a directory", "", directory},
    {"a broken disk", "", broken},

    {"size.txt", "HYBRID_TRANSFORMER ep: 0 all_gpus: 64\n0\n", odd},
    {"ranks.txt", "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 all_gpus: 100\n0\n", odd},
    {"experts.txt", "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 6 all_gpus: 64\n0\n", odd},
    {"pipeline.txt", "HYBRID_TRANSFORMER pp: 4 all_gpus: 64\n0\n", odd},
    {"pipeline.txt", "HYBRID_TRANSFORMER pp: 1 all_gpus: 64 pp_comm: 4096\n0\n", odd},
    {"policy.txt", "HYBRID_TRANSFROMER\n0\n", odd},
    {"unknown.txt", "DATA\n1\nconv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUC 1048576 5\n", odd},
    {"empty.txt", "DATA\n1\nconv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 0 5\n", odd},
    {"small.txt", "DATA all_gpus: 64\n1\nconv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 5\n", odd},
    {"bytes.txt", "DATA\n1\nconv1 -1 5 NONE 0 5 NONE 1048576 5 NONE 0 5\n", odd},
    {"checkpoints.txt", "DATA checkpoints: 1 12\n1\nconv1 -1 5 NONE 0 5 NONE 0 5 NONE 0 5\n", odd},
    {"nested.txt", "rank:0:f(duration=8.3,sub_operations=['duration=9.5'])\n", odd},
    {"backwards.txt", "rank:0:f(duration=-8.3,sub_operations=[])\n", odd},
    {"before.txt", "rank:0:f(duration=8.3,timestamp=90.0,sub_operations=['timestamp=80.5'])\n", odd},
    {"rank2.txt", "rank:2:send_forward(stage_id=1,batch_id=3)\n", unmatched},
    {"rank2.txt", "rank:2:recv_backward(stage_id=1,batch_id=3)\n", unmatched},
    {"own.txt", "rank:2:mystery(duration=1.5)\n",
     [](std::string_view t) { return of_operation(t, error_kind::unknown_operation); }},
    {"twice.txt", "rank:2:forward_step(timestamp=7)\nrank:2:forward_step(timestamp=7)\n",
     [](std::string_view t) { return of_operation(t, error_kind::repeated_record); }},
    {"long.txt",
     "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 2\n1\na -1 2147483647 NONE 0 1 NONE "
     "0 1 NONE 0 1\n",
     odd},

    {"policy.txt", "TENSOR\n0\n", untraced},
    {"broadcast.txt", "DATA\n1\nconv1 -1 5 BROADCAST 8 5 NONE 0 5 NONE 0 5\n", untraced},
    {"shape.txt", "rank:2:send_forward(stage_id=1,batch_id=0,input__shape=None)\n", untraced},
    {"accumulation.txt", "HYBRID_TRANSFORMER pp: 4 ga: 16\n", untraced},
    {"again.txt", "HYBRID_TRANSFORMER_FWD_IN_BCKWD checkpoints: 0 checkpoint_initiates: 2 19 10\n", untraced},
    {"stage.txt", "rank:2:forward_step(stage_id=3)\n", untraced},
    {"order.txt", "HYBRID_TRANSFORMER ep: 2 pp: 4 all_gpus: 64\n", untraced},
    {"schedule.txt", "HYBRID_TRANSFORMER pp: 8 ga: 6\n", untraced},
    {"given.txt", "HYBRID_TRANSFORMER all_gpus: 4\n", untraced},
    {"micro.txt", "MICRO all_gpus: 2\n", untraced},
    {"rank7.jsonl", "{\"rank\":7,\"op\":\"a\"}\n{\"rank\":7,\"op\":\"b\",\"duration\":.5}\n", log_json},
    {"rank7.jsonl", "rank:7:forward_step(stage_id=1)\n", log_json},
    {"rank7.jsonl", "{\"rank\":7,\"op\":\"a\"\n{\"rank\":7,\"op\":\"b\"}\n", log_json},
    {"rank7.jsonl", "{\"rank\":7,\"op\":\"a\",\"sub_operations\":[\"t\",{\"duration\":{\"ms\":5}}]}\n", log_json},
    {"moe.jsonl", "{\"policy\":\"DATA\",\"declared_layers\":0}\n", workload_json},
    {"moe.jsonl", "{\"policy\":\"DATA\",\"header\":{},\"layers\":[]}\n", workload_json},
    {"run.summary", "{\"wlfmt_summary\":99}\n", summed_up},
    {"rank7.txt", "rank:7:f(description=a\xff)\n", streamed},
};

std::string text_of(const example& e) { return e.text.data() != nullptr ? std::string(e.text) : test::data(e.name); }

}  // namespace

TEST_CASE("each problem is printed as the golden file has it") {
    std::string printed;
    for (const example& e : examples) {
        const std::string text = text_of(e);
        const wlfmt::problem problem = e.problem(text);
        CHECK_MESSAGE(problem, e.name);
        printed += wlfmt::explain(problem, text, wlfmt::in_file(e.name));
    }
    const std::string golden = test::data("errors.txt");
    const bool same = printed == golden;
    CHECK_MESSAGE(same, "tests/data/errors.txt differs from what is printed now:\n", printed);
}

TEST_CASE("each kind has an example") {
    std::array<bool, wlfmt::error_kind_count> shown{};
    for (const example& e : examples) shown[static_cast<std::size_t>(e.problem(text_of(e)).kind)] = true;
    CHECK_FALSE(shown[static_cast<std::size_t>(error_kind::none)]);
    for (std::size_t n = 1; n < shown.size(); ++n) CHECK_MESSAGE(shown[n], name_of(static_cast<error_kind>(n)));
}
