// Checks what is said of any workload or op log: sizes that multiply to the ranks or an error that lies in the text,
// groups in which every rank has one place, traffic that is never below 0, warnings that lie in the text. The first
// byte chooses the format, the next eight are sizes and a rank for a layout that no header gives, the rest is the text.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/lint.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "check.hpp"

namespace {

using namespace wlfmt::parallelism;

constexpr group groups[] = {group::tensor_parallel, group::data_parallel, group::expert_parallel,
                            group::expert_data_parallel, group::pipeline_parallel};
constexpr phase phases[] = {phase::forward, phase::input_grad, phase::weight_grad};

// Checks that a rank's place leads back to the rank. `all`: the rank exists, and has a place in every group.
void check_place(const layout& of, std::int64_t rank, bool all, std::string_view text) {
    for (const group g : groups) {
        const std::optional<std::int64_t> position = of.position_of(g, rank);
        const std::optional<std::int64_t> index = of.index_of(g, rank);
        fuzz::check(of.size(g) > 0 && of.count(g) >= 0, "a group has ranks", text);
        fuzz::check(position.has_value() == index.has_value(), "a rank that exists has a place in each group", text);
        fuzz::check(!all || index, "each rank has a place", text);
        if (!index || !position) continue;
        fuzz::check(*position >= 0 && *position < of.size(g), "a position is one of the group", text);
        fuzz::check(!all || (*index >= 0 && *index < of.count(g)), "an index is that of a group", text);
        fuzz::check(of.rank(g, *index, *position) == rank, "a rank is where its place says", text);
        fuzz::check(!of.rank(g, *index, of.size(g)), "there is no position after the last one", text);
    }
}

// Checks layouts of sizes that any program could pass.
void check_layout(fuzz::input& from, std::string_view text) {
    constexpr std::int64_t size[] = {
        0, 1, 2, 3, 8, std::int64_t{1} << 31, std::int64_t{1} << 62, -1, 0x7fffffffffffffff};
    constexpr std::string_view orders[] = {"tp-cp-ep-dp-pp", "pp-dp-ep-cp-tp", "tp-pp", "ep-tp-dp"};
    sizes s;
    for (std::int64_t* const any : {&s.ranks, &s.tensor, &s.context, &s.pipeline, &s.data, &s.expert, &s.expert_data})
        *any = size[from.below(sizeof size / sizeof *size)];
    const rank_order order = *rank_order::parse(orders[from.below(sizeof orders / sizeof *orders)]);
    const layout of(s, order);
    for (const std::int64_t rank : {std::int64_t{0}, of.sizes().ranks - 1, of.sizes().ranks / 2})
        check_place(of, rank, false, text);
    const sizes simai = simai_sizes(s);
    fuzz::check(simai.pipeline == 1 && simai.data >= 0 && simai.expert_data >= 0, "SimAI has one stage", text);
}

void check_sizes(const wlfmt::workload::header& head, std::string_view text) {
    std::vector<wlfmt::problem> problems;
    wlfmt::options options = fuzz::options_of(2, problems);
    const auto tolerated = sizes_of(head, text, options);
    const auto strict = sizes_of(head, text);
    fuzz::check_errors(problems, text);
    fuzz::check(tolerated.ok(), "lenient reading goes past all problems", text);
    fuzz::check(strict.ok() == problems.empty(), "what is wrong is an error", text);
    if (!strict.ok()) fuzz::check(strict.error().kind == problems[0].kind, "the first problem is the error", text);
    const sizes& s = strict.partial();
    fuzz::check(s.known() == (s.expert_data > 0), "the sizes are known if the last one is", text);
    const layout of(s);
    if (s.known()) {
        fuzz::check(s.tensor * s.pipeline * s.data == s.ranks &&
                        (s.expert * s.expert_data == s.data || s.expert * s.expert_data == s.data * s.pipeline),
                    "sizes multiply to the ranks", text);
    }
    for (const std::int64_t rank : {std::int64_t{0}, of.sizes().ranks - 1, of.sizes().ranks / 2})
        check_place(of, rank, s.known(), text);
}

void check_workload(std::string_view text) {
    wlfmt::options lenient;
    lenient.lenient = true;
    const auto file = wlfmt::workload::read(text, lenient);
    check_sizes(file->header, text);

    std::vector<wlfmt::problem> odd;
    const auto keep = [&](const wlfmt::problem& e) { odd.push_back(e); };
    wlfmt::lint::examine(file->header, static_cast<std::int64_t>(file->layers.size()), text, keep);
    traffic moved(sizes_of(file->header, text).partial());
    moved.add_pipeline(file->header);
    for (const auto& layer : file->layers) {
        wlfmt::lint::examine(layer, text, keep);
        moved.add(layer);
    }
    fuzz::check_errors(odd, text);
    for (const phase p : phases)
        for (const group g : groups) {
            const tally& t = moved.rank(p, g);
            fuzz::check(t.bytes >= 0 && t.wire >= 0 && t.unknown <= t.count, "nothing moves less than nothing", text);
            fuzz::check(t.wire <= 2 * t.bytes, "a rank sends at most twice the bytes", text);
            fuzz::check(moved.job_wire(p, g) >= 0, "no rank sends less than nothing", text);
        }
}

void check_log(std::string_view text) {
    wlfmt::options lenient;
    lenient.lenient = true;
    const auto log = wlfmt::oplog::read(text, lenient);
    std::vector<wlfmt::problem> odd;
    for (const auto& op : log->operations)
        wlfmt::lint::examine(op, text, [&](const wlfmt::problem& e) { odd.push_back(e); });
    fuzz::check_errors(odd, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t chosen = 9;
    if (size < chosen) return 0;
    const fuzz::block text({reinterpret_cast<const char*>(data) + chosen, size - chosen});
    fuzz::input from(data, chosen);
    const bool log = from.flag();
    check_layout(from, text.view());
    if (log) check_log(text.view());
    else check_workload(text.view());
    return 0;
}
