// Reads the command line, or says in one line what is wrong with it, and composes what --help prints.
#ifndef WLFMT_TOOLS_COMMAND_LINE_ARGUMENTS_HPP
#define WLFMT_TOOLS_COMMAND_LINE_ARGUMENTS_HPP

#include "../output/output.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "settings.hpp"

namespace tool {

// Ends a message with "; did you mean --lenient?", or with `otherwise` if no word is similar.
inline std::string suggestion(const wlfmt::nearest_word& near, std::string_view otherwise) {
    return near.found().empty() ? std::string(otherwise) : joined({"; did you mean ", near.found(), "?"});
}

// Calls each(word) for each literal word in a value's spelling: for auto and none in `auto|TEXT|none`.
template <class Each> void for_each_choice(std::string_view value, const Each& each) {
    while (!value.empty()) {
        const std::string_view word = take_until(value, '|');
        if (!word.empty() && word[0] >= 'a' && word[0] <= 'z' && word.find(',') == std::string_view::npos) each(word);
    }
}
inline bool is_choice(std::string_view word, std::string_view words) noexcept {
    while (!words.empty())
        if (take_until(words, '|') == word) return true;
    return false;
}
template <class Each> void for_each_option(const command& c, const Each& each) {
    for (const option* const* at = c.options; *at != nullptr; ++at) each(**at);
    each(options::colours);
}
// Returns null if the command has no such option.
inline const option* find_option(const command& c, std::string_view name) {
    const option* found = nullptr;
    for_each_option(c, [&](const option& o) { found = o.name == name ? &o : found; });
    return found;
}
// The commands that have an option, `summary, merge`; empty if none has it.
inline std::string commands_with(std::string_view name) {
    std::string names;
    for (const command& c : commands)
        if (find_option(c, name) != nullptr) names.append(names.empty() ? "" : ", ").append(c.name);
    return names;
}
// The option's name in an argument: `--kind` in `--kind=oplog`, `-j` in `-j4`.
inline std::string_view option_name(std::string_view argument) noexcept {
    return argument.substr(0, 2) == "--" ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
}
// Names and commands are in lower case, so that a word in another case is as near to one.
inline std::string in_lower_case(std::string_view word) {
    std::string lower(word);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return lower;
}
// Whether a word begins with a dash other than `-`, U+2010 to U+2015 or U+2212, which word processors put in its place.
inline bool has_printed_dash(std::string_view word) noexcept {
    return word.substr(0, 3) == "\xE2\x88\x92" ||
           (word.size() > 2 && word.substr(0, 2) == "\xE2\x80" && word[2] >= '\x90' && word[2] <= '\x95');
}
// An option as help shows it: `--kind=oplog|workload|table`, `-j N`.
inline std::string spelling_of(const option& o) {
    std::string usage(o.name);
    if (!o.value.empty()) usage.append(o.name[1] == '-' ? "=" : " ").append(o.value);
    return usage;
}
inline std::string usage_of(const command& c) {
    return joined({"usage: wlfmt ", c.name, " [OPTION]... ", c.arguments.words});
}

// Reads the arguments after the command's name.
class argument_reader {
public:
    argument_reader(const command& c, settings& s, std::vector<const char*> arguments)
        : command_(c), s_(s), arguments_(std::move(arguments)) {}

