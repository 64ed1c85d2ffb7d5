// set: changes single values and keeps every other byte as it is.
#ifndef WLFMT_TOOLS_SET_HPP
#define WLFMT_TOOLS_SET_HPP

#include <algorithm>
#include <unordered_map>

#include <wlfmt/edit.hpp>

#include "command_line/settings.hpp"
#include "input/changes.hpp"
#include "input/files.hpp"
#include "input/input.hpp"
#include "input/places.hpp"
#include "input/read.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"
#include "workload/entries.hpp"

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
        if (kind_ == wlfmt::file_format::workload) return places_.find(layers_, path);
        return kind_ == wlfmt::file_format::oplog ? places_.find(log_, path) : places_.find(tables_, path);
    }
    // The header, if the text is a workload file.
    const wlfmt::workload::header* header() const noexcept {
        return kind_ == wlfmt::file_format::workload ? &layers_.header : nullptr;
    }
    // The keys of the header's entries.
    std::vector<std::string_view> keys() const {
        std::vector<std::string_view> keys;
        for (const wlfmt::workload::entry& e : layers_.header.entries) keys.push_back(e.key);
        return keys;
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
    mutable place_finder places_;
};

// Turns assignments into changes of a text. An entry that a header lacks is added to it, if a simulator reads it; one
// that is given no value is removed.
class change_maker {
public:
    explicit change_maker(const readable& before) : before_(before) {}

    // Returns what is wrong with the path, or an empty text.
    std::string add(const assignment& a) {
        const wlfmt::path_place found = before_.find(a.path);
        const auto* const head = before_.header();
        const auto key = header_key(a.path);
        if (head != nullptr && key && found.place.data() == nullptr && can_be_added(*key) && !a.value.empty()) {
            for (const std::string_view other : added_keys_)
                if (other == *key) return "the entry is added twice";
            added_keys_.push_back(*key);
            added_ += joined({" ", *key, ": ", a.value});
            return {};
        }
        if (found.place.data() == nullptr) return found.message;
        const std::string_view removed = removed_by(a);
        // Where it is removed twice, write() says so.
        if (!removed.empty()) ++removed_keys_[*key];
        changes_.replace(removed.empty() ? found.place : wlfmt::text_view(removed), std::string(a.value));
        return {};
    }
    // Whether the changed text has each new value in its place, as many records, and a header with the same keys but
    // for those that are added or removed: another policy may give its words another meaning.
    bool reads_back(const readable& changed, const std::vector<assignment>& all) const {
        std::vector<std::string_view> keys;
        auto removed = removed_keys_;
        for (const std::string_view key : before_.keys()) {
            const auto found = removed.find(key);
            if (found == removed.end() || found->second == 0) keys.push_back(key);
            else --found->second;
        }
        keys.insert(keys.end(), added_keys_.begin(), added_keys_.end());
        return changed.records() == before_.records() && changed.keys() == keys &&
               std::all_of(all.begin(), all.end(), [&](const assignment& a) { return is_in(changed, a); });
    }
    bool is_in(const readable& changed, const assignment& a) const {
        return !removed_by(a).empty() || changed.find(a.path).place == a.value;
    }
    wlfmt::problem write(std::string& out, std::string_view text) {
        if (!added_.empty()) changes_.replace(wlfmt::text_view(end_of_entries(*before_.header())), std::move(added_));
        return changes_.write(out, text);
    }

private:
    // The entry that an assignment removes; empty if it removes none.
    std::string_view removed_by(const assignment& a) const {
        const auto key = header_key(a.path);
        if (before_.header() == nullptr || !key || !a.value.empty()) return {};
        return whole_entry(*before_.header(), *key, before_.find(a.path).place);
    }

    const readable& before_;
    wlfmt::edits changes_;
    std::string added_;
    std::unordered_map<std::string_view, std::size_t> removed_keys_;  // how many entries of each key are removed
    std::vector<std::string_view> added_keys_;
};

// Writes nothing if a path leads nowhere, or if the new text would lack a new value in its place, have another number
// of records, or have more problems. A text that may have been cut off is reported, but changed nevertheless.
inline void set(input& from, wlfmt::file_format kind, const std::vector<assignment>& assignments, const settings& s,
                report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    const auto refuse = [&](const assignment& a, const std::string& why) {
        const std::string row =
            a.row == 0 ? std::string() : joined({"row ", a.row, " of ", printable(s.changes), ": "});
        r.error({row, a.path, "=", a.value, ": ", why});
    };
    readable before(text, kind, s);
    change_maker changes(before);
    bool are_good = true;
    for (const assignment& a : assignments) {
        const std::string wrong = changes.add(a);
        if (wrong.empty()) continue;
        refuse(a, wrong);
        if (a.row == 0) return;
        are_good = false;
    }
    if (!are_good) return;
    std::string out;
    if (const wlfmt::problem e = changes.write(out, text)) {
        const auto n = static_cast<std::size_t>(e.found);
        if (e.kind == wlfmt::error_kind::bad_edit && n < assignments.size() && assignments[n].row != 0)
            return refuse(assignments[n], "another row changes the same place");
        return r.error(e);
    }
    const readable after(out, kind, s);
    if (!changes.reads_back(after, assignments) || after.problems > before.problems) {
        // Reports the first value that by itself keeps the file from reading back. Those that did not arrive at their
        // places are tried first.
        for (const bool any : {false, true})
            for (const assignment& a : assignments) {
                if (!any && changes.is_in(after, a)) continue;
                std::string alone;
                change_maker change(before);
                static_cast<void>(change.add(a));
                if (const wlfmt::problem e = change.write(alone, text)) return r.error(e);
                const readable changed(alone, kind, s);
                if (!change.reads_back(changed, {a})) return refuse(a, "with this value the file would not read back");
                if (changed.problems > before.problems)
                    return refuse(a, "with this value the file would have one more problem");
            }
        return refuse(assignments.front(), "with this value and the others the file would not read back");
    }
    standard_output.append(out);
    if (r.is_mended())
        say(from.name(), {"note: what is written is the mended table: other bytes differ from the file's, too"});
    r.about(out);
    for (const wlfmt::problem& e : after.cut) r.tolerated(e);
    if (kind == wlfmt::file_format::oplog) static_cast<void>(report_lost_records(out, s, r));
}

exit_status do_set(const settings& s) {
    change_list listed;
    if (!s.changes.empty()) {
        const exit_status read = with_file(s.changes.c_str(), s, [&](input& from, report& r) { listed.read(from, r); });
        if (read != clean) return read;
    }
    std::vector<assignment> assignments = listed.assignments();
    assignments.insert(assignments.end(), s.assignments.begin(), s.assignments.end());
    return for_each_known(s, false, [&](auto& from, auto kind, auto& r) { set(from, kind, assignments, s, r); });
}

}  // namespace tool

#endif
