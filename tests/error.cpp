// How problems are named, located and printed, and every problem that reading a rank op log can end with.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <wlfmt/error.hpp>
#include <wlfmt/oplog.hpp>

#include "other_view.hpp"
#include "support.hpp"

namespace {

using test::other_view;
using wlfmt::error_kind;
using wlfmt::explain;
using wlfmt::location_of;
using wlfmt::message;
using wlfmt::problem;

problem make(error_kind kind, std::uint64_t offset = 0, std::uint64_t length = 0, std::string_view field = {},
             std::int64_t found = 0, std::int64_t expected = 0) {
    problem e;
    e.kind = kind;
    e.offset = offset;
    e.length = length;
    e.field = field;
    e.found = found;
    e.expected = expected;
    return e;
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (; times > 0; --times) all += text;
    return all;
}

// A problem of the program's own as explain() prints it.
template <class... Options>
std::string explained(std::string_view place, std::string_view what, std::string_view text, std::string_view file,
                      Options... options) {
    return explain(wlfmt::at_place(place), wlfmt::with_message(what), text, wlfmt::in_file(file), options...);
}

}  // namespace

// A view of a null pointer constant would read address 0; a pointer that is null makes a missing text.
static_assert(!std::is_constructible_v<wlfmt::text_view, std::nullptr_t> &&
              !std::is_constructible_v<wlfmt::text_view, int> &&
              !std::is_constructible_v<wlfmt::text_view, std::string> &&
              std::is_convertible_v<const char*, wlfmt::text_view> &&
              std::is_convertible_v<std::string_view, wlfmt::text_view>);

namespace {

// A string that holds its bytes itself: only a declaration tells it apart from other_view.
struct inline_string {
    char bytes[2 * sizeof(void*)];
    operator std::string_view() const { return {bytes, sizeof bytes}; }
};
struct named_view : std::string_view {
    using std::string_view::string_view;
};

}  // namespace

static_assert(std::is_trivially_copyable_v<inline_string> && sizeof(inline_string) == sizeof(other_view));
static_assert(!std::is_constructible_v<wlfmt::text_view, inline_string> &&
              !std::is_constructible_v<wlfmt::text_view, const inline_string> &&
              std::is_constructible_v<wlfmt::text_view, const inline_string&> &&
              std::is_constructible_v<wlfmt::text_view, other_view> &&
              std::is_constructible_v<wlfmt::text_view, named_view>);
static_assert(!std::is_constructible_v<wlfmt::text_view, char[4]> &&
              !std::is_constructible_v<wlfmt::text_view, const char[4]> &&
              std::is_constructible_v<wlfmt::text_view, const char (&)[4]>);

TEST_CASE("every kind has its name") {
    const struct {
        error_kind kind;
        std::string_view name;
    } names[] = {
        {error_kind::none, "none"},
        {error_kind::not_a_number, "not_a_number"},
        {error_kind::not_an_integer, "not_an_integer"},
        {error_kind::number_overflow, "number_overflow"},
        {error_kind::negative_value, "negative_value"},
        {error_kind::unknown_format, "unknown_format"},
        {error_kind::no_records, "no_records"},
        {error_kind::foreign_text, "foreign_text"},
        {error_kind::unwritable, "unwritable"},
        {error_kind::cannot_write, "cannot_write"},
        {error_kind::unterminated_record, "unterminated_record"},
        {error_kind::text_after_record, "text_after_record"},
        {error_kind::key_expected, "key_expected"},
        {error_kind::duplicate_key, "duplicate_key"},
        {error_kind::bad_list, "bad_list"},
        {error_kind::unterminated_list, "unterminated_list"},
        {error_kind::unterminated_string, "unterminated_string"},
        {error_kind::bad_escape, "bad_escape"},
        {error_kind::record_after_text, "record_after_text"},
        {error_kind::missing_layer_count, "missing_layer_count"},
        {error_kind::layer_count_mismatch, "layer_count_mismatch"},
        {error_kind::header_value, "header_value"},
        {error_kind::header_mismatch, "header_mismatch"},
        {error_kind::field_count, "field_count"},
        {error_kind::related_format, "related_format"},
        {error_kind::text_after_layers, "text_after_layers"},
        {error_kind::text_after_count, "text_after_count"},
        {error_kind::column_mismatch, "column_mismatch"},
        {error_kind::too_many_columns, "too_many_columns"},
        {error_kind::row_mismatch, "row_mismatch"},
        {error_kind::unclosed_table, "unclosed_table"},
        {error_kind::cut_column, "cut_column"},
        {error_kind::missing_rule, "missing_rule"},
        {error_kind::too_wide, "too_wide"},
        {error_kind::lost_lines, "lost_lines"},
        {error_kind::damaged_table, "damaged_table"},
        {error_kind::doubtful_name, "doubtful_name"},
        {error_kind::bad_edit, "bad_edit"},
        {error_kind::cannot_open, "cannot_open"},
        {error_kind::cannot_read, "cannot_read"},
        {error_kind::is_directory, "is_directory"},
        {error_kind::size_below_one, "size_below_one"},
        {error_kind::not_divisible, "not_divisible"},
        {error_kind::pipeline_mismatch, "pipeline_mismatch"},
        {error_kind::unknown_collective, "unknown_collective"},
        {error_kind::empty_collective, "empty_collective"},
        {error_kind::small_collective, "small_collective"},
        {error_kind::bytes_without_collective, "bytes_without_collective"},
        {error_kind::checkpoint_range, "checkpoint_range"},
        {error_kind::nested_too_long, "nested_too_long"},
        {error_kind::ends_before_beginning, "ends_before_beginning"},
        {error_kind::unmatched_message, "unmatched_message"},
        {error_kind::unknown_policy, "unknown_policy"},
        {error_kind::unknown_operation, "unknown_operation"},
        {error_kind::repeated_record, "repeated_record"},
        {error_kind::simulator_limit, "simulator_limit"},
        {error_kind::untraceable, "untraceable"},
        {error_kind::trace_lacks, "trace_lacks"},
        {error_kind::micro_batch_mismatch, "micro_batch_mismatch"},
        {error_kind::checkpoint_mismatch, "checkpoint_mismatch"},
        {error_kind::stage_mismatch, "stage_mismatch"},
        {error_kind::order_mismatch, "order_mismatch"},
        {error_kind::schedule_mismatch, "schedule_mismatch"},
        {error_kind::given_mismatch, "given_mismatch"},
        {error_kind::empty_trace, "empty_trace"},
        {error_kind::not_json, "not_json"},
        {error_kind::wrong_type, "wrong_type"},
        {error_kind::missing_member, "missing_member"},
        {error_kind::unknown_member, "unknown_member"},
        {error_kind::bad_summary, "bad_summary"},
        {error_kind::not_utf8, "not_utf8"},
    };
    CHECK(std::size(names) == wlfmt::error_kind_count);
    for (std::size_t n = 0; n < std::size(names); ++n) {
        CHECK(static_cast<std::size_t>(names[n].kind) == n);
        CHECK(name_of(names[n].kind) == names[n].name);
    }
    CHECK(name_of(static_cast<error_kind>(wlfmt::error_kind_count)) == "unknown");
    CHECK(name_of(static_cast<error_kind>(255)) == "unknown");
}

