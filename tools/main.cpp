// wlfmt: reads, writes, checks, changes and sums up rank op logs, workload files and profiler tables from the command
// line. commands.hpp lists the commands; each has a header of its name in this folder.
#include "command.hpp"

int main(int count, char** arguments) { return tool::execute_program(count, arguments); }
