// Whether a person reads what is printed.
#ifndef WLFMT_TOOLS_COMMAND_LINE_TERMINAL_HPP
#define WLFMT_TOOLS_COMMAND_LINE_TERMINAL_HPP

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "settings.hpp"

namespace tool {

inline bool is_terminal(const settings& s) {
    if (!s.output.empty()) return false;
#if defined(_WIN32)
    return _isatty(1) != 0;
#else
    return isatty(STDOUT_FILENO) != 0;
#endif
}

}  // namespace tool

#endif
