// format: writes a file again in its format's own layout.
#ifndef WLFMT_TOOLS_FORMAT_HPP
#define WLFMT_TOOLS_FORMAT_HPP

#include "output/convert.hpp"

namespace tool {

exit_status do_format(const settings& s) { return convert_files(s, record_form::own); }

}  // namespace tool

#endif
