// completion: prints what bash, zsh and fish need to complete commands and options, made from the table of commands.
#ifndef WLFMT_TOOLS_COMPLETION_HPP
#define WLFMT_TOOLS_COMPLETION_HPP

#include "command_line/arguments.hpp"
#include "command_line/commands.hpp"
#include "output/output.hpp"

namespace tool {

inline std::string choices_of(std::string_view value) {
    std::string words;
    for_each_choice(value, [&](std::string_view word) { words.append(words.empty() ? "" : " ").append(word); });
    return words;
}

inline std::string bash_completion() {
    std::string names;
    std::string options;
    std::string values;
    for (const command& c : commands) {
        names.append(names.empty() ? "" : " ").append(c.name);
        options.append("    ").append(c.name).append(") options='--help");
        for_each_option(c, [&](const option& o) {
            options.append(" ").append(o.name).append(o.value.empty() || o.name[1] != '-' ? "" : "=");
            if (const std::string words = choices_of(o.value); !words.empty())
                values += joined({"    '", c.name, " ", o.name, "') words='", words, "' ;;\n"});
        });
        options.append("' ;;\n");
    }
    const std::string shells = choices_of(find_command("completion")->arguments.words);
    return R"(# bash completion of wlfmt, printed by `wlfmt completion bash`.
_wlfmt() {
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options='' words=''
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W ')" +
           names + R"( help --help --version' -- "$current"))
        return
    fi
    # `--kind=table` is three words for bash, `--kind table` is two.
    local option=${COMP_WORDS[COMP_CWORD - 1]} equals=''
    if [ "$current" = = ]; then
        equals=1 current=''
    elif [ "$option" = = ]; then
        equals=1 option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case "$command $option" in
)" + values +
           R"(    esac
    if [ -n "$equals$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        return
    fi
    case $current in
    -*)
        case $command in
)" + options +
           R"(        esac
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2> /dev/null
        ;;
    *)
        if [ "$command" = completion ]; then
            COMPREPLY=($(compgen -W ')" +
           shells + R"(' -- "$current"))
        else
            COMPREPLY=($(compgen -f -- "$current"))
            compopt -o filenames 2> /dev/null
        fi
        ;;
    esac
}
complete -F _wlfmt wlfmt
)";
}

// Escapes a text for use inside single quotes, in an argument of zsh's _arguments.
inline std::string zsh_text(std::string_view text) { return within_quotes(escaped(text, "[]:\\")); }
inline std::string zsh_completion() {
    std::string names;
    std::string cases;
    for (const command& c : commands) {
        names.append("        '").append(zsh_text(c.name)).append(":").append(zsh_text(c.summary)).append("'\n");
        cases.append("    ").append(c.name).append(")\n        _arguments \\\n");
        for_each_option(c, [&](const option& o) {
            cases.append("            '");
            if (o.name == options::dimensions.name) cases.append("*");
            cases.append(o.name);
            if (!o.value.empty()) cases.append(o.name[1] == '-' ? "=" : "+");
            cases.append("[").append(zsh_text(o.help)).append("]");
            if (!o.value.empty()) {
                const std::string words = choices_of(o.value);
                cases.append(":").append(zsh_text(o.value)).append(":");
                const bool is_file = o.value == "FILE" || o.value == "PREFIX";
                cases.append(!words.empty() ? joined({"(", words, ")"}) : is_file ? "_files" : " ");
            }
            cases.append("' \\\n");
        });
        cases.append("            '--help[print what the command does]' \\\n");
        cases.append(c.name == "completion" ? joined({"            '1:shell:(", choices_of(c.arguments.words), ")'\n"})
                                            : std::string("            '*:file:_files'\n"));
        cases.append("        ;;\n");
    }
    constexpr std::string_view head =
        "#compdef wlfmt\n# zsh completion of wlfmt, printed by `wlfmt completion zsh`.\n_wlfmt() {\n"
        "    local -a commands=(\n";
    constexpr std::string_view choice =
        "    )\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    local command=$words[2]\n"
        "    words=(wlfmt \"${(@)words[3,-1]}\")\n"
        "    (( CURRENT -= 1 ))\n"
        "    case $command in\n";
    return joined({head, names, choice, cases, "    esac\n}\n_wlfmt \"$@\"\n"});
}

// Puts a text in single quotes for fish.
inline std::string fish_text(std::string_view text) { return "'" + escaped(text, "'\\") + "'"; }
inline std::string fish_completion() {
    std::string script =
        "# fish completion of wlfmt, printed by `wlfmt completion fish`.\n"
        "complete -c wlfmt -n __fish_use_subcommand -l help -s h -d 'print what there is'\n"
        "complete -c wlfmt -n __fish_use_subcommand -l version -s V -d 'print the version'\n";
    for (const command& c : commands)
        script.append(
            joined({"complete -c wlfmt -n __fish_use_subcommand -f -a ", c.name, " -d ", fish_text(c.summary), "\n"}));
    for (const command& c : commands) {
        const std::string condition = joined({"complete -c wlfmt -n '__fish_seen_subcommand_from ", c.name, "'"});
        for_each_option(c, [&](const option& o) {
            const bool is_long = o.name[1] == '-';
            script.append(condition).append(is_long ? " -l " : " -s ").append(o.name.substr(is_long ? 2 : 1));
            const std::string words = choices_of(o.value);
            const bool is_file = o.value == "FILE" || o.value == "PREFIX";
            if (!o.value.empty()) script.append(is_file ? " -r" : " -x");
            if (!words.empty()) script.append(" -a ").append(fish_text(words));
            script.append(" -d ").append(fish_text(o.brief())).append("\n");
        });
        if (c.name == "completion")
            script.append(condition).append(" -f -a ").append(fish_text(choices_of(c.arguments.words))).append("\n");
    }
    return script;
}

exit_status do_completion(const settings& s) {
    const std::string_view shell = s.files[0];
    standard_output.append(shell == "bash" ? bash_completion() : shell == "zsh" ? zsh_completion() : fish_completion());
    return clean;
}

}  // namespace tool

#endif
