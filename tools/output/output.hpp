// Writes to standard output and standard error, and composes the texts for them.
#ifndef WLFMT_TOOLS_OUTPUT_OUTPUT_HPP
#define WLFMT_TOOLS_OUTPUT_OUTPUT_HPP

#include <initializer_list>

#include <wlfmt/error.hpp>

#include "analysis/draw/text.hpp"
#include "analysis/output.hpp"

#include "../general/order.hpp"
#include "notice.hpp"
#include "terminal.hpp"

namespace tool {

// A text that is safe to print on a terminal.
inline std::string printable(std::string_view text) { return wlfmt::printable(text); }

using parts = std::initializer_list<wlfmt::analysis::text_piece>;
using wlfmt::analysis::joined;
// A range as it is printed: `3`, or `0 to 7`.
std::string range_text(std::int64_t first, std::int64_t last);

// Also takes pieces.
class stream : public wlfmt::analysis::output {
public:
    using output::append;
    using output::output;
    void append(parts pieces) { append(joined(pieces)); }
};

// Lines for people: whatever a name or a file holds, no control character except line ends reaches the terminal.
class message_stream {
public:
    explicit message_stream(std::FILE* file) noexcept : stream_(file) {}
    // Printed, or kept for the program that called the command.
    void append(notice said);
    void append(std::string_view text) {
        notice said;
        said.text = text;
        append(std::move(said));
    }
    void append(parts pieces) { append(joined(pieces)); }
    void flush() { stream_.flush(); }
    bool empty() const noexcept { return stream_.empty(); }
    // Also copies everything that is appended after this call to a text; null ends that.
    void copy_to(std::string* text) noexcept { copy_ = text; }

private:
    void print(std::string_view text);

    stream stream_;
    std::string* copy_ = nullptr;
};

inline stream standard_output(stdout);
inline message_stream standard_error(stderr);

// Prints `name: words` on standard error. `name`: that of a file, or `wlfmt`.
void say(std::string_view name, parts words);
// The same about a line of a file, unless it is 0.
void say(std::string_view name, std::uint64_t line, parts words);
// Prints a problem of a text, of which `in` is given, from its line `first_line` on. `column`: where the problem is in
// the original text, if `in` is of a mended one.
void say(const wlfmt::problem& e, std::string_view in, std::string_view name,
         wlfmt::severity how_bad = wlfmt::severity::error, std::uint64_t first_line = 1, std::uint64_t column = 0);

// Prints a line for people; names and values in it may hold anything.
void print_line(std::string_view text);
inline void print_line(parts pieces) { print_line(joined(pieces)); }

// A number with its noun: "1 layer", "2 layers".
std::string counted(std::uint64_t n, const char* singular, const char* plural);

}  // namespace tool

#endif
