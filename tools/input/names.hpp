// Names for files that the command line does not name.
#ifndef WLFMT_TOOLS_INPUT_NAMES_HPP
#define WLFMT_TOOLS_INPUT_NAMES_HPP

#include <filesystem>

#include <wlfmt/oplog/run.hpp>

#include "../command_line/settings.hpp"
#include "../output/output.hpp"

namespace tool {

// A name in the current folder, made from the name of the run's folder, from what the names of its logs have in common,
// or from the name of the file. If there is a second run or file, its name is appended.
std::string name_after(const settings& s, std::string_view ending);
// Returns the name or, if there is such a file already, one like `run-2.html`.
std::string free_name(const std::string& name);
// The size of a file; 0 if it is not known, as for a pipe.
std::uint64_t size_of_file(const char* path);
bool is_file(const std::string& path);
bool is_folder(const std::string& path);

}  // namespace tool

#endif
