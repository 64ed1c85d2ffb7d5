// The messages for all kinds of problems.
#ifndef WLFMT_DETAIL_MESSAGES_HPP
#define WLFMT_DETAIL_MESSAGES_HPP

#include <cerrno>
#include <initializer_list>

#include "../characters.hpp"
#include "../types/error.hpp"
#include "../workload/policies.hpp"
#include "io/diff_lines.hpp"

#include "base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace lint {

// Something in a well-formed workload file that a simulator cannot handle, and what the simulator does then.
struct simulator_limit {
    std::string_view name;       // the name of the fact in `summary --json`
    std::string_view simulator;  // the program
    std::string_view condition;  // what in the file it cannot handle
    std::string_view result;     // what it does then
    std::string_view source;     // the evidence: a place in its sources, or an issue
};

}  // namespace lint

namespace detail {

// Positions in simulator_limits.
enum class limit_of : std::size_t {
    no_pipeline_divisor,
    no_sizes,
    large_messages,
    no_expert_groups,
    long_computation,
    small_collective
};
inline constexpr lint::simulator_limit simulator_limits[] = {
    {"no_pipeline_divisor"sv, "SimAI"sv, "no `ga` or no `vpp`"sv,
     "it divides by their product: its total time is NaN"sv, "Layer.cc; SimAI issue 164"sv},
    {"no_sizes"sv, "SimAI"sv, "no `pp` or no `model_parallel_NPU_group`"sv, "it crashes"sv,
     "Workload.cc, initialize_workload()"sv},
    {"large_messages"sv, "SimAI"sv, "`pp_comm` above 2147483647"sv, "it ends with an exception"sv,
     "Workload.cc, initialize_workload()"sv},
    {"no_expert_groups"sv, "SimAI"sv, "expert parallelism where the tensor parallelism is 1"sv,
     "collectives of experts have no group"sv, "MockNcclGroup.cc; SimAI issue 298"sv},
    {"long_computation"sv, "SimAI-Analytical"sv, "a computation of 2147483647 ticks or more"sv,
     "it does not end or writes an empty EndToEnd.csv, with exit status 0"sv,
     "`int cycles`; SimAI issues 190 and 300"sv},
    {"small_collectives"sv, "SimAI with ns-3"sv, "an all-reduce of fewer bytes than its group has ranks"sv,
     "it ends there; SimAI-Analytical does not"sv, "SimAI issue 8"sv},
};

// Which problems of a kind have a place in the text. Problems with files, and with records built by hand, have none.
enum class placed : std::uint8_t { always, never, with_bytes, unless_negative };

// An error_kind's name and its message, which message_end() may continue. In both, `$` and a letter stand for:
//   $s  the field and a colon, `duration: `; nothing if the error names no field
//   $f  the field, or `record`             $t  the type of a JSON value that was found
//   $b  the guilty bytes, or `nothing`     $o  the guilty bytes, if there are any
//   $n  the number that was found          $e  the number that was expected
//   $l  what the text looks like           $w  the word that was probably meant
//   $c  which column a cell does not fit   $r  why the system refused
//   $m  when a simulator fails, and how
// `<one|many>` stands for the first of two words after the number 1, and for the second after any other number.
struct kind_words {
    error_kind kind;
    const char* name;
    const char* message;
    placed place = placed::always;
};

inline bool has_place(const problem& e, placed place) noexcept {
    return place == placed::always || (place == placed::with_bytes && e.length != 0) ||
           (place == placed::unless_negative && e.expected >= 0);
}

// A kind of text that resembles one of the formats. It is recognised by a line that has both words.
struct table_relative {
    const char* word;
    const char* other;
    const char* looks;
    bool ruled = false;  // its headers have rules, lines of hyphens, as PyTorch's do
};
inline constexpr const char* layers_as_markdown =
    "layers of a workload file as Markdown, with `|` between their fields";
inline constexpr table_relative table_relatives[] = {
    {"Time (%)", "Total Time (ns)", "a table of Nsight Systems (nsys stats); wlfmt reads PyTorch's"},
    {"Time(%)", "Total Time (ns)", "a table of Nsight Systems (nsys stats); wlfmt reads PyTorch's"},
    {"Metric Name", "Metric Unit", "a table of Nsight Compute (ncu); wlfmt reads PyTorch's"},
    {"Time(%)", "Calls", "a table of nvprof; wlfmt reads PyTorch's"},
    {"TotalDurationNs", "AverageNs", "a table of rocprof; wlfmt reads PyTorch's"},
    {"Time (%)", "Time distribution", "a table of CUDA.jl; wlfmt reads PyTorch's"},
    {"Total / Avg / Max / Min", "Ratio", "a table of Paddle's profiler; wlfmt reads PyTorch's", true},
    {"ncalls", "tottime", "a table of Python's cProfile; wlfmt reads PyTorch's"},
    {"Per Hit", "Line Contents", "a table of line_profiler; wlfmt reads PyTorch's"},
    {"|-1|", "|NONE|", layers_as_markdown},
    {"|-1|", "|ALLREDUCE|", layers_as_markdown},
    {"| -1 |", "| NONE |", layers_as_markdown},
    {"| -1 |", "| ALLREDUCE |", layers_as_markdown},
};

// The first row that has both of its words in the line, or null.
inline const table_relative* find_relative(std::string_view line) noexcept {
    for (const table_relative& relative : table_relatives)
        if (line.find(relative.word) != line.npos && line.find(relative.other) != line.npos) return &relative;
    return nullptr;
}

// What a text in none of the formats looks like; empty if it looks like nothing known.
inline std::string_view looks_of(std::string_view text) noexcept {
    const std::string_view marks = text.substr(0, 2);
    if (marks == "\xFF\xFE" || marks == "\xFE\xFF")
        return "UTF-16, which PowerShell writes; `iconv -f UTF-16 -t UTF-8` makes UTF-8 of it";
    if (find_diff(text).data() != nullptr)
        return "the lines of a diff; read each of its files by itself, as `git show REVISION:FILE` prints it";
    const std::string_view begin = trimmed(text);
    if (begin.substr(0, 1) == "{" && text.find("\"cells\"") != std::string_view::npos)
        return "a notebook; wlfmt.open() of Python reads what its cells have printed, and so does the command with "
               "simdjson";
    if ((begin.substr(0, 1) == "\"" || begin.substr(0, 1) == "'") && text.find("\\n") != std::string_view::npos)
        return "a text in quotes, with \\n for its line ends; wlfmt.open() of Python reads it";
    bool header = false;
    bool total = false;
    bool rule = false;
    bool time = false;
    bool row = false;
    bool colour = false;
    bool record = false;
    for (line_cursor lines(text); !lines.done();) {
        const std::string_view line = lines.next();
        const auto has = [&](std::string_view s) { return line.find(s) != std::string_view::npos; };
        if (const table_relative* const relative = find_relative(line)) return relative->looks;
        if (has("Name") && (has("Calls") || has("Self CPU") || has("CPU total"))) {
            if (has("|")) return "a profiler table as Markdown, with `|` between its cells";
            if (has("\xE2\x94\x82"))
                return "a profiler table in a frame or beside other text; it is read without these";
            if (has("Name,") || has("Name\","))
                return "a profiler table as comma-separated values; wlfmt reads tables as PyTorch prints them";
            if (!has("  ")) return "a profiler table whose blanks between the cells were collapsed";
            header = true;
        }
        total = total || has(" time total: ");
        rule = rule || has("---  ---");
        time = time || has("us  ") || has("ms  ");
        row = row || (has("%  ") && (has("us  ") || has("ms  ")));
        colour = colour || has("\x1B[");
        const std::string_view body = trimmed(line);
        record = record || (body.substr(0, 5) == "rank:" && body.size() > 5 && is_digit(body[5]) && is_blank(line[0]));
    }
    if (record) return "a rank op log that is indented; a record has no blanks before it";
    if (colour && (header || rule))
        return "a profiler table with a terminal's escape sequences; it is read without them";
    if (header) return "a profiler table with another text before each line, or with rows that do not fit its header";
    if (total && !row && !rule)
        return "the totals of a profiler table alone; its rows are above them where it was printed";
    return total || row || (rule && time) ? "a piece of a profiler table without its header" : std::string_view();
}

// POSIX's message for an errno value; empty for values without one here. (strerror() depends on the locale and is not
// thread-safe.)
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
// The guilty bytes up to the first line end.
inline std::string_view guilty_bytes(const problem& e, std::string_view text) noexcept {
    const auto clamped = [&](std::uint64_t n) { return n < text.size() ? static_cast<std::size_t>(n) : text.size(); };
    const std::string_view guilty = text.substr(clamped(e.offset), clamped(e.length));
    return guilty.substr(0, guilty.find('\n'));
}

// The n-th word, counted from 0; empty if there is none.
inline std::string_view nth_of(std::initializer_list<const char*> words, std::int64_t n) noexcept {
    return n >= 0 && n < static_cast<std::int64_t>(words.size()) ? words.begin()[n] : std::string_view();
}

inline std::string_view header_value_message(const problem& e, std::string_view guilty) noexcept {
    if (e.expected < 0) return "$sthe entry is missing";
    if (e.expected > 0 && e.length == 0)
        return "$sthe list counts $e< layer index| layer indices>, $n< follows| follow>";
    if (e.expected > 0) return "$s$b where the list counts $e< layer index| layer indices>, $n< follows| follow>";
    if (guilty == ":") return e.field.empty() ? "$b without a key" : "$s$b is apart from its key";
    if (guilty.size() > 2 && guilty.substr(guilty.size() - 2) == "::")
        return "$b has several colons, where a key has one";
    if (e.length == 0) return "$sthe value is missing";
    return e.field.substr(0, 7) == "target_" ? "$s$b where `sha256:` and 64 digits are expected"
                                             : "$s$b where a word is expected";
}

// The end of a message, for kinds of errors whose messages also depend on the rest of the problem.
inline std::string_view message_end(const problem& e, std::string_view text) noexcept {
    const std::string_view guilty = guilty_bytes(e, text);
    const bool many = e.found > e.expected;
    switch (e.kind) {
    case error_kind::not_a_number:
        // problem::expected is a character that stands for the expected form of number.
        return e.expected == '%'   ? "a percent like `0.17%` is expected"
               : e.expected == 's' ? "a time like `13.980ms` is expected"
               : e.expected == 'B' ? "a size like `3.81 KB` is expected"
                                   : "a number is expected";
    // For a time in a trace, problem::expected is the power of two that its nanoseconds have to stay below.
    case error_kind::number_overflow: return e.expected == 0 ? "what 64 bits hold" : "the 2^$e nanoseconds of a trace";
    case error_kind::no_records: return e.field == "profiler table" ? "$l" : "";
    case error_kind::unwritable:
        return e.expected == 1 ? "record $n (from 0): $swritten as it is, this would not read back"
                               : "$swritten as it is, this would not read back";
    case error_kind::bad_list:
        return e.expected == '['   ? "a list, `[...]`, is expected"
               : e.expected == ',' ? "`, ` or the list's `]` is expected"
                                   : "a quoted string is expected";
    case error_kind::bad_escape:
        return guilty == "\\N" ? " gives a character's name, which is not looked up"
                               : " and what follows it make no character; a backslash is written `\\\\`";
    case error_kind::record_after_text: return e.found == 1 ? "line $e" : "the first is line $e";
    case error_kind::layer_count_mismatch: return e.found < e.expected ? "; is the file cut off?" : "";
    case error_kind::header_value: return header_value_message(e, guilty);
    case error_kind::field_count:
        // If a single field is missing, the types of the others show which.
        return e.found >= e.expected                           ? ""
               : e.found + 1 == e.expected && !e.field.empty() ? "; is $f missing?"
                                                               : "; is a field missing?";
    case error_kind::column_mismatch:
        return many           ? "; are there two blanks inside a name?"
               : e.found == 1 ? "; were the blanks between the names collapsed?"
                              : "; is a name missing, or is there one blank between two?";
    case error_kind::row_mismatch: {
        const bool marked = !guilty.empty() && (guilty.front() == '-' || guilty.front() == '+');
        const bool first = marked && (e.offset == 0 || !is_blank(text[static_cast<std::size_t>(e.offset) - 1]));
        if (!many) return first ? "; is it a line of a diff?" : "";
        return first ? "; are there two blanks inside one?; is it a line of a diff?"
                     : "; are there two blanks inside one?";
    }
    case error_kind::missing_rule:
        return e.expected == 1   ? "above its header"
               : e.expected == 2 ? "below its header"
                                 : "above or below its header";
    case error_kind::cut_column: return "right edge, after $n characters; a wider terminal, or a file, has the rest";
    // For these two, problem::found is a table_damage and a name_doubt.
    case error_kind::damaged_table:
        return nth_of(
            {"this column is $e characters wide, and others are not: a part of the lines was cut out here, "
             "perhaps with digits",
             "columns of two devices, `$f` and $b: was a part of the lines cut out here?",
             "the names of PyTorch's columns and units are in other letters here: the cells are read as texts",
             "a part of this total's name was cut off"},
            e.found);
    case error_kind::doubtful_name:
        return nth_of({"a name is missing beside this one: was a part of the lines cut out here?",
                       "this name alone is none of PyTorch's: was a part of the lines cut out here?",
                       "a web page has escaped this name: `&lt;` and `&gt;` are read as they are"},
                      e.found);
    case error_kind::bad_edit: return e.expected < 0 ? " is not a view of the text" : " overlaps replacement $e";
    case error_kind::cannot_open:
    case error_kind::cannot_read: return e.found <= 0 ? "" : reason_of(e.found).empty() ? ": error $n" : ": $r";
    case error_kind::not_divisible:
        if (e.field == "all_gpus") return "$n ranks are not a multiple of $e = model_parallel_NPU_group * pp";
        if (e.field == "pp" || e.field == "model_parallel_NPU_group") return "$e is more than all_gpus, $n";
        return "the data parallel size, $n = all_gpus / (model_parallel_NPU_group * pp), is not a multiple of $e";
    case error_kind::pipeline_mismatch: return e.expected > 1 ? "no bytes between them" : "$n bytes between stages";
    case error_kind::ends_before_beginning:
        return e.field == "duration" ? " ms: it ends before it begins"
                                     : ": it ends before the operation that it is in begins";
    case error_kind::unmatched_message:
        return e.field.substr(0, 4) == "send" ? ", sent to stage $e and never received there"
                                              : ", received from stage $e and never sent there";
    case error_kind::schedule_mismatch: return e.field == "pp" || e.field == "vpp" ? "at least $e" : "a multiple of $e";
    case error_kind::not_json: {
        constexpr const char* control_character =
            "a control character within a string: is its closing quote missing? It is written `\\n`, `\\u0000`";
        return nth_of({"$o is not JSON here", "$o is not UTF-8", control_character,
                       "$o opens a string that is not closed", "$othe record is not closed; is it cut off?",
                       "$o is not an escape", "$o where an object, `{...}`, is expected"},
                      e.expected);
    }
    case error_kind::wrong_type:
        return nth_of({"a scalar is expected", "a string is expected", "a number is expected", "an object is expected",
                       "an array is expected", "an array of strings is expected", "an integer is expected",
                       "an object or a string is expected"},
                      e.expected);
    default: return {};
    }
}

template <class String> struct message_writer {
    const problem& e;
    std::string_view text;
    String& out;

    // Appends `words`, with their placeholders filled in.
    void append(std::string_view words) const {
        std::int64_t number = 0;
        for (std::size_t at = 0; at < words.size(); ++at) {
            if (words[at] == '<') {
                const std::size_t many = words.find('|', at);
                const std::size_t end = words.find('>', at);
                out += number == 1 ? words.substr(at + 1, many - at - 1) : words.substr(many + 1, end - many - 1);
                at = end;
            } else if (words[at] != '$') {
                out += words[at];
            } else {
                number = words[++at] == 'n' ? e.found : e.expected;
                append_place_holder(words[at]);
            }
        }
    }

private:
    void append_place_holder(char letter) const {
        switch (letter) {
        case 's':
            append_printable(out, e.field);
            if (!e.field.empty()) out += ": ";
            break;
        case 'f': append_printable(out, e.field.empty() ? "record" : e.field); break;
        case 'b':
        case 'o':
            if (e.length != 0) append_bytes();
            else if (letter == 'b') out += "nothing";
            break;
        case 'n': out += std::to_string(e.found); break;
        case 'e': out += std::to_string(e.expected); break;
        case 'l':
            if (const std::string_view looks = looks_of(text); !looks.empty())
                append_all(out, "; it looks like ", looks);
            break;
        case 'c':
            out += e.field.empty() ? " fits no column of the rule" : " does not fit the column ";
            append_printable(out, e.field);
            break;
        case 'r': out += reason_of(e.found); break;
        case 'w': append_nearest(); break;
        case 'm':
            if (const auto n = static_cast<std::size_t>(e.found); n < std::size(simulator_limits))
                append_all(out, simulator_limits[n].condition, "; ", simulator_limits[n].simulator, ": ",
                           simulator_limits[n].result);
            break;
        case 't': out += nth_of({"null", "a boolean", "a number", "a string", "an array", "an object"}, e.found); break;
        default: break;
        }
    }
    // For an unknown policy or collective, problem::found is the number, from 1, of the one probably meant.
    void append_nearest() const {
        const bool policy = e.kind == error_kind::unknown_policy;
        const auto n = static_cast<std::size_t>(e.found) - 1;
        if (n >= (policy ? std::size(workload::policies::rows)
                         : workload::collectives::count * workload::collectives::suffix_count))
            return;
        if (policy) return append_all(out, "; ", workload::policies::rows[n].name, '?');
        append_all(out, "; ", workload::collectives::rows[n / workload::collectives::suffix_count].token,
                   workload::collectives::suffixes[n % workload::collectives::suffix_count], '?');
    }
    // Appends the guilty bytes in backquotes, cut if they are long.
    void append_bytes() const {
        constexpr std::size_t max_size = 48;
        std::string_view shown = guilty_bytes(e, text);
        const bool cut = shown.size() > max_size;
        if (cut) shown = shown.substr(0, character_start(shown, max_size));
        out += '`';
        append_printable(out, shown);
        out += cut ? "...`" : "`";
    }
};

// One row for each error_kind, in the order of the enumerators.
#define WLFMT_WORDS(KIND, ...) \
    { error_kind::KIND, #KIND, __VA_ARGS__ }
inline constexpr kind_words all_messages[] = {
    // Any text
    WLFMT_WORDS(none, "no problem"),
    WLFMT_WORDS(not_a_number, "$s$b where "),
    WLFMT_WORDS(not_an_integer, "$s$b where an integer is expected"),
    WLFMT_WORDS(number_overflow, "$s$b is beyond "),
    WLFMT_WORDS(negative_value, "$s$b is below 0"),
    WLFMT_WORDS(unknown_format, "neither a rank op log nor a workload file nor a profiler table$l"),
    WLFMT_WORDS(no_records, "the text holds no $f"),
    WLFMT_WORDS(foreign_text, "$b belongs to no $f"),
    WLFMT_WORDS(unwritable, "", placed::never),
    WLFMT_WORDS(cannot_write, "writing failed", placed::never),
    // Op logs
    WLFMT_WORDS(unterminated_record,
                "the line does not end with the record's `)`; is it cut off, or is there text after it?"),
    WLFMT_WORDS(text_after_record, "$b after the record's `)`"),
    WLFMT_WORDS(key_expected, "$b where `key=` is expected"),
    WLFMT_WORDS(duplicate_key, "$b occurs twice in this record"),
    WLFMT_WORDS(bad_list, "$s$b where "),
    WLFMT_WORDS(unterminated_list, "$sthe line ends before the list's `]`; is it cut off?"),
    WLFMT_WORDS(unterminated_string, "$sthe line ends before the closing quote; is it cut off?"),
    WLFMT_WORDS(bad_escape, "$s$b"),
    WLFMT_WORDS(record_after_text, "$n< line holds| lines hold> a record after other text: ", placed::never),
    // Workload files
    WLFMT_WORDS(missing_layer_count, "the second line, the number of layers, is missing"),
    WLFMT_WORDS(layer_count_mismatch, "the header declares $e< layer| layers>, $n< follows| follow>"),
    WLFMT_WORDS(header_value, ""),
    WLFMT_WORDS(header_mismatch, "$b differs from the header's $f"),
    WLFMT_WORDS(field_count, "$n< field| fields> where a layer has $e"),
    WLFMT_WORDS(related_format, "another format than the 12-field layers of ASTRA-sim 1.0 and SimAI: $f"),
    WLFMT_WORDS(text_after_layers, "$b after the last layer"),
    WLFMT_WORDS(text_after_count, "$b after the number of layers"),
    // Tables
    WLFMT_WORDS(column_mismatch, "the rule has $e< column| columns>, the header line names $n"),
    WLFMT_WORDS(too_many_columns, "$n columns, of which $e can be read"),
    WLFMT_WORDS(row_mismatch, "$b$c; the row has $n< cell| cells> for $e< column| columns>"),
    WLFMT_WORDS(unclosed_table, "the table ends without a closing rule; was the text cut?"),
    WLFMT_WORDS(cut_column, "the table's lines are cut at their "),
    WLFMT_WORDS(missing_rule, "the table has no rule "),
    WLFMT_WORDS(too_wide, "the table's padding would be many times its text", placed::never),
    WLFMT_WORDS(lost_lines,
                "$n< line, of which this is the first, looks| lines, of which this is the first, look> like a table's, "
                "and <is|are> in none: is it parted by other text, a rule, or prefixes that differ?"),
    WLFMT_WORDS(damaged_table, ""),
    WLFMT_WORDS(doubtful_name, ""),
    // Files
    WLFMT_WORDS(bad_edit, "replacement $n (from 0)", placed::unless_negative),
    WLFMT_WORDS(cannot_open, "the file cannot be opened", placed::never),
    WLFMT_WORDS(cannot_read, "reading the file failed", placed::never),
    WLFMT_WORDS(is_directory, "this is a directory, not a file", placed::never),
    // Parallelism
    WLFMT_WORDS(size_below_one, "$s$b where a size of at least 1 is expected", placed::with_bytes),
    WLFMT_WORDS(not_divisible, "$s", placed::with_bytes),
    WLFMT_WORDS(pipeline_mismatch, "$s$e< stage| stages>, and pp_comm gives ", placed::with_bytes),
    // Values that make no sense to a simulator
    WLFMT_WORDS(unknown_collective, "$s$b is not a collective that any simulator knows$w"),
    WLFMT_WORDS(empty_collective, "$s$b of 0 bytes"),
    WLFMT_WORDS(small_collective, "$s$b bytes, fewer than the $e ranks of the group"),
    WLFMT_WORDS(bytes_without_collective, "$s$b bytes and no collective that moves them"),
    WLFMT_WORDS(checkpoint_range, "$slayer $n of $e, counted from 0"),
    WLFMT_WORDS(nested_too_long, "$s$b ms, longer than the operation that it is in"),
    WLFMT_WORDS(ends_before_beginning, "$s$b"),
    WLFMT_WORDS(unmatched_message, "$sof micro-batch $n"),
    WLFMT_WORDS(unknown_policy, "$s$b is not a policy that any simulator knows$w"),
    WLFMT_WORDS(unknown_operation, "$s$b is not an operation that is known, and counts as computation"),
    WLFMT_WORDS(repeated_record, "the same record stands before it, with the same times"),
    WLFMT_WORDS(simulator_limit, "$s$m"),
    // Chakra traces
    WLFMT_WORDS(untraceable, "$s$b has no form in a Chakra trace that ASTRA-sim reads", placed::with_bytes),
    WLFMT_WORDS(trace_lacks, "$s$b where a trace needs a value", placed::with_bytes),
    WLFMT_WORDS(micro_batch_mismatch, "$s$n layers begin a micro-batch, $e are expected", placed::with_bytes),
    WLFMT_WORDS(checkpoint_mismatch, "$slayer $n, counted from 0, recomputes from no checkpoint before it",
                placed::with_bytes),
    WLFMT_WORDS(stage_mismatch, "$s$n, and the rank is in stage $e", placed::with_bytes),
    WLFMT_WORDS(order_mismatch, "$sranks $n and $e are in one group of experts and in two pipeline stages",
                placed::never),
    WLFMT_WORDS(schedule_mismatch, "$s$n where an interleaved schedule needs ", placed::with_bytes),
    WLFMT_WORDS(given_mismatch, "$s$n in the header, and $e is given", placed::with_bytes),
    WLFMT_WORDS(
        empty_trace,
        "the ranks of pipeline stage $n neither compute nor communicate: ASTRA-sim aborts at a trace without nodes",
        placed::with_bytes),
    // JSON
    WLFMT_WORDS(not_json, "$s"),
    WLFMT_WORDS(wrong_type, "$s$t where "),
    WLFMT_WORDS(missing_member, "the member $f is missing"),
    WLFMT_WORDS(unknown_member, "there is no place for $f"),
    // Summaries
    WLFMT_WORDS(bad_summary, "$b where a summary of this version has something else"),
    // Arrow
    WLFMT_WORDS(not_utf8, "$b is not UTF-8: U+FFFD is in the place of each stray byte"),
    {static_cast<error_kind>(error_kind_count), "unknown", ""},
};
#undef WLFMT_WORDS

// The words for a kind of error; for a number that is not a kind, those of the last row.
constexpr const kind_words& words_for(error_kind k) noexcept {
    const auto n = static_cast<std::size_t>(k);
    return all_messages[n < error_kind_count ? n : error_kind_count];
}
// A template, so that it is computed where messages are used.
template <class> constexpr bool each_kind_has_words() noexcept {
    std::size_t kind = 0;
    for (const kind_words& row : all_messages)
        if (row.kind != static_cast<error_kind>(kind++)) return false;
    return kind == error_kind_count + 1;
}

}  // namespace detail
}}  // namespace wlfmt::WLFMT_ABI

#endif
