// Telling the formats apart by how a text begins.
#ifndef WLFMT_DETAIL_DETECT_HPP
#define WLFMT_DETAIL_DETECT_HPP

#include <cstddef>
#include <string_view>

#include "../wlfmt.hpp"
#include "oplog/read.hpp"
#include "core/scan.hpp"
#include "table/read.hpp"

#include "core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

inline constexpr std::size_t detect_bytes = 64 * 1024;

// A word of letters, digits and underscores, with nothing behind it that a policy line would not have.
inline bool is_policy_line(std::string_view line) noexcept {
    line = trimmed(line);
    if (line.empty() || !is_name_start(line.front())) return false;
    std::size_t at = 0;
    while (at < line.size() && is_name(line[at])) ++at;
    return at == line.size() || is_blank(line[at]);
}

inline bool is_count_line(std::string_view line) noexcept {
    line = trimmed(line);
    std::size_t at = 0;
    while (at < line.size() && is_digit(line[at])) ++at;
    return at != 0 && (at == line.size() || is_blank(line[at]));
}

// A layer's field count, or that of a near relative of the format: workload::reader tells the two apart.
inline bool has_fields_of_a_layer(std::string_view line) noexcept {
    std::size_t fields = 0;
    for (std::size_t at = 0; at < line.size();) {
        while (at < line.size() && is_blank(line[at])) ++at;
        if (at < line.size()) ++fields;
        while (at < line.size() && !is_blank(line[at])) ++at;
    }
    return fields > 9;
}

}  // namespace detail

inline std::string_view name(format f) noexcept {
    switch (f) {
    case format::oplog: return "oplog";
    case format::workload: return "workload";
    case format::table: return "table";
    case format::unknown: break;
    }
    return "unknown";
}

inline format detect(std::string_view text) noexcept {
    text = detail::without_bom(text).substr(0, detail::detect_bytes);
    table::reader tables(text);
    const bool table = tables.next_table();
    const char* const table_at = text.data() + (table ? tables.offset() : text.size());

    detail::line_cursor lines(text);
    std::size_t filled = 0;  // lines that are not blank so far
    bool policy = false;
    bool count = false;
    while (!lines.done()) {
        if (lines.at() >= table_at) return format::table;
        const std::string_view line = lines.next();
        detail::record_head head;
        if (detail::read_head(line.data(), line.data() + line.size(), head)) return format::oplog;
        if (detail::trimmed(line).empty()) continue;
        ++filled;
        if (filled == 1) policy = detail::is_policy_line(line);
        if (filled == 2) count = policy && detail::is_count_line(line);
        if (filled == 3 && count && detail::has_fields_of_a_layer(line)) return format::workload;
    }
    if (table) return format::table;
    // A file of a policy and a count, or cut off behind them.
    return count && filled == 2 ? format::workload : format::unknown;
}

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "core/end.hpp"
#endif
