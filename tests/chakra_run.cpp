// chakra.hpp: what is known only from the logs of all ranks, and what the simulator needs beside the traces.
#include "into.hpp"
#include "support.hpp"

#if __has_include(<protozero/pbf_writer.hpp>) && defined(__cpp_exceptions)
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/wlfmt.hpp>
#include "analysis/chakra/chakra.hpp"

#include "chakra_support.hpp"

namespace {

using wlfmt::analysis::chakra::shared_call;

// The questions that the callbacks of a run were asked, in order, and their answers.
struct asked {
    std::string all;
    double asynchronous = 0;
    double step = 0;
    std::int64_t share = 0;
};
wlfmt::analysis::chakra::run run_of(asked& a) {
    wlfmt::analysis::chakra::run of;
    of.sizes.ranks = of.sizes.data = of.sizes.expert = 2;
    of.context = &a;
    of.work_of = [](void* context, shared_call kind, std::int64_t group, double ms) {
        auto& its = *static_cast<asked*>(context);
        const bool step = kind == shared_call::optimizer_step;
        its.all += (step ? "step " : "async ") + std::to_string(group) + " " + std::to_string(ms) + "\n";
        return step ? its.step : its.asynchronous;
    };
    return of;
}
std::vector<std::string> traced(const std::string& log, const wlfmt::analysis::chakra::run& of) {
    const auto read = wlfmt::oplog::read(log);
    REQUIRE(read.ok());
    std::string out;
    const wlfmt::problem e = wlfmt::analysis::chakra::write(test::into(out), *read, of, log);
    REQUIRE_MESSAGE(!e, wlfmt::explain(e, log, wlfmt::in_file("log")));
    std::vector<std::string> lines = test::decoded(out);
    lines.erase(lines.begin());
    return lines;
}
std::string computed(int micros) {
    return " for " + std::to_string(micros) + "us is_cpu_op=false num_ops=int64:" + std::to_string(micros * 1000) +
           " tensor_size=uint64:1";
}
std::string communicated(int type, int bytes, int group) {
    return " is_cpu_op=false comm_type=int64:" + std::to_string(type) + " comm_size=int64:" + std::to_string(bytes) +
           " comm_priority=int32:0 pg_name='" + std::to_string(group) + "'";
}
std::string nested(std::string_view kind, std::string_view group, double ms, std::string_view name, int bytes) {
    return "'trace_src_func=" + std::string(name) + ",duration=" + std::to_string(ms) + ",input__shape=[" +
           std::to_string(bytes) + "],input__dtype=torch.int8,group=" + std::string(group) +
           ",comm_func=" + std::string(kind) + "'";
}
std::string operation(std::string_view op, double ms, const std::string& sub) {
    return "rank:0:" + std::string(op) + "(stage_id=0,batch_id=0,duration=" + std::to_string(ms) + ",sub_operations=[" +
           sub + "])\n";
}

}  // namespace

TEST_CASE("an asynchronous collective runs beside as much computation as in the rank where there is least") {
    asked a;
    a.asynchronous = 3;
    const wlfmt::analysis::chakra::run of = run_of(a);
    const std::string log = operation("backward_step", 10,
                                      nested("allreduce", "dp", 4, "_reduce_async", 64) + ", " +
                                          nested("allreduce", "dp", 1, "_reduce", 32)) +
                            operation("loss_func", 2, "");
    const auto lines = traced(log, of);
    CHECK(a.all == "async 1 4.000000\n");
    REQUIRE(lines.size() == 5);
    CHECK(lines[0] == "0 COLL COMM_COLL_NODE_backward_step_ALLREDUCE for 4000us" + communicated(0, 64, 1));
    // The computation begins with the collective, and what follows waits for both.
    CHECK(lines[1] == "1 COMP COMP_NODE_backward_step" + computed(3000));
    CHECK(lines[2] == "2 COLL COMM_COLL_NODE_backward_step_ALLREDUCE after 0 1 for 1000us" + communicated(0, 32, 1));
    // The rest of the ten milliseconds: without the four and the one of the collectives.
    CHECK(lines[3] == "3 COMP COMP_NODE_backward_step after 2" + computed(5000));
    CHECK(lines[4] == "4 COMP COMP_NODE_loss_func after 3" + computed(2000));
}

TEST_CASE("an optimizer_step takes as long as in the rank that waits least") {
    asked a;
    a.step = 6;
    const wlfmt::analysis::chakra::run of = run_of(a);
    const auto lines = traced(operation("optimizer_step", 63, ""), of);
    CHECK(a.all == "step 0 63.000000\n");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0] == "0 COMP COMP_NODE_optimizer_step" + computed(6000));
    // An impossible answer is not used: one below 0, or longer than what was measured.
    a.step = -1;
    CHECK(traced(operation("optimizer_step", 63, ""), of)[0] == "0 COMP COMP_NODE_optimizer_step" + computed(63000));
    a.step = 64;
    CHECK(traced(operation("optimizer_step", 63, ""), of)[0] == "0 COMP COMP_NODE_optimizer_step" + computed(63000));
}

