// wlfmt: reads, writes, checks, changes and sums up rank op logs, workload files and profiler tables from the command
// line. Which commands there are is in commands.hpp; each has a header of its name in this folder.
#include <new>

#include "speed.hpp"

#include "check.hpp"
#include "command_line/arguments.hpp"
#include "command_line/commands.hpp"
#include "command_line/settings.hpp"
#include "completion.hpp"
#include "csv.hpp"
#include "format.hpp"
#include "from_json.hpp"
#include "input/identity.hpp"
#include "json.hpp"
#include "merge.hpp"
#include "output/grid.hpp"
#include "output/output.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "set.hpp"
#include "summary.hpp"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

namespace {

// The file that standard output is must be no input: the command would read what it writes.
bool reads_its_output(const tool::settings& s) {
    if (!tool::standard_output_is_file()) return false;
    for (const char* path : s.files)
        if (tool::is_standard_output(path)) {
            tool::say(path, {"error: this file is an input, and standard output"});
            return true;
        }
    return false;
}

// Runs the command with standard output in the file that -o names. The file takes its place if the command succeeds, or
// has printed what can be read of an input with problems.
int run_into_file(const tool::command& c, const tool::settings& s) {
    tool::input_files inputs;
    for (const char* path : s.files) inputs.add(path);
    tool::output_file output;
    if (!output.open(s.output, inputs)) return tool::unusable;
    tool::standard_output.redirect(output.file());
    const tool::exit_status status = c.run(s);
    const bool printed = tool::standard_output.size() != 0;
    tool::standard_output.redirect(stdout);
    if (status == tool::unusable || (status != tool::clean && !printed)) return status;
    return output.keep() ? status : tool::unusable;
}

int refuse_command(std::string_view name) {
    wlfmt::nearest_word near(name);
    for (const tool::command& c : tool::commands) near.offer(c.name);
    tool::say("wlfmt",
              {"unknown command ", tool::printable(name), tool::question(near, "; wlfmt --help lists the commands")});
    return tool::unusable;
}

// Prints the whole help of a command.
int help(std::string_view name) {
    const tool::command* const c = tool::find_command(name);
    if (c == nullptr && !name.empty()) return refuse_command(name);
    tool::standard_output.append(c == nullptr ? tool::help_of_all(tool::help_form::whole)
                                              : tool::help_of(*c, tool::help_form::whole));
    return tool::clean;
}

int run(int count, char** arguments) {
    const std::string_view first = count > 1 ? arguments[1] : "";
    tool::output_terminal = tool::terminal_of(stdout, tool::colour_choice::automatic);
    tool::error_terminal = tool::terminal_of(stderr, tool::colour_choice::automatic);
    if (first == "--help" || first == "-h") {
        tool::standard_output.append(tool::help_of_all(tool::help_form::brief));
        return tool::clean;
    }
    if (first == "help") return help(count > 2 ? arguments[2] : "");
    if (first == "--version" || first == "-V") {
        tool::standard_output.append(
            {"wlfmt ", wlfmt::version_major, ".", wlfmt::version_minor, ".", wlfmt::version_patch, "\n"});
        return tool::clean;
    }
    if (count < 2) {
        tool::standard_error.append(tool::help_of_all(tool::help_form::brief));
        return tool::unusable;
    }
    const tool::command* const c = tool::find_command(first);
    if (c == nullptr) return refuse_command(first);
    tool::settings s;
    s.command = c->name;
    const std::string wrong = tool::argument_reader(*c, s, {arguments + 2, arguments + count}).read();
    if (s.help) {
        tool::standard_output.append(tool::help_of(*c, tool::help_form::brief));
        return tool::clean;
    }
    if (!wrong.empty()) {
        tool::standard_error.append({"wlfmt ", c->name, ": ", tool::printable(wrong), "\n"});
        return tool::unusable;
    }
    if (reads_its_output(s)) return tool::unusable;
    const bool names_file = c->names_output != nullptr && s.output.empty() && tool::output_terminal.is_there;
    if (names_file) s.output = tool::free_name(c->names_output(s));
    const bool printed = s.output.empty() || s.output == "-" || tool::is_standard_output(s.output.c_str());
    tool::output_terminal = printed ? tool::terminal_of(stdout, s.colours) : tool::terminal();
    tool::error_terminal = tool::terminal_of(stderr, s.colours);
    if (s.wide) tool::output_terminal.width = tool::terminal::any_width;
    // Lines on a terminal and progress would mix.
    if (s.files.size() == 1 && tool::error_terminal.is_there && !tool::output_terminal.is_there)
        tool::reading_progress.begin(tool::size_of_file(s.files[0]));
    const int status = c->opens_output || printed ? c->run(s) : run_into_file(*c, s);
    tool::reading_progress.clear();
    if (names_file && tool::is_file(s.output)) tool::say("wlfmt", {s.output, " is written"});
    if (const std::size_t columns = tool::grid::columns_left_out; columns != 0)
        tool::print_note({tool::counted(columns, "column does", "columns do"), " not fit the terminal and ",
                          columns == 1 ? "is" : "are", " left out; --wide shows ", columns == 1 ? "it" : "them"});
    return status;
}

// Any failed allocation, on whichever thread, ends the command with a message.
[[noreturn]] void out_of_memory() {
    tool::unfinished_file::remove();
    static_cast<void>(std::fputs("wlfmt: error: there is not enough memory\n", stderr));
    std::_Exit(tool::unusable);
}

}  // namespace

int main(int count, char** arguments) {
#if defined(SIGPIPE)
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
#endif
#if defined(_WIN32)
    // Line ends are part of the formats: text mode would change them.
    static_cast<void>(_setmode(_fileno(stdin), _O_BINARY));
    static_cast<void>(_setmode(_fileno(stdout), _O_BINARY));
#endif
    tool::unfinished_file::watch_signals();
    static_cast<void>(std::set_new_handler(out_of_memory));
    const int status = run(count, arguments);
    tool::standard_output.flush();
    tool::standard_error.flush();
    if (tool::standard_output.closed()) return tool::nobody_reads;
    if (!tool::standard_output.failed()) return status;
    tool::say("wlfmt", {"writing the output failed"});
    tool::standard_error.flush();
    return tool::unusable;
}
