// wlfmt/error.hpp: the one way wlfmt reports a problem. Errors are values; nothing here throws.
#ifndef WLFMT_ERROR_HPP
#define WLFMT_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

// What can be wrong. The names are stable: name(code) spells them, logs and scripts may rely on it.
enum class code : std::uint8_t {
    none,
    // any format
    not_a_number,     // a numeric field holds something else
    not_an_integer,   // a field that counts holds a fraction or a word
    number_overflow,  // an integer beyond 64 signed bits, a decimal beyond a double
    unknown_format,   // detect() finds none of the three formats
    no_records,       // no operation, layer or table in the whole text
    foreign_text,     // text that belongs to no record or table, where none is allowed
    unwritable,       // a value built by hand that would not read back as it is: problem_of()
    // rank op logs
    unterminated_record,  // the line ends before the record's `)`
    text_after_record,    // text behind the record's `)`
    key_expected,         // `key=` is expected
    duplicate_key,        // a key that the record holds already
    bad_list,             // sub_operations is not a list of quoted strings
    unterminated_list,    // the line ends before the list's `]`
    unterminated_string,  // the line ends before the string's quote
    bad_escape,           // a backslash sequence that Python does not know how to read
    // workload files
    missing_layer_count,   // the second line, the number of layers, is not there
    layer_count_mismatch,  // the header declares more or fewer layers than follow
    header_value,          // a header key without its value, or a list shorter than its count
    field_count,           // a layer with more or fewer fields than 12, or 13 under HYBRID_CUSTOMIZED
    related_format,        // a near relative of the format: the field count or a title line tells
    text_after_layers,     // text behind the last layer
    text_after_count,      // text behind the number of layers
    // profiler summary tables
    column_mismatch,   // the header line and the rule above it disagree on the columns
    too_many_columns,  // more columns than table::max_columns
    row_mismatch,      // a row that fits no reading of the rule
    // files
    cannot_open,   // the file cannot be opened
    cannot_read,   // the file was opened, reading it failed
    is_directory,  // the name is a directory's
};
inline constexpr std::size_t code_count = static_cast<std::size_t>(code::is_directory) + 1;

// The enumerator's own spelling, "layer_count_mismatch". Static storage.
std::string_view name(code c) noexcept;

// One problem: what, where, in which field. Line and column are not kept: locate() counts them from the text.
struct error {
    code what = code::none;
    std::uint64_t offset = 0;     // of the first guilty byte, from the start of the text
    std::uint64_t length = 0;     // guilty bytes; 0 where something is missing
    std::string_view field = {};  // "duration", "weight_grad.bytes": static, or a view of the text
    std::int64_t found = 0;       // the two counts of a message that compares counts; of others, `expected` tells
    std::int64_t expected = 0;    // what message() says was expected

    // true where there is a problem
    explicit operator bool() const noexcept { return what != code::none; }
};

// What was found and what was expected, one line without the code's name:
// "the header declares 839 layers, 33 follow". `text` is the text that was read. Allocates the string.
std::string message(const error& e, std::string_view text);

// A place in a text. Lines and columns count from 1; a line ends at '\n'. Column `end of line + 1` exists.
struct location {
    std::uint64_t line = 1;
    std::uint64_t column = 1;         // in bytes
    std::uint64_t character = 1;      // in UTF-8 characters; a stray byte counts as one
    std::string_view line_text = {};  // the line without its end
};
// Linear in offset; an offset behind the text is taken as its end.
location locate(std::string_view text, std::uint64_t offset) noexcept;

enum class severity : std::uint8_t { error, warning };

// The problem as a compiler prints it: `name:line:column: error: code: message`, the line (cut around the column when
// it is long) and a caret under the guilty byte. `first_line` is the number of the text's first line in its file, for
// a text that is a piece of one. Ends with a newline. Control characters are shown as dots. Allocates the string.
std::string explain(const error& e, std::string_view text, std::string_view file_name, severity s = severity::error,
                    std::uint64_t first_line = 1);

// How the readers of all three formats go about what is not as it should be.
struct options {
    // Op logs and tables stand inside console logs: text around them is passed over. true: it is code::foreign_text.
    bool strict = false;
    // Read what can be read without guessing and go on: each problem goes to on_problem, is counted, and is no error.
    bool lenient = false;
    // Called for each problem that `lenient` tolerates, in the text's order. May be null; must not throw.
    void (*on_problem)(void* context, const error& e) = nullptr;
    void* context = nullptr;
};

// What a whole-document read returns: the document and, where reading stopped, why. On an error value() holds what was
// read before it.
template <class T>
class [[nodiscard]] result {
public:
    result(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : value_(std::move(value)) {}
    result(T value, const struct error& e) noexcept(std::is_nothrow_move_constructible_v<T>)
        : value_(std::move(value)), error_(e) {}

    bool ok() const noexcept { return !error_; }
    explicit operator bool() const noexcept { return ok(); }
    // code::none when ok().
    const struct error& error() const noexcept { return error_; }

    // What was read: all of it when ok(), else what stands before the error.
    T& value() & noexcept { return value_; }
    const T& value() const& noexcept { return value_; }
    T&& value() && noexcept { return std::move(value_); }
    T& operator*() & noexcept { return value_; }
    const T& operator*() const& noexcept { return value_; }
    T&& operator*() && noexcept { return std::move(value_); }
    T* operator->() noexcept { return &value_; }
    const T* operator->() const noexcept { return &value_; }

private:
    T value_;
    struct error error_;
};

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/core/end.hpp"

#include "detail/core/error.hpp"
#endif
