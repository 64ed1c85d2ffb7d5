// json: prints the interchange form of the files, JSON Lines.
#ifndef WLFMT_TOOLS_JSON_HPP
#define WLFMT_TOOLS_JSON_HPP

#include "output/convert.hpp"

namespace tool {

exit_status do_json(const settings& s) { return convert_files(s, record_form::json); }

}  // namespace tool

#endif