TEST_CASE("an error with a kind converts to true") {
    CHECK_FALSE(problem());
    CHECK_FALSE(make(error_kind::none, 5, 6));
    CHECK(make(error_kind::bad_list));
    CHECK_FALSE(std::is_convertible_v<problem, bool>);
    const problem all{error_kind::field_count, 1, 2, "name", 3, 4};
    CHECK(all == problem(all));
    CHECK(problem() == problem());
    for (int part = 0; part != 6; ++part) {
        problem other = all;
        if (part == 0) other.kind = error_kind::none;
        if (part == 1) ++other.offset;
        if (part == 2) ++other.length;
        if (part == 3) other.field = "nam";
        if (part == 4) ++other.found;
        if (part == 5) ++other.expected;
        CHECK(all != other);
    }
    CHECK(std::is_trivially_copyable_v<problem>);
    CHECK(message(problem(), "text") == "no problem");
    CHECK(message(make(static_cast<error_kind>(255)), "text") == "");
}

TEST_CASE("the messages of problems that count and compare") {
    CHECK(message(make(error_kind::layer_count_mismatch, 0, 0, {}, 33, 839), {}) ==
          "the header declares 839 layers, 33 follow; is the file cut off?");
    CHECK(message(make(error_kind::layer_count_mismatch, 0, 0, {}, 1, 2), {}) ==
          "the header declares 2 layers, 1 follows; is the file cut off?");
    CHECK(message(make(error_kind::layer_count_mismatch, 0, 0, {}, 2, 1), {}) ==
          "the header declares 1 layer, 2 follow");
    CHECK(message(make(error_kind::field_count, 0, 0, "dependency", 11, 12), {}) ==
          "11 fields where a layer has 12; is dependency missing?");
    CHECK(message(make(error_kind::field_count, 0, 0, {}, 1, 12), {}) ==
          "1 field where a layer has 12; is a field missing?");
    CHECK(message(make(error_kind::field_count, 0, 0, {}, 14, 12), {}) == "14 fields where a layer has 12");
    CHECK(message(make(error_kind::column_mismatch, 0, 0, {}, 1, 11), {}) ==
          "the rule has 11 columns, the header line names 1; were the blanks between the names collapsed?");
    CHECK(message(make(error_kind::too_many_columns, 0, 0, {}, 65, 64), {}) == "65 columns, of which 64 can be read");
    CHECK(message(make(error_kind::cannot_open), {}) == "the file cannot be opened");
    wlfmt::problem with_reason = make(error_kind::cannot_open);
    with_reason.found = EACCES;
    CHECK(message(with_reason, {}) == "the file cannot be opened: Permission denied");
    with_reason.kind = error_kind::cannot_read;
    with_reason.found = EIO;
    CHECK(message(with_reason, {}) == std::string("reading the file failed: ") + std::strerror(EIO));
    CHECK(message(make(error_kind::cannot_read), {}) == "reading the file failed");
    CHECK(message(make(error_kind::is_directory), {}) == "this is a directory, not a file");
    CHECK(message(make(error_kind::unknown_format), {}) ==
          "neither a rank op log nor a workload file nor a profiler table");
    CHECK(message(make(error_kind::unknown_format), "| Name | Self CPU | # of Calls |\n") ==
          "neither a rank op log nor a workload file nor a profiler table; it looks like a profiler table as Markdown, "
          "with `|` between its cells");
    CHECK(message(make(error_kind::unknown_format), "log:\n\trank:0:f(stage_id=1)\r\n") ==
          "neither a rank op log nor a workload file nor a profiler table; it looks like a rank op log that is "
          "indented; a record has no blanks before it");
    CHECK(message(make(error_kind::unknown_format), "rank:0 f\n  rank: 0 (main)\n  rank:\n") ==
          "neither a rank op log nor a workload file nor a profiler table");
}

