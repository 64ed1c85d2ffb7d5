// Records as one text each that holds everything they say: two records are equal where these are. How a thing is laid
// out (escaped or not, a shape from text or from integers) makes no difference.
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

#include "table_dump.hpp"

namespace fuzz {
namespace {

inline std::string unescaped(std::string_view v, char quote) {
    if (quote == 0) return std::string(v);
    std::string buffer(v.size(), '\0');
    return std::string(wlfmt::oplog::unescape(v, buffer.data()));
}

// Each appends ` name=value`. The length before a text keeps apart what quotes alone would not.
inline void put(std::string& to, std::string_view name, std::string_view v, char quote = 0) {
    to.append(" ").append(name);
    if (v.data() == nullptr) {
        to += " missing";
        return;
    }
    const std::string plain = unescaped(v, quote);
    to.append("=").append(std::to_string(plain.size())).append(":").append(plain);
}
inline void put(std::string& to, std::string_view name, std::int64_t v) {
    to.append(" ").append(name).append("=").append(std::to_string(v));
}
inline void put(std::string& to, std::string_view name, const wlfmt::number& v, char quote = 0) {
    using kind = wlfmt::number::kind;
    switch (v.what()) {
    case kind::missing: return put(to, name, std::string_view());
    case kind::none: return put(to, name, std::string_view("None"));
    case kind::integer: return put(to, name, v.integer());
    case kind::text: return put(to, name, v.text(), quote);
    case kind::decimal: break;
    }
    const double d = v;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &d, sizeof bits);
    to.append(" ").append(name).append(d != d ? "=nan" : "=bits " + std::to_string(bits));
}
inline void put(std::string& to, std::string_view name, const wlfmt::oplog::shape& v, char quote = 0) {
    if (!v.is_list()) return put(to, name, v.missing() ? std::string_view() : v.text(), quote);
    to.append(" ").append(name).append("=[");
    for (const std::int64_t dim : v) to.append(std::to_string(dim)).append(",");
    to += ']';
}

template <class T>
bool is_missing(const T& v) {
    if constexpr (std::is_same_v<T, std::string_view>)
        return wlfmt::oplog::missing(v);
    else
        return v.missing();
}

inline std::string dump(const wlfmt::oplog::sub_operation& s) {
    std::string to = "sub";
    if (s.is_text()) {
        put(to, "text", s.text, s.quote);
        return to;
    }
    put(to, "trace_src_func", s.trace_src_func, s.quote);
    put(to, "duration", s.duration, s.quote);
    put(to, "timestamp", s.timestamp, s.quote);
    put(to, "input_shape", s.input_shape, s.quote);
    put(to, "input_dtype", s.input_dtype, s.quote);
    put(to, "func_name", s.func_name, s.quote);
    put(to, "group", s.group, s.quote);
    put(to, "comm_func", s.comm_func, s.quote);
    to += " in order:";
    std::size_t attributes = 0;
    wlfmt::detail::visit_attributes(s, [&](std::string_view key, const auto& v) {
        if (is_missing(v)) return;
        put(to, key, v, s.quote);
        ++attributes;
    });
    if (attributes > 1 && s.spaced) to += " spaced";
    return to;
}

inline std::string dump(const wlfmt::oplog::operation& r) {
    using list = wlfmt::oplog::sub_operation_list;
    std::string to = r.origin == wlfmt::oplog::origin::rank ? "rank" : "stage";
    put(to, "rank", r.rank);
    put(to, "op", r.op);
    put(to, "stage_id", r.stage_id);
    put(to, "batch_id", r.batch_id);
    put(to, "mg_state", r.mg_state);
    put(to, "duration", r.duration);
    put(to, "description", r.description);
    put(to, "group_kind", r.group_kind);
    put(to, "input_shape", r.input_shape);
    put(to, "input_dtype", r.input_dtype);
    put(to, "timestamp", r.timestamp);
    to += " in order:";
    std::size_t attributes = 0;
    wlfmt::detail::visit_attributes(r, [&](std::string_view key, const auto& v) {
        if (is_missing(v)) return;
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, list>)
            to.append(" ").append(key);
        else
            put(to, key, v);
        ++attributes;
    });
    if (attributes > 1 && r.spaced) to += " spaced";
    if (r.sub_operations.missing() || r.sub_operations.is_none())
        return to.append(r.sub_operations.missing() ? " no list" : " list None");
    for (const auto& sub : r.sub_operations) to.append("\n  ").append(dump(sub));
    return to;
}

inline std::string dump(const wlfmt::workload::header& h) {
    std::string to = "header";
    put(to, "policy", h.policy);
    for (const wlfmt::workload::entry& e : h.entries) {
        to += e.colon ? "\n  key:" : "\n  key";
        put(to, "key", std::string_view(e.key.data() == nullptr ? "" : e.key.data(), e.key.size()));
        // Any run of blanks parts the words of a value.
        std::string words;
        const char* p = e.value.data();
        const char* const end = p + e.value.size();
        while ((p = wlfmt::detail::skip_blanks(p, end)) != end) {
            const char* const stop = wlfmt::detail::word_end(p, end);
            words.append(words.empty() ? "" : " ").append(p, stop);
            p = stop;
        }
        put(to, "value", words);
    }
    for (const wlfmt::number& n :
         {h.model_parallel_npu_group(), h.expert_parallel(), h.pipeline_parallel(), h.virtual_pipeline(),
          h.gradient_accumulation(), h.all_gpus(), h.pipeline_bytes(), h.dlrm_last_bottom_layer()})
        put(to, "typed", n);
    for (const std::int64_t n : h.checkpoints()) put(to, "checkpoint", n);
    for (const std::int64_t n : h.checkpoint_initiates()) put(to, "initiates", n);
    return to;
}
inline void put(std::string& to, std::string_view name, const wlfmt::workload::phase& p) {
    to.append(" ").append(name).append(":");
    put(to, "compute", p.compute);
    put(to, "comm", p.comm);
    put(to, "bytes", p.bytes);
}
inline std::string dump(const wlfmt::workload::layer& l) {
    std::string to = "layer";
    put(to, "name", l.name);
    put(to, "dependency", l.dependency);
    put(to, "forward", l.forward);
    put(to, "input_grad", l.input_grad);
    put(to, "weight_grad", l.weight_grad);
    put(to, "update", l.update);
    put(to, "policy", l.policy);
    return to;
}

// Documents, a text a record.
inline std::vector<std::string> dump_all(const wlfmt::oplog::document& doc) {
    std::vector<std::string> all;
    for (const auto& op : doc.operations) all.push_back(dump(op));
    return all;
}
inline std::vector<std::string> dump_all(const wlfmt::workload::document& doc) {
    std::vector<std::string> all{dump(doc.header())};
    for (const auto& l : doc.layers) all.push_back(dump(l));
    return all;
}

}  // namespace
}  // namespace fuzz

#endif
