// wlfmt/types/error.hpp: errors, the options of readers, callbacks, and the result of reading a whole document.
// wlfmt/error.hpp prints errors.
#include "../version.hpp"

#ifndef WLFMT_TYPES_ERROR_HPP
#define WLFMT_TYPES_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

// What can be wrong. The names are stable: name_of() spells them, and logs and scripts may rely on them.
enum class error_kind : std::uint8_t {
    none,
    // any format
    not_a_number,     // a numeric field holds something else
    not_an_integer,   // a field that counts holds a fraction or a word
    number_overflow,  // an integer beyond 64 signed bits, or a decimal beyond a double
    negative_value,   // a size, a time or a degree of parallelism below 0: a warning, and the value is read
    unknown_format,   // detect() finds none of the three formats
    no_records,       // no operation, layer or table in the whole text
    foreign_text,     // text that belongs to no record or table, where none is allowed
    unwritable,       // what write() was given would not read back as it is
    cannot_write,     // the sink failed: the disk is full, or the pipe is closed
    // rank op logs
    unterminated_record,  // the line ends before the record's `)`
    text_after_record,    // text after the record's `)`
    key_expected,         // `key=` is expected
    duplicate_key,        // a key that the record holds already
    bad_list,             // sub_operations is not a list of quoted strings
    unterminated_list,    // the line ends before the list's `]`
    unterminated_string,  // the line ends before the string's quote
    bad_escape,           // a backslash sequence that Python cannot read
    record_after_text,    // lines that hold a whole record after other text, and are therefore foreign text
    // workload files
    missing_layer_count,   // the second line, the number of layers, is not there
    layer_count_mismatch,  // fewer layers than declared: the file may be cut off; more are a warning
    header_value,          // a header key without its value, a value without its key, or a list shorter than its count
    header_mismatch,       // a layer's field that repeats a header entry differs from it
    field_count,           // a layer with more or fewer fields than 12, or 13 under HYBRID_CUSTOMIZED
    related_format,        // a near relative of the format, as the field count or a title line shows
    text_after_layers,     // text after the last layer
    text_after_count,      // text after the number of layers
    // profiler summary tables
    column_mismatch,   // the header line and the rule above it disagree on the columns
    too_many_columns,  // more columns than table::max_columns
    row_mismatch,      // a row whose cells cannot be assigned to the columns
    unclosed_table,    // a table that ends without its closing rule: it may have been cut after a whole row
    cut_column,        // a table cut at its right edge: the cells of its last column are texts
    missing_rule,      // a table that lacks the rule above its header or the one below, and is not read
    too_wide,          // a table whose padding would be many times its text: table::max_padding
    lost_lines,        // lines that look like a table's and are in none
    damaged_table,     // a table that is read although its columns or names show that a part of it was cut out
    doubtful_name,     // a name that a table may have from a part that was cut out, or from a web page: a warning
    // edits
    bad_edit,  // a replacement lies outside the text, or overlaps another one
    // files
    cannot_open,   // the file cannot be opened
    cannot_read,   // the file was opened, but reading it failed
    is_directory,  // the path leads to a directory
    // what a file means: parallelism.hpp, lint.hpp
    size_below_one,            // a parallel group of no ranks
    not_divisible,             // a number of ranks that is not a multiple of the groups' sizes
    pipeline_mismatch,         // several stages without pp_comm, or pp_comm with one stage
    unknown_collective,        // a collective that no simulator knows
    empty_collective,          // a collective of 0 bytes
    small_collective,          // an all-reduce of fewer bytes than it has ranks
    bytes_without_collective,  // bytes that no collective moves
    checkpoint_range,          // a checkpoint at a layer that does not exist
    nested_too_long,           // a nested operation that takes longer than the operation it is in
    ends_before_beginning,     // an operation that ends before it begins, or before the one that it is in begins
    unmatched_message,         // a pipeline message that is sent and never received, or the other way round
    unknown_policy,            // a policy of a workload that no simulator knows
    unknown_operation,         // an operation of which only the name is known: it counts as computation
    repeated_record,           // a record that occurs twice in a log, with its times
    simulator_limit,           // what a simulator cannot take; lint::limit_of() says which
    // Chakra traces: chakra.hpp
    untraceable,           // something that has no form in a trace that ASTRA-sim reads
    trace_lacks,           // something that a trace needs and an op log does not say
    micro_batch_mismatch,  // more or fewer micro-batches than ga says
    checkpoint_mismatch,   // a layer that begins a recomputation without a checkpoint to begin it from
    stage_mismatch,        // a stage_id that is not the stage of the rank
    order_mismatch,        // an order of ranks in which a group of experts spans pipeline stages
    schedule_mismatch,     // micro-batches or blocks that an interleaved schedule cannot divide
    given_mismatch,        // a size in the options that is not the one in the header
    empty_trace,           // a rank that has nothing to simulate, at which ASTRA-sim aborts
    // JSON: json/read.hpp
    not_json,        // the text is not JSON, or not an object where a record is expected
    wrong_type,      // a value of a type that its member does not take
    missing_member,  // an object that lacks a member that every such object has
    unknown_member,  // a member that has no place; a column that has none in CSV
    // summaries: summary.hpp
    bad_summary,  // not the line of JSON that this version writes for a summary
    // Arrow: arrow.hpp
    not_utf8,  // bytes that are not UTF-8, shown as U+FFFD: a warning
};
inline constexpr std::size_t error_kind_count = static_cast<std::size_t>(error_kind::not_utf8) + 1;

