// by_name.hpp: the rows of a table by kind and by name.
#include "analysis/profile/by_name.hpp"
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace {

using wlfmt::analysis::by_name;
using wlfmt::analysis::row_kind;
using wlfmt::table::cell;

std::vector<std::string> names_of(const by_name& names, row_kind kind) {
    std::vector<std::string> all;
    for (const auto* one : names.heaviest(kind)) all.push_back(one->name);
    return all;
}

}  // namespace

TEST_CASE("rows of one name are one; kinds are apart, and the heaviest of each first") {
    wlfmt::table::profile one;
    for (const char* name : {"Name", "Self CPU", "CPU total", "Self CUDA", "CUDA total", "# of Calls"})
        one.columns.emplace_back(name);
    const auto add = [&](const char* name, double cpu, double cpu_total, double own, double total, double calls) {
        REQUIRE(one.add_row({cell(name), cell(cpu), cell(cpu_total), cell(own), cell(total), cell(calls)}));
    };
    add("light", 11.0, 13.0, 1.0, 2.0, 3.0);
    add("heavy", 17.0, 19.0, 500.0, 1500.0, 5.0);
    add("light", 23.0, 29.0, 3.0, 7.0, 4.0);
    add("void fill_kernel", 0.0, 0.0, 250.0, 251.0, 6.0);
    add("## step ##", 0.0, 0.0, 750.0, 751.0, 1.0);

    const by_name names(one);
    CHECK(names.weight() == 3);
    CHECK(names.total_column() == 4);
    CHECK(names.total() == 0);
    CHECK(names.extra() == std::vector<std::size_t>{1, 2, 5});
    CHECK(names_of(names, row_kind::operation) == std::vector<std::string>{"heavy", "light"});
    CHECK(names_of(names, row_kind::kernel) == std::vector<std::string>{"void fill_kernel"});
    CHECK(names_of(names, row_kind::annotation) == std::vector<std::string>{"## step ##"});
    const wlfmt::analysis::named_rows light = *names.heaviest(row_kind::operation)[1];
    CHECK(light.rows == 2);
    CHECK(light.weight == 4);
    CHECK(light.total == 9.0);
    CHECK(light.share == std::nullopt);
    using wlfmt::analysis::bounded;
    CHECK(light.extra == std::vector<bounded>{bounded(34), bounded(42), bounded(7)});
}

static by_name names_of_text(const std::string& text) {
    wlfmt::options options;
    options.lenient = true;
    const auto read = wlfmt::table::read(text, options);
    return by_name((*read).tables.at(0));
}

TEST_CASE("a cell that was not read is in no sum, which is then a limit, and names of no-break spaces are one") {
    using wlfmt::analysis::bounded;
    constexpr std::string_view header =
        "-----  ---------  ----------  -----------  ----------\n"
        " Name   Self CPU   Self CUDA   Self CPU Mem  # of Calls\n"
        "-----  ---------  ----------  -----------  ----------\n";
    const auto names_in = [&](std::string_view rows) {
        return names_of_text(std::string(header).append(rows).append("-----  ---\n"));
    };
    const by_name names = names_in(
        "  a b  1.000us  8.000us  2 B  3\n"
        "  a\xC2\xA0"
        "b  2.000us  8,000us  4.0 X  4\n"
        "  k<1>  0.000us  5.000us  0 B  1\n");
    const wlfmt::analysis::named_rows& ab = *names.heaviest(row_kind::operation)[0];
    CHECK(ab.name == "a b");
    CHECK(ab.rows == 2);
    CHECK(ab.weight == bounded::no_less(8));
    CHECK(ab.share == std::nullopt);
    CHECK(ab.extra == std::vector<bounded>{bounded(3), bounded::unknown(), bounded(7)});
    CHECK_FALSE(names.has_doubtful_kinds());
    CHECK(names.heaviest(row_kind::kernel)[0]->weight == 5);
    // A row that may be a kernel is in no sum.
    const by_name doubtful = names_in("  k<1>  0.000us  5.000us  0 B  1\n  k<1>  n/a  7.000us  0 B  1\n");
    CHECK(doubtful.has_doubtful_kinds());
    CHECK(doubtful.heaviest(row_kind::kernel)[0]->weight == bounded::no_less(5));
    CHECK(doubtful.heaviest(row_kind::operation)[0]->weight == bounded::no_less(0));
}

