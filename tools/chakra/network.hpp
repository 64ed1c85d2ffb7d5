// chakra --network: derives the bandwidth and latency of a machine from the op logs of a run on it.
#ifndef WLFMT_TOOLS_CHAKRA_NETWORK_HPP
#define WLFMT_TOOLS_CHAKRA_NETWORK_HPP

#include "../command_line/settings.hpp"
#include "../output/output.hpp"
#include "../run/summary.hpp"

namespace tool {

// Fits the latency and bandwidth with which ASTRA-sim's rings take as long for a run's calls as they took in the run.
class ring_fit {
public:
    // Adds `calls` calls that took `ns` each. ASTRA-sim divides a call into pieces, one after the other. Each piece
    // takes `steps` steps of one latency each; all pieces together pass `bytes` from a rank to the next one.
    void add(double calls, double steps, double pieces, double bytes, double ns) {
        // ASTRA-sim adds the endpoint-delay of the written system configuration to each step, and once more per piece.
        constexpr double endpoint_delay = 10;
        const double rest = (std::max)(ns - pieces * endpoint_delay * (steps > 1 || pieces > 1 ? steps + 1 : 0), 0.0);
        rows_.push_back({calls, pieces * steps, bytes, rest});
    }
    // Finds a latency by least squares, so that long calls count most, then a bandwidth with which all calls together
    // take as long as they did. Without a call, the ring stays as it is.
    void fit(wlfmt::analysis::chakra::ring& ring) const {
        if (rows_.empty()) return;
        double ss = 0, sb = 0, bb = 0, st = 0, bt = 0;
        for (const row& r : rows_) {
            ss += r.calls * r.steps * r.steps;
            sb += r.calls * r.steps * r.bytes;
            bb += r.calls * r.bytes * r.bytes;
            st += r.calls * r.steps * r.ns;
            bt += r.calls * r.bytes * r.ns;
        }
        const double determinant = ss * bb - sb * sb;
        double latency = determinant > 1e-9 * ss * bb ? (st * bb - bt * sb) / determinant : 0;
        // No call can be quicker than the latencies of its steps.
        for (const row& r : rows_) latency = (std::min)(latency, r.ns / r.steps);
        latency = (std::max)(latency, 0.0);
        double bytes = 0, ns = 0;
        for (const row& r : rows_) {
            bytes += r.calls * r.bytes;
            ns += r.calls * (r.ns - latency * r.steps);
        }
        constexpr double fastest = 1e6;  // GB/s; for calls whose latencies take all of the time
        constexpr double gib = 1073741824.0;
        ring.bandwidth = rounded(ns > 0 ? (std::min)(bytes / ns * 1e9 / gib, fastest) : fastest);
        ring.latency = rounded(latency);
        ring.measured = true;
    }

private:
    struct row {
        double calls;
        double steps;
        double bytes;
        double ns;
    };
    static double rounded(double v) { return (std::max)(std::round(v * 100) / 100, 0.01); }
    std::vector<row> rows_;
};

// Reads a run and fits a network to its calls: blocking collectives of known functions, and messages between stages.
class run_network : public log_command {
public:
    run_network(const settings& s, std::int64_t splits) : log_command(s), pieces_(static_cast<double>(splits)) {}
    const wlfmt::analysis::chakra::rings& rings() const noexcept { return rings_; }
    bool any() const noexcept {
        return rings_.tensor.measured || rings_.expert.measured || rings_.data.measured || rings_.pipeline.measured;
    }

protected:
    void show_run(const std::string&, const wlfmt::analysis::summary& s) override {
        const wlfmt::analysis::run_answers a = wlfmt::analysis::answers_of(s);
        const auto sizes = wlfmt::analysis::sizes_of(s).value_or(wlfmt::analysis::run_sizes());
        for (const wlfmt::analysis::bandwidth_answer& b : a.bandwidth) add(b, sizes);
        for (const auto& [bytes, ms] : a.message_floors) pipeline_.add(1, 1, 1, bytes, ms.number() * 1e6);
        tensor_.fit(rings_.tensor);
        expert_.fit(rings_.expert);
        data_.fit(rings_.data);
        pipeline_.fit(rings_.pipeline);
    }
    void show_other(input& from, report& r) override {
        static_cast<void>(from);
        r.error({"--network takes the op logs of a run"});
    }

private:
    // Adds calls to the ring of their group. How many steps they take, and which share of a rank's bytes passes to the
    // next rank, follows ASTRA-sim 2 (native_collectives/Ring.cc).
    void add(const wlfmt::analysis::bandwidth_answer& b, const wlfmt::analysis::run_sizes& sizes) {
        using wlfmt::oplog::collective;
        const auto n = static_cast<double>(b.ranks);
        const double calls = b.calls.number();
        double steps = n - 1;
        double share = 0;
        switch (collective_in(b.function)) {
        case collective::allreduce: steps *= 2, share = steps / n; break;
        case collective::reduce_scatter: share = steps / n; break;
        case collective::allgather: share = steps; break;
        case collective::all_to_all: steps *= n / 2, share = steps / n; break;
        default: return;  // broadcasts are traced with the time that was measured
        }
        ring_fit* const fit = ring_of(b, sizes);
        if (fit != nullptr && b.bytes.number() > 0)
            fit->add(calls, steps, pieces_, share * b.bytes.number() / calls, b.transfer.number() / calls * 1e6);
    }
    // The collective in the name of a function, `all_to_all`, or of a record, `dp_allreduce`.
    static wlfmt::oplog::collective collective_in(std::string_view name) {
        for (;;) {
            const auto found = wlfmt::oplog::collective_of(name);
            const std::size_t end = name.find('_');
            if (found != wlfmt::oplog::collective::none || end == std::string_view::npos) return found;
            name.remove_prefix(end + 1);
        }
    }
    // The ring for a group's dimension of the network; null if its ranks do not lie in a single dimension.
    ring_fit* ring_of(const wlfmt::analysis::bandwidth_answer& b, const wlfmt::analysis::run_sizes& sizes) {
        using wlfmt::oplog::group;
        switch (wlfmt::oplog::group_of(b.group)) {
        case group::tensor_parallel: return &tensor_;
        case group::expert_parallel: return &expert_;
        case group::expert_data_parallel:
        case group::embedding_data_parallel: return &data_;
        case group::data_parallel: return sizes.expert <= 1 ? &data_ : sizes.expert == b.ranks ? &expert_ : nullptr;
        default: return b.group == wlfmt::analysis::embedding_group ? &pipeline_ : nullptr;
        }
    }

    double pieces_;
    ring_fit tensor_;
    ring_fit expert_;
    ring_fit data_;
    ring_fit pipeline_;
    wlfmt::analysis::chakra::rings rings_;
};

// Reads the run that --network names, and returns the bandwidth and latency of its groups. Sets `status` to the exit
// status of reading that run.
inline wlfmt::analysis::chakra::rings network_of(const settings& s, exit_status& status) {
    settings of_run = s;
    of_run.files = {s.network.c_str()};
    of_run.ranks = of_run.tensor = of_run.pipeline = of_run.expert = 0;  // those of what is traced
    run_network network(of_run, s.splits);
    status = network.execute();
    if (status == clean && !network.any()) {
        say(s.network, {"error: no time of a call of this run is known: which ranks are in a group, and when "
                        "each of them came, its logs do not say"});
        status = problems;
    }
    return network.rings();
}

}  // namespace tool

#endif