TEST_CASE("all-to-alls get the share that the caller gives, other collectives do not") {
    asked a;
    a.share = 48;
    wlfmt::analysis::chakra::run of = run_of(a);
    of.share_of = [](void* context, std::int64_t group, std::int64_t bytes) {
        auto& its = *static_cast<asked*>(context);
        its.all += std::to_string(group) + " " + std::to_string(bytes) + "\n";
        return its.share;
    };
    of.on_collective = [](void* context, const wlfmt::analysis::chakra::traced_collective& call) {
        static_cast<asked*>(context)->all += "met " + std::to_string(call.group) + " " + std::to_string(call.type) +
                                             " " + std::to_string(call.bytes) + "\n";
    };
    const auto lines = traced(
        operation("forward_step", 9,
                  nested("all_to_all", "exp", 2, "_all", 80) + ", " + nested("allreduce", "exp", 3, "_reduce", 70)),
        of);
    CHECK(a.all == "2 80\nmet 2 6 48\nmet 2 0 70\n");
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "0 COLL COMM_COLL_NODE_forward_step_ALLTOALL for 2000us" + communicated(6, 48, 2));
    CHECK(lines[1] == "1 COLL COMM_COLL_NODE_forward_step_ALLREDUCE after 0 for 3000us" + communicated(0, 70, 2));
}

TEST_CASE("an all-gather of an op log that the simulator would split into nothing is rounded up") {
    asked a;
    wlfmt::analysis::chakra::run of = run_of(a);
    of.on_rounded_up = [](void* context) { static_cast<asked*>(context)->all += "rounded up\n"; };
    const std::string log = operation("forward_step", 1, nested("allgather", "dp", 1, "_gather", 3));
    CHECK(traced(log, of)[0] == "0 COLL COMM_COLL_NODE_forward_step_ALLGATHER for 1000us" + communicated(2, 4, 1));
    CHECK(a.all == "rounded up\n");
    of.splits = 3;
    CHECK(traced(log, of)[0] == "0 COLL COMM_COLL_NODE_forward_step_ALLGATHER for 1000us" + communicated(2, 3, 1));
    CHECK(a.all == "rounded up\n");
}

namespace {

std::string of_one_layer(std::string_view header) {
    return std::string(header) + "\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 0\n";
}
// The traces of a text that outlives them.
wlfmt::analysis::chakra::traces traces_of(const std::string& text, const wlfmt::analysis::chakra::options& how = {}) {
    const auto file = wlfmt::workload::read(text);
    REQUIRE(file.ok());
    const auto all = wlfmt::analysis::chakra::traces_of(*file, text, how);
    REQUIRE_MESSAGE(all.ok(), wlfmt::explain(all.error(), text, wlfmt::in_file("workload")));
    return *all;
}
// What asks for no name of a layer.
wlfmt::analysis::chakra::traces of_header(std::string_view header, const wlfmt::analysis::chakra::options& how = {}) {
    return traces_of(of_one_layer(header), how);
}
// The line of the network that says how many ranks each dimension has.
std::string counts(const wlfmt::analysis::chakra::traces& all) {
    std::string text;
    CHECK_FALSE(wlfmt::analysis::chakra::write_network(test::into(text), all));
    const std::size_t at = text.find("npus_count: ");
    return at == std::string::npos ? text : text.substr(at + 12, text.find('\n', at) - at - 12);
}

}  // namespace

TEST_CASE("the network has a dimension for each parallelism, in the order of ranks") {
    CHECK(counts(of_header("HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 4 pp: 3 all_gpus: 192 pp_comm: 1")) ==
          "[ 8, 4, 2, 3 ]");
    CHECK(counts(of_header("HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: 1 all_gpus: 6")) == "[ 6 ]");
    wlfmt::analysis::chakra::options how;
    how.order = *wlfmt::parallelism::rank_order::parse("tp-pp-dp");
    CHECK(counts(of_header("HYBRID_TRANSFORMER model_parallel_NPU_group: 8 pp: 3 all_gpus: 48 pp_comm: 1", how)) ==
          "[ 8, 3, 2 ]");
    how = {};
    how.ranks = 12;
    CHECK(counts(of_header("MICRO", how)) == "[ 12 ]");
    how.ranks = 2;
    CHECK(counts(of_header("MICRO", how)) == "[ 2 ]");
    // The simulator refuses a dimension of one rank.
    how.ranks = 1;
    CHECK(counts(of_header("MICRO", how)).empty());
    CHECK(counts(wlfmt::analysis::chakra::traces()).empty());
}

