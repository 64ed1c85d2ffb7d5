// format: writes a file again in its format's own layout.
#ifndef WLFMT_TOOLS_FORMAT_HPP
#define WLFMT_TOOLS_FORMAT_HPP

#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "output/convert.hpp"

namespace tool {

inline exit_status print_formatted(const settings& s) {
    settings how = s;
    how.copies = true;
    return for_each_known(how, false, [&](auto& from, auto kind, auto& r) { convert(from, kind, how, r, false); });
}

}  // namespace tool

#endif
