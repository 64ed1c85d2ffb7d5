// set: changes single values and keeps every other byte as it is.
#ifndef WLFMT_TOOLS_SET_HPP
#define WLFMT_TOOLS_SET_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <wlfmt/edit.hpp>
#include <wlfmt/wlfmt.hpp>

#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// Takes the part of a path that ends before its next dot, or all of it.
inline std::string_view take_part(std::string_view& path) {
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    return part;
}
// Takes `name.N.`: the N-th item of a list, null if there is no such place.
template <class Items>
auto take_item(Items& items, std::string_view& path) -> decltype(&items[0]) {
    const auto n = wlfmt::to_number(take_part(path)).as<std::size_t>();
    return n && *n < items.size() ? &items[*n] : nullptr;
}

// A text that has been read, with the places of the values in it, and the numbers of its records and problems.
class readable {
public:
    readable(std::string_view text, wlfmt::file_format kind, const settings& s) : kind_(kind) {
        wlfmt::options how;
        how.lenient = true;
        how.prefix = prefix_for(s);
        how.context = &problems;
        how.on_problem = [](void* count, const wlfmt::error&) { ++*static_cast<std::uint64_t*>(count); };
        const auto keep = [&](auto read, auto& document) {
            if (!read) ++problems;
            document = *std::move(read);
        };
        if (kind == wlfmt::file_format::oplog) keep(wlfmt::oplog::read(text, how), log_);
        if (kind == wlfmt::file_format::workload) keep(wlfmt::workload::read(text, how), layers_);
        if (kind != wlfmt::file_format::table) return;
        for (const std::string_view prefix : table_prefixes(text, s)) {
            how.prefix = prefix;
            wlfmt::table::document of_prefix;
            keep(wlfmt::table::read(text, how), of_prefix);
            for (auto& one : of_prefix.tables) tables_.tables.push_back(std::move(one));
        }
    }

    // Finds the place of `header.pp`, `layers.3.forward.bytes`, `operations.2.duration`,
    // `operations.2.sub_operations.0.comm_func`, `tables.0.5.Self CPU`; without data if there is no such value.
    std::string_view find(std::string_view path) {
        const std::string_view first = take_part(path);
        if (kind_ == wlfmt::file_format::workload && first == "header") {
            // A missing entry has a place, but there is nothing to change in it.
            const std::string_view place = where(layers_.header(), path);
            return place.empty() ? std::string_view() : place;
        }
        if (kind_ == wlfmt::file_format::workload && first == "layers") {
            const auto* layer = take_item(layers_.layers, path);
            return layer != nullptr ? where(*layer, path) : std::string_view();
        }
        if (kind_ == wlfmt::file_format::oplog && first == "operations") {
            auto* op = take_item(log_.operations, path);
            if (op == nullptr) return {};
            constexpr std::string_view nested = "sub_operations.";
            if (path.substr(0, nested.size()) != nested) return where(*op, path);
            path.remove_prefix(nested.size());
            const auto* sub = take_item(op->sub_operations.edit(), path);
            return sub != nullptr ? where(*sub, path) : std::string_view();
        }
        if (kind_ == wlfmt::file_format::table && first == "tables") {
            const auto* one = take_item(tables_.tables, path);
            const auto row = wlfmt::to_number(take_part(path)).as<std::size_t>();
            return one != nullptr && row ? where(one->row(*row), path) : std::string_view();
        }
        return {};
    }
    std::size_t records() const noexcept {
        std::size_t n = log_.operations.size() + layers_.layers.size();
        for (const auto& one : tables_.tables) n += one.size();
        return n;
    }

    std::uint64_t problems = 0;

private:
    wlfmt::file_format kind_;
    wlfmt::oplog::document log_;
    wlfmt::workload::document layers_;
    wlfmt::table::document tables_;
};

// Nothing is written if a path leads nowhere, or if the new text would lack the new values in their places, would not
// have as many records, or would have more problems.
inline void set(input& from, wlfmt::file_format kind, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    const auto refuse = [&](const assignment& a, const char* why) {
        r.error(std::string_view(), std::string(a.path) + "=" + std::string(a.value) + ": " + why);
    };
    readable before(text, kind, s);
    wlfmt::edits changes;
    for (const assignment& a : s.assignments) {
        const std::string_view place = before.find(a.path);
        if (place.data() == nullptr) return refuse(a, "there is no such value");
        changes.replace(place, std::string(a.value));
    }
    std::string out;
    if (const wlfmt::error e = changes.write(out, text)) return r.error(e);
    readable after(out, kind, s);
    for (const assignment& a : s.assignments)
        if (after.find(a.path) != a.value || after.records() != before.records() || after.problems > before.problems)
            return refuse(a, "with this value the file would not read back");
    standard_output.append(out);
}

}  // namespace tool

#endif
