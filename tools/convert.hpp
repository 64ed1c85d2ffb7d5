// json and format: write a file in another form. What cannot be read is reported, and the rest is written.
#ifndef WLFMT_TOOLS_CONVERT_HPP
#define WLFMT_TOOLS_CONVERT_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// The reader has already reported a list that cannot be read to its end.
struct as_json {
    template <class Record> wlfmt::error operator()(const Record& record) const {
        static_cast<void>(wlfmt::json::write(standard_output, record));
        return {};
    }
};

// Values that could not be read are written as they were: the check would refuse them, but they read back as they
// are. A table that is too wide is not written.
struct in_own_format {
    wlfmt::error operator()(const wlfmt::oplog::operation& op) const {
        write_unchecked(standard_output, op);
        return {};
    }
    wlfmt::error operator()(const wlfmt::workload::document& doc) const {
        write_unchecked(standard_output, doc);
        return {};
    }
    wlfmt::error operator()(const wlfmt::table::document& doc) const {
        const wlfmt::error e = problem_of(doc);
        if (e.kind == wlfmt::error_kind::too_wide) return e;
        write_unchecked(standard_output, doc);
        return {};
    }
};

template <class Write>
void convert(input& from, wlfmt::file_format kind, const settings& s, report& r, const Write& write) {
    if (kind == wlfmt::file_format::oplog) {
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream& log) {
            // A strict reader finds the errors of a list when the list is walked.
            if (s.strict)
                for (const auto& sub : op.sub_operations) static_cast<void>(sub);
            if (log.ok()) static_cast<void>(write(op));
        });
        return;
    }
    const std::string_view text = from.whole();
    r.about(text);
    if (kind == wlfmt::file_format::workload) {
        const auto read = wlfmt::workload::read(text, options_for(s, r));
        if (!read) r.error(read.error());
        if (read.error().kind == wlfmt::error_kind::no_records) return;
        static_cast<void>(write(*read));
        if constexpr (std::is_same_v<Write, in_own_format>) {
            const auto declared = read->header().declared_layers.as<std::uint64_t>();
            if (declared != read->layers.size())
                standard_error.append(
                    {printable(from.name()), ": note: the second line says now that there ",
                     read->layers.size() == 1 ? "is 1 layer\n" : joined({"are ", read->layers.size(), " layers\n"})});
        }
        return;
    }
    wlfmt::table::document all;
    for_each_prefix(text, s, r, [&](const wlfmt::options& how) {
        auto read = wlfmt::table::read(text, how);
        for (auto& one : read->tables) all.tables.push_back(s.canonical ? canonical(one) : std::move(one));
        return read.error();
    });
    if (const wlfmt::error e = write(all)) r.error(e);
}

}  // namespace tool

#endif
