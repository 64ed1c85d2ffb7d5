// parallelism.hpp: sizes, ranks and traffic, compared with what Megatron's and SimAI's own programs compute.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

namespace {

using wlfmt::error_kind;
using wlfmt::parallelism::group;
using wlfmt::parallelism::layout;
using wlfmt::parallelism::phase;
using wlfmt::parallelism::rank_order;
using wlfmt::parallelism::sizes;
using ranks = std::vector<std::int64_t>;

constexpr group groups[] = {group::tensor_parallel, group::data_parallel, group::expert_parallel,
                            group::expert_data_parallel, group::pipeline_parallel};

std::string header(std::string_view entries) {
    return "HYBRID_TRANSFORMER_FWD_IN_BCKWD " + std::string(entries) + "\n0\n";
}

std::vector<wlfmt::problem> problems_of(const std::string& text) {
    std::vector<wlfmt::problem> all;
    wlfmt::options how;
    how.lenient = true;
    const auto file = wlfmt::workload::read(text, how);
    how.on_problem = [&](const wlfmt::problem& e) { all.push_back(e); };
    CHECK(wlfmt::parallelism::sizes_of(file->header, text, how).ok());
    return all;
}

// FNV-1a over 64-bit words.
class digest {
public:
    void add(std::uint64_t word) { value_ = (value_ ^ word) * 1099511628211U; }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 14695981039346656037U;
};

// The digest of each kind of group covers the ranks of each group, with -1 after them.
std::uint64_t digest_of(const layout& of, std::initializer_list<group> kinds) {
    digest all;
    for (const group g : kinds) {
        digest one;
        for (std::int64_t n = 0; n != of.count(g); ++n) {
            for (const std::int64_t rank : of.ranks(g, n)) one.add(static_cast<std::uint64_t>(rank));
            one.add(static_cast<std::uint64_t>(-1));
        }
        all.add(one.value());
    }
    return all.value();
}

sizes sizes_for(std::int64_t all, std::int64_t tp, std::int64_t cp, std::int64_t ep, std::int64_t pp) {
    sizes s;
    s.ranks = all;
    s.tensor = tp;
    s.context = cp;
    s.pipeline = pp;
    s.expert = ep;
    s.data = all / (tp * cp * pp);
    s.expert_data = all / (tp * ep * pp);
    return s;
}

// Ranks, tensor, context, pipeline, data, expert, expert data.
ranks listed(const sizes& s) { return {s.ranks, s.tensor, s.context, s.pipeline, s.data, s.expert, s.expert_data}; }

}  // namespace

TEST_CASE("the sizes of a header") {
    const std::string text =
        header("model_parallel_NPU_group: 2 ep: 16 pp: 12 vpp: 8 ga: 24 all_gpus: 9216 pp_comm 64");
    const auto file = wlfmt::workload::read(text);
    const auto s = wlfmt::parallelism::sizes_of(file->header, text);
    REQUIRE(s.ok());
    CHECK(listed(*s) == ranks{9216, 2, 1, 12, 384, 16, 24});
}

TEST_CASE("an entry that is missing is a parallelism that is not used; all_gpus has to be there") {
    const std::string text = header("expert_parallel_npu_group: 3 all_gpus: 12");
    const auto file = wlfmt::workload::read(text);
    const auto s = wlfmt::parallelism::sizes_of(file->header, text);
    REQUIRE(s.ok());
    CHECK(listed(*s) == ranks{12, 1, 1, 1, 12, 3, 4});

    const std::string without = header("model_parallel_NPU_group: 2");
    const auto other = wlfmt::workload::read(without);
    const auto none = wlfmt::parallelism::sizes_of(other->header, without);
    CHECK(none.error().kind == error_kind::header_value);
    CHECK(none.error().field == "all_gpus");
    CHECK(none.error().offset == without.find('\n'));
    CHECK_FALSE(none->known());
    CHECK(listed(none.partial()) == ranks{0, 2, 1, 1, 0, 1, 0});
}