TEST_CASE("spans of the program are no operators, and without times of the processor names tell kernels") {
    const by_name spans = names_of_text(
        "----  ---------\nName   Self CPU\n----  ---------\n"
        "ProfilerStep*  8.000us\nmm  2.000us\n[memory]  0.000us\n----  ---\n");
    CHECK(names_of(spans, row_kind::operation) == std::vector<std::string>{"mm", "[memory]"});
    CHECK(names_of(spans, row_kind::span) == std::vector<std::string>{"ProfilerStep*"});
    const by_name bare = names_of_text(
        "----  ---------\nName  Self CUDA\n----  ---------\n"
        "Memcpy HtoD (Pageable -> Dev...  8.000us\naten::conv2d  2.000us\n"
        "ampere_sgemm_128x64_tn  2.000us\n----  ---\n");
    CHECK_FALSE(bare.tells_kinds());
    CHECK(names_of(bare, row_kind::operation) == std::vector<std::string>{"aten::conv2d"});
    CHECK(names_of(bare, row_kind::kernel) ==
          std::vector<std::string>{"Memcpy HtoD (Pageable -> Dev...", "ampere_sgemm_128x64_tn"});
}

TEST_CASE("a share is the table's own percentage, or a part of the total that the table names") {
    wlfmt::table::profile one;
    for (const char* name : {"Name", "Self CPU"}) one.columns.emplace_back(name);
    REQUIRE(one.add_row({cell("a"), cell(60.0)}));
    REQUIRE(one.add_row({cell("b"), cell(20.0)}));
    const by_name without(one);
    CHECK(without.heaviest(row_kind::operation)[0]->share == std::nullopt);

    one.totals.push_back({"Self CPU time total", cell(240.0)});
    const by_name of_total(one);
    CHECK(of_total.total() == 240);
    CHECK(of_total.heaviest(row_kind::operation)[0]->share == 25.0);

    wlfmt::table::profile own;
    for (const char* name : {"Name", "Self CPU %", "Self CPU"}) own.columns.emplace_back(name);
    REQUIRE(own.add_row({cell("a"), cell(37.5), cell(60.0)}));
    own.totals.push_back({"Self CPU time total", cell(240.0)});
    const by_name of_own(own);
    CHECK(of_own.weight() == 2);
    CHECK(of_own.heaviest(row_kind::operation)[0]->share == 37.5);
}

TEST_CASE("a table without measured times has no names") {
    wlfmt::table::profile one;
    for (const char* name : {"Name", "Self CPU", "Input Shapes"}) one.columns.emplace_back(name);
    REQUIRE(one.add_row({cell("a"), cell(0.0), cell("[]")}));
    const by_name names(one);
    CHECK(names.weight() == by_name::none);
    CHECK(names.total_column() == by_name::none);
    CHECK(names.heaviest(row_kind::operation).empty());
}

TEST_CASE("what a program names, or what takes more of the device than there is, is no kernel") {
    wlfmt::table::profile one;
    for (const char* name : {"Name", "Self CPU", "Self CUDA"}) one.columns.emplace_back(name);
    const auto add = [&](const char* name, double cpu, double own) {
        REQUIRE(one.add_row({cell(name), cell(cpu), cell(own)}));
    };
    add("gpu_model_runner: forward", 0.0, 9022.0);
    add("[pl][profile]training_step", 0.0, 11.0);
    add("train_epoch", 0.0, 7400.0);
    add("nccl:all_reduce", 0.0, 13.0);
    add("ncclDevKernel_AllReduce", 0.0, 17.0);
    add("void at::native::(anonymous namespace)::copy<int[4]>(char*)", 0.0, 19.0);
    add("Memcpy HtoD (Pageable -> Device)", 0.0, 23.0);
    // A copy that the program called, too.
    add("Memset (Device)", 5.0, 0.0);
    add("Memset (Device)", 0.0, 29.0);
    add("aten::mm", 31.0, 37.0);
    one.totals.push_back({"Self CUDA time total", cell(7320.0)});
    const by_name names(one);
    CHECK(names_of(names, row_kind::annotation) == std::vector<std::string>{"gpu_model_runner: forward", "train_epoch",
                                                                            "nccl:all_reduce",
                                                                            "[pl][profile]training_step"});
    CHECK(names_of(names, row_kind::kernel) ==
          std::vector<std::string>{"Memset (Device)", "Memcpy HtoD (Pageable -> Device)",
                                   "void at::native::(anonymous namespace)::copy<int[4]>(char*)",
                                   "ncclDevKernel_AllReduce"});
    CHECK(names_of(names, row_kind::device).empty());
}

