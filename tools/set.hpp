// set: changes single values and keeps every other byte as it is.
#ifndef WLFMT_TOOLS_SET_HPP
#define WLFMT_TOOLS_SET_HPP

#include <wlfmt/edit.hpp>

#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "input/input.hpp"
#include "input/read.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"

namespace tool {

// A text that has been read, the places of the values in it, and how many records and problems it has.
class readable {
public:
    readable(std::string_view text, wlfmt::file_format kind, const settings& s) : kind_(kind) {
        wlfmt::options options = lenient_options(prefix_for(s));
        options.on_problem = [this](const wlfmt::problem& e) {
            ++problems;
            if (is_cut(e)) cut.push_back(e);
        };
        const auto keep = [&](auto read, auto& document) {
            if (!read) ++problems;
            document = *std::move(read);
        };
        if (kind == wlfmt::file_format::oplog) keep(wlfmt::oplog::read(text, options), log_);
        if (kind == wlfmt::file_format::workload) keep(wlfmt::workload::read(text, options), layers_);
        if (kind != wlfmt::file_format::table) return;
        for (const std::string_view prefix : table_prefixes(text, s)) {
            options.prefix = prefix;
            wlfmt::table::document of_prefix;
            keep(wlfmt::table::read(text, options), of_prefix);
            for (auto& table : of_prefix.tables) tables_.tables.push_back(std::move(table));
        }
    }

    wlfmt::path_place find(std::string_view path) const {
        if (kind_ == wlfmt::file_format::workload) return wlfmt::place_of(layers_, path);
        return kind_ == wlfmt::file_format::oplog ? wlfmt::place_of(log_, path) : wlfmt::place_of(tables_, path);
    }
    std::size_t records() const noexcept {
        std::size_t n = log_.operations.size() + layers_.layers.size();
        for (const auto& table : tables_.tables) n += table.size();
        return n;
    }

    std::uint64_t problems = 0;
    // Problems that show that the text may have been cut off.
    std::vector<wlfmt::problem> cut;

private:
    wlfmt::file_format kind_;
    wlfmt::oplog::document log_;
    wlfmt::workload::document layers_;
    wlfmt::table::document tables_;
};

// Writes nothing if a path leads nowhere, or if the new text would lack a new value in its place, have another number
// of records, or have more problems. A text that may have been cut off is reported, but changed nevertheless.
inline void set(input& from, wlfmt::file_format kind, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    const auto refuse = [&](const assignment& a, const std::string& why) {
        r.error({a.path, "=", a.value, ": ", why});
    };
    readable before(text, kind, s);
    wlfmt::edits changes;
    for (const assignment& a : s.assignments) {
        const wlfmt::path_place found = before.find(a.path);
        if (found.place.data() == nullptr) return refuse(a, found.message);
        changes.replace(found.place, std::string(a.value));
    }
    std::string out;
    if (const wlfmt::problem e = changes.write(out, text)) return r.error(e);
    const readable after(out, kind, s);
    const auto reads_back = [&](const readable& changed, const assignment& a) {
        return changed.find(a.path).place == a.value && changed.records() == before.records() &&
               changed.problems <= before.problems;
    };
    const auto is_good = [&](const assignment& a) { return reads_back(after, a); };
    if (!std::all_of(s.assignments.begin(), s.assignments.end(), is_good)) {
        // Blames a value that by itself keeps the file from reading back.
        for (const assignment& a : s.assignments) {
            std::string alone;
            wlfmt::edits change;
            change.replace(before.find(a.path).place, std::string(a.value));
            if (const wlfmt::problem e = change.write(alone, text)) return r.error(e);
            if (!reads_back(readable(alone, kind, s), a))
                return refuse(a, "with this value the file would not read back");
        }
        return refuse(s.assignments.front(), "with this value and the others the file would not read back");
    }
    standard_output.append(out);
    r.about(out);
    for (const wlfmt::problem& e : after.cut) r.tolerated(e);
    if (kind == wlfmt::file_format::oplog) static_cast<void>(report_lost_records(out, s, r));
}

exit_status run_set(const settings& s) {
    return for_each_known(s, false, [&](auto& from, auto kind, auto& r) { set(from, kind, s, r); });
}

}  // namespace tool

#endif