    // Returns what is wrong, or an empty text.
    std::string read() {
        bool only_files = false;
        while (at_ != arguments_.size()) {
            const char* const argument = arguments_[at_++];
            const std::string_view a = argument;
            if (only_files || a.size() < 2 || a[0] != '-') {
                if (std::string wrong = take_argument(argument); !wrong.empty()) return wrong;
            } else if (a == "--") {
                only_files = true;
            } else if (const std::string_view name = option_name(a); name == "--help" || name == "-h") {
                if (name.size() != a.size()) return joined({name, " takes no value"});
                s_.help = true;
                return {};
            } else if (std::string wrong = take_option(a); !wrong.empty()) {
                return wrong;
            }
        }
        if (s_.files.size() < command_.arguments.min_files) {
            const bool is_file = command_.arguments.words[0] < 'a';  // a placeholder, not words to choose from
            return joined({"an argument is missing; ", usage_of(command_), is_file ? "; - is standard input" : ""});
        }
        if (s_.strict && s_.lenient) return "--strict and --lenient exclude each other";
        const char* const refused = command_.refuse == nullptr ? nullptr : command_.refuse(s_);
        return refused == nullptr ? std::string() : refused;
    }

private:
    std::string take_argument(const char* argument) {
        if (*argument == 0) return "an argument is empty; " + usage_of(command_);
        std::error_code ignored;
        if (has_printed_dash(argument) && !std::filesystem::exists(argument, ignored))
            return joined({"`", argument, "` begins with a dash other than the - that options begin with"});
        if (command_.arguments.has_values && !s_.files.empty()) {
            const std::string_view a = argument;
            const std::size_t equals = a.find('=');
            if (equals == std::string_view::npos) return joined({"`", a, "` is not PATH=VALUE"});
            s_.assignments.push_back({a.substr(0, equals), a.substr(equals + 1), 0});
            return {};
        }
        if (s_.files.size() == command_.arguments.max_files)
            return joined({"`", argument, "` is one argument too many; ", usage_of(command_)});
        s_.files.push_back(argument);
        return {};
    }
    // Takes an option in any of its forms: `--name`, `--name=VALUE`, `--name VALUE`, `-jVALUE`, `-j VALUE`.
    std::string take_option(std::string_view a) {
        const std::string_view name = option_name(a);
        const option* const found = find_option(command_, name);
        // `-only=compute` is not the option -o.
        const std::string with_dash = name.size() == 2 ? joined({"-", a.substr(0, a.find('='))}) : std::string();
        const bool lacks_dash = a.size() > 3 && find_option(command_, with_dash) != nullptr;
        std::string dash_missing = joined({"unknown option ", a, "; did you mean ", with_dash, "?"});
        if (found == nullptr) return lacks_dash ? dash_missing : unknown(name);
        s_.given.push_back(found);
        bool has_value = name.size() != a.size();
        std::string_view value = a.substr(name.size());
        if (lacks_dash && a.find('=') != a.npos) return dash_missing;
        if (has_value && value[0] == '=') value.remove_prefix(1);
        if (found->value.empty())
            return has_value ? joined({name, " takes no value"}) : (found->take(s_, {}), std::string());
        if (!has_value && at_ != arguments_.size()) {
            value = arguments_[at_++];
            has_value = true;
        }
        if (!has_value) return "the value is missing: " + spelling_of(*found);
        const bool is_possible = !found->expected.empty() || is_choice(value, found->value);
        if (is_possible && found->take(s_, value)) return {};
        return lacks_dash ? dash_missing : wrong_value(*found, value);
    }
    static std::string wrong_value(const option& o, std::string_view value) {
        const std::string given = joined({spelling_of(o), ": `", value, "` is not "});
        if (!o.expected.empty()) return joined({given, o.expected});
        const std::string lower = in_lower_case(value);
        wlfmt::nearest_word near(lower);
        for_each_choice(o.value, [&](std::string_view word) { near.offer(word); });
        return joined({given, "one of these", suggestion(near, "")});
    }
    std::string unknown(std::string_view name) const {
        if (name == "--version" || name == "-V") return joined({name, " is of no command: wlfmt --version"});
        if (name == options::rank_list.name && find_option(command_, options::rank_count.name) != nullptr)
            return joined({name, " is a list of ranks, for timeline and plot; the number of ranks is ",
                           spelling_of(options::rank_count)});
        if (const std::string others = commands_with(name); !others.empty())
            return joined({name, " is no option of this command, but of ", others});
        std::string lower = in_lower_case(name);
        // What other programs call options that have one letter here.
        if (lower == "--output") lower = options::output.name;
        if (lower == "--jobs" || lower == "--threads") lower = options::threads.name;
        wlfmt::nearest_word near(lower);
        for_each_option(command_, [&](const option& o) { near.offer(o.name); });
        near.offer("--help");
        return joined({"unknown option ", name,
                       suggestion(near, joined({"; wlfmt ", command_.name, " --help lists the options"}))});
    }

