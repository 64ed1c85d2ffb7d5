// The messages of all formats together.
#ifndef WLFMT_DETAIL_MESSAGES_HPP
#define WLFMT_DETAIL_MESSAGES_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "../types/error.hpp"
#include "base/build.hpp"
#include "base/characters.hpp"
#include "io/prefix.hpp"
#include "workload/policies.hpp"

#include "base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Builds a message: holds the error, the text in which it was found, and the message so far.
template <class String> struct wording {
    const error& e;
    std::string_view text;
    String& to;

    void say(std::string_view words) const { to += words; }
    void number(std::int64_t n) const { to += std::to_string(n); }
    void count(std::int64_t n, std::string_view one, std::string_view many) const {
        number(n);
        say(n == 1 ? one : many);
    }
    // Appends the name of the field, or `otherwise` if the error names no field.
    void field(std::string_view otherwise) const { append_printable(to, e.field.empty() ? otherwise : e.field); }
    // Appends the field that a sentence is about, "duration: "; nothing if the error names no field.
    void subject() const {
        if (e.field.empty()) return;
        field({});
        say(": ");
    }
    // The guilty bytes of the first line.
    std::string_view guilty() const {
        const std::size_t at = e.offset < text.size() ? static_cast<std::size_t>(e.offset) : text.size();
        const std::string_view all =
            text.substr(at, e.length < text.size() ? static_cast<std::size_t>(e.length) : text.size());
        return all.substr(0, all.find('\n'));
    }
    // Appends them in backquotes, cut if they are long.
    void bytes() const {
        constexpr std::size_t most = 48;
        if (e.length == 0) return say("nothing");
        std::string_view shown = guilty();
        const bool cut = shown.size() > most;
        if (cut) shown = shown.substr(0, character_start(shown, most));
        say("`");
        append_printable(to, shown);
        say(cut ? "...`" : "`");
    }
};

// Which errors of a kind have a place in the text. Files have none, and neither do records that were built by hand.
enum class placed : std::uint8_t { always, never, with_bytes, unless_negative };

// An error_kind's name and its message. In the message, `$` and a letter stand for: $s the subject, $b the guilty
// bytes, $f the field, $n the number that was found, $e the number that was expected. `rest`, if it is not null,
// appends the end of the message. `place`: with_bytes, if error::length is not 0; unless_negative, if error::expected
// is not below 0.
template <class String> struct kind_words {
    error_kind kind;
    std::string_view name;
    std::string_view message;
    void (*rest)(const wording<String>&) = nullptr;
    placed place = placed::always;
};

template <class String> void append_message(const wording<String>& w, std::string_view message) {
    for (std::size_t at = 0; at < message.size(); ++at) {
        if (message[at] != '$') {
            w.to += message[at];
            continue;
        }
        switch (message[++at]) {
        case 's': w.subject(); break;
        case 'b': w.bytes(); break;
        case 'f': w.field("record"); break;
        case 'n': w.number(w.e.found); break;
        default: w.number(w.e.expected);
        }
    }
}

inline bool has_place(const error& e, placed place) noexcept {
    switch (place) {
    case placed::never: return false;
    case placed::with_bytes: return e.length != 0;
    case placed::unless_negative: return e.expected >= 0;
    default: return true;
    }
}

// What a text looks like that holds none of the formats: UTF-16, a diff, or what is left of a table. Empty if it looks
// like neither.
inline std::string_view looks_of(std::string_view text) noexcept {
    const std::string_view marks = text.substr(0, 2);
    if (marks == "\xFF\xFE" || marks == "\xFE\xFF")
        return "UTF-16, which PowerShell writes; `iconv -f UTF-16 -t UTF-8` makes UTF-8 of it";
    if (find_diff(text).data() != nullptr)
        return "the lines of a diff; read each of its files by itself, as `git show REVISION:FILE` prints it";
    bool header = false;
    bool total = false;
    bool rule = false;
    bool time = false;
    bool row = false;
    bool colour = false;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const auto has = [&](std::string_view s) { return line.find(s) != std::string_view::npos; };
        if (has("Name") && (has("Calls") || has("Self CPU") || has("CPU total"))) {
            if (has("|")) return "a profiler table as Markdown, with `|` between its cells";
            if (!has("  ")) return "a profiler table whose blanks between the cells were collapsed";
            header = true;
        }
        total = total || has(" time total: ");
        rule = rule || has("---  ---");
        time = time || has("us  ") || has("ms  ");
        row = row || (has("%  ") && (has("us  ") || has("ms  ")));
        colour = colour || has("\x1B[");
    }
    if (colour && (header || rule)) return "a profiler table in colour; it is read without the escape sequences";
    if (header) return "a profiler table with another text before each line, or with rows that do not fit its header";
    return total || row || (rule && time) ? "a piece of a profiler table without its header" : std::string_view();
}

