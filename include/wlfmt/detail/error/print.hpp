// How errors are named, worded, placed and printed.
#ifndef WLFMT_DETAIL_ERROR_PRINT_HPP
#define WLFMT_DETAIL_ERROR_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../../error.hpp"
#include "../base/characters.hpp"
#include "../base/collectives.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// What words a message: the error, the text it was found in, and the message so far.
template <class String>
struct wording {
    const error& e;
    std::string_view text;
    String& to;

    void say(std::string_view words) const { to += words; }
    void number(std::int64_t n) const { to += std::to_string(n); }
    void count(std::int64_t n, std::string_view one, std::string_view many) const {
        number(n);
        say(n == 1 ? one : many);
    }
    // The field, or `otherwise` where the error names none.
    void field(std::string_view otherwise) const { append_printable(to, e.field.empty() ? otherwise : e.field); }
    // The field that a sentence is about, "duration: "; nothing where the error names none.
    void subject() const {
        if (e.field.empty()) return;
        field({});
        say(": ");
    }
    // The guilty bytes in backquotes, cut where they are long.
    void bytes() const {
        constexpr std::size_t most = 48;
        if (e.length == 0) return say("nothing");
        const std::size_t at = e.offset < text.size() ? static_cast<std::size_t>(e.offset) : text.size();
        std::string_view guilty =
            text.substr(at, e.length < text.size() ? static_cast<std::size_t>(e.length) : text.size());
        guilty = guilty.substr(0, guilty.find('\n'));
        const bool cut = guilty.size() > most;
        if (cut) guilty = guilty.substr(0, character_start(guilty, most));
        say("`");
        append_printable(to, guilty);
        say(cut ? "...`" : "`");
    }
};

// The messages that one sentence does not make.