TEST_CASE("the system has nanoseconds if the traces have them, and the number of pieces that they were made for") {
    const auto system = [](const wlfmt::analysis::chakra::traces& all) {
        std::string text;
        CHECK_FALSE(wlfmt::analysis::chakra::write_system(test::into(text), all));
        return text;
    };
    wlfmt::analysis::chakra::options how;
    how.splits = 16;
    how.active_chunks = 3;
    const std::string text =
        system(of_header("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 all_gpus: 4 pp_comm: 1", how));
    CHECK(text.find("\"preferred-dataset-splits\": 16,") != std::string::npos);
    CHECK(text.find("\"active-chunks-per-dimension\": 3,") != std::string::npos);
    CHECK(text.find("\"all-to-all-implementation\": [\"ring\", \"ring\"],") != std::string::npos);
    CHECK(text.find("\"roofline-enabled\": 1,") != std::string::npos);
    // The nodes that Chakra's converter writes have only microseconds.
    how.ranks = 3;
    how.tick = 1000;
    CHECK(system(of_header("DATA", how)).find("\"roofline-enabled\": 0,") != std::string::npos);
    how.tick = 1;
    how.ranks = 2;
    const std::string least = system(of_header("DATA", how));
    CHECK(least.find("\"roofline-enabled\": 1,") != std::string::npos);
    CHECK(least.find("\"preferred-dataset-splits\": 16,") != std::string::npos);
}

TEST_CASE("the collectives of a policy without groups are those of all ranks") {
    const auto trace = [](std::string_view header, const wlfmt::analysis::chakra::options& of) {
        const std::string file = of_one_layer(header);
        std::string text;
        CHECK_FALSE(wlfmt::analysis::chakra::write(test::into(text), traces_of(file, of), 0));
        return text;
    };
    wlfmt::analysis::chakra::options how;
    how.ranks = 4;
    // The name of an attribute, and its text of one character (field 29).
    const std::string all_ranks = std::string("pg_name\xEA\x01\x01") + "0";
    const std::string first_group = std::string("pg_name\xEA\x01\x01") + "1";
    const std::string data = trace("DATA", how);
    CHECK(data.find(all_ranks) != std::string::npos);
    CHECK(data.find(first_group) == std::string::npos);
    const std::string grouped =
        trace("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 all_gpus: 8 pp_comm: 1", {});
    CHECK(grouped.find(all_ranks) == std::string::npos);
    CHECK(grouped.find(first_group) != std::string::npos);
}

TEST_CASE("the files of a run for the simulator") {
    wlfmt::analysis::chakra::run of;
    of.sizes.ranks = 8;
    of.sizes.tensor = 2;
    of.sizes.pipeline = 4;
    std::string text;
    CHECK_FALSE(wlfmt::analysis::chakra::write_network(test::into(text), of));
    CHECK(text ==
          "# Dimensions, with the bandwidth and latency of a machine or of ASTRA-sim's examples (put in your own): "
          "tp (example), pp (example)\n"
          "topology: [ Ring, Ring ]\n"
          "npus_count: [ 2, 4 ]\n"
          "bandwidth: [ 50.0, 50.0 ]  # GB/s, of 2^30 bytes\n"
          "latency: [ 500.0, 500.0 ]  # ns\n");
    text.clear();
    CHECK_FALSE(wlfmt::analysis::chakra::write_logical_topology(test::into(text), of));
    CHECK(text == "{\"logical-dims\": [\"2\", \"4\"]}\n");
    of.splits = 2;
    text.clear();
    CHECK_FALSE(wlfmt::analysis::chakra::write_system(test::into(text), of));
    CHECK(text.find("\"preferred-dataset-splits\": 2,") != std::string::npos);
    CHECK(text.find("\"trace-enabled\": 1") != std::string::npos);
    of = {};
    of.sizes.ranks = of.sizes.data = 2;
    text.clear();
    CHECK_FALSE(wlfmt::analysis::chakra::write_network(test::into(text), of));
    CHECK(text.find("npus_count: [ 2 ]\n") != std::string::npos);
    text.clear();
    CHECK_FALSE(wlfmt::analysis::chakra::write_system(test::into(text), of));
    CHECK(text.find("\"preferred-dataset-splits\": 4,") != std::string::npos);
    CHECK(text.find("\"roofline-enabled\": 1,") != std::string::npos);
    of = {};
    text.clear();
    CHECK_FALSE(wlfmt::analysis::chakra::write_network(test::into(text), of));
    CHECK_FALSE(wlfmt::analysis::chakra::write_system(test::into(text), of));
    CHECK(text.empty());
}

#else

TEST_CASE("chakra.hpp needs protozero and exceptions, which this program is built without") {}

#endif