TEST_CASE("what is wrong with sizes is reported with its place and the numbers") {
    const auto one = [](std::string_view entries, error_kind kind, std::string_view place, std::string_view said) {
        const std::string text = header(entries);
        const auto all = problems_of(text);
        REQUIRE(all.size() == 1);
        CHECK(all[0].kind == kind);
        CHECK(text.substr(all[0].offset, all[0].length) == place);
        CHECK(wlfmt::message(all[0], text) == said);
    };
    one("model_parallel_NPU_group: 8 pp: 4 all_gpus: 100 pp_comm 7", error_kind::not_divisible, "100",
        "all_gpus: 100 ranks are not a multiple of 32 = model_parallel_NPU_group * pp");
    one("model_parallel_NPU_group: 2 ep: 6 all_gpus: 64", error_kind::not_divisible, "6",
        "ep: the data parallel size, 32 = all_gpus / (model_parallel_NPU_group * pp), is not a multiple of 6");
    one("pp: 4 all_gpus: 64", error_kind::pipeline_mismatch, "4",
        "pp: 4 stages, and pp_comm gives no bytes between them");
    one("pp: 4 all_gpus: 64 pp_comm: 0", error_kind::pipeline_mismatch, "0",
        "pp_comm: 4 stages, and pp_comm gives no bytes between them");
    one("pp: 1 all_gpus: 64 pp_comm: 2621440.0", error_kind::pipeline_mismatch, "2621440.0",
        "pp_comm: 1 stage, and pp_comm gives 2621440 bytes between stages");
    one("ep: 0 all_gpus: 64", error_kind::size_below_one, "0", "ep: `0` where a size of at least 1 is expected");
    one("model_parallel_NPU_group: -2 all_gpus: 64", error_kind::size_below_one, "-2",
        "model_parallel_NPU_group: `-2` where a size of at least 1 is expected");
    one("model_parallel_NPU_group: 2.5 all_gpus: 64", error_kind::not_an_integer, "2.5",
        "model_parallel_NPU_group: `2.5` where an integer is expected");
    one("model_parallel_NPU_group: 9223372036854775807 pp: 3 all_gpus: 64 pp_comm 1", error_kind::not_divisible,
        "9223372036854775807", "model_parallel_NPU_group: 9223372036854775807 is more than all_gpus, 64");
}

TEST_CASE("a group or a phase that there is not has no name") {
    namespace parallelism = wlfmt::parallelism;
    CHECK(name_of(parallelism::group::pipeline_parallel) == "pipeline_parallel");
    CHECK(name_of(static_cast<parallelism::group>(parallelism::group_count)) == "unknown");
    CHECK(name_of(parallelism::phase::weight_grad) == "weight_grad");
    CHECK(name_of(static_cast<parallelism::phase>(parallelism::phase_count)) == "unknown");
}

TEST_CASE("micro-batches and bytes between stages are counts, too") {
    const auto one = [](std::string_view entries, std::string_view said) {
        const std::string text = header(entries);
        const auto all = problems_of(text);
        REQUIRE(all.size() == 1);
        CHECK(std::string(name_of(all[0].kind)) + " " + wlfmt::message(all[0], text) == said);
    };
    one("pp: 2 ga: 0 all_gpus: 4 pp_comm: 8", "size_below_one ga: `0` where a size of at least 1 is expected");
    one("pp: 2 ga: -3 all_gpus: 4 pp_comm: 8", "size_below_one ga: `-3` where a size of at least 1 is expected");
    one("ga: 1.5 all_gpus: 4", "not_an_integer ga: `1.5` where an integer is expected");
    // SimAI divides by vpp.
    one("pp: 2 vpp: 0 all_gpus: 4 pp_comm: 8", "size_below_one vpp: `0` where a size of at least 1 is expected");
    one("pp: 2 vpp: 2.5 all_gpus: 4 pp_comm: 8", "not_an_integer vpp: `2.5` where an integer is expected");
    one("pp: 2 all_gpus: 4 pp_comm: -8", "negative_value pp_comm: `-8` is below 0");
    one("pp: 1 all_gpus: 4 pp_comm: -9", "negative_value pp_comm: `-9` is below 0");
    one("pp: 2 all_gpus: 4 pp_comm: 8.5", "not_an_integer pp_comm: `8.5` where an integer is expected");
    // A product beyond 64 bits divides nothing, not even the largest number that they hold.
    one("model_parallel_NPU_group: 9223372036854775807 pp: 3 all_gpus: 9223372036854775807 pp_comm: 1",
        "not_divisible all_gpus: 9223372036854775807 ranks are not a multiple of 9223372036854775807 = "
        "model_parallel_NPU_group * pp");
}