// Why the system refused, in POSIX's words; empty if the number is another one. (strerror() asks the locale, and is not
// for threads.)
constexpr std::string_view reason_of(std::int64_t number) noexcept {
    switch (number) {
    case EACCES: return "Permission denied";
    case EIO: return "Input/output error";
    case EISDIR: return "Is a directory";
    case ELOOP: return "Too many levels of symbolic links";
    case EMFILE: return "Too many open files";
    case ENAMETOOLONG: return "File name too long";
    case ENFILE: return "Too many open files in system";
    case ENOENT: return "No such file or directory";
    case ENOMEM: return "Cannot allocate memory";
    case ENOTDIR: return "Not a directory";
    case ENXIO: return "No such device or address";
    case EPERM: return "Operation not permitted";
    default: return {};
    }
}
template <class String> void append_reason(const wording<String>& w) {
    if (w.e.found <= 0) return;
    const std::string_view reason = reason_of(w.e.found);
    w.say(": ");
    if (!reason.empty()) return w.say(reason);
    w.say("error ");
    w.number(w.e.found);
}

template <class String> void word_number(const wording<String>& w) {
    // A letter says which form of a number is expected.
    w.say(w.e.expected == '%'   ? "a percent like `0.17%`"
          : w.e.expected == 's' ? "a time like `13.980ms`"
          : w.e.expected == 'B' ? "a size like `3.81 KB`"
                                : "a number");
    w.say(" is expected");
}
template <class String> void word_unwritable(const wording<String>& w) {
    if (w.e.expected == 1) {
        w.say("record ");
        w.number(w.e.found);
        w.say(" (from 0): ");
    }
    w.subject();
    w.say("written as it is, this would not read back");
}

template <class String> void word_list(const wording<String>& w) {
    w.say(w.e.expected == '['   ? "a list, `[...]`, is expected"
          : w.e.expected == ',' ? "`, ` or the list's `]` is expected"
                                : "a quoted string is expected");
}
template <class String> void word_escape(const wording<String>& w) {
    const std::size_t letter = w.e.offset < w.text.size() ? static_cast<std::size_t>(w.e.offset) + 1 : w.text.size();
    w.say(w.text.substr(letter, 1) == "N" ? " gives a character's name, which is not looked up"
                                          : " and what follows it make no character; a backslash is written `\\\\`");
}

template <class String> void word_layer_count(const wording<String>& w) {
    w.count(w.e.expected, " layer", " layers");
    w.say(", ");
    w.count(w.e.found, " follows", " follow");
    if (w.e.found < w.e.expected) w.say("; is the file cut off?");
}
template <class String> void word_header_value(const wording<String>& w) {
    const std::string_view guilty = w.guilty();
    if (w.e.expected == 0 && guilty.size() > 2 && guilty.substr(guilty.size() - 2) == "::") {
        w.bytes();
        return w.say(" has several colons, where a key has one");
    }
    w.subject();
    if (w.e.expected == 0 && guilty == ":") {
        w.bytes();
        return w.say(w.e.field.empty() ? " without a key" : " is apart from its key");
    }
    if (w.e.expected <= 0) {
        if (w.e.expected < 0) return w.say("the entry is missing");
        if (w.e.length == 0) return w.say("the value is missing");
        w.bytes();
        return w.say(w.e.field.substr(0, 7) == "target_" ? " where `sha256:` and 64 digits are expected"
                                                         : " where a word is expected");
    }
    if (w.e.length != 0) {
        w.bytes();
        w.say(" where ");
    }
    w.say("the list counts ");
    w.count(w.e.expected, " layer index", " layer indices");
    w.say(", ");
    w.count(w.e.found, " follows", " follow");
}
template <class String> void word_field_count(const wording<String>& w) {
    w.count(w.e.found, " field", " fields");
    w.say(" where a layer has ");
    w.number(w.e.expected);
    if (w.e.found >= w.e.expected) return;
    w.say("; is ");
    // If a single field is missing, the types of the others show which.
    if (w.e.found + 1 == w.e.expected) w.field("a field");
    else w.say("a field");
    w.say(" missing?");
}

