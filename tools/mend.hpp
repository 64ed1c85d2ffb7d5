// mend: prints the text of damaged tables, mended.
#ifndef WLFMT_TOOLS_MEND_HPP
#define WLFMT_TOOLS_MEND_HPP

#include "input/files.hpp"
#include "output/read_back.hpp"

namespace tool {

exit_status do_mend(const settings& s) {
    return for_each_known(s, false, [&s](input& from, wlfmt::file_format kind, report& r) {
        if (kind != wlfmt::file_format::table) return r.error({"only files of tables can be mended"});
        const std::string_view text = from.whole();
        standard_output.append(text);
        if (!r.is_mended() || !from.cells().empty()) return;
        // All commands mend what they read.
        const wlfmt::table::mended again = wlfmt::table::mend(text, prefix_for(s));
        if (!again.done.empty() && !are_read_alike(text, again.text))
            r.error(
                {"what is printed is still damaged: it is mended again when it is read, and is something else then"});
    });
}

}  // namespace tool

#endif
