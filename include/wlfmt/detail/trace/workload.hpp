// A timeline of a workload file.
#ifndef WLFMT_DETAIL_TRACE_WORKLOAD_HPP
#define WLFMT_DETAIL_TRACE_WORKLOAD_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../workload.hpp"
#include "write.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

enum class pass : std::uint8_t { forward, recomputed, input_grad, weight_grad };

// Calls each(layer, pass) in the order in which SimAI runs the phases of one iteration.
template <class Each> void walk_iteration(const workload::document& doc, const Each& each) {
    const policy_row policy = policy_table<build>::of(doc.header().policy);
    const std::size_t count = doc.layers.size();
    for (std::size_t n = 0; n != count; ++n) each(n, pass::forward);
    if (policy.has(forward_alone)) return;
    const bool weight_first = policy.has(weight_grad_first);
    std::vector<bool> is_checkpoint(count);
    std::vector<bool> initiates(count);
    const auto mark = [&](const workload::index_list& list, std::vector<bool>& marks) {
        if (!policy.has(recomputes)) return;
        for (const std::int64_t n : list)
            if (n >= 0 && static_cast<std::uint64_t>(n) < count) marks[static_cast<std::size_t>(n)] = true;
    };
    mark(doc.header().checkpoints(), is_checkpoint);
    mark(doc.header().checkpoint_initiates(), initiates);
    for (std::size_t n = count; n-- > 0;) {
        if (initiates[n]) {
            std::size_t from = n;
            while (from > 0 && !is_checkpoint[from]) --from;
            if (is_checkpoint[from])
                for (; from != n; ++from) each(from, pass::recomputed);
        }
        if (!weight_first) each(n, pass::input_grad);
        each(n, pass::weight_grad);
        if (weight_first && n != 0) each(n, pass::input_grad);
    }
}

inline const workload::phase& phase_of(const workload::layer& one, pass p) noexcept {
    return p == pass::input_grad ? one.input_grad : p == pass::weight_grad ? one.weight_grad : one.forward;
}

// The track of a collective's group; if the collective has no suffix, the phase decides.
enum class workload_track : std::uint8_t { computation = 1, tensor, data, expert, expert_data };
inline workload_track track_of(const workload::communication& c, pass p) noexcept {
    switch (c.group) {
    case workload::group::expert_parallel: return workload_track::expert;
    case workload::group::data_parallel: return workload_track::data;
    case workload::group::expert_data_parallel: return workload_track::expert_data;
    default: return p == pass::weight_grad ? workload_track::data : workload_track::tensor;
    }
}

template <class Sink> class workload_timeline : event_writer<Sink> {
    using writer = event_writer<Sink>;

public:
    explicit workload_timeline(Sink& sink) noexcept : writer(sink, "ns") {}

    error write(const workload::document& doc) {
        static constexpr std::string_view tracks[] = {"computation", "tensor parallel", "data parallel",
                                                      "expert parallel", "expert data parallel"};
        writer::named("process_name", 1, 0, "one iteration of a stage: " + std::string(doc.header().policy));
        for (std::size_t n = 0; n != sizeof tracks / sizeof *tracks; ++n)
            writer::named("thread_name", 1, static_cast<std::int64_t>(n + 1), tracks[n]);
        walk_iteration(doc, [&](std::size_t n, pass p) { phase(doc.layers[n], n, p); });
        return writer::finish();
    }

private:
    void head(char kind, workload_track track) { writer::head(kind, 1, static_cast<std::int64_t>(track)); }
    void phase(const workload::layer& one, std::size_t position, pass p) {
        static constexpr std::string_view names[] = {"forward", "forward again", "input_grad", "weight_grad"};
        const std::string_view title = names[static_cast<std::size_t>(p)];
        const workload::phase& f = phase_of(one, p);
        const double ticks = f.compute.value_or(0.0);
        // The clock stops at the last time that it can show.
        constexpr std::int64_t most = 9000000000000000000;
        const auto all = ticks > 0 && ticks < 9e18 ? static_cast<std::int64_t>(ticks) : 0;
        const std::int64_t ns = (std::min)(all, most - now_);
        if (ns > 0) {
            head('X', workload_track::computation);
            to_.literal(",\"ts\":");
            trace_microseconds(to_, now_);
            to_.literal(",\"dur\":");
            trace_duration(to_, now_, now_ + ns);
            body(one, position, layer_name(one, position), title);
            to_.literal("}}");
            now_ += ns;
        }
        const workload::communication c = workload::communication_of(f.comm);
        if (c.collective == workload::collective::none) return;
        head('i', track_of(c, p));
        to_.literal(",\"s\":\"t\",\"ts\":");
        trace_microseconds(to_, now_);
        body(one, position, f.comm, "communication");
        to_.literal(",\"bytes\":");
        to_.value(f.bytes);
        text(",\"phase\":", title);
        to_.literal("}}");
    }
    static std::string layer_name(const workload::layer& one, std::size_t position) {
        return one.name.empty() ? "layer " + std::to_string(position) : std::string(one.name);
    }
    void body(const workload::layer& one, std::size_t position, std::string_view what, std::string_view category) {
        text(",\"name\":", what);
        text(",\"cat\":", category);
        to_.literal(",\"args\":{\"layer\":");
        to_.integer(static_cast<std::int64_t>(position));
        text(",\"name\":", one.name);
    }

    using writer::text;
    using writer::to_;
    std::int64_t now_ = 0;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