TEST_CASE("all problems are reported, and the first is the error") {
    const std::string text = header("model_parallel_NPU_group: 0 ep: x pp: 3 all_gpus: 10");
    const auto all = problems_of(text);
    REQUIRE(all.size() == 3);
    CHECK(all[0].kind == error_kind::size_below_one);
    CHECK(all[1].kind == error_kind::not_an_integer);
    CHECK(all[2].kind == error_kind::pipeline_mismatch);
    wlfmt::options how;
    how.lenient = true;
    const auto file = wlfmt::workload::read(text, how);
    const auto s = wlfmt::parallelism::sizes_of(file->header, text);
    CHECK(s.error().kind == error_kind::size_below_one);
    CHECK_FALSE(s->known());
    CHECK(s.partial().tensor == 0);
    CHECK(s.partial().pipeline == 3);
}

TEST_CASE("a header that was built by hand has no place") {
    wlfmt::workload::header head;
    head.policy = "HYBRID_TRANSFORMER";
    head.entries.edit() = {{"ep", "5", true}, {"all_gpus", "8", true}};
    const wlfmt::problem e = wlfmt::parallelism::sizes_of(head, "").error();
    CHECK(e.kind == error_kind::not_divisible);
    CHECK(wlfmt::explain(e, "", wlfmt::in_file("made")) ==
          "made: error: not_divisible: ep: the data parallel size, 8 = all_gpus / (model_parallel_NPU_group * pp), is "
          "not a "
          "multiple of 5\n");
}

TEST_CASE("the sizes of the samples") {
    const std::string moe = test::data("workload_moe_128gpus.txt");
    const auto file = wlfmt::workload::read(moe);
    const auto s = wlfmt::parallelism::sizes_of(file->header, moe);
    REQUIRE(s.ok());
    CHECK(listed(*s) == ranks{128, 8, 1, 4, 4, 4, 1});

    const std::string dense = test::data("workload_dense_1024gpus.txt");
    const auto other = wlfmt::workload::read(dense);
    const auto d = wlfmt::parallelism::sizes_of(other->header, dense);
    CHECK(d.error().kind == error_kind::pipeline_mismatch);
    CHECK(d->known());
    CHECK(listed(d.partial()) == ranks{1024, 8, 1, 16, 8, 1, 8});
}

TEST_CASE("a size beyond all ranks is blamed itself, and an entry that is absent is not a value that is missing") {
    const auto wrong = [](const std::string& header) {
        const std::string text = "DATA " + header + "\n0\n";
        const wlfmt::workload::reader file(text);
        const auto s = wlfmt::parallelism::sizes_of(file.header(), text);
        return text.substr(s.error().offset, s.error().length) + "|" + wlfmt::message(s.error(), text);
    };
    CHECK(wrong("pp: 4294967297 all_gpus: 8") == "4294967297|pp: 4294967297 is more than all_gpus, 8");
    CHECK(wrong("model_parallel_NPU_group: 16 all_gpus: 8") ==
          "16|model_parallel_NPU_group: 16 is more than all_gpus, 8");
    CHECK(wrong("pp: 2") == "|all_gpus: the entry is missing");
}

TEST_CASE("the first two ranks of a group of experts that are in two stages") {
    using pair = std::pair<std::int64_t, std::int64_t>;
    sizes s;
    s.ranks = 8;
    s.pipeline = 2;
    s.data = 4;
    s.expert = 4;
    // Stages are the axis that varies fastest for dense layers, and groups of experts have ranks next to each other.
    CHECK(layout(s, *rank_order::parse("ep-pp-dp")).ranks_of_two_stages() == pair(0, 1));
    CHECK(layout(s, *rank_order::parse("tp-ep-dp-pp")).ranks_of_two_stages() == std::nullopt);
}

TEST_CASE("what is known of a policy") {
    using wlfmt::parallelism::facts_of;
    const auto hybrid = facts_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD");
    CHECK(hybrid.is_known);
    CHECK(hybrid.is_simulated);
    CHECK(hybrid.is_traced);
    CHECK(hybrid.has_groups);
    const auto data = facts_of("DATA");
    CHECK(data.is_traced);
    CHECK_FALSE(data.has_groups);
    CHECK_FALSE(data.communicates[0]);
    CHECK_FALSE(data.communicates[1]);
    CHECK(data.communicates[2]);
    CHECK(facts_of("MODEL").communicates[1]);
    const auto own = facts_of("HYBRID_CUSTOMIZED");
    CHECK(own.is_simulated);
    CHECK_FALSE(own.is_traced);
    const auto forks = facts_of("PIPELINE");
    CHECK(forks.is_known);
    CHECK_FALSE(forks.is_simulated);
    CHECK_FALSE(facts_of("pipeline").is_known);
}

