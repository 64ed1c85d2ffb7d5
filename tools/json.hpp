// json: prints the interchange form of the files, JSON Lines.
#ifndef WLFMT_TOOLS_JSON_HPP
#define WLFMT_TOOLS_JSON_HPP

#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "output/convert.hpp"

namespace tool {

inline exit_status print_json(const settings& s) {
    settings how = s;
    how.copies = true;
    return for_each_known(how, true, [&](auto& from, auto kind, auto& r) { convert(from, kind, how, r, true); });
}

}  // namespace tool

#endif
