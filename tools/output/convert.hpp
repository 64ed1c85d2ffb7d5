// Writes the contents of a file as JSON, or again in its own format. What cannot be read is reported, and the rest is
// written.
#ifndef WLFMT_TOOLS_OUTPUT_CONVERT_HPP
#define WLFMT_TOOLS_OUTPUT_CONVERT_HPP

#include <wlfmt/json.hpp>

#include "../input/files.hpp"

namespace tool {

enum class record_form { own, json };

template <class Record> wlfmt::problem write_converted(const Record& record, record_form form) {
    if (form == record_form::json) {
        // The reader has already reported a list that cannot be read to its end.
        static_cast<void>(wlfmt::json::write(standard_output, record));
        return {};
    }
    if constexpr (std::is_same_v<Record, wlfmt::table::document>)
        if (const wlfmt::problem e = problem_of(record); e.kind == wlfmt::error_kind::too_wide) return e;
    // Values that could not be read are written as they were. The check would refuse them, but they read back the same.
    write_unchecked(standard_output, record);
    return {};
}

inline void convert(input& from, wlfmt::file_format kind, const settings& s, report& r, record_form form) {
    if (kind == wlfmt::file_format::oplog) {
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
            static_cast<void>(write_converted(op, form));
        });
        return;
    }
    const std::string_view text = from.whole();
    r.about(text);
    if (kind == wlfmt::file_format::workload) {
        const auto read = wlfmt::workload::read(text, options_for(s, r));
        if (!read) r.error(read.error());
        if (read.error().kind == wlfmt::error_kind::no_records) return;
        static_cast<void>(write_converted(*read, form));
        const std::size_t layers = read->layers.size();
        if (form == record_form::own && read->header.declared_layers.as<std::uint64_t>() != layers)
            say(from.name(), {"note: the second line says now that there ", layers == 1 ? "is " : "are ",
                              counted(layers, "layer", "layers")});
        return;
    }
    if (const wlfmt::problem e = write_converted(read_tables(text, s, r), form)) r.error(e);
}
inline exit_status convert_files(const settings& s, record_form form) {
    settings copying = s;
    copying.copies = true;
    return for_each_known(copying, form == record_form::json,
                          [&](auto& from, auto kind, auto& r) { convert(from, kind, copying, r, form); });
}

}  // namespace tool

#endif