TEST_CASE("a row of the device whose name does not tell is neither a kernel nor an annotation") {
    wlfmt::table::profile one;
    for (const char* name : {"Name", "Self CPU", "Self CUDA", "Self CUDA %"}) one.columns.emplace_back(name);
    const auto add = [&](const char* name, double own, double percent) {
        REQUIRE(one.add_row({cell(name), cell(0.0), cell(own), cell(percent)}));
    };
    add("forward", 41.0, 100.0);
    add("ampere_sgemm_128x32_nn", 17.0, 3.0);
    add("triton_poi_fused_add_0", 13.0, 2.0);
    add("k", 5.0, 1.0);
    add("an_epoch_kernel", 99.0, 123.24);  // more than there is, by the table's own percentages
    const by_name names(one);
    CHECK(names_of(names, row_kind::device) == std::vector<std::string>{"forward", "k"});
    CHECK(names_of(names, row_kind::kernel) ==
          std::vector<std::string>{"ampere_sgemm_128x32_nn", "triton_poi_fused_add_0"});
    CHECK(names_of(names, row_kind::annotation) == std::vector<std::string>{"an_epoch_kernel"});
    CHECK(name_of(row_kind::device) == "device row");
}

TEST_CASE("names of published tables are of the kinds that their authors mean") {
    struct named_kind {
        const char* name;
        row_kind kind;
        double cpu = 0.0;  // of a row of the program that has this name, too
    };
    const named_kind rows[] = {
        {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>...", row_kind::kernel},
        {"at::native::xpu::VectorizedElementwiseKernel<4, at::native::xpu::AddFunctor<c10::...", row_kind::kernel},
        {"_fwd_kernel_stage2_asm", row_kind::kernel},
        {"ampere_sgemm_32x32_sliced1x4_nn", row_kind::kernel},
        {"sm86_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nh...", row_kind::kernel},
        {"_5x_cudnn_ampere_scudnn_128x64_relu_medium_nn_v1", row_kind::kernel},
        {"nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_TNT", row_kind::kernel},
        {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEf...", row_kind::kernel},
        {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN_...", row_kind::kernel},
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*...", row_kind::kernel},
        {"Memcpy DtoD (Device -> Device)", row_kind::kernel, 3.0},
        {"triton_red_fused__to_copy_sum_2", row_kind::kernel, 5.0},
        {"_attn_fwd", row_kind::kernel},
        {"ProfilerStep*", row_kind::annotation},
        {"Optimizer.step#SGD.step", row_kind::annotation},
        {"DistributedDataParallel.forward", row_kind::annotation},
        {"nccl:_all_gather_base", row_kind::annotation},
        {"[pl][profile][Strategy]SingleDeviceStrategy.training...", row_kind::annotation},
        {"## Call CompiledFxGraph fbdl7xpk ##", row_kind::annotation},
        {"gpu_model_runner: forward", row_kind::annotation},
        {"inference_pass", row_kind::annotation, 7.0},
        {"Non-Compilied Causal Attention", row_kind::annotation, 2.0},
        {"k", row_kind::device},
        {"Stream Sync", row_kind::device},
        {"diopiConvolution2d", row_kind::device},
    };
    wlfmt::table::profile one;
    for (const char* name : {"Name", "Self CPU", "Self CUDA"}) one.columns.emplace_back(name);
    double own = 1;
    for (const named_kind& row : rows) {
        REQUIRE(one.add_row({cell(row.name), cell(0.0), cell(own++)}));
        if (row.cpu > 0) REQUIRE(one.add_row({cell(row.name), cell(row.cpu), cell(0.0)}));
    }
    const by_name names(one);
    for (const named_kind& row : rows) {
        const std::vector<std::string> found = names_of(names, row.kind);
        CHECK_MESSAGE(std::count(found.begin(), found.end(), row.name) == 1, row.name);
    }
    CHECK(names_of(names, row_kind::operation).size() == 4);
}