// One problem: what is wrong, where, in which field. Line and column are not kept: location_of() counts them from the
// text.
struct problem {
    error_kind kind = error_kind::none;
    std::uint64_t offset = 0;  // where the first offending byte is, from the start of the text
    std::uint64_t length = 0;  // the number of offending bytes; 0 if something is missing
    text_view field = {};      // "duration", "weight_grad.bytes": static, or a view of the text or of the record
    // The two numbers that message() compares, for example how many layers were found and how many were declared. In an
    // unwritable document, `found` is the position of the record, from 0, and `expected` is 1. Where a file cannot be
    // opened or read, `found` is the system's number of the reason (errno), or 0.
    std::int64_t found = 0;
    std::int64_t expected = 0;

    constexpr explicit operator bool() const noexcept { return kind != error_kind::none; }
    friend constexpr bool operator==(const problem& a, const problem& b) noexcept {
        return a.kind == b.kind && a.offset == b.offset && a.length == b.length && a.field == b.field &&
               a.found == b.found && a.expected == b.expected;
    }
    friend constexpr bool operator!=(const problem& a, const problem& b) noexcept { return !(a == b); }
};

// A place in a text. Lines and columns count from 1; a line ends at '\n'. The place after a line's last byte has a
// column, too.
struct location {
    std::uint64_t line = 1;
    std::uint64_t column = 1;     // the column in bytes
    std::uint64_t character = 1;  // the column in characters; a byte that is not UTF-8 counts as one
    text_view line_text = {};     // the line without its end
};
enum class severity : std::uint8_t { error, warning };

// A value of options::prefix: each line may have any launcher prefix. (No prefix contains a line end.)
inline constexpr std::string_view any_prefix = "\n";

template <class Signature> class callback;

// A function of the program's own that wlfmt calls during its work, or a function object such as a lambda, of which it
// holds a copy, without an allocation: `options.on_problem = [&](const wlfmt::problem& e) { ... };`. What the lambda
// refers to must live as long as the callback and its copies are called. The object is copied as bytes and has at most
// the size of six pointers: a lambda captures by reference, and another object is passed as std::cref(object).
template <class Result, class... Arguments> class callback<Result(Arguments...)> {
public:
    constexpr callback() noexcept = default;  // calls nothing, and must not be called
    constexpr callback(std::nullptr_t) noexcept {}
    template <class Function, class Held = std::decay_t<Function>,
              std::enable_if_t<
                  !std::is_same_v<Held, callback> && std::is_invocable_r_v<Result, const Held&, Arguments...>, int> = 0>
    callback(Function&& function) noexcept {
        static_assert(
            std::is_trivially_copyable_v<Held> && sizeof(Held) <= sizeof(held_) && alignof(Held) <= alignof(void*),
            "wlfmt: a callback holds a function or a small lambda. Capture by reference, or pass std::cref().");
        if constexpr (std::is_pointer_v<std::remove_reference_t<Function>>)
            if (function == nullptr) return;
        ::new (static_cast<void*>(held_)) Held(std::forward<Function>(function));
        call_ = [](const void* held, Arguments... arguments) -> Result {
            return (*std::launder(static_cast<const Held*>(held)))(std::forward<Arguments>(arguments)...);
        };
    }

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return call_ != nullptr; }
    Result operator()(Arguments... arguments) const { return call_(held_, std::forward<Arguments>(arguments)...); }

