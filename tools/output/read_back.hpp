// Whether what was written without a check is read again as it was.
#ifndef WLFMT_TOOLS_OUTPUT_READ_BACK_HPP
#define WLFMT_TOOLS_OUTPUT_READ_BACK_HPP

#include <wlfmt/json.hpp>

#include "../input/files.hpp"
#include "output.hpp"

namespace tool {

// Whether a lenient reader reads a document or an operation back as it is although a strict one does not: a table in
// which a cell has lost its unit, for example.
template <class Record> bool reads_back_leniently(const Record& record) {
    // Uses a stream, as the command has writers to streams anyway: writers to another sink take seconds to compile.
    std::string text;
    std::string before;
    std::string after;
    stream output(stdout);
    output.divert(&text);
    write_unchecked(output, record);
    const wlfmt::options options = lenient_options();
    const auto is_same = [&](const auto& back) {
        const wlfmt::problem of_record = wlfmt::json::write(before, record);
        const wlfmt::problem of_back = wlfmt::json::write(after, back);
        return of_record.kind == of_back.kind && before == after;
    };
    if constexpr (std::is_same_v<Record, wlfmt::oplog::operation>) {
        const auto back = wlfmt::oplog::read(text, options);
        return back->operations.size() == 1 && is_same(back->operations[0]);
    } else if constexpr (std::is_same_v<Record, wlfmt::workload::document>) {
        const auto back = wlfmt::workload::read(text, options);
        return back.ok() && is_same(*back);
    } else {
        const auto back = wlfmt::table::read(text, options);
        return back.ok() && is_same(*back);
    }
}

// Whether a lenient reader finds the same tables in two texts.
inline bool are_read_alike(std::string_view text, std::string_view other) {
    std::string lines[2];
    const auto read = wlfmt::table::read(text, lenient_options());
    const auto read_other = wlfmt::table::read(other, lenient_options());
    static_cast<void>(wlfmt::json::write(lines[0], *read));
    static_cast<void>(wlfmt::json::write(lines[1], *read_other));
    return lines[0] == lines[1];
}

}  // namespace tool

#endif