TEST_CASE("expert groups that span stages are accepted: AICB writes them for Qwen3-Next, SimAI simulates them") {
    const std::string text =
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 4 pp: 2 vpp: 1 ga: 1 all_gpus: 8 pp_comm: 9\n0\n";
    const wlfmt::workload::reader file(text);
    const auto s = wlfmt::parallelism::sizes_of(file.header(), text);
    CHECK(s.error().kind == error_kind::not_divisible);
    CHECK(text.substr(s.error().offset, s.error().length) == "4");
    CHECK(s->known());
    CHECK(s->data == 2);
    CHECK(s->expert == 4);
    CHECK(s->expert_data == 1);
    const layout all(*s);
    CHECK(all.ranks_with(group::expert_parallel, 5) == ranks{1, 3, 5, 7});
    CHECK(all.count(group::expert_parallel) == 2);
    CHECK(all.ranks_with(group::expert_data_parallel, 5) == ranks{5});
    CHECK(all.ranks_with(group::pipeline_parallel, 5) == ranks{1, 5});
    CHECK(all.ranks_with(group::data_parallel, 5) == ranks{5, 7});
    const sizes simai = wlfmt::parallelism::simai_sizes(*s);
    CHECK(simai.data == 4);
    CHECK(simai.expert_data == 1);
    CHECK(layout(simai).ranks_with(group::expert_parallel, 5) == ranks{1, 3, 5, 7});
}

TEST_CASE("the ranks of a group are asked for by a rank or by the group's index") {
    wlfmt::parallelism::sizes s;
    s.ranks = 8;
    s.tensor = 2;
    s.pipeline = 2;
    s.data = 2;
    const wlfmt::parallelism::layout ranks(s);
    using list = std::vector<std::int64_t>;
    CHECK(ranks.ranks(group::tensor_parallel, 1) == list{2, 3});
    CHECK(ranks.ranks_with(group::tensor_parallel, 3) == list{2, 3});
    CHECK(ranks.ranks_with(group::data_parallel, 7) == list{5, 7});
    CHECK(ranks.ranks(group::tensor_parallel, 4) == list());
    CHECK(ranks.ranks(group::tensor_parallel, -1) == list());
    CHECK(ranks.ranks_with(group::tensor_parallel, 8) == list());
    CHECK(ranks.ranks_with(group::tensor_parallel, -1) == list());
}

TEST_CASE("what is asked for beyond the groups, the phases and the axes is nothing, or the last axis") {
    wlfmt::parallelism::traffic moved(wlfmt::parallelism::sizes{8, 2, 1, 2, 2, 1, 2});
    wlfmt::workload::layer layer;
    layer.weight_grad.comm = "ALLREDUCE";
    layer.weight_grad.bytes = 100;
    moved.add(layer);
    CHECK(moved.rank(wlfmt::parallelism::phase::weight_grad, wlfmt::parallelism::group::data_parallel).count == 1);
    for (const int beyond : {3, 5, 200}) {
        CHECK(moved.rank(static_cast<wlfmt::parallelism::phase>(beyond), wlfmt::parallelism::group::data_parallel)
                  .count == 0);
        CHECK(moved.job_wire(static_cast<wlfmt::parallelism::phase>(beyond),
                             wlfmt::parallelism::group::data_parallel) == 0);
        CHECK(moved.rank(wlfmt::parallelism::phase::weight_grad, static_cast<wlfmt::parallelism::group>(beyond + 2))
                  .count == 0);
    }
    const auto order = wlfmt::parallelism::rank_order::parse("pp-dp");
    REQUIRE(order);
    CHECK((*order)[4] == wlfmt::parallelism::rank_order::axis::cp);
    CHECK((*order)[5] == wlfmt::parallelism::rank_order::axis::cp);
    CHECK((*order)[static_cast<std::size_t>(-1)] == wlfmt::parallelism::rank_order::axis::cp);
}

TEST_CASE("an order of ranks is read as Megatron writes it") {
    using axis = rank_order::axis;
    const auto order = rank_order::parse("tp-pp-dp");
    REQUIRE(order.has_value());
    CHECK((*order)[0] == axis::tp);
    CHECK((*order)[1] == axis::pp);
    CHECK((*order)[2] == axis::dp);
    CHECK((*order)[3] == axis::ep);
    CHECK((*order)[4] == axis::cp);
    CHECK(order->names_all(sizes_for(48, 3, 1, 1, 2)));
    CHECK_FALSE(order->names_all(sizes_for(48, 3, 1, 2, 2)));
    CHECK_FALSE(order->names_all(sizes_for(48, 3, 2, 1, 2)));
    CHECK(rank_order().names_all(sizes_for(64, 2, 2, 4, 4)));
    for (const std::string_view bad : {"", "tp-", "-tp", "tp-tp", "tp-xp", "tp pp", "TP"})
        CHECK_FALSE(rank_order::parse(bad).has_value());
}

