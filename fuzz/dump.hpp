// The records of all three formats as texts: see dump_oplog.hpp.
#ifndef WLFMT_FUZZ_DUMP_HPP
#define WLFMT_FUZZ_DUMP_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <wlfmt/wlfmt.hpp>

#include "dump_oplog.hpp"
#include "table_dump.hpp"

namespace fuzz { namespace {

inline std::string dump(const wlfmt::workload::header& h) {
    std::string out = "header";
    put(out, "policy", h.policy);
    for (const wlfmt::workload::entry& e : h.entries) {
        out += e.colon ? "\n  key:" : "\n  key";
        put(out, "key", std::string_view(e.key.data() == nullptr ? "" : e.key.data(), e.key.size()));
        // The words of a list are separated by any number of blanks.
        if (e.key != "checkpoints" && e.key != "checkpoint_initiates") {
            put(out, "value", e.value);
            continue;
        }
        std::string words;
        for (const std::string_view w : wlfmt::workload::words(e.value))
            words.append(words.empty() ? "" : " ").append(w);
        put(out, "value", words);
    }
    for (const wlfmt::number& n :
         {h.tensor_parallel(), h.expert_parallel(), h.pipeline_parallel(), h.vpp(), h.gradient_accumulation(),
          h.all_gpus(), h.pipeline_bytes(), h.dlrm_last_bottom_layer()})
        put(out, "typed", n);
    for (const std::int64_t n : h.checkpoints()) put(out, "checkpoint", n);
    for (const std::int64_t n : h.checkpoint_initiates()) put(out, "initiates", n);
    return out;
}
inline void put(std::string& out, std::string_view name, const wlfmt::workload::phase& p) {
    out.append(" ").append(name).append(":");
    put(out, "compute", p.compute);
    put(out, "comm", p.comm);
    put(out, "bytes", p.bytes);
}
inline std::string dump(const wlfmt::workload::layer& l) {
    std::string out = "layer";
    put(out, "name", l.name);
    put(out, "dependency", l.dependency);
    put(out, "forward", l.forward);
    put(out, "input_grad", l.input_grad);
    put(out, "weight_grad", l.weight_grad);
    put(out, "update", l.update);
    put(out, "policy", l.policy);
    std::string further;
    for (const std::string_view w : wlfmt::workload::words(l.further)) further.append(" ").append(w);
    put(out, "further", l.further.data() == nullptr ? l.further : further);
    return out;
}

// A document as texts, one for each record.
inline std::vector<std::string> dump_all(const wlfmt::workload::document& doc) {
    std::vector<std::string> all{dump(doc.header)};
    for (const auto& l : doc.layers) all.push_back(dump(l));
    return all;
}

}}  // namespace fuzz

#endif
