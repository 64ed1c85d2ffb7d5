// check: every problem of a file, and what it holds.
#ifndef WLFMT_TOOLS_CHECK_HPP
#define WLFMT_TOOLS_CHECK_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <wlfmt/wlfmt.hpp>

#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// Counts the records in which nothing is wrong.
class record_counter {
public:
    explicit record_counter(const report& r) noexcept : r_(r), errors_(r.errors()) {}
    // The next record was read: its problems have been told.
    bool add() noexcept {
        const bool good = r_.errors() == errors_;
        errors_ = r_.errors();
        count_ += good;
        return good;
    }
    // What was told so far was not about the next record.
    void forget() noexcept { errors_ = r_.errors(); }
    std::uint64_t count() const noexcept { return count_; }

private:
    const report& r_;
    std::uint64_t errors_;
    std::uint64_t count_ = 0;
};

// Pulls every record and tells every error after which reading goes on. What ended the reading is left to the caller.
template <class Reader, class Pull>
void pull_all(Reader& reader, report& r, Pull&& pull) {
    for (;;) {
        pull();
        if (reader.ok()) return;
        const wlfmt::error e = reader.error();
        if (!reader.skip()) return;
        r.error(e);
    }
}

inline std::string check_oplog(input& from, const settings& s, report& r) {
    record_counter records(r);
    std::uint64_t nested = 0;
    for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, wlfmt::oplog::reader&) {
        if (records.add()) nested += op.sub_operations.size();
    });
    return "oplog, " + counted(records.count(), "record", "records") + ", " +
           counted(nested, "sub-operation", "sub-operations");
}

inline std::string check_workload(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    wlfmt::workload::reader file(text, options_for(s, r));
    record_counter layers(r);
    pull_all(file, r, [&] {
        while (file.next() != nullptr) layers.add();
    });
    if (!file.ok()) r.error(file.error());
    return "workload, " + counted(layers.count(), "layer", "layers");
}

inline std::string check_tables(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    std::uint64_t tables = 0;
    record_counter rows(r);
    for_each_prefix(text, s, r, [&](const wlfmt::options& how) {
        wlfmt::table::reader reader(text, how);
        bool in_table = false;
        pull_all(reader, r, [&] {
            // After an error the table goes on.
            for (; in_table || (in_table = reader.next_table()); in_table = false) {
                rows.forget();
                while (reader.next() != nullptr) rows.add();
                if (!reader.ok()) return;
                ++tables;
            }
        });
        return reader.error();
    });
    return "table, " + counted(tables, "table", "tables") + ", " + counted(rows.count(), "row", "rows");
}

inline void check(input& from, wlfmt::file_format kind, const settings& s, report& r) {
    std::string holds = "unknown format";
    switch (kind) {
    case wlfmt::file_format::oplog: holds = check_oplog(from, s, r); break;
    case wlfmt::file_format::workload: holds = check_workload(from, s, r); break;
    case wlfmt::file_format::table: holds = check_tables(from, s, r); break;
    case wlfmt::file_format::unknown: break;
    }
    if (r.errors() != 0) holds += ", " + counted(r.errors(), "problem", "problems");
    if (r.warnings() != 0) holds += ", " + counted(r.warnings(), "warning", "warnings");
    standard_output.append(from.name());
    standard_output.append(": " + holds + "\n");
}

}  // namespace tool

#endif
