// Each operation as one text with everything that it says, so that two records are equal if these texts are. How a
// value is held (escaped or not, a shape as text or as integers) makes no difference.
#ifndef WLFMT_FUZZ_DUMP_OPLOG_HPP
#define WLFMT_FUZZ_DUMP_OPLOG_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/oplog.hpp>

namespace fuzz { namespace {

inline std::string unescaped(std::string_view v, char quote) {
    if (quote == 0) return std::string(v);
    std::string buffer(v.size(), '\0');
    return std::string(wlfmt::oplog::unescape(v, buffer.data()));
}

// These append ` name=value`. A text has its length before it, so that no two values give the same result.
inline void put(std::string& out, std::string_view name, std::string_view v, char quote = 0) {
    out.append(" ").append(name);
    if (v.data() == nullptr) {
        out += " missing";
        return;
    }
    const std::string plain = unescaped(v, quote);
    out.append("=").append(std::to_string(plain.size())).append(":").append(plain);
}
inline void put(std::string& out, std::string_view name, std::int64_t v) {
    out.append(" ").append(name).append("=").append(std::to_string(v));
}
inline void put(std::string& out, std::string_view name, const wlfmt::number& v, char quote = 0) {
    using kind = wlfmt::number_kind;
    switch (v.kind()) {
    case kind::missing: return put(out, name, std::string_view());
    case kind::none: out.append(" ").append(name).append(" None"); return;
    case kind::integer: return put(out, name, v.as<std::int64_t>().value_or(0));
    case kind::text: return put(out, name, v.text(), quote);
    case kind::decimal: break;
    }
    const double d = v.value_or(0.0);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &d, sizeof bits);
    out.append(" ").append(name).append(d != d ? "=nan" : "=bits " + std::to_string(bits));
}
inline void put(std::string& out, std::string_view name, const wlfmt::oplog::shape& v, char quote = 0) {
    if (!v.is_list()) return put(out, name, v.is_missing() ? std::string_view() : v.text(), quote);
    out.append(" ").append(name).append("=[");
    for (const std::int64_t dim : v) out.append(std::to_string(dim)).append(",");
    out += ']';
}

// The operations of a list come after their record.
inline void put(std::string& out, std::string_view name, const wlfmt::oplog::sub_operation_list& v) {
    out.append(" ").append(name);
    if (v.is_missing() || v.is_none()) out.append(v.is_missing() ? " missing" : " None");
}

// The values of the members, as one text.
inline std::string dump_members(const wlfmt::oplog::sub_operation& s) {
    std::string out = s.damaged ? "damaged sub" : "sub";
    if (s.is_text()) {
        put(out, "text", s.text, s.quote);
        return out;
    }
    wlfmt::detail::for_each_key(s, [&](const auto& row, const auto& v) { put(out, row.name, v, s.quote); });
    return out;
}
inline std::string dump_members(const wlfmt::oplog::operation& r) {
    std::string out = r.origin == wlfmt::oplog::origin::rank ? "rank" : "stage";
    put(out, "rank", r.rank);
    put(out, "op", r.op);
    wlfmt::detail::for_each_key(r, [&](const auto& row, const auto& v) { put(out, row.name, v); });
    return out;
}

// The attributes in their order, each as a text.
inline std::vector<std::string> dump_order(const wlfmt::oplog::sub_operation& s) {
    std::vector<std::string> all;
    if (s.is_text()) return all;
    wlfmt::detail::visit_attributes(s, [&](std::string_view key, const auto& v) {
        if (wlfmt::is_missing(v)) return;
        all.emplace_back();
        put(all.back(), key, v, s.quote);
    });
    return all;
}
inline std::vector<std::string> dump_order(const wlfmt::oplog::operation& r) {
    std::vector<std::string> all;
    wlfmt::detail::visit_attributes(r, [&](std::string_view key, const auto& v) {
        if (wlfmt::is_missing(v)) return;
        all.emplace_back();
        put(all.back(), key, v);
    });
    return all;
}

template <class Record> std::string dump_record(const Record& r) {
    std::string out = dump_members(r) + " in order:";
    const std::vector<std::string> order = dump_order(r);
    for (const std::string& attribute : order) out += attribute;
    if (order.size() > 1 && r.spaced) out += " spaced";
    return out;
}
inline std::string dump(const wlfmt::oplog::sub_operation& s) { return dump_record(s); }
inline std::string dump(const wlfmt::oplog::operation& r) {
    std::string out = dump_record(r);
    if (r.sub_operations.is_missing() || r.sub_operations.is_none())
        return out.append(r.sub_operations.is_missing() ? " no list" : " list None");
    for (const auto& sub : r.sub_operations) out.append("\n  ").append(dump(sub));
    return out;
}

// A document as texts, one for each record.
inline std::vector<std::string> dump_all(const wlfmt::oplog::document& doc) {
    std::vector<std::string> all;
    for (const auto& op : doc.operations) all.push_back(dump(op));
    return all;
}

}}  // namespace fuzz

#endif
