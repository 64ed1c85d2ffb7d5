// Reports calls and messages of ranks that have no counterpart.
#ifndef WLFMT_TOOLS_RUN_MESSAGES_HPP
#define WLFMT_TOOLS_RUN_MESSAGES_HPP

#include "analysis/answers/answers.hpp"

#include "../command_line/settings.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"

namespace tool {

// Prints which times cannot be right and which calls are missing, as many of each as the settings allow. Returns
// whether there are any.
bool report_missing(const wlfmt::analysis::run_check& run, const settings& s);

// Begins a file, and says whether it can be read again: standard input and pipes cannot.
void begin_text(wlfmt::analysis::message_check& messages, std::string_view file);

// Prints the first unmatched messages, as many as the settings allow. Returns whether there are any.
bool report_unmatched(const wlfmt::analysis::message_check& messages, const settings& s);

}  // namespace tool

#endif
