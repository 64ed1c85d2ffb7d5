// The command as functions: as a program, and within another program.
#ifndef WLFMT_TOOLS_COMMAND_HPP
#define WLFMT_TOOLS_COMMAND_HPP

#include <string>
#include <vector>

#include "output/caller.hpp"

namespace tool {

// Executes the command as a program does, and returns its exit status. The first argument is the program's name.
int execute_program(int count, char** arguments);

// Executes a command, such as {"summary", "--json", "run/"}, and returns its exit status. `by` gets what it prints. As
// a command's state is the program's, there can be one call at a time.
int call(const std::vector<std::string>& arguments, caller& by);

}  // namespace tool

#endif