private:
    alignas(void*) unsigned char held_[6 * sizeof(void*)] = {};
    Result (*call_)(const void* held, Arguments... arguments) = nullptr;
};

// How the readers of all three formats treat malformed text.
struct options {
    // Op logs and tables occur inside console logs, so text around them is skipped. If true, such text is the error
    // foreign_text.
    bool strict = false;
    // If true, whatever can be read without guessing is read: each problem is passed to on_problem and counted, and is
    // not an error.
    bool lenient = false;
    // Called once for each problem that `lenient` tolerates and for each warning, in the order of the text. Must not
    // throw.
    callback<void(const problem& e)> on_problem = {};
    // What a launcher wrote before every line of a rank's output, `[rank0]: ` or `(RayTrainWorker pid=12) `: op logs
    // and tables are read after it, and lines without it are foreign text. In times and dates the digits may differ
    // from line to line. find_prefix() finds it; any_prefix allows each line its own. It must outlive the reader.
    text_view prefix = {};
    // If the text is a part of a longer one, the offset at which it begins there (pieces.hpp). Errors and offset() then
    // count from the start of the longer text, a byte order mark is looked for only there, and a part without a record
    // or table is not an error.
    std::optional<std::uint64_t> piece_at = std::nullopt;
};

// What reading a whole document returns: the document and, if reading stopped early, the error.
template <class T> class [[nodiscard]] result {
public:
    result(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : value_(std::move(value)) {}
    result(T value, const problem& e) noexcept(std::is_nothrow_move_constructible_v<T>)
        : value_(std::move(value)), error_(e) {}

    [[nodiscard]] bool ok() const noexcept { return !error_; }
    [[nodiscard]] bool has_value() const noexcept { return ok(); }
    [[nodiscard]] explicit operator bool() const noexcept { return ok(); }
    // error_kind::none when ok().
    [[nodiscard]] const problem& error() const& noexcept WLFMT_LIFETIMEBOUND { return error_; }
    [[nodiscard]] problem error() const&& noexcept { return error_; }

    // What was read: all of it when ok(), else what comes before the error, as operator* and -> show it, too. There is
    // no value(), which would throw in the standard library. A temporary result returns the document itself, not a
    // reference that would dangle.
    [[nodiscard]] T& partial() & noexcept WLFMT_LIFETIMEBOUND { return value_; }
    [[nodiscard]] const T& partial() const& noexcept WLFMT_LIFETIMEBOUND { return value_; }
    [[nodiscard]] T partial() && noexcept(std::is_nothrow_move_constructible_v<T>) { return std::move(value_); }
    T partial() const&& = delete;
    // The document, or `otherwise` if there is an error, even if something was read before it.
    [[nodiscard]] T value_or(T otherwise) const& { return ok() ? value_ : std::move(otherwise); }
    [[nodiscard]] T value_or(T otherwise) && { return ok() ? std::move(value_) : std::move(otherwise); }
    [[nodiscard]] T& operator*() & noexcept WLFMT_LIFETIMEBOUND { return value_; }
    [[nodiscard]] const T& operator*() const& noexcept WLFMT_LIFETIMEBOUND { return value_; }
    [[nodiscard]] T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) { return std::move(value_); }
    T operator*() const&& = delete;
    [[nodiscard]] T* operator->() & noexcept WLFMT_LIFETIMEBOUND { return &value_; }
    [[nodiscard]] const T* operator->() const& noexcept WLFMT_LIFETIMEBOUND { return &value_; }
    // `for (auto& layer : workload::read(text)->layers)` would iterate over a document that is gone.
    T* operator->() && = delete;
    const T* operator->() const&& = delete;

private:
    T value_;
    problem error_;
};

}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