template <class String>
void word_number(const wording<String>& w) {
    // A letter tells the columns of profiler tables that print units.
    w.say(w.e.expected == '%'   ? "a percent like `0.17%`"
          : w.e.expected == 's' ? "a time like `13.980ms`"
          : w.e.expected == 'B' ? "a size like `3.81 KB`"
                                : "a number");
    w.say(" is expected");
}
template <class String>
void word_unwritable(const wording<String>& w) {
    if (w.e.expected == 1) {
        w.say("record ");
        w.number(w.e.found);
        w.say(" (from 0): ");
    }
    w.subject();
    w.say("written as it is, this would not read back");
}
template <class String>
void word_list(const wording<String>& w) {
    w.say(w.e.expected == '['   ? "a list, `[...]`, is expected"
          : w.e.expected == ',' ? "`, ` or the list's `]` is expected"
                                : "a quoted string is expected");
}
template <class String>
void word_escape(const wording<String>& w) {
    const std::size_t letter = w.e.offset < w.text.size() ? static_cast<std::size_t>(w.e.offset) + 1 : w.text.size();
    w.say(w.text.substr(letter, 1) == "N" ? " gives a character's name, which is not looked up"
                                          : " and what follows it make no character; a backslash is written `\\\\`");
}
template <class String>
void word_layer_count(const wording<String>& w) {
    w.count(w.e.expected, " layer", " layers");
    w.say(", ");
    w.count(w.e.found, " follows", " follow");
    if (w.e.found < w.e.expected) w.say("; is the file cut off?");
}
template <class String>
void word_header_value(const wording<String>& w) {
    if (w.e.expected <= 0) {
        if (w.e.expected < 0) return w.say("the entry is missing");
        if (w.e.length == 0) return w.say("the value is missing");
        w.bytes();
        return w.say(" where a word is expected");
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
template <class String>
void word_field_count(const wording<String>& w) {
    w.count(w.e.found, " field", " fields");
    w.say(" where a layer has ");
    w.number(w.e.expected);
    if (w.e.found >= w.e.expected) return;
    w.say("; is ");
    // One field alone that is missing can be told by the types of the others.
    if (w.e.found + 1 == w.e.expected)
        w.field("a field");
    else
        w.say("a field");
    w.say(" missing?");
}
template <class String>
void word_columns(const wording<String>& w) {
    w.count(w.e.expected, " column", " columns");
    w.say(", the header line names ");
    w.number(w.e.found);
    w.say(w.e.found > w.e.expected ? "; are there two blanks inside a name?"
                                   : "; is a name missing, or is there one blank between two?");
}
template <class String>
void word_row(const wording<String>& w) {
    w.say(w.e.field.empty() ? " fits no column of the rule" : " does not fit the column ");
    w.field({});
    w.say("; the row has ");
    w.count(w.e.found, " cell", " cells");
    w.say(" for ");
    w.count(w.e.expected, " column", " columns");
    if (w.e.found > w.e.expected) w.say("; are there two blanks inside one?");
}
template <class String>
void word_edit(const wording<String>& w) {
    if (w.e.expected < 0) return w.say(" is not a view of the text");
    w.say(" overlaps replacement ");
    w.number(w.e.expected);
}
template <class String>
void word_division(const wording<String>& w) {
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
template <class String>
void word_pipeline(const wording<String>& w) {
    w.count(w.e.expected, " stage", " stages");
    if (w.e.expected > 1) return w.say(", and pp_comm gives no bytes between them");
    w.say(", and pp_comm gives ");
    w.number(w.e.found);
    w.say(" bytes between stages");
}
// The n-th token, counted from 1, is the one that was meant.
template <class String>
void word_collective(const wording<String>& w) {
    const auto n = static_cast<std::size_t>(w.e.found - 1);
    if (n >= collective_row_count * group_suffix_count) return;
    w.say("; ");
    w.say(collective_rows[n / group_suffix_count].token);
    w.say(group_suffixes[n % group_suffix_count]);
    w.say("?");
}
template <class String>
void word_end(const wording<String>& w) {
    w.say(w.e.field == "duration" ? " ms: it ends before it begins"
                                  : ": it ends before the operation that it is in begins");
}
template <class String>
void word_message(const wording<String>& w) {
    w.say("of micro-batch ");
    w.number(w.e.found);
    w.say(w.e.field.substr(0, 4) == "send" ? ", sent to stage " : ", received from stage ");
    w.number(w.e.expected);
    w.say(w.e.field.substr(0, 4) == "send" ? " and never received there" : " and never sent there");
}

template <class String>
void word_json(const wording<String>& w) {
    constexpr std::string_view faults[] = {
        " is not JSON here",
        " is not UTF-8",
        " within a string: is its closing quote missing? It is written `\\n`, `\\u0000`",
        " opens a string that is not closed",
        "the record is not closed; is it cut off?",
        " is not an escape",
        " where an object, `{...}`, is expected"};
    const auto fault = static_cast<std::size_t>(w.e.expected);
    if (fault >= sizeof faults / sizeof *faults) return;
    if (fault == 2)
        w.say("a control character");
    else if (w.e.length != 0)
        w.bytes();
    w.say(faults[fault]);
}
template <class String>
void word_type(const wording<String>& w) {
    constexpr std::string_view types[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    constexpr std::string_view wanted[] = {"a scalar",   "a string",
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

// An error_kind's name and its message. In the message, `$` and a letter stand for: $s the subject, $b the guilty
// bytes, $f the field, $n the number that was found, $e the number that was expected. `rest`, where there is one, words
// what follows.
template <class String>
struct kind_words {
    std::string_view name;
    std::string_view message;
    void (*rest)(const wording<String>&) = nullptr;
};
// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> words_of_kinds[error_kind_count] = {
    {"none", "no problem"},
    {"not_a_number", "$s$b where ", word_number},
    {"not_an_integer", "$s$b where an integer is expected"},
    {"number_overflow", "$s$b is beyond what 64 bits hold"},
    {"negative_value", "$s$b is below 0"},
    {"unknown_format", "neither a rank op log nor a workload file nor a profiler table"},
    {"no_records", "the text holds no $f"},
    {"foreign_text", "$b belongs to no $f"},
    {"unwritable", "", word_unwritable},
    {"cannot_write", "writing failed"},
    {"unterminated_record", "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
    {"text_after_record", "$b after the record's `)`"},
    {"key_expected", "$b where `key=` is expected"},
    {"duplicate_key", "$b occurs twice in this record"},
    {"bad_list", "$s$b where ", word_list},
    {"unterminated_list", "$sthe line ends before the list's `]`; is it cut off?"},
    {"unterminated_string", "$sthe line ends before the closing quote; is it cut off?"},
    {"bad_escape", "$s$b", word_escape},
    {"missing_layer_count", "the second line, the number of layers, is missing"},
    {"layer_count_mismatch", "the header declares ", word_layer_count},
    {"header_value", "$s", word_header_value},
    {"header_mismatch", "$b differs from the header's $f"},
    {"field_count", "", word_field_count},
    {"related_format", "another format than the 12-field layers of ASTRA-sim 1.0 and SimAI: $f"},
    {"text_after_layers", "$b after the last layer"},
    {"text_after_count", "$b after the number of layers"},
    {"column_mismatch", "the rule has ", word_columns},
    {"too_many_columns", "$n columns, of which $e can be read"},
    {"row_mismatch", "$b", word_row},
    {"too_wide", "the table's padding would be many times its text"},
    {"bad_edit", "replacement $n (from 0)", word_edit},
    {"cannot_open", "the file cannot be opened"},
    {"cannot_read", "reading the file failed"},
    {"is_directory", "this is a directory, not a file"},
    {"size_below_one", "$s$b where a size of at least 1 is expected"},
    {"not_divisible", "$s", word_division},
    {"pipeline_mismatch", "$s", word_pipeline},
    {"unknown_collective", "$s$b is not a collective that any simulator knows", word_collective},
    {"empty_collective", "$s$b of 0 bytes"},
    {"small_collective", "$s$b bytes, fewer than the $e ranks of the group"},
    {"bytes_without_collective", "$s$b bytes and no collective that moves them"},
    {"checkpoint_range", "$slayer $n of $e, counted from 0"},
    {"nested_too_long", "$s$b ms, longer than the operation that it is in"},
    {"ends_before_beginning", "$s$b", word_end},
    {"unmatched_message", "$s", word_message},
    {"untraceable", "$s$b has no form in a Chakra trace that ASTRA-sim reads"},
    {"trace_lacks", "$s$b where a trace needs a value"},
    {"micro_batch_mismatch", "$s$n layers begin a micro-batch, $e are expected"},
    {"checkpoint_mismatch", "$slayer $n, counted from 0, recomputes from no checkpoint before it"},
    {"stage_mismatch", "$s$n, and the rank is in stage $e"},
    {"order_mismatch", "$sranks $n and $e are in one group of experts and in two pipeline stages"},
    {"not_json", "$s", word_json},
    {"wrong_type", "$s", word_type},
    {"missing_member", "the member $f is missing"},
    {"unknown_member", "there is no place for $f"},
    {"bad_summary", "$b is not what a summary of this version has here"},
    {"not_utf8", "$b is not UTF-8: U+FFFD is in the place of each stray byte"},
};

template <class String>
void append_message(const wording<String>& w, std::string_view message) {
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

// Does the problem have a place in the text? Files do not, and neither do what was built by hand and what never was in
// the text.
inline bool has_place(const error& e) noexcept {
    switch (e.kind) {
    case error_kind::unwritable:
    case error_kind::cannot_write:
    case error_kind::too_wide:
    case error_kind::cannot_open:
    case error_kind::cannot_read:
    case error_kind::is_directory:
    case error_kind::order_mismatch: return false;
    case error_kind::bad_edit: return e.expected >= 0;
    case error_kind::size_below_one:
    case error_kind::not_divisible:
    case error_kind::pipeline_mismatch:
    case error_kind::untraceable:
    case error_kind::trace_lacks:
    case error_kind::micro_batch_mismatch:
    case error_kind::checkpoint_mismatch:
    case error_kind::stage_mismatch: return e.length != 0;
    default: return true;
    }
}

// `: error: `, `:2:19: warning: `
template <class String>
void append_head(String& to, const location* where, severity s, std::uint64_t first_line) {
    if (where != nullptr) {
        to += ':';
        to += std::to_string(where->line + first_line - 1);
        to += ':';
        to += std::to_string(where->column);
    }
    to += ": ";
    to += name_of(s);
    to += ": ";
}

// The end of the message and the line below it, with a caret under the guilty bytes: as much of a long line as a
// terminal shows, whole characters of it.
template <class String>
void append_excerpt(String& to, const location& where, std::uint64_t length) {
    constexpr std::size_t before = 60;
    constexpr std::size_t width = 110;
    constexpr std::string_view lead = "  ";
    if (where.character != where.column) {
        to += " (character ";
        to += std::to_string(where.character);
        to += ')';
    }
    to += '\n';
    const std::string_view line = where.line_text;
    if (line.empty()) return;
    const std::size_t at = where.column - 1 < line.size() ? static_cast<std::size_t>(where.column - 1) : line.size();
    const bool from_start = line.size() <= width || at <= before;
    const std::size_t begin = from_start ? 0 : character_start(line, at - before);
    const bool to_end = line.size() - begin <= width;
    const std::size_t end = to_end ? line.size() : character_start(line, begin + width);

    to += lead;
    if (begin > 0) to += "...";
    append_printable(to, line.substr(begin, end - begin));
    if (end < line.size()) to += "...";
    to += '\n';
    to += lead;
    if (begin > 0) to += "   ";
    to.append(count_characters(line.substr(begin, at - begin)), ' ');
    to += '^';
    const std::size_t marked = length > end - at ? end - at : static_cast<std::size_t>(length);
    if (marked > 1) to.append(count_characters(line.substr(at, marked)) - 1, '~');
    to += '\n';
}

// Is `place` a view of the text? Compared as integers: pointers into different texts have no order.
inline bool is_view_of(std::string_view place, std::string_view text) noexcept {
    const auto number = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
    return place.data() != nullptr && number(place.data()) >= number(text.data()) &&
           number(place.data() + place.size()) <= number(text.data() + text.size());
}

}  // namespace detail

template <class String>
std::string_view name_of(error_kind k) noexcept {
    const auto n = static_cast<std::size_t>(k);
    const auto& words = detail::words_of_kinds<String>;
    return n < error_kind_count ? words[n].name : std::string_view("unknown");
}

template <class String>
String message(const error& e, std::string_view text) {
    String out;
    const auto n = static_cast<std::size_t>(e.kind);
    if (n >= error_kind_count) return out;
    constexpr const auto& all = detail::words_of_kinds<String>;
    static_assert(!all[error_kind_count - 1].name.empty(), "each kind has its words");
    const detail::kind_words<String>& words = all[n];
    const detail::wording<String> w{e, text, out};
    detail::append_message(w, words.message);
    if (words.rest != nullptr) words.rest(w);
    return out;
}

inline location locate(std::string_view text, std::uint64_t offset) noexcept {
    const std::size_t at = offset < text.size() ? static_cast<std::size_t>(offset) : text.size();
    location where;
    std::size_t begin = 0;
    while (begin < at) {
        const void* hit = std::memchr(text.data() + begin, '\n', at - begin);
        if (hit == nullptr) break;
        begin = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) + 1;
        ++where.line;
    }
    where.column = at - begin + 1;
    where.character = detail::count_characters(text.substr(begin, at - begin)) + 1;
    where.line_text = text.substr(begin, text.find('\n', begin) - begin);
    if (!where.line_text.empty() && where.line_text.back() == '\r') where.line_text.remove_suffix(1);
    return where;
}

inline std::string_view name_of(severity s) noexcept { return s == severity::error ? "error" : "warning"; }

template <class String>
String explain(const error& e, std::string_view text, std::string_view file_name, severity s,
               std::uint64_t first_line) {
    String out;
    detail::append_printable(out, file_name);
    const bool placed = detail::has_place(e);
    const location where = placed ? locate(text, e.offset) : location();
    detail::append_head(out, placed ? &where : nullptr, s, first_line);
    out += name_of<String>(e.kind);
    out += ": ";
    out += message<String>(e, text);
    if (placed)
        detail::append_excerpt(out, where, e.length);
    else
        out += '\n';
    return out;
}

template <class String>
String explain(at place, says what, std::string_view text, in_file file, severity s, std::uint64_t first_line) {
    String out;
    detail::append_printable(out, file.name);
    const std::string_view view = place.place;
    const bool placed = detail::is_view_of(view, text);
    const location where = placed ? locate(text, static_cast<std::uint64_t>(view.data() - text.data())) : location();
    detail::append_head(out, placed ? &where : nullptr, s, first_line);
    detail::append_printable(out, what.message);
    if (placed)
        detail::append_excerpt(out, where, view.size());
    else
        out += '\n';
    return out;
}

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