TEST_CASE("the groups of sixteen ranks, listed") {
    // Megatron-LM d98e8a64, RankGenerator(tp=2, ep=2, pp=2).
    const sizes s = sizes_for(16, 2, 1, 2, 2);
    const layout by_default(s);
    CHECK(by_default.ranks(group::tensor_parallel, 3) == ranks{6, 7});
    CHECK(by_default.ranks(group::data_parallel, 1) == ranks{1, 3, 5, 7});
    CHECK(by_default.ranks(group::data_parallel, 2) == ranks{8, 10, 12, 14});
    CHECK(by_default.ranks(group::expert_parallel, 2) == ranks{4, 6});
    CHECK(by_default.ranks(group::expert_data_parallel, 5) == ranks{9, 13});
    CHECK(by_default.ranks(group::pipeline_parallel, 6) == ranks{6, 14});

    const layout pipeline_first(s, *rank_order::parse("tp-cp-ep-pp-dp"));
    CHECK(pipeline_first.ranks(group::tensor_parallel, 3) == ranks{6, 7});
    CHECK(pipeline_first.ranks(group::data_parallel, 1) == ranks{1, 5, 9, 13});
    CHECK(pipeline_first.ranks(group::expert_data_parallel, 5) == ranks{5, 13});
    CHECK(pipeline_first.ranks(group::pipeline_parallel, 6) == ranks{12, 14});
}

TEST_CASE("the groups of all ranks are Megatron's") {
    // Computed by RankGenerator of Megatron-LM d98e8a64 (megatron/core/parallel_state.py): one generator with ep = 1
    // for tp, dp and pp, one with cp = 1 for ep and the data parallelism of experts.
    const auto of = [](const sizes& s, std::string_view order) {
        return digest_of(layout(s, *rank_order::parse(order)),
                         {group::tensor_parallel, group::data_parallel, group::expert_parallel,
                          group::expert_data_parallel, group::pipeline_parallel});
    };
    CHECK(of(sizes_for(16, 2, 1, 2, 2), "tp-cp-ep-dp-pp") == 0xca3c47f30713ddc8U);
    CHECK(of(sizes_for(16, 2, 1, 2, 2), "tp-cp-ep-pp-dp") == 0xc4042151d46b86b0U);
    CHECK(of(sizes_for(128, 8, 1, 4, 4), "tp-cp-ep-dp-pp") == 0x4b2d81e252fe6fccU);
    CHECK(of(sizes_for(1024, 8, 1, 1, 16), "tp-cp-ep-dp-pp") == 0x4952b9a7208e795cU);
    CHECK(of(sizes_for(9216, 2, 1, 16, 12), "tp-cp-ep-dp-pp") == 0x455595c6b9a78a24U);
    CHECK(of(sizes_for(9216, 2, 1, 16, 12), "pp-dp-ep-cp-tp") == 0xbb9b73e1871b9324U);
    CHECK(of(sizes_for(64, 2, 2, 4, 4), "tp-cp-ep-dp-pp") == 0x38628c5be68d802cU);
    CHECK(of(sizes_for(64, 2, 2, 4, 4), "dp-tp-pp-ep-cp") == 0xe74ccd883d8f39ecU);
    CHECK(of(sizes_for(48, 3, 1, 1, 2), "tp-pp-dp") == 0x2eddbcebbb147e80U);
}

TEST_CASE("the groups of all ranks are SimAI's") {
    // Computed by the constructor of MockNcclGroup (aliyun/SimAI, astra-sim-alibabacloud/astra-sim/system/
    // MockNcclGroup.cc before 356c9900) with a pipeline of 1, as Sys.cc calls it; equal groups counted once.
    const auto of = [](std::int64_t all, std::int64_t tp, std::int64_t ep) {
        // SimAI has no lists of stages.
        return digest_of(
            layout(wlfmt::parallelism::simai_sizes(sizes_for(all, tp, 1, ep, 1))),
            {group::tensor_parallel, group::data_parallel, group::expert_parallel, group::expert_data_parallel});
    };
    CHECK(of(128, 2, 32) == 0xed4ea1c8871050c7U);
    CHECK(of(128, 8, 4) == 0x9b83e932b4903869U);
    CHECK(of(9216, 2, 16) == 0xd4d77a888b56b0a3U);
    CHECK(of(32, 4, 4) == 0xe8e3bf8540dba725U);
    // SimAI's lists ignore the pipeline.
    CHECK(listed(wlfmt::parallelism::simai_sizes(sizes_for(128, 8, 1, 4, 4))) == ranks{128, 8, 1, 1, 16, 4, 4});
}