template <class String> void word_columns(const wording<String>& w) {
    w.count(w.e.expected, " column", " columns");
    w.say(", the header line names ");
    w.number(w.e.found);
    w.say(w.e.found > w.e.expected ? "; are there two blanks inside a name?"
          : w.e.found == 1         ? "; were the blanks between the names collapsed?"
                                   : "; is a name missing, or is there one blank between two?");
}
template <class String> void word_row(const wording<String>& w) {
    w.say(w.e.field.empty() ? " fits no column of the rule" : " does not fit the column ");
    w.field({});
    w.say("; the row has ");
    w.count(w.e.found, " cell", " cells");
    w.say(" for ");
    w.count(w.e.expected, " column", " columns");
    if (w.e.found > w.e.expected) w.say("; are there two blanks inside one?");
    const std::string_view run = w.guilty();
    const bool marked = !run.empty() && (run.front() == '-' || run.front() == '+');
    const bool first = marked && (w.e.offset == 0 || !is_blank(w.text[static_cast<std::size_t>(w.e.offset) - 1]));
    if (first) w.say("; is it a line of a diff?");
}

template <class String> void word_missing_rule(const wording<String>& w) {
    w.say(w.e.expected == 1 ? "above its header; the one below it gives the columns"
          : w.e.expected == 2
              ? "below its header; the one above it gives the columns"
              : "above or below its header; a row is read if it has as many cells as the header has names");
}

template <class String> void word_looks(const wording<String>& w) {
    const std::string_view looks = looks_of(w.text);
    if (looks.empty()) return;
    w.say("; it looks like ");
    w.say(looks);
}

template <class String> void word_none(const wording<String>& w) {
    if (w.e.field == "profiler table") word_looks(w);
}

template <class String> void word_edit(const wording<String>& w) {
    if (w.e.expected < 0) return w.say(" is not a view of the text");
    w.say(" overlaps replacement ");
    w.number(w.e.expected);
}

template <class String> void word_division(const wording<String>& w) {
    if (w.e.field == "all_gpus") {
        w.number(w.e.found);
        w.say(" ranks are not a multiple of ");
        w.number(w.e.expected);
        return w.say(" = model_parallel_NPU_group * pp");
    }
    if (w.e.field == "pp" || w.e.field == "model_parallel_NPU_group") {
        w.number(w.e.expected);
        w.say(" is more than all_gpus, ");
        return w.number(w.e.found);
    }
    w.say("the data parallel size, ");
    w.number(w.e.found);
    w.say(" = all_gpus / (model_parallel_NPU_group * pp), is not a multiple of ");
    w.number(w.e.expected);
}
template <class String> void word_pipeline(const wording<String>& w) {
    w.count(w.e.expected, " stage", " stages");
    if (w.e.expected > 1) return w.say(", and pp_comm gives no bytes between them");
    w.say(", and pp_comm gives ");
    w.number(w.e.found);
    w.say(" bytes between stages");
}

// The n-th token, counted from 1, is the one that was probably meant.
template <class String, class Build = build> void word_nearest(const wording<String>& w) {
    const bool policy = w.e.kind == error_kind::unknown_policy;
    const auto n = static_cast<std::size_t>(w.e.found - 1);
    if (n >= (policy ? std::size(policy_table<Build>::rows) : collective_row_count * group_suffix_count)) return;
    w.say("; ");
    w.say(policy ? policy_table<Build>::rows[n].name : collective_table<Build>::rows[n / group_suffix_count].token);
    if (!policy) w.say(collective_table<Build>::suffixes[n % group_suffix_count]);
    w.say("?");
}
template <class String> void word_schedule(const wording<String>& w) {
    w.say(w.e.field == "pp" || w.e.field == "vpp" ? "at least " : "a multiple of ");
    w.number(w.e.expected);
}
template <class String> void word_end(const wording<String>& w) {
    w.say(w.e.field == "duration" ? " ms: it ends before it begins"
                                  : ": it ends before the operation that it is in begins");
}
template <class String> void word_message(const wording<String>& w) {
    w.say("of micro-batch ");
    w.number(w.e.found);
    w.say(w.e.field.substr(0, 4) == "send" ? ", sent to stage " : ", received from stage ");
    w.number(w.e.expected);
    w.say(w.e.field.substr(0, 4) == "send" ? " and never received there" : " and never sent there");
}

