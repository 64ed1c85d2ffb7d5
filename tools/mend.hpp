// mend: prints the text of damaged tables, mended.
#ifndef WLFMT_TOOLS_MEND_HPP
#define WLFMT_TOOLS_MEND_HPP

#include "input/files.hpp"

namespace tool {

exit_status do_mend(const settings& s) {
    return for_each_known(s, false, [](input& from, wlfmt::file_format kind, report& r) {
        if (kind != wlfmt::file_format::table) return r.error({"only files of tables can be mended"});
        standard_output.append(from.whole());
    });
}

}  // namespace tool

#endif