TEST_CASE("every rank is in one group of each kind, where index_of() and position_of() say") {
    for (const std::string_view order : {"tp-cp-ep-dp-pp", "dp-pp-tp-cp-ep", "pp-ep-dp-tp-cp"}) {
        const layout of(sizes_for(192, 2, 2, 4, 3), *rank_order::parse(order));
        for (const group g : groups) {
            CHECK(of.size(g) * of.count(g) == 192);
            std::vector<int> seen(192);
            for (std::int64_t n = 0; n != of.count(g); ++n) {
                const ranks all = of.ranks(g, n);
                for (std::size_t k = 0; k != all.size(); ++k) {
                    ++seen[static_cast<std::size_t>(all[k])];
                    CHECK(of.index_of(g, all[k]) == n);
                    CHECK(of.position_of(g, all[k]) == static_cast<std::int64_t>(k));
                    if (k > 0) CHECK(all[k - 1] < all[k]);
                }
            }
            CHECK(seen == std::vector<int>(192, 1));
        }
    }
}

TEST_CASE("a rank, group or position that does not exist has no place") {
    const layout of(sizes_for(16, 2, 2, 2, 2));
    for (const group g : groups) {
        CHECK(of.rank(g, of.count(g) - 1, of.size(g) - 1) == 15);
        CHECK(of.rank(g, of.count(g), 0) == std::nullopt);
        CHECK(of.rank(g, 0, of.size(g)) == std::nullopt);
        CHECK(of.rank(g, -1, 0) == std::nullopt);
        CHECK(of.rank(g, 0, -1) == std::nullopt);
        CHECK(of.ranks(g, of.count(g)).empty());
        for (const std::int64_t rank : {std::int64_t{-1}, std::int64_t{16}, std::int64_t{17}}) {
            CHECK(of.index_of(g, rank) == std::nullopt);
            CHECK(of.position_of(g, rank) == std::nullopt);
        }
    }
}

TEST_CASE("sizes below one count as one") {
    sizes s;
    s.ranks = s.tensor = s.data = s.expert = s.expert_data = s.pipeline = s.context = 0;
    const layout of(s);
    for (const group g : groups) CHECK(of.ranks(g, 0) == ranks{0});
}

TEST_CASE("sizes with which there would be more ranks than 64 bits count, count as one") {
    constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();
    sizes s;
    s.ranks = s.tensor = s.context = s.pipeline = s.data = s.expert = s.expert_data = most;
    const layout of(s);
    CHECK(of.size(group::tensor_parallel) == most);
    CHECK(of.size(group::pipeline_parallel) == 1);
    CHECK(of.size(group::data_parallel) == 1);
    CHECK(of.size(group::expert_parallel) == 1);
    CHECK(of.size(group::expert_data_parallel) == 1);
    CHECK(of.rank(group::tensor_parallel, 0, most - 1) == most - 1);
    CHECK(of.position_of(group::tensor_parallel, most - 1) == most - 1);
    CHECK(of.index_of(group::expert_parallel, most - 1) == most - 1);
    s.tensor = s.context = s.expert = 2;
    s.pipeline = most / 4;
    const layout pipeline(s);
    CHECK(pipeline.size(group::pipeline_parallel) == most / 4);
    CHECK(pipeline.size(group::expert_parallel) == 2);
    CHECK(pipeline.size(group::data_parallel) == 1);

    s.pipeline = s.data = most;
    s.expert_data = 0;
    CHECK(wlfmt::parallelism::simai_sizes(s).data == most);
    CHECK(wlfmt::parallelism::simai_sizes(s).expert_data == 0);
}

TEST_CASE("in which group a collective runs: its suffix, or SimAI's rule") {
    using wlfmt::parallelism::group_of;
    using wlfmt::workload::communication_of;
    CHECK(group_of(phase::forward, communication_of("ALLREDUCE")) == group::tensor_parallel);
    CHECK(group_of(phase::input_grad, communication_of("ALLTOALL")) == group::tensor_parallel);
    CHECK(group_of(phase::weight_grad, communication_of("ALLGATHER")) == group::data_parallel);
    CHECK(group_of(phase::weight_grad, communication_of("ALLREDUCE_EP")) == group::expert_parallel);
    CHECK(group_of(phase::forward, communication_of("REDUCESCATTER_DP_EP")) == group::expert_data_parallel);
    CHECK(group_of(phase::forward, communication_of("BROADCAST_DP")) == group::data_parallel);
    CHECK_FALSE(group_of(phase::forward, communication_of("NONE")).has_value());
    CHECK_FALSE(group_of(phase::forward, communication_of("ALLREDUC")).has_value());
}