TEST_CASE("a problem that a program has filled with any numbers is explained") {
    constexpr std::int64_t numbers[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, 2, 1000, INT64_MAX - 1, INT64_MAX};
    constexpr std::uint64_t places[] = {0, 1, 3, 4, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
    const test::exact_buffer text("a\nbc");
    for (std::size_t kind = 0; kind <= wlfmt::error_kind_count; ++kind)
        for (const std::int64_t found : numbers)
            for (const std::int64_t expected : numbers)
                for (const std::uint64_t offset : places)
                    for (const std::uint64_t length : places) {
                        const problem e = make(static_cast<error_kind>(kind), offset, length, "pp", found, expected);
                        const std::string words = wlfmt::explain(e, text.view(), wlfmt::in_file("in"));
                        const bool whole = words.rfind("in:", 0) == 0 && words.back() == '\n';
                        if (!whole) FAIL_CHECK(words);
                    }
    for (const std::int64_t found : {INT64_MIN, INT64_MAX, std::int64_t{0}})
        CHECK(message(make(error_kind::unknown_policy, 0, 1, {}, found), text.view()) ==
              "`a` is not a policy that any simulator knows");
}

TEST_CASE("a text as it is shown: no byte of it acts upon a terminal") {
    CHECK(wlfmt::printable("rank\t7 \x1B[31mred\x7F\n") == "rank 7 .[31mred..");
    CHECK(wlfmt::printable("t\xC3\xAAte \xC2\x9B \xFF") == "t\xC3\xAAte . .");
    CHECK(wlfmt::printable("").empty());
}

TEST_CASE("the messages of odd values, of writing and of editing") {
    const std::string_view text = "conv1 -1 -5 NONE";
    CHECK(message(make(error_kind::negative_value, 9, 2, "forward.compute"), text) ==
          "forward.compute: `-5` is below 0");
    CHECK(message(make(error_kind::header_mismatch, 0, 5, "target_model_sha256"), text) ==
          "`conv1` differs from the header's target_model_sha256");
    CHECK(message(make(error_kind::unclosed_table), text) ==
          "the table ends without a closing rule; was the text cut?");
    CHECK(message(make(error_kind::too_wide), text) == "the table's padding would be many times its text");
    CHECK(message(make(error_kind::cannot_write), text) == "writing failed");
    CHECK(explain(make(error_kind::cannot_write), text, wlfmt::in_file("out.txt")) ==
          "out.txt: error: cannot_write: writing failed\n");
    // A record of a document is named by its position in the document.
    CHECK(message(make(error_kind::unwritable, 0, 0, "description"), {}) ==
          "description: written as it is, this would not read back");
    CHECK(message(make(error_kind::unwritable, 0, 0, "description", 2, 1), {}) ==
          "record 2 (from 0): description: written as it is, this would not read back");
    CHECK(message(make(error_kind::unwritable, 0, 0, {}, 0, 1), {}) ==
          "record 0 (from 0): written as it is, this would not read back");
    CHECK(explain(make(error_kind::bad_edit, 6, 2, {}, 1, 0), text, wlfmt::in_file("f")) ==
          "f:1:7: error: bad_edit: replacement 1 (from 0) overlaps replacement 0\n  conv1 -1 -5 NONE\n        ^~\n");
    CHECK(explain(make(error_kind::bad_edit, 0, 0, {}, 3, -1), text, wlfmt::in_file("f")) ==
          "f: error: bad_edit: replacement 3 (from 0) is not a view of the text\n");
}

TEST_CASE("a message shows what was found, cut where it is long and without control characters") {
    const auto found = [](std::string_view text, std::uint64_t offset, std::uint64_t length) {
        return message(make(error_kind::not_a_number, offset, length, "duration"), text);
    };
    CHECK(found("12x,", 0, 3) == "duration: `12x` where a number is expected");
    CHECK(found("12x,", 0, 0) == "duration: nothing where a number is expected");
    CHECK(message(make(error_kind::not_a_number, 0, 3), "12x") == "`12x` where a number is expected");
    CHECK(message(make(error_kind::not_an_integer, 0, 0), "") == "nothing where an integer is expected");
    CHECK(found("a\tb\x1b[2J\x7f\r", 0, 9) == "duration: `a b.[2J..` where a number is expected");
    CHECK(found("\xC2\x9B"
                "2J",
                0, 4) == "duration: `.2J` where a number is expected");  // a terminal's control too
    // Overlong forms, surrogates and numbers beyond U+10FFFF are bytes, not characters.
    CHECK(found("\xE0\x80\xAF\xED\xA0\x80\xF4\x90\x80\x80", 0, 10) ==
          "duration: `..........` where a number is expected");
    CHECK(found("\xC3\xA9\xFF\x80\xE6\x97", 0, 6) == "duration: `\xC3\xA9....` where a number is expected");
    CHECK(found("line\nnext", 0, 9) == "duration: `line` where a number is expected");
    // An error that lies beyond the text.
    CHECK(found("text", 2, 100) == "duration: `xt` where a number is expected");
    CHECK(found("text", 2, UINT64_MAX) == "duration: `xt` where a number is expected");
    CHECK(found("text", 4, 1) == "duration: `` where a number is expected");
    CHECK(found("text", UINT64_MAX, 1) == "duration: `` where a number is expected");
    // At most 48 bytes are shown, and no character in part.
    CHECK(found(repeated("x", 48), 0, 48) == "duration: `" + repeated("x", 48) + "` where a number is expected");
    CHECK(found(repeated("x", 49), 0, 49) == "duration: `" + repeated("x", 48) + "...` where a number is expected");
    CHECK(found("x" + repeated("\xC3\xA9", 24), 0, 49) ==
          "duration: `x" + repeated("\xC3\xA9", 23) + "...` where a number is expected");
    CHECK(found("xx" + repeated("\xF0\x9F\x98\x80", 12), 0, 50) ==
          "duration: `xx" + repeated("\xF0\x9F\x98\x80", 11) + "...` where a number is expected");
    CHECK(found(repeated("\x80", 60), 0, 60) == "duration: `" + repeated(".", 48) + "...` where a number is expected");
    // A field may be a view of the text.
    CHECK(message(make(error_kind::not_a_number, 0, 1, "a\nb\x01"), "x") == "a.b.: `x` where a number is expected");
}

TEST_CASE("locate counts lines, bytes and characters from 1") {
    const auto at = [](std::string_view text, std::uint64_t offset) {
        const wlfmt::location where = location_of(text, offset);
        return std::to_string(where.line) + ":" + std::to_string(where.column) + ":" + std::to_string(where.character) +
               ":" + std::string(where.line_text);
    };
    CHECK(at("", 0) == "1:1:1:");
    CHECK(at("", 7) == "1:1:1:");
    CHECK(location_of({}, 0).line == 1);
    CHECK(at("abc", 0) == "1:1:1:abc");
    CHECK(at("abc", 2) == "1:3:3:abc");
    CHECK(at("abc", 3) == "1:4:4:abc");
    CHECK(at("abc", 4) == "1:4:4:abc");
    CHECK(at("abc\n", 3) == "1:4:4:abc");
    CHECK(at("abc\n", 4) == "2:1:1:");
    CHECK(at("abc\n", UINT64_MAX) == "2:1:1:");
    CHECK(at("\n\nx\n", 1) == "2:1:1:");
    CHECK(at("\n\nx\n", 2) == "3:1:1:x");
    CHECK(at("a\r\nb\r\n", 1) == "1:2:2:a");
    CHECK(at("a\r\nb\r\n", 2) == "1:3:3:a");
    CHECK(at("a\r\nb\r\n", 3) == "2:1:1:b");
    CHECK(at("a\rb\n", 2) == "1:3:3:a\rb");
    const std::string_view wide = "\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80x";
    CHECK(location_of(wide, 2).character == 2);
    CHECK(location_of(wide, 5).character == 3);
    CHECK(location_of(wide, 9).character == 4);
    CHECK(location_of(wide, 9).column == 10);
    // A stray byte counts as one character, whether it looks like the beginning of one or like its continuation.
    CHECK(location_of("\x80\x80\xFF\xC3", 4).character == 5);
    CHECK(location_of("\xC0\x80\xE0\x80x\xF0\x9F\x98", 8).character == 9);
}

TEST_CASE("explain prints the place, the line and a caret") {
    const std::string_view text = "first\nrank:1:x(duration=12x)\nlast\n";
    const problem e = make(error_kind::not_a_number, 24, 3, "duration");
    CHECK(explain(e, text, wlfmt::in_file("a.txt")) ==
          "a.txt:2:19: error: not_a_number: duration: `12x` where a number is expected\n"
          "  rank:1:x(duration=12x)\n"
          "                    ^~~\n");
    CHECK(explain(e, text, wlfmt::in_file("a.txt"), wlfmt::severity::warning) ==
          "a.txt:2:19: warning: not_a_number: duration: `12x` where a number is expected\n"
          "  rank:1:x(duration=12x)\n"
          "                    ^~~\n");
    CHECK(explain(e, text, wlfmt::in_file(""), wlfmt::severity::error, 1000) ==
          ":1001:19: error: not_a_number: duration: `12x` where a number is expected\n"
          "  rank:1:x(duration=12x)\n"
          "                    ^~~\n");
    // The caret is alone where one byte is to blame, and where none is.
    CHECK(explain(make(error_kind::foreign_text, 0, 1), "x y", wlfmt::in_file("f")) ==
          "f:1:1: error: foreign_text: `x` belongs to no record\n  x y\n  ^\n");
    CHECK(explain(make(error_kind::unterminated_list, 3), "x y", wlfmt::in_file("f")) ==
          "f:1:4: error: unterminated_list: the line ends before the list's `]`; is it cut off?\n  x y\n     ^\n");
    // The marks stop at the end of the line.
    CHECK(explain(make(error_kind::foreign_text, 0, 9), "one\ntwo\n", wlfmt::in_file("f")) ==
          "f:1:1: error: foreign_text: `one` belongs to no record\n  one\n  ^~~\n");
    CHECK(explain(make(error_kind::foreign_text, 1, UINT64_MAX), "one", wlfmt::in_file("f")) ==
          "f:1:2: error: foreign_text: `ne` belongs to no record\n  one\n   ^~\n");
}

TEST_CASE("explain at the edges of a text") {
    const problem at_end = make(error_kind::no_records, 0, 0, "rank op-log record");
    CHECK(explain(at_end, "", wlfmt::in_file("f")) ==
          "f:1:1: error: no_records: the text holds no rank op-log record\n");
    CHECK(explain(at_end, {}, wlfmt::in_file("f")) ==
          "f:1:1: error: no_records: the text holds no rank op-log record\n");
    CHECK(explain(make(error_kind::no_records, 5), "one\n\n", wlfmt::in_file("f")) ==
          "f:3:1: error: no_records: the text holds no record\n");
    CHECK(explain(make(error_kind::no_records, 4), "one\n", wlfmt::in_file("f")) ==
          "f:2:1: error: no_records: the text holds no record\n");
    CHECK(explain(make(error_kind::no_records, 3), "one", wlfmt::in_file("f")) ==
          "f:1:4: error: no_records: the text holds no record\n  one\n     ^\n");
    CHECK(explain(make(error_kind::no_records, 99), "one", wlfmt::in_file("f")) ==
          "f:1:4: error: no_records: the text holds no record\n  one\n     ^\n");
    CHECK(explain(make(error_kind::foreign_text, 0, 3), "one\r\ntwo", wlfmt::in_file("f")) ==
          "f:1:1: error: foreign_text: `one` belongs to no record\n  one\n  ^~~\n");
    CHECK(explain(make(error_kind::foreign_text, 4, 1), "one\r\ntwo", wlfmt::in_file("f")) ==
          "f:1:5: error: foreign_text: `` belongs to no record\n  one\n     ^\n");
    // Problems with files have no place in a text.
    CHECK(explain(make(error_kind::cannot_open), "text", wlfmt::in_file("gone.txt")) ==
          "gone.txt: error: cannot_open: the file cannot be opened\n");
    CHECK(explain(make(error_kind::is_directory), "text", wlfmt::in_file("dir"), wlfmt::severity::warning) ==
          "dir: warning: is_directory: this is a directory, not a file\n");
}

TEST_CASE("explain shows no control character and counts characters") {
    CHECK(explain(make(error_kind::foreign_text, 2, 2), "a\tb\x1bX\x7f", wlfmt::in_file("f")) ==
          "f:1:3: error: foreign_text: `b.` belongs to no record\n  a b.X.\n    ^~\n");
    CHECK(explain(make(error_kind::foreign_text, 3, 1), std::string_view("\0\xC2\x85x", 4), wlfmt::in_file("f")) ==
          "f:1:4: error: foreign_text: `x` belongs to no record (character 3)\n  ..x\n    ^\n");
    CHECK(explain(make(error_kind::foreign_text, 7, 4), "caf\xC3\xA9 \xFFx\xE6\x97\xA5y", wlfmt::in_file("f")) ==
          "f:1:8: error: foreign_text: `x\xE6\x97\xA5` belongs to no record (character 7)\n"
          "  caf\xC3\xA9 .x\xE6\x97\xA5y\n"
          "        ^~\n");
}

TEST_CASE("explain prints a problem of the program's own in the same layout") {
    const std::string text = "MICRO\n1\nconv1 -1 5 ALLSHUFFLE 0 5 NONE 0 5 NONE 0 5\r\n";
    const std::string_view view = text;
    const std::string_view place = view.substr(view.find("ALLSHUFFLE"), 10);
    CHECK(explained(place, "no such collective", text, "moe.txt") ==
          "moe.txt:3:12: error: no such collective\n"
          "  conv1 -1 5 ALLSHUFFLE 0 5 NONE 0 5 NONE 0 5\n"
          "             ^~~~~~~~~~\n");
    CHECK(explained(place, "rare", text, "moe.txt", wlfmt::severity::warning, std::uint64_t{101}) ==
          "moe.txt:103:12: warning: rare\n"
          "  conv1 -1 5 ALLSHUFFLE 0 5 NONE 0 5 NONE 0 5\n"
          "             ^~~~~~~~~~\n");
    // An empty value has a place too, and so has the end of the text.
    CHECK(explained(view.substr(8, 0), "nothing", text, "f") ==
          "f:3:1: error: nothing\n  conv1 -1 5 ALLSHUFFLE 0 5 NONE 0 5 NONE 0 5\n  ^\n");
    CHECK(explained(view.substr(view.size()), "more is expected", text, "f") == "f:4:1: error: more is expected\n");
    CHECK(explained(view, "all of it", text, "f") == "f:1:1: error: all of it\n  MICRO\n  ^~~~~\n");
    // A view that is not in the text has no position: the field of a record that was built by hand, a view of another
    // text, and a view that begins before the text or ends after it.
    CHECK(explained(std::string_view(), "no such group", text, "f") == "f: error: no such group\n");
    CHECK(explained(std::string_view(), "no such group", {}, "f") == "f: error: no such group\n");
    const std::string other = text;
    CHECK(explained(std::string_view(other).substr(3, 2), "elsewhere", text, "f") == "f: error: elsewhere\n");
    CHECK(explained(view.substr(0, 3), "before", view.substr(1), "f") == "f: error: before\n");
    CHECK(explained(view.substr(4, 3), "after", view.substr(0, 6), "f") == "f: error: after\n");
    CHECK(explained(view.substr(4, 2), "at the end", view.substr(0, 6), "f") ==
          "f:1:5: error: at the end\n  MICRO\n      ^\n");
    // The program's own message is printed without control characters.
    CHECK(explained(std::string_view(), "a\nb\x1b", {}, "f") == "f: error: a.b.\n");
    const std::string wide = "caf\xC3\xA9 x";
    CHECK(explained(std::string_view(wide).substr(6), "odd", wide, "f") ==
          "f:1:7: error: odd (character 6)\n  caf\xC3\xA9 x\n       ^\n");
}

TEST_CASE("names of files and messages are copied: they may come from texts that are gone") {
    const std::string folder = "/a/folder/with/a/name/that/is/long";
    const wlfmt::in_file file(folder + "/rank0.txt");
    const wlfmt::with_message message(std::string("no such ") + "collective in any simulator");
    CHECK(file.name == "/a/folder/with/a/name/that/is/long/rank0.txt");
    const std::string text = "a b";
    CHECK(explain(wlfmt::at_place(std::string_view(text).substr(2)), message, text, file) ==
          "/a/folder/with/a/name/that/is/long/rank0.txt:1:3: error: no such collective in any simulator\n"
          "  a b\n    ^\n");
}

TEST_CASE("an error is written to a stream in one line, without its text") {
    std::ostringstream out;
    const auto log = wlfmt::oplog::read("rank:0:f(stage_id=x)\n");
    out << log.error() << '|' << problem() << '|' << wlfmt::text_view("a text");
    CHECK(out.str() == "not_an_integer in stage_id at byte 18|none|a text");
    out.str("");
    out << make(error_kind::cannot_open, 0, 0, {}, ENOENT);
    CHECK(out.str() == "cannot_open: " + message(make(error_kind::cannot_open, 0, 0, {}, ENOENT), {}));
}

TEST_CASE("a result is asked for its value") {
    const std::string text = "rank:0:f()\nrank:1:g(stage_id=x)\n";
    const auto bad = wlfmt::oplog::read(text);
    CHECK_FALSE(bad.has_value());
    CHECK(bad->size() == 1);
    CHECK(bad.value_or({}).operations.empty());
    auto good = wlfmt::oplog::read(std::string_view(text).substr(0, 11));
    CHECK(good.has_value());
    CHECK(good.value_or({}).operations.size() == 1);
    CHECK(good->size() == 1);
    CHECK(std::move(good).value_or({}).operations.size() == 1);
    std::int64_t ranks = 0;
    for (const auto& op : wlfmt::oplog::read(text).partial()) ranks += op.rank + 1;
    CHECK(ranks == 1);
    CHECK((*wlfmt::oplog::read(text)).operations.size() == 1);
}

TEST_CASE("a null pointer in the place of a text is a missing text") {
    const char* const nothing = nullptr;
    wlfmt::text_view text = "something";
    text = nothing;
    CHECK(wlfmt::is_missing(text));
    char letters[] = "abc";
    char* pointer = letters;
    text = pointer;
    CHECK(text == "abc");
    pointer = nullptr;
    text = pointer;
    CHECK(wlfmt::is_missing(text));
    CHECK(wlfmt::to_number(nothing).is_missing());
    static_assert(wlfmt::text_view(static_cast<const char*>(nullptr)).data() == nullptr);
    static_assert(wlfmt::text_view("ab").size() == 2);
    CHECK(wlfmt::text_view().is_missing());
    CHECK_FALSE(wlfmt::text_view("").is_missing());
}

TEST_CASE("explain cuts a long line around the column") {
    const auto digits = [](std::size_t count) {
        std::string s;
        for (std::size_t n = 0; n < count; ++n) s += static_cast<char>('0' + n % 10);
        return s;
    };
    const auto line = [](const std::string& printed) {
        const std::size_t from = printed.find('\n') + 1;
        return printed.substr(from);
    };
    const problem at_0 = make(error_kind::foreign_text, 0, 1);
    // 110 columns are shown whole.
    CHECK(line(explain(at_0, digits(110), wlfmt::in_file("f"))) == "  " + digits(110) + "\n  ^\n");
    CHECK(line(explain(make(error_kind::foreign_text, 109, 1), digits(110), wlfmt::in_file("f"))) ==
          "  " + digits(110) + "\n  " + repeated(" ", 109) + "^\n");
    CHECK(line(explain(at_0, digits(111), wlfmt::in_file("f"))) == "  " + digits(110) + "...\n  ^\n");
    // 60 columns stay before the guilty byte.
    CHECK(line(explain(make(error_kind::foreign_text, 60, 1), digits(200), wlfmt::in_file("f"))) ==
          "  " + digits(110) + "...\n  " + repeated(" ", 60) + "^\n");
    CHECK(line(explain(make(error_kind::foreign_text, 61, 1), digits(200), wlfmt::in_file("f"))) ==
          "  ..." + digits(111).substr(1) + "...\n     " + repeated(" ", 60) + "^\n");
    CHECK(line(explain(make(error_kind::foreign_text, 199, 1), digits(200), wlfmt::in_file("f"))) ==
          "  ..." + digits(200).substr(139) + "\n     " + repeated(" ", 60) + "^\n");
    CHECK(line(explain(make(error_kind::unterminated_list, 200), digits(200), wlfmt::in_file("f"))) ==
          "  ..." + digits(200).substr(140) + "\n     " + repeated(" ", 60) + "^\n");
    CHECK(line(explain(make(error_kind::foreign_text, 150, 1), digits(200), wlfmt::in_file("f"))) ==
          "  ..." + digits(200).substr(90) + "\n     " + repeated(" ", 60) + "^\n");
    // The marks end where the line is cut.
    CHECK(line(explain(make(error_kind::foreign_text, 100, 500), digits(1000), wlfmt::in_file("f"))) ==
          "  ..." + digits(150).substr(40) + "...\n     " + repeated(" ", 60) + "^" + repeated("~", 49) + "\n");
    // Characters are not cut in two: the excerpt begins one byte early for the first one, and leaves the last one out.
    const std::string wide = "x" + repeated("\xC3\xA9", 100);
    const std::string printed = explain(make(error_kind::foreign_text, 101, 2), wide, wlfmt::in_file("f"));
    CHECK(line(printed) == "  ..." + repeated("\xC3\xA9", 55) + "...\n     " + repeated(" ", 30) + "^\n");
    CHECK(line(explain(make(error_kind::foreign_text, 100, 1), wide, wlfmt::in_file("f"))).substr(0, 7) ==
          "  ...\xC3\xA9");
    // Bytes that are not characters may be cut anywhere.
    const std::string stray = repeated("\x80", 300);
    CHECK(line(explain(make(error_kind::foreign_text, 200, 2), stray, wlfmt::in_file("f"))) ==
          "  ..." + repeated(".", 110) + "...\n     " + repeated(" ", 60) + "^~\n");
}

TEST_CASE("a result holds a value, and what was read before an error") {
    wlfmt::result<std::string> good(std::string("value"));
    CHECK(good.ok());
    CHECK(static_cast<bool>(good));
    CHECK(good.error().kind == error_kind::none);
    CHECK(good.partial() == "value");
    CHECK(*good == "value");
    CHECK(good->size() == 5);
    good->push_back('s');
    *good += "!";
    good.partial() += "!";
    const auto& same = good;
    CHECK(same.partial() == "values!!");
    CHECK(*same == "values!!");
    CHECK(same->size() == 8);
    CHECK(std::move(good).partial() == "values!!");

    const wlfmt::result<std::string> bad(std::string("half"), make(error_kind::bad_list, 7));
    CHECK_FALSE(bad.ok());
    CHECK_FALSE(static_cast<bool>(bad));
    CHECK(bad.error().kind == error_kind::bad_list);
    CHECK(bad.error().offset == 7);
    CHECK(*bad == "half");

    // The same with values that can be moved only.
    wlfmt::result<std::unique_ptr<int>> owner(std::make_unique<int>(5));
    const std::unique_ptr<int> taken = *std::move(owner);
    CHECK(*taken == 5);
    CHECK_FALSE(std::is_convertible_v<wlfmt::result<int>, bool>);
}

namespace {

// The first problem that is found in reading the records of a text and walking their nested operations.
problem first_problem(std::string_view text, bool strict) {
    wlfmt::options how;
    how.strict = strict;
    wlfmt::oplog::reader log(text, how);
    while (const auto* op = log.next()) {
        for (const auto& sub : op->sub_operations) static_cast<void>(sub);
        if (!log.ok()) break;
    }
    const problem pulled = log.error();
    const auto document = wlfmt::oplog::read(text, how);
    CHECK(document.error().kind == pulled.kind);
    CHECK(document.error().offset == pulled.offset);
    CHECK(document.error().length == pulled.length);
    CHECK(document.error().field == pulled.field);
    return pulled;
}

}  // namespace

TEST_CASE("every problem of an op log is placed on its first guilty byte") {
    const struct {
        error_kind kind;
        // < and > enclose the bytes to blame.
        std::string_view text;
        std::string_view field;
        std::string_view message;
    } cases[] = {
        {error_kind::not_a_number, "rank:0:x(stage_id=1,duration=<8.3ms>,mg_state=a)", "duration",
         "duration: `8.3ms` where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(duration=<>)", "duration", "duration: nothing where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(duration=<>,mg_state=a)", "duration",
         "duration: nothing where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(timestamp=<0x10>)", "timestamp",
         "timestamp: `0x10` where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(time_stamp=<1 >)", "timestamp",
         "timestamp: `1 ` where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(duration=<none>)", "duration",
         "duration: `none` where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(duration=<1e>)", "duration", "duration: `1e` where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(duration=<1.2.3>)", "duration",
         "duration: `1.2.3` where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(duration=<1, 2>)", "duration",
         "duration: `1, 2` where a number is expected"},
        {error_kind::not_a_number, "rank:0:x(sub_operations=['duration=<soon>'])", "sub_operations.duration",
         "sub_operations.duration: `soon` where a number is expected"},
        {error_kind::not_a_number,
         "rank:0:x(sub_operations=['trace_src_func=a,duration=1,timestamp=<12:00>,input__shape=None,input__dtype=b,"
         "group=c,comm_func=d'])",
         "sub_operations.timestamp", "sub_operations.timestamp: `12:00` where a number is expected"},
        {error_kind::not_an_integer, "rank:0:x(stage_id=<1.5>,batch_id=0)", "stage_id",
         "stage_id: `1.5` where an integer is expected"},
        {error_kind::not_an_integer, "rank:0:x(batch_id=<1.0>)", "batch_id",
         "batch_id: `1.0` where an integer is expected"},
        {error_kind::not_an_integer, "rank:0:x(batch_id=<nan>)", "batch_id",
         "batch_id: `nan` where an integer is expected"},
        {error_kind::not_an_integer, "rank:0:x(stage_id=<>,batch_id=0)", "stage_id",
         "stage_id: nothing where an integer is expected"},
        {error_kind::not_an_integer, "rank:0:x(stage_id=<first>)", "stage_id",
         "stage_id: `first` where an integer is expected"},
        {error_kind::not_an_integer, "rank:0:x(stage_id=<Async operation, duration not measured>)", "stage_id",
         "stage_id: `Async operation, duration not measured` where an integer is expected"},
        {error_kind::not_a_number, "rank:0:x(timestamp=<Async operation, duration not measured>)", "timestamp",
         "timestamp: `Async operation, duration not measured` where a number is expected"},
        {error_kind::number_overflow, "rank:<9223372036854775808>:x()", "rank",
         "rank: `9223372036854775808` is beyond what 64 bits hold"},
        {error_kind::number_overflow, "stage:<99999999999999999999>:x()", "stage",
         "stage: `99999999999999999999` is beyond what 64 bits hold"},
        {error_kind::number_overflow, "rank:0:x(stage_id=<9223372036854775808>)", "stage_id",
         "stage_id: `9223372036854775808` is beyond what 64 bits hold"},
        {error_kind::number_overflow, "rank:0:x(batch_id=<-9223372036854775809>)", "batch_id",
         "batch_id: `-9223372036854775809` is beyond what 64 bits hold"},
        {error_kind::number_overflow, "rank:0:x(duration=<1e999>)", "duration",
         "duration: `1e999` is beyond what 64 bits hold"},
        {error_kind::number_overflow, "rank:0:x(sub_operations=['timestamp=<-1e400>'])", "sub_operations.timestamp",
         "sub_operations.timestamp: `-1e400` is beyond what 64 bits hold"},
        {error_kind::no_records, "<>", "rank op-log record", "the text holds no rank op-log record"},
        {error_kind::no_records, "using world size: 4\ndone\n<>", "rank op-log record",
         "the text holds no rank op-log record"},
        {error_kind::unterminated_record, "rank:0:x(<>", "",
         "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
        {error_kind::unterminated_record, "rank:0:x(stage_id=1,desc<>", "",
         "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
        {error_kind::unterminated_record, "rank:0:x(stage_id=1<> \r\nrank:0:x()", "",
         "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
        {error_kind::unterminated_record, "rank:0:x(sub_operations=[]<>", "",
         "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
        {error_kind::unterminated_record, "rank:0:x(sub_operations=['a'],k=v<>", "",
         "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
        {error_kind::unterminated_record, "rank:0:x(sub_operations=None,k=v<>", "",
         "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
        {error_kind::unterminated_record, "rank:0:x(stage_id=1) took 8 ms<>", "",
         "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
        {error_kind::text_after_record, "rank:0:x(sub_operations=[]) <took 8 ms> \n", "",
         "`took 8 ms` after the record's `)`"},
        {error_kind::text_after_record, "rank:0:x(k=v,sub_operations=['a)', \"b]\"])<;>", "",
         "`;` after the record's `)`"},
        {error_kind::text_after_record, "rank:0:x(sub_operations=[]) <(took 8 ms)>\t\n", "",
         "`(took 8 ms)` after the record's `)`"},
        {error_kind::text_after_record, "rank:0:x(sub_operations=[])<)>", "", "`)` after the record's `)`"},
        {error_kind::text_after_record, "rank:0:x(sub_operations=[]) <a,b=c)>", "", "`a,b=c)` after the record's `)`"},
        {error_kind::key_expected, "rank:0:x(<1>,batch_id=0)", "", "`1` where `key=` is expected"},
        {error_kind::key_expected, "rank:0:x(<1>, batch_id=0)", "", "`1` where `key=` is expected"},
        {error_kind::key_expected, "rank:0:x(<some text>)", "", "`some text` where `key=` is expected"},
        {error_kind::key_expected, "rank:0:x(<,>batch_id=0)", "", "`,` where `key=` is expected"},
        {error_kind::key_expected, "rank:0:x(< >)", "", "` ` where `key=` is expected"},
        {error_kind::key_expected, "rank:0:x(<=1>)", "", "`=1` where `key=` is expected"},
        {error_kind::key_expected, "rank:0:x(<['k=1>,m=2'])", "", "`['k=1` where `key=` is expected"},
        {error_kind::duplicate_key, "rank:0:x(duration=1,<duration>=2)", "duration",
         "`duration` occurs twice in this record"},
        {error_kind::duplicate_key, "rank:0:x(stage=a,k=v,<mg_state>=b)", "mg_state",
         "`mg_state` occurs twice in this record"},
        {error_kind::duplicate_key, "rank:0:x(sub_operations=[],<sub_operations>=[])", "sub_operations",
         "`sub_operations` occurs twice in this record"},
        {error_kind::duplicate_key, "rank:0:x(sub_operations=['group=a,<group>=b'])", "group",
         "`group` occurs twice in this record"},
        {error_kind::bad_list, "rank:0:x(sub_operations=<>)", "sub_operations",
         "sub_operations: nothing where a list, `[...]`, is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=<{}>,k=v)", "sub_operations",
         "sub_operations: `{}` where a list, `[...]`, is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=[<a>])", "sub_operations",
         "sub_operations: `a` where a quoted string is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=['a', <1>, 'b'])", "sub_operations",
         "sub_operations: `1` where a quoted string is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=[<,>])", "sub_operations",
         "sub_operations: `,` where a quoted string is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=['a',<,>])", "sub_operations",
         "sub_operations: `,` where a quoted string is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=[<b>'a'])", "sub_operations",
         "sub_operations: `b` where a quoted string is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=['a' <'b>'])", "sub_operations",
         "sub_operations: `'b` where `, ` or the list's `]` is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=['a'<; >'b'])", "sub_operations",
         "sub_operations: `; ` where `, ` or the list's `]` is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=['a'<]>, ['b'])", "sub_operations",
         "sub_operations: `]` where `, ` or the list's `]` is expected"},
        {error_kind::bad_list, "rank:0:x(sub_operations=['a']<x>,k=v)", "sub_operations",
         "sub_operations: `x` where `, ` or the list's `]` is expected"},
        {error_kind::unterminated_list, "rank:0:x(sub_operations=[<>", "sub_operations",
         "sub_operations: the line ends before the list's `]`; is it cut off?"},
        {error_kind::unterminated_list, "rank:0:x(sub_operations=['a', \"b]\",<> \nrank:0:y()", "sub_operations",
         "sub_operations: the line ends before the list's `]`; is it cut off?"},
        {error_kind::unterminated_list, "rank:1:f(a=1,sub_operations=[)<>", "sub_operations",
         "sub_operations: the line ends before the list's `]`; is it cut off?"},
        {error_kind::unterminated_list, "rank:0:x(sub_operations=['a')<>", "sub_operations",
         "sub_operations: the line ends before the list's `]`; is it cut off?"},
        {error_kind::unterminated_string, "rank:0:x(sub_operations=['a', <'trace_src>", "sub_operations",
         "sub_operations: the line ends before the closing quote; is it cut off?"},
        {error_kind::unterminated_string, "rank:0:x(sub_operations=[<\"it's)]>", "sub_operations",
         "sub_operations: the line ends before the closing quote; is it cut off?"},
        {error_kind::unterminated_string, "rank:0:x(sub_operations=['a', <'b\\'>])", "sub_operations",
         "sub_operations: the line ends before the closing quote; is it cut off?"},
        {error_kind::unterminated_string, "rank:0:x(sub_operations=[<'a\\>", "sub_operations",
         "sub_operations: the line ends before the closing quote; is it cut off?"},
        {error_kind::bad_escape, "rank:0:x(sub_operations=['ok\\n', 'C:<\\x>1'])", "sub_operations",
         "sub_operations: `\\x` and what follows it make no character; a backslash is written `\\\\`"},
        {error_kind::bad_escape, "rank:0:x(sub_operations=['func_name=a,group=<\\N>{DASH}'])", "sub_operations",
         "sub_operations: `\\N` gives a character's name, which is not looked up"},
        {error_kind::bad_escape, "rank:0:x(sub_operations=['<\\U>00110000'])", "sub_operations",
         "sub_operations: `\\U` and what follows it make no character; a backslash is written `\\\\`"},
        {error_kind::bad_escape, "rank:0:x(sub_operations=['\\\\u<\\u>12'])", "sub_operations",
         "sub_operations: `\\u` and what follows it make no character; a backslash is written `\\\\`"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const std::size_t begin = c.text.find('<');
        const std::size_t end = c.text.find('>', begin);
        REQUIRE(begin != std::string_view::npos);
        REQUIRE(end != std::string_view::npos);
        std::string text(c.text.substr(0, begin));
        text.append(c.text.substr(begin + 1, end - begin - 1)).append(c.text.substr(end + 1));
        const test::exact_buffer exact(text);
        const problem e = first_problem(exact.view(), false);
        CHECK(name_of(e.kind) == name_of(c.kind));
        CHECK(e.offset == begin);
        CHECK(e.length == end - begin - 1);
        CHECK(e.field == c.field);
        CHECK(message(e, exact.view()) == c.message);
    }
}

TEST_CASE("foreign text is a problem of a strict reader alone") {
    const std::string_view text = "rank:0:x()\n \t\n  saving checkpoint 7 \r\nrank:0:y()\n";
    CHECK(first_problem(text, false).kind == error_kind::none);
    const problem e = first_problem(text, true);
    CHECK(e.kind == error_kind::foreign_text);
    CHECK(e.offset == 14);
    CHECK(e.length == 21);
    CHECK(e.field == "rank op-log record");
    CHECK(message(e, text) == "`  saving checkpoint 7` belongs to no rank op-log record");
}
