// Adds entries to the header of a workload file, and removes them, where `set` has no value to replace.
#ifndef WLFMT_TOOLS_WORKLOAD_ENTRIES_HPP
#define WLFMT_TOOLS_WORKLOAD_ENTRIES_HPP

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <wlfmt/workload.hpp>
#include "analysis/simulators/simulators.hpp"

namespace tool {

// The key of `header.KEY`; nothing for another path.
inline std::optional<std::string_view> header_key(std::string_view path) {
    constexpr std::string_view root = "header.";
    if (path.substr(0, root.size()) != root) return std::nullopt;
    return path.substr(root.size());
}
// Whether a header may be given this entry: a key that nobody reads is taken for a mistake.
inline bool can_be_added(std::string_view key) { return wlfmt::analysis::simulators::is_read_by_simai(key); }

// The end of the header's first line, where entries are added.
inline std::string_view end_of_entries(const wlfmt::workload::header& head) {
    const std::string_view source = head.source;
    const std::string_view line = source.substr(0, source.find_first_of("\r\n"));
    const std::size_t last = line.find_last_not_of(" \t");
    return line.substr(last == std::string_view::npos ? line.size() : last + 1, 0);
}
// The entry with this key and value, from the blanks before it to the end of its value.
inline std::string_view whole_entry(const wlfmt::workload::header& head, std::string_view key, std::string_view value) {
    if (value.empty()) return {};
    const std::string_view before = head.source.substr(0, static_cast<std::size_t>(value.data() - head.source.data()));
    std::size_t begin = before.rfind(key);
    if (begin == std::string_view::npos) return {};
    while (begin != 0 && (before[begin - 1] == ' ' || before[begin - 1] == '\t')) --begin;
    return head.source.substr(begin, before.size() - begin + value.size());
}

}  // namespace tool

#endif