    const command& command_;
    settings& s_;
    std::vector<const char*> arguments_;
    std::size_t at_ = 0;
};

// The form of a help text: `brief` for --help, which fits a screen, or `whole` for `wlfmt help`.
enum class help_form { brief, whole };

constexpr std::size_t help_width = 80;

// Appends sentences, broken into lines. Any text already on the first line must be as wide as `indent`.
inline void append_sentences(std::string& help, std::string_view text, std::size_t indent = 0) {
    append_wrapped(help, text, help_width, indent, indent);
    help += '\n';
}
// Appends a name and its meaning, side by side.
inline void append_entry(std::string& help, std::string_view name, std::string_view meaning, std::size_t indent) {
    help.append("  ").append(name);
    if (name.size() + 4 > indent) help.append("\n").append(indent, ' ');
    else help.append(indent - name.size() - 2, ' ');
    append_sentences(help, meaning, indent);
}
inline void append_heading(std::string& help, std::string_view title) {
    help.append(styled(output_terminal, style::strong, joined({title, ":"}))).append("\n");
}

inline std::string help_of(const command& c, help_form form) {
    constexpr std::size_t indent = 28;
    std::string help = usage_of(c) + "\n\n";
    append_sentences(help, joined({"wlfmt ", c.name, " ", c.summary, "."}));
    if (form == help_form::whole && !c.details.empty()) append_sentences(help, c.details);
    constexpr std::pair<heading, std::string_view> groups[] = {{heading::options, "\nOptions"},
                                                               {heading::input, "Input"},
                                                               {heading::output, "Output"},
                                                               {heading::every_command, "Of every command"}};
    for (const auto& [group, title] : groups) {
        bool any = false;
        for_each_option(c, [&, wanted = group, text = title](const option& o) {
            if (o.group != wanted) return;
            if (!std::exchange(any, true)) append_heading(help, text);
            append_entry(help, spelling_of(o), form == help_form::whole ? o.help : o.brief(), indent);
        });
    }
    append_entry(help, "-h, --help", joined({"print this; wlfmt help ", c.name, " says more"}), indent);
    return help;
}
inline std::string help_of_all(help_form form) {
    constexpr std::size_t indent = 14;
    std::string help = "usage: wlfmt COMMAND [OPTION]... FILE...\n\n";
    for (const command_group& group : command_groups) {
        append_heading(help, group.title);
        for (const std::string_view name : group.names)
            if (const command* const c = find_command(name)) append_entry(help, name, c->summary, indent);
    }
    help.append("\n");
    append_sentences(help,
                     "COMMAND --help lists a command's options, help COMMAND explains them, and help alone says more; "
                     "-V or --version prints the version.");
    if (form == help_form::brief) return help;
    constexpr std::string_view further[] = {
        "FILE `-` is standard input, for example for compressed files: `zstdcat x | wlfmt summary -`. What follows "
        "`--` is a FILE whatever it begins with. A folder, DIR, stands for the files in it; those of none of the "
        "three formats are named and left out. Text around op-log records and tables is skipped, because both occur "
        "inside console logs.",
        "A problem is a warning if nothing of the input is missing from the output: values that are not numbers are "
        "kept as they are, and a wrong number of layers is corrected. It is an error if something is missing.",
        "Exit status: 0 clean, 1 problems, 2 wrong usage or a file that cannot be read or written, 3 more than "
        "--fail-above, 141 standard output was closed before all was in it.",
        "On a terminal, lines are as wide as it is, problems, headings and what is slow have colours (--color, "
        "NO_COLOR), and what takes longer than a second shows how far it is."};
    for (const std::string_view paragraph : further) {
        help += '\n';
        append_sentences(help, paragraph);
    }
    return help;
}

}  // namespace tool

#endif
