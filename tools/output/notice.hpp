// What a command says beside its output, as a value: for a program that calls the command in its own process.
#ifndef WLFMT_TOOLS_OUTPUT_NOTICE_HPP
#define WLFMT_TOOLS_OUTPUT_NOTICE_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <wlfmt/error.hpp>

namespace tool {

struct notice {
    notice() = default;
    // A sentence of the command itself about a file, or one of its lines, or about `wlfmt`. Its first words can say how
    // bad it is, and what kind of problem it is: `warning: missing_call: ...`.
    notice(std::string about, std::uint64_t at_line, std::string sentence);
    // A problem of a text, of which `in` is given, from its line `first_line` on.
    notice(const wlfmt::problem& e, std::string_view in, std::string_view name, wlfmt::severity how_bad,
           std::uint64_t first_line = 1);

    // Takes the name of a kind, such as `missing_call: `, from the beginning of the words.
    void split_kind();
    // Tells another column than that in the text which was read.
    void move_to(std::uint64_t to);

    std::string kind;      // the name of the kind of problem, if it has one
    std::string severity;  // error, warning, note; empty for a sentence that is none of them
    std::string file;
    std::uint64_t line = 0;  // 0: it has no place in a text
    std::uint64_t column = 0;
    std::string field;
    std::string words;
    std::string text;  // what is printed of it, with its line end
};

}  // namespace tool

#endif
