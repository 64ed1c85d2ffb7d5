#include "command.hpp"

#include <new>

#include <system_error>

#include "command_line/arguments.hpp"
#include "command_line/commands.hpp"
#include "command_line/settings.hpp"
#include "completion.hpp"
#include "input/files.hpp"
#include "input/identity.hpp"
#include "output/grid.hpp"
#include "output/output.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

namespace tool {
namespace {

// Whether standard output is one of the input files: the command would read what it writes.
bool reads_its_output(const settings& s) {
    if (!standard_output_is_file()) return false;
    for (const char* path : s.files)
        if (is_standard_output(path)) {
            say(path, {"error: this file is an input, and standard output"});
            return true;
        }
    return false;
}

// Executes the command with standard output going to the file that -o names. The file is put in place if the command
// succeeds, or has printed what can be read of an input with problems.
int execute_into_file(const command& c, const settings& s) {
    input_files inputs;
    for (const char* path : s.files) inputs.add(path);
    output_file output;
    if (!output.open(s.output, inputs)) return unusable;
    std::string* const printed_to = standard_output.divert(nullptr);
    standard_output.redirect(output.file());
    const std::uint64_t size_before = standard_output.size();
    const exit_status status = c.function(s);
    const bool printed = standard_output.size() != size_before;
    standard_output.redirect(stdout);
    standard_output.divert(printed_to);
    if (status == unusable || (status != clean && !printed)) return status;
    return output.keep() ? status : unusable;
}

// Names the given options that say something of files of another format than were read. Returns the exit status.
exit_status refuse_unused_options(const settings& s) {
    exit_status worst = clean;
    for (const option* o : s.given) {
        const bool is_used = (formats_read >> static_cast<unsigned>(o->only) & 1U) != 0;
        if (formats_read == 0 || o->only == wlfmt::file_format::unknown || is_used) continue;
        say("wlfmt",
            joined({o->name, " is for ", o->only == wlfmt::file_format::table ? "profiler tables" : "rank op logs",
                    ", and no file is one: leave it out"}),
            wlfmt::severity::error);
        worst = problems;
    }
    return worst;
}

int refuse_command(std::string_view name) {
    const std::string shown = name.empty() ? "``" : printable(name);
    const std::string_view option = option_name(name);
    if (option != name && (option == "--help" || option == "--version")) {
        say("wlfmt", {option, " takes no value"});
    } else if (name.substr(0, 1) == "-" && !commands_with(option).empty()) {
        say("wlfmt", {"options come after the command: wlfmt COMMAND ", shown});
    } else {
        const std::string lower = in_lower_case(name);
        wlfmt::nearest_word near(lower);
        for (const command& c : commands) near.offer(c.name);
        for (const std::string_view word : {"--help", "--version", "help"}) near.offer(word);
        std::error_code ignored;
        const bool is_input = name == "-" || std::filesystem::exists(name, ignored);
        say("wlfmt", {"unknown command ", shown,
                      is_input ? "; to look at it: wlfmt summary " + shown
                               : suggestion(near, "; wlfmt --help lists the commands")});
    }
    return unusable;
}

// Prints the whole help of a command, or of all commands if `name` is empty.
int help(std::string_view name) {
    const command* const c = find_command(name);
    if (c == nullptr && !name.empty()) return refuse_command(name);
    standard_output.append(c == nullptr ? help_of_all(help_form::whole) : help_of(*c, help_form::whole));
    return clean;
}

terminal own_terminal(std::FILE* file, colour_choice colours) {
    return called_by == nullptr ? terminal_of(file, colours) : terminal();
}

int execute(int count, char** arguments) {
    const std::string_view first = count > 1 ? arguments[1] : "";
    output_terminal = own_terminal(stdout, colour_choice::automatic);
    error_terminal = own_terminal(stderr, colour_choice::automatic);
    if (first == "--help" || first == "-h") {
        standard_output.append(help_of_all(help_form::brief));
        return clean;
    }
    if (first == "help") return help(count > 2 && arguments[2] != first ? arguments[2] : "");
    if (first == "--version" || first == "-V" || first == "-v" || first == "version") {
        standard_output.append(
            {"wlfmt ", wlfmt::version_major, ".", wlfmt::version_minor, ".", wlfmt::version_patch, "\n"});
        return clean;
    }
    if (count < 2) {
        standard_error.append(help_of_all(help_form::brief));
        return unusable;
    }
    const command* const c = find_command(first);
    if (c == nullptr) return refuse_command(first);
    settings s;
    s.command = c->name;
    const std::string wrong = argument_reader(*c, s, {arguments + 2, arguments + count}).read();
    if (s.help) {
        standard_output.append(help_of(*c, help_form::brief));
        return clean;
    }
    if (!wrong.empty()) {
        say(joined({"wlfmt ", c->name}), {printable(wrong)});
        return unusable;
    }
    if (called_by == nullptr && reads_its_output(s)) return unusable;
    if (called_by != nullptr && called_by->lists_problems) {
        s.lists_problems = true;
        s.limit = 0;
    }
    const bool names_file = c->names_output != nullptr && s.output.empty() && output_terminal.is_there;
    if (names_file) s.output = free_name(c->names_output(s));
    const bool printed = s.output.empty() || s.output == "-" || is_standard_output(s.output.c_str());
    output_terminal = printed ? own_terminal(stdout, s.colours) : terminal();
    error_terminal = own_terminal(stderr, s.colours);
    if (s.wide) output_terminal.width = terminal::any_width;
    // Shows progress only if the output goes elsewhere than to a terminal, where its lines and the progress would mix.
    const bool shows_progress = called_by != nullptr ? s.files.size() == 1 && is_file(s.files[0])
                                                     : error_terminal.is_there && !output_terminal.is_there;
    if (s.files.size() == 1 && shows_progress) reading_progress.begin(size_of_file(s.files[0]));
    int status = c->opens_output || printed ? c->function(s) : execute_into_file(*c, s);
    reading_progress.clear();
    if (c->name != "chakra") status = (std::max)(status, static_cast<int>(refuse_unused_options(s)));
    if (names_file && is_file(s.output)) say("wlfmt", {s.output, " is written"});
    if (const std::size_t columns = grid::columns_left_out; columns != 0)
        print_note({counted(columns, "column does", "columns do"), " not fit the terminal and ",
                    columns == 1 ? "is" : "are", " left out; --wide shows ", columns == 1 ? "it" : "them"});
    return status;
}

// Any failed allocation, on whichever thread, ends the command with a message.
[[noreturn]] void out_of_memory() {
    unfinished_file::remove();
    static_cast<void>(std::fputs("wlfmt: error: there is not enough memory\n", stderr));
    std::_Exit(unusable);
}

// Sets the state of the command to that of a program that begins.
void begin_anew() {
    chosen_layout = layout::lines;
    chosen_digest = digest();
    grid::columns_left_out = 0;
    formats_read = 0;
    reading_progress = byte_progress();
}

}  // namespace

int call(const std::vector<std::string>& arguments, caller& by) {
    std::string name = "wlfmt";
    std::vector<std::string> words(arguments);
    std::vector<char*> pointers{&name[0]};
    for (std::string& word : words) pointers.push_back(&word[0]);
    const struct session {
        explicit session(caller& owner) {
            begin_anew();
            standard_error.copy_to(nullptr);
            called_by = &owner;
            standard_output.divert(&owner.printed);
        }
        ~session() {
            standard_output.divert(nullptr);
            standard_error.copy_to(nullptr);
            called_by = nullptr;
        }
    } of_this_call(by);
    return execute(static_cast<int>(pointers.size()), pointers.data());
}

int execute_program(int count, char** arguments) {
#if defined(SIGPIPE)
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
#endif
#if defined(_WIN32)
    // Line ends are part of the formats: text mode would change them.
    static_cast<void>(_setmode(_fileno(stdin), _O_BINARY));
    static_cast<void>(_setmode(_fileno(stdout), _O_BINARY));
#endif
    unfinished_file::watch_signals();
    static_cast<void>(std::set_new_handler(out_of_memory));
    const int status = execute(count, arguments);
    standard_output.flush();
    standard_error.flush();
    if (standard_output.closed()) return nobody_reads;
    if (!standard_output.failed()) return status;
    const int reason = standard_output.reason();
    say("wlfmt",
        {"writing the output failed", reason == 0 ? std::string() : ": " + std::generic_category().message(reason)});
    standard_error.flush();
    return unusable;
}

}  // namespace tool
