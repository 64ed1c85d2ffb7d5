// What check finds in the op logs of a run together.
#ifndef WLFMT_TOOLS_CHECK_RUN_HPP
#define WLFMT_TOOLS_CHECK_RUN_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <wlfmt/answers.hpp>
#include <wlfmt/wlfmt.hpp>

#include "output.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

// Prints which calls are missing, as many as the settings allow. Returns whether there are any.
inline bool tell_missing(const wlfmt::oplog::run_check& run, const settings& s) {
    std::uint64_t lines = 0;
    std::uint64_t told = 0;  // calls and records in these lines
    const auto tell = [&](const wlfmt::oplog::missing_call& m, std::string_view file, std::uint64_t line) {
        if (s.limit != 0 && lines >= s.limit) return;
        ++lines;
        told += m.in_a_row;
        std::string to = printable(file);
        if (line != 0) to += joined({":", line});
        standard_error.append(
            {to, s.strict ? ": error: " : ": warning: ", "missing_call: ", printable(message(m)), "\n"});
    };
    const std::uint64_t count = run.missing_calls(tell);
    if (told < count)
        standard_error.append(
            {"wlfmt: ", counted(count - told, "more call", "more calls"), " that some members of a group lack\n"});
    return count != 0;
}

}  // namespace tool

#endif