TEST_CASE("bus bandwidth factors are those of nccl-tests") {
    using wlfmt::parallelism::bus_factor;
    using wlfmt::parallelism::wire_bytes;
    using wlfmt::workload::collective;
    CHECK(bus_factor(collective::allreduce, 8) == 1.75);
    CHECK(bus_factor(collective::allgather, 8) == 0.875);
    CHECK(bus_factor(collective::reduce_scatter, 4) == 0.75);
    CHECK(bus_factor(collective::all_to_all, 2) == 0.5);
    CHECK(bus_factor(collective::broadcast, 16) == 1.0);
    for (const collective c : {collective::allreduce, collective::allgather, collective::broadcast}) {
        CHECK(bus_factor(c, 1) == 0.0);
        CHECK(bus_factor(c, 0) == 0.0);
    }
    CHECK_FALSE(bus_factor(collective::all_to_all_v, 8).has_value());
    CHECK_FALSE(bus_factor(collective::allreduce_all_to_all, 8).has_value());
    CHECK_FALSE(bus_factor(collective::other, 8).has_value());
    CHECK(wire_bytes(collective::allreduce, 4, 1000) == 1500.0);
    CHECK_FALSE(wire_bytes(collective::all_to_all_v, 4, 1000).has_value());
}

TEST_CASE("what a file moves, by group and phase") {
    const std::string text =
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 2 ga: 3 all_gpus: 16 pp_comm: 100\n2\n"
        "a -1 1 ALLREDUCE 64 1 ALLTOALL_EP 32 1 REDUCESCATTER_DP_EP 16 1\n"
        "b -1 1 ALLGATHER 8 1 ALLTOALLV_EP 4 1 ALLREDUC 2 1\n";
    const auto file = wlfmt::workload::read(text);
    wlfmt::parallelism::traffic moved(*wlfmt::parallelism::sizes_of(file->header, text));
    for (const auto& layer : file->layers) moved.add(layer);
    moved.add_pipeline(file->header);
    const auto& tp = moved.rank(phase::forward, group::tensor_parallel);
    CHECK(tp.count == 2);
    CHECK(tp.bytes == 72);
    CHECK(tp.wire == 68);
    CHECK(tp.unknown == 0);
    const auto& ep = moved.rank(phase::input_grad, group::expert_parallel);
    CHECK(ep.count == 2);
    CHECK(ep.bytes == 36);
    CHECK(ep.wire == 16);
    CHECK(ep.unknown == 1);
    CHECK(moved.rank(phase::weight_grad, group::expert_data_parallel).wire == 8);
    CHECK(moved.rank(phase::weight_grad, group::data_parallel).count == 0);
    CHECK(moved.unknown_collectives() == 1);
    CHECK(moved.rank(phase::forward, group::pipeline_parallel).count == 3);
    CHECK(moved.rank(phase::input_grad, group::pipeline_parallel).wire == 300);
    CHECK(moved.rank(group::tensor_parallel).wire == 68 + moved.rank(phase::input_grad, group::tensor_parallel).wire);
    CHECK(moved.rank(group::pipeline_parallel).count == 6);
    CHECK(moved.job_wire(phase::forward, group::tensor_parallel) == 16 * 68);
    // The last stage has no next one.
    CHECK(moved.job_wire(phase::forward, group::pipeline_parallel) == 8 * 300);
}