template <class String> void word_json(const wording<String>& w) {
    constexpr const char* faults[] = {" is not JSON here",
                                      " is not UTF-8",
                                      " within a string: is its closing quote missing? It is written `\\n`, `\\u0000`",
                                      " opens a string that is not closed",
                                      "the record is not closed; is it cut off?",
                                      " is not an escape",
                                      " where an object, `{...}`, is expected"};
    const auto fault = static_cast<std::size_t>(w.e.expected);
    if (fault >= sizeof faults / sizeof *faults) return;
    if (fault == 2) w.say("a control character");
    else if (w.e.length != 0) w.bytes();
    w.say(faults[fault]);
}
template <class String> void word_type(const wording<String>& w) {
    constexpr const char* types[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    constexpr const char* wanted[] = {"a scalar",   "a string",
                                      "a number",   "an object",
                                      "an array",   "an array of strings",
                                      "an integer", "an object or a string"};
    const auto type = static_cast<std::size_t>(w.e.found);
    const auto expected = static_cast<std::size_t>(w.e.expected);
    if (type >= sizeof types / sizeof *types || expected >= sizeof wanted / sizeof *wanted) return;
    w.say(types[type]);
    w.say(" where ");
    w.say(wanted[expected]);
    w.say(" is expected");
}

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> all_messages[] = {
    // Any text
    {error_kind::none, "none", "no problem"},
    {error_kind::not_a_number, "not_a_number", "$s$b where ", word_number},
    {error_kind::not_an_integer, "not_an_integer", "$s$b where an integer is expected"},
    {error_kind::number_overflow, "number_overflow", "$s$b is beyond what 64 bits hold"},
    {error_kind::negative_value, "negative_value", "$s$b is below 0"},
    {error_kind::unknown_format, "unknown_format", "neither a rank op log nor a workload file nor a profiler table",
     word_looks},
    {error_kind::no_records, "no_records", "the text holds no $f", word_none},
    {error_kind::foreign_text, "foreign_text", "$b belongs to no $f"},
    {error_kind::unwritable, "unwritable", "", word_unwritable, placed::never},
    {error_kind::cannot_write, "cannot_write", "writing failed", nullptr, placed::never},
    // Op logs
    {error_kind::unterminated_record, "unterminated_record",
     "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
    {error_kind::text_after_record, "text_after_record", "$b after the record's `)`"},
    {error_kind::key_expected, "key_expected", "$b where `key=` is expected"},
    {error_kind::duplicate_key, "duplicate_key", "$b occurs twice in this record"},
    {error_kind::bad_list, "bad_list", "$s$b where ", word_list},
    {error_kind::unterminated_list, "unterminated_list", "$sthe line ends before the list's `]`; is it cut off?"},
    {error_kind::unterminated_string, "unterminated_string",
     "$sthe line ends before the closing quote; is it cut off?"},
    {error_kind::bad_escape, "bad_escape", "$s$b", word_escape},
    // Workload files
    {error_kind::missing_layer_count, "missing_layer_count", "the second line, the number of layers, is missing"},
    {error_kind::layer_count_mismatch, "layer_count_mismatch", "the header declares ", word_layer_count},
    {error_kind::header_value, "header_value", "", word_header_value},
    {error_kind::header_mismatch, "header_mismatch", "$b differs from the header's $f"},
    {error_kind::field_count, "field_count", "", word_field_count},
    {error_kind::related_format, "related_format",
     "another format than the 12-field layers of ASTRA-sim 1.0 and SimAI: $f"},
    {error_kind::text_after_layers, "text_after_layers", "$b after the last layer"},
    {error_kind::text_after_count, "text_after_count", "$b after the number of layers"},
    // Tables
    {error_kind::column_mismatch, "column_mismatch", "the rule has ", word_columns},
    {error_kind::too_many_columns, "too_many_columns", "$n columns, of which $e can be read"},
    {error_kind::row_mismatch, "row_mismatch", "$b", word_row},
    {error_kind::unclosed_table, "unclosed_table", "the table ends without a closing rule; was the text cut?"},
    {error_kind::missing_rule, "missing_rule", "the table has no rule ", word_missing_rule},
    {error_kind::too_wide, "too_wide", "the table's padding would be many times its text", nullptr, placed::never},
    // Files
    {error_kind::bad_edit, "bad_edit", "replacement $n (from 0)", word_edit, placed::unless_negative},
    {error_kind::cannot_open, "cannot_open", "the file cannot be opened", append_reason<String>, placed::never},
    {error_kind::cannot_read, "cannot_read", "reading the file failed", append_reason<String>, placed::never},
    {error_kind::is_directory, "is_directory", "this is a directory, not a file", nullptr, placed::never},
    // Parallelism
    {error_kind::size_below_one, "size_below_one", "$s$b where a size of at least 1 is expected", nullptr,
     placed::with_bytes},
    {error_kind::not_divisible, "not_divisible", "$s", word_division, placed::with_bytes},
    {error_kind::pipeline_mismatch, "pipeline_mismatch", "$s", word_pipeline, placed::with_bytes},
    // What makes no sense to a simulator
    {error_kind::unknown_collective, "unknown_collective", "$s$b is not a collective that any simulator knows",
     word_nearest},
    {error_kind::empty_collective, "empty_collective", "$s$b of 0 bytes"},
    {error_kind::small_collective, "small_collective", "$s$b bytes, fewer than the $e ranks of the group"},
    {error_kind::bytes_without_collective, "bytes_without_collective", "$s$b bytes and no collective that moves them"},
    {error_kind::checkpoint_range, "checkpoint_range", "$slayer $n of $e, counted from 0"},
    {error_kind::nested_too_long, "nested_too_long", "$s$b ms, longer than the operation that it is in"},
    {error_kind::ends_before_beginning, "ends_before_beginning", "$s$b", word_end},
    {error_kind::unmatched_message, "unmatched_message", "$s", word_message},
    {error_kind::unknown_policy, "unknown_policy", "$s$b is not a policy that any simulator knows", word_nearest},
    {error_kind::unknown_operation, "unknown_operation",
     "$s$b is not an operation that is known, and counts as computation"},
    {error_kind::repeated_record, "repeated_record", "the same record stands before it, with the same times"},
    // Chakra traces
    {error_kind::untraceable, "untraceable", "$s$b has no form in a Chakra trace that ASTRA-sim reads", nullptr,
     placed::with_bytes},
    {error_kind::trace_lacks, "trace_lacks", "$s$b where a trace needs a value", nullptr, placed::with_bytes},
    {error_kind::micro_batch_mismatch, "micro_batch_mismatch", "$s$n layers begin a micro-batch, $e are expected",
     nullptr, placed::with_bytes},
    {error_kind::checkpoint_mismatch, "checkpoint_mismatch",
     "$slayer $n, counted from 0, recomputes from no checkpoint before it", nullptr, placed::with_bytes},
    {error_kind::stage_mismatch, "stage_mismatch", "$s$n, and the rank is in stage $e", nullptr, placed::with_bytes},
    {error_kind::order_mismatch, "order_mismatch",
     "$sranks $n and $e are in one group of experts and in two pipeline stages", nullptr, placed::never},
    {error_kind::schedule_mismatch, "schedule_mismatch", "$s$n where an interleaved schedule needs ", word_schedule,
     placed::with_bytes},
    {error_kind::given_mismatch, "given_mismatch", "$s$n in the header, and $e is given", nullptr, placed::with_bytes},
    // JSON
    {error_kind::not_json, "not_json", "$s", word_json},
    {error_kind::wrong_type, "wrong_type", "$s", word_type},
    {error_kind::missing_member, "missing_member", "the member $f is missing"},
    {error_kind::unknown_member, "unknown_member", "there is no place for $f"},
    // Summaries
    {error_kind::bad_summary, "bad_summary", "$b where a summary of this version has something else"},
    // Arrow
    {error_kind::not_utf8, "not_utf8", "$b is not UTF-8: U+FFFD is in the place of each stray byte"},
};

// The words for the n-th kind of error; null if there are none.
template <class String> constexpr const kind_words<String>* words_for(std::size_t n) noexcept {
    return n < error_kind_count ? all_messages<String> + n : nullptr;
}
template <class String> constexpr bool each_kind_has_words() noexcept {
    std::size_t kind = 0;
    for (const kind_words<String>& row : all_messages<String>)
        if (row.kind != static_cast<error_kind>(kind++)) return false;
    return kind == error_kind_count;
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
