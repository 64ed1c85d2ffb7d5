// Each record of a profiler table as one text, so that two records are equal if these texts are.
#ifndef WLFMT_FUZZ_TABLE_DUMP_HPP
#define WLFMT_FUZZ_TABLE_DUMP_HPP

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/table.hpp>

namespace fuzz { namespace {

// These append ` name=value`. A text has its length before it, so that no two values give the same result.
inline void put_text(std::string& out, std::string_view name, std::string_view v) {
    out.append(" ").append(name).append("=").append(std::to_string(v.size())).append(":").append(v);
}
inline void put_cell(std::string& out, const wlfmt::table::cell& c) {
    put_text(out, "cell", c.text());
    const wlfmt::number& v = c.value();
    put_text(out, "is", name_of(v.kind()));
    if (v.is_text()) put_text(out, "text", v.text());
    if (const auto integer = v.as<std::int64_t>(); v.is_integer() && integer) out += std::to_string(*integer);
    if (!v.is_decimal()) return;
    const double d = v.value_or(0.0);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &d, sizeof bits);
    out += std::to_string(bits);
}
inline std::string dump(const wlfmt::table::row& r) {
    std::string out = "row";
    for (const wlfmt::table::cell& c : r.cells) put_cell(out, c);
    for (const std::string_view frame : r.frames) put_text(out, "frame", frame);
    return out;
}
template <class Titles, class Columns> std::string dump_head(const Titles& titles, const Columns& columns) {
    std::string out = "table";
    for (const std::string_view t : titles) put_text(out, "title", t);
    for (const wlfmt::table::column& c : columns) {
        put_text(out, "column", c.name);
        put_text(out, "unit", name_of(c.unit));
        out.append(" width ").append(std::to_string(c.width));
        if (c.left_aligned) out += " left";
    }
    return out;
}
template <class Totals> std::string dump_totals(const Totals& totals) {
    std::string out = "totals";
    for (const wlfmt::table::total& t : totals) {
        put_text(out, "total", t.name);
        put_cell(out, t.value);
    }
    return out;
}
inline std::vector<std::string> dump_all(const wlfmt::table::document& doc) {
    std::vector<std::string> all;
    for (const wlfmt::table::profile& profile : doc.tables) {
        all.push_back(dump_head(profile.titles, profile.columns));
        for (const wlfmt::table::row& r : profile.rows()) all.push_back(dump(r));
        all.push_back(dump_totals(profile.totals));
    }
    return all;
}

}}  // namespace fuzz

#endif
