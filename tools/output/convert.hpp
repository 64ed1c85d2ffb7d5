// Writes the contents of a file as JSON, or again in its own format. What cannot be read is reported, and the rest is
// written.
#ifndef WLFMT_TOOLS_OUTPUT_CONVERT_HPP
#define WLFMT_TOOLS_OUTPUT_CONVERT_HPP

#include <wlfmt/json.hpp>

#include "../input/files.hpp"
#include "read_back.hpp"

namespace tool {

enum class record_form { own, json };

// `is_doubtful`: the record was read with a problem. `what` names it then.
template <class Record>
wlfmt::problem write_converted(const Record& record, record_form form, bool is_doubtful, const std::string& what,
                               report& r) {
    if (form == record_form::json) {
        // The reader has already reported a list that cannot be read to its end.
        static_cast<void>(wlfmt::json::write(standard_output, record));
        return {};
    }
    if constexpr (std::is_same_v<Record, wlfmt::table::document>)
        if (const wlfmt::problem e = problem_of(record); e.kind == wlfmt::error_kind::too_wide) return e;
    // Values that could not be read are written as they were. The check would refuse them, but most read back the same.
    write_unchecked(standard_output, record);
    // A workload file is not read again: the number of layers is written anew, and a note says so.
    if constexpr (!std::is_same_v<Record, wlfmt::workload::document>)
        if (is_doubtful && problem_of(record) && !reads_back_leniently(record))
            r.error({what, " reads back as something else, written as it is"});
    return {};
}

inline void convert(input& from, wlfmt::file_format kind, const settings& s, report& r, record_form form) {
    const auto problems_so_far = [&r] { return r.errors() + r.warnings(); };
    if (kind == wlfmt::file_format::oplog) {
        std::uint64_t before = problems_so_far();
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream& log) {
            const std::uint64_t now = problems_so_far();
            const bool is_doubtful = std::exchange(before, now) != now;
            const std::string what =
                is_doubtful ? joined({"the record of line ", log.line_of(op.source).number}) : std::string();
            static_cast<void>(write_converted(op, form, is_doubtful, what, r));
        });
        return;
    }
    const std::string_view text = from.whole();
    r.about(text);
    if (kind == wlfmt::file_format::workload) {
        const auto read = wlfmt::workload::read(text, options_for(s, r));
        if (!read) r.error(read.error());
        if (read.error().kind == wlfmt::error_kind::no_records) return;
        static_cast<void>(write_converted(*read, form, problems_so_far() != 0, "what was read", r));
        const std::size_t layers = read->layers.size();
        if (form == record_form::own && read->header.declared_layers.as<std::uint64_t>() != layers)
            say(from.name(), {"note: the second line says now that there ", layers == 1 ? "is " : "are ",
                              counted(layers, "layer", "layers")});
        return;
    }
    const auto tables = read_tables(text, s, r);
    if (const wlfmt::problem e = write_converted(tables, form, problems_so_far() != 0, "what was read", r)) r.error(e);
}
inline exit_status convert_files(const settings& s, record_form form) {
    settings copying = s;
    copying.copies = true;
    return for_each_known(copying, form == record_form::json,
                          [&](auto& from, auto kind, auto& r) { convert(from, kind, copying, r, form); });
}

}  // namespace tool

#endif