TEST_CASE("traffic that cannot be computed is counted, and moves nothing") {
    const auto stages = [](std::string_view entries) {
        const std::string text = header("pp: 2 all_gpus: 4 " + std::string(entries));
        wlfmt::options how;
        how.lenient = true;
        const auto file = wlfmt::workload::read(text, how);
        wlfmt::parallelism::traffic moved(wlfmt::parallelism::sizes_of(file->header, text).partial());
        moved.add_pipeline(file->header);
        const auto& t = moved.rank(phase::forward, group::pipeline_parallel);
        CHECK(moved.job_wire(phase::input_grad, group::pipeline_parallel) == 2 * t.wire);
        // Of two stages, the first sends forward and the second one back.
        CHECK(moved.rank(group::pipeline_parallel).wire == t.wire);
        return std::vector<double>{static_cast<double>(t.count), t.bytes, t.wire, static_cast<double>(t.unknown)};
    };
    using numbers = std::vector<double>;
    CHECK(stages("pp_comm: 100") == numbers{1, 100, 100, 0});
    CHECK(stages("ga: 3 pp_comm: 100.0") == numbers{3, 300, 300, 0});
    // As SimAI counts them, for each chunk of a virtual pipeline.
    CHECK(stages("ga: 3 vpp: 5 pp_comm: 100") == numbers{15, 1500, 1500, 0});
    for (const std::string_view unknown : {"ga: 3", "ga: 3 vpp: 2", "vpp: 0 pp_comm: 100", "vpp: 1.5 pp_comm: 100",
                                           "vpp: 2 ga: 9223372036854775807 pp_comm: 1", "ga: -3 pp_comm: 100",
                                           "ga: 0 pp_comm: 100", "ga: 2.5 pp_comm: 100", "ga: many pp_comm: 100",
                                           "ga: 3 pp_comm: -100", "ga: 3 pp_comm: 0.5", "ga: 3 pp_comm: 1e300"})
        CHECK_MESSAGE((stages(unknown) == numbers{1, 0, 0, 1}), unknown);
    CHECK(stages("ga: 9223372036854775807 pp_comm: 9223372036854775807")[2] == 0x1p126);

    // A group of one rank sends nothing, whatever the collective is.
    wlfmt::workload::layer alone;
    alone.forward.comm = "ALLTOALLV_EP";
    alone.forward.bytes = 64;
    wlfmt::parallelism::traffic none(sizes_for(4, 2, 1, 1, 1));
    none.add(alone);
    CHECK(none.rank(phase::forward, group::expert_parallel).count == 1);
    CHECK(none.rank(phase::forward, group::expert_parallel).unknown == 0);
    CHECK(none.rank(phase::forward, group::expert_parallel).wire == 0);

    wlfmt::workload::layer one;
    one.forward.comm = "ALLREDUCE";
    one.forward.bytes = -64;
    wlfmt::parallelism::traffic moved(sizes_for(4, 2, 1, 1, 1));
    moved.add(one);
    const auto& t = moved.rank(phase::forward, group::tensor_parallel);
    CHECK(t.count == 1);
    CHECK(t.bytes == 0);
    CHECK(t.wire == 0);
    CHECK(t.unknown == 1);
    CHECK_FALSE(wlfmt::parallelism::wire_bytes(wlfmt::workload::collective::allgather, 2, -1).has_value());
}

TEST_CASE("what the samples move") {
    // A script that does not use the library added these up, line by line.
    const std::string moe = test::data("workload_moe_128gpus.txt");
    const auto file = wlfmt::workload::read(moe);
    wlfmt::parallelism::traffic moved(*wlfmt::parallelism::sizes_of(file->header, moe));
    for (const auto& layer : file->layers) moved.add(layer);
    CHECK(moved.rank(phase::forward, group::tensor_parallel).count == 74);
    CHECK(moved.rank(phase::forward, group::tensor_parallel).bytes == 324947968);
    CHECK(moved.rank(phase::forward, group::tensor_parallel).wire == 289881088);
    CHECK(moved.rank(phase::input_grad, group::tensor_parallel).wire == 269144064);
    CHECK(moved.rank(phase::forward, group::expert_parallel).wire == 84934656);
    CHECK(moved.rank(phase::weight_grad, group::data_parallel).wire == 394841088);
    CHECK(moved.rank(phase::weight_grad, group::expert_data_parallel).bytes == 3623878656);
    CHECK(moved.rank(phase::weight_grad, group::expert_data_parallel).wire == 0);

    const std::string dense = test::data("workload_dense_1024gpus.txt");
    const auto other = wlfmt::workload::read(dense);
    wlfmt::parallelism::traffic of_dense(wlfmt::parallelism::sizes_of(other->header, dense).partial());
    for (const auto& layer : other->layers) of_dense.add(layer);
    CHECK(of_dense.rank(phase::forward, group::tensor_parallel).count == 551);
    CHECK(of_dense.rank(phase::forward, group::tensor_parallel).wire == 65766772764.0);
    CHECK(of_dense.rank(phase::input_grad, group::tensor_parallel).wire == 30299652096.0);
    CHECK(of_dense.rank(phase::weight_grad, group::data_parallel).wire == 16802709504.0);
}
