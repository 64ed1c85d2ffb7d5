// The parts of workload files: header keys, fields of a layer, words, header lines, and layer lines on the slow path.
#ifndef WLFMT_DETAIL_WORKLOAD_SCHEMA_HPP
#define WLFMT_DETAIL_WORKLOAD_SCHEMA_HPP

#include "../../number.hpp"
#include "../../types/error.hpp"
#include "../../types/workload.hpp"
#include "../../workload/policies.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"sv;
using workload::last_bottom_layer;
inline constexpr std::string_view layer_count = "layer count"sv;

// The type of the value of a header entry.
enum class entry_type : std::uint8_t {
    word,
    index_list,
    number,
    size,  // a number; a value below 0 is a warning
};
inline constexpr std::string_view size_keys[] = {"model_parallel_NPU_group"sv,
                                                 "ep"sv,
                                                 "expert_parallel_npu_group"sv,
                                                 "pp"sv,
                                                 "vpp"sv,
                                                 "ga"sv,
                                                 "all_gpus"sv,
                                                 "pp_comm"sv};
inline entry_type type_of_entry(std::string_view key) noexcept {
    for (const std::string_view size : size_keys)
        if (key == size) return entry_type::size;
    if (key == "checkpoints"sv || key == "checkpoint_initiates"sv) return entry_type::index_list;
    return key == last_bottom_layer ? entry_type::number : entry_type::word;
}

// SimAI-Ascend binds a workload to a run: the header has five sha256 texts, and each layer repeats them.
inline constexpr std::size_t target_keys_count = 5;
inline constexpr std::string_view target_keys[target_keys_count] = {
    "target_model_sha256"sv, "target_step_sha256"sv, "target_routing_sha256"sv, "target_memory_event_plan_sha256"sv,
    "target_workload_sha256"sv};
// The position of the key among these; target_keys_count if it is not one of them.
inline std::size_t target_position(std::string_view key) noexcept {
    std::size_t n = 0;
    if (key.size() < 18 || key.compare(0, 7, "target_") != 0) return target_keys_count;
    while (n != target_keys_count && target_keys[n] != key) ++n;
    return n;
}
// The five sha256 texts of a SimAI-Ascend header. Those without an entry are missing.
struct target {
    std::string_view values[target_keys_count] = {};
};

inline constexpr std::string_view sha256_start = "sha256:"sv;
inline bool is_sha256(std::string_view v) noexcept {
    if (v.size() != sha256_start.size() + 64 || v.compare(0, sha256_start.size(), sha256_start) != 0) return false;
    for (const char c : v.substr(sha256_start.size()))
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) return false;
    return true;
}

// What problems call a collective's field that holds a number, as in a related format, by phase.
inline constexpr std::string_view numeric_comm[] = {"a number as forward.comm"sv, "a number as input_grad.comm"sv,
                                                    "a number as weight_grad.comm"sv};
// The members of a phase in JSON, in the order of its fields, and the name that the last one had up to wlfmt 0.3.
inline constexpr std::string_view phase_members[] = {"compute"sv, "comm"sv, "bytes"sv};
inline constexpr std::string_view older_bytes = "size"sv;

// The fields of a layer's line; a policy can follow them as the thirteenth.
inline constexpr std::size_t layer_fields = 12;
inline constexpr std::size_t policy_field = 12;
inline constexpr std::size_t max_layer_fields = layer_fields + 1 + target_keys_count;
inline constexpr std::string_view layer_field_names[] = {"name"sv,
                                                         "dependency"sv,
                                                         workload::phase_rows[0].compute,
                                                         workload::phase_rows[0].comm,
                                                         workload::phase_rows[0].bytes,
                                                         workload::phase_rows[1].compute,
                                                         workload::phase_rows[1].comm,
                                                         workload::phase_rows[1].bytes,
                                                         workload::phase_rows[2].compute,
                                                         workload::phase_rows[2].comm,
                                                         workload::phase_rows[2].bytes,
                                                         "update"sv,
                                                         "policy"sv};
inline constexpr std::string_view further_field = "further"sv;

enum class field_type : std::uint8_t { name, integer, number, collective };
inline constexpr field_type phase_types[] = {field_type::number, field_type::collective, field_type::integer};
constexpr field_type type_of_field(std::size_t field) noexcept {
    return field == 0 ? field_type::name : phase_types[(field + 1) % 3];
}

constexpr const char* end_of(std::string_view text) noexcept { return text.data() + text.size(); }
inline bool is_finite(double v) noexcept { return (bits_of(v) & infinity_bits) != infinity_bits; }

struct workload_words {
    static const char* skip_blanks(const char* p, const char* end) noexcept {
        while (p != end && is_blank(*p)) ++p;
        return p;
    }
    static const char* skip_blank_lines(const char* p, const char* end) noexcept {
        while (p != end && (is_blank(*p) || *p == '\n')) ++p;
        return p;
    }
    static const char* word_end(const char* p, const char* end) noexcept {
        return find_any<'\t', ' ', '\n', '\r', '\v', '\f'>(p, end);
    }
    static std::string_view word_at(const char* p, const char* end) noexcept { return view(p, word_end(p, end)); }

    // These read numbers that are whole words. `end` is the end of the text, up to which blocks may be loaded.

    // Reads the word as an integer or decimal. May return not_a_number or number_overflow.
    static error_kind number_in(std::string_view w, const char* end, number& value) noexcept {
        const char* p = w.data();
        const number_status status = read_number(p, end, value);
        if (status == number_status::invalid || p != end_of(w)) return error_kind::not_a_number;
        if (status == number_status::overflow) return error_kind::number_overflow;
        const bool finite = !value.is_decimal() || is_finite(number_access::decimal(value));
        return finite ? error_kind::none : error_kind::not_a_number;
    }

    // Reads the word as an integer, or as Python's `2621440.0`. May return not_an_integer or number_overflow.
    static error_kind integer_in(std::string_view w, const char* end, std::int64_t& value) noexcept {
        constexpr double limit = 9223372036854775808.0;  // 2^63
        number n;
        const error_kind problem = number_in(w, end, n);
        if (problem != error_kind::none)
            return problem == error_kind::not_a_number ? error_kind::not_an_integer : problem;
        if (n.is_integer()) {
            value = number_access::integer(n);
            return error_kind::none;
        }
        if (read_whole(w.data(), end_of(w), value)) return error_kind::none;
        const double decimal = number_access::decimal(n);
        return decimal < -limit || decimal >= limit ? error_kind::number_overflow : error_kind::not_an_integer;
    }

    // Reads the word as a size in a header, which may be a decimal. From 2^53 on, where a double may differ from the
    // text, it must be a whole number, which becomes an integer.
    static error_kind size_in(std::string_view w, const char* end, number& value) noexcept {
        constexpr double limit = 9007199254740992.0;
        const error_kind problem = number_in(w, end, value);
        const double size = value.value_or(0.0);
        const bool exact = !value.is_decimal() || (size > -limit && size < limit);
        std::int64_t whole = 0;
        if (problem != error_kind::none || exact) return problem;
        const error_kind as_integer = integer_in(w, end, whole);
        if (as_integer == error_kind::none) value = whole;
        return as_integer;
    }

    // Reads the word as digits with or without a sign.
    static number_status plain_integer(std::string_view w, std::int64_t& value) noexcept {
        const char* p = w.data();
        const number_status status = read_integer(p, end_of(w), value);
        return p == end_of(w) ? status : number_status::invalid;
    }

    static bool is_number(std::string_view w) noexcept {
        // Most words that are not numbers are names of collectives. No number begins with a capital letter.
        if (!w.empty() && w.front() >= 'A' && w.front() <= 'Z') return false;
        number value;
        return number_in(w, end_of(w), value) != error_kind::not_a_number;
    }

    static bool is_negative(const number& n) noexcept {
        return n.is_integer() ? number_access::integer(n) < 0 : n.is_decimal() && number_access::decimal(n) < 0;
    }
};

struct entry_problem {
    error_kind kind = error_kind::none;
    std::string_view place = {};
    std::int64_t found = 0;
    std::int64_t expected = 0;
};

struct workload_header {
    using words = workload_words;

    // Keeps the entry's value if the entry is the first with its key, and that is one of the five.
    static void record_target_key(target& t, const workload::entry& e) noexcept {
        const std::size_t n = target_position(e.key);
        if (n != target_keys_count && is_missing(t.values[n])) t.values[n] = e.value;
    }
    // The first of the five keys that is missing, if another one is there; empty if all or none of them are there.
    static std::string_view missing_key(const target& t) noexcept {
        std::size_t present = 0;
        std::string_view first;
        for (std::size_t n = 0; n != target_keys_count; ++n) {
            if (!is_missing(t.values[n])) ++present;
            else if (first.empty()) first = target_keys[n];
        }
        return present == 0 ? std::string_view() : first;
    }
    // Whether all five are there, well-formed or not, so that each layer must repeat them.
    static bool binds_layers(const target& t) noexcept { return !is_missing(t.values[0]) && missing_key(t).empty(); }

    // Reads the count and the indices of a list that begins at p. It ends before the first word that is no integer.
    static const char* read_indices(const char* p, const char* end, workload::entry& e,
                                    entry_problem& problem) noexcept {
        std::string_view w = words::word_at(p, end);
        std::int64_t count = 0;
        const number_status status = words::plain_integer(w, count);
        const char* last = end_of(w);
        if (status != number_status::ok || count < 0) {
            problem.kind = status == number_status::overflow ? error_kind::number_overflow : error_kind::not_an_integer;
            problem.place = w;
            count = 0;
        }
        for (std::int64_t n = 0; n != count; ++n) {
            w = words::word_at(words::skip_blanks(last, end), end);
            std::int64_t index = 0;
            if (words::plain_integer(w, index) != number_status::ok) {
                if (w.empty()) w = view(last, last);
                problem = {error_kind::header_value, w, n, count};
                break;
            }
            last = end_of(w);
        }
        e.value = view(p, last);
        return last;
    }

    // Reads the entry at p in a header line that ends at `end`, and returns its end. value_problem() checks its value.
    static const char* read_entry(const char* p, const char* end, bool number_first, workload::entry& e,
                                  entry_problem& problem) noexcept {
        const std::string_view first = words::word_at(p, end);
        const char* const first_end = end_of(first);
        std::int64_t bare = 0;
        if (number_first) {
            const number_status status = words::plain_integer(first, bare);
            if (status != number_status::invalid) {
                e = {{}, first, false};
                if (status == number_status::overflow) problem = {error_kind::number_overflow, first, 0, 0};
                return first_end;
            }
        }
        const char* const key_end = first.back() == ':' ? first_end - 1 : first_end;
        const bool two_colons = key_end != p && key_end != first_end && key_end[-1] == ':';
        e = {view(p, key_end), view(first_end, first_end), key_end != first_end};

        const std::string_view value = words::word_at(words::skip_blanks(first_end, end), end);
        const entry_type type = type_of_entry(e.key);
        if (value == ":") {  // a colon apart from its key: `ep : 4`
            problem = {error_kind::header_value, e.key.empty() ? first : value, 0, 0};
            return first_end;
        }
        // A known key never takes the next key as its value.
        if (value.empty() || (type != entry_type::word && value.back() == ':')) {
            problem = {error_kind::header_value, view(first_end, first_end), 0, 0};
            return first_end;
        }
        if (type == entry_type::index_list) return read_indices(value.data(), end, e, problem);
        if (e.key.empty() || two_colons) problem = {error_kind::header_value, first, 0, 0};
        e.value = value;
        return end_of(value);
    }

    // What is wrong with the entry's value; `end` is the end of the text. read_indices() has checked lists.
    static error_kind value_problem(const workload::entry& e, const char* end) noexcept {
        const std::string_view value = e.value;
        number n;
        switch (type_of_entry(e.key)) {
        case entry_type::index_list: return error_kind::none;
        case entry_type::number: return words::size_in(value, end, n);
        case entry_type::size: {
            const error_kind problem = words::size_in(value, end, n);
            return problem == error_kind::none && words::is_negative(n) ? error_kind::negative_value : problem;
        }
        default:
            return target_position(e.key) == target_keys_count || is_sha256(e.value) ? error_kind::none
                                                                                     : error_kind::header_value;
        }
    }

    // A header value as a number; a value that is not one stays a text.
    static number header_number(const value& v) noexcept { return header_number(value_access::given(v)); }
    static number header_number(std::string_view text) noexcept {
        if (is_missing(text)) return {};
        number n;
        return words::size_in(text, end_of(text), n) == error_kind::none ? n : number(text);
    }

    // The text of the number of layers in the two header lines; missing if there is none.
    static std::string_view count_of(std::string_view source) noexcept {
        if (is_missing(source)) return {};
        const char* const end = source.data() + source.size();
        const char* const p = words::skip_blank_lines(find_far(source.data(), end, '\n'), end);
        return p == end ? std::string_view() : words::word_at(p, end);
    }
};

struct workload_line {
    using words = workload_words;

    // A line split into words. All words are counted, but only as many are kept as a layer may have.
    struct layer_line {
        std::string_view fields[max_layer_fields];
        std::size_t count = 0;
        bool has_target = false;     // the last five fields are sha256 texts, perhaps malformed ones
        const char* last = nullptr;  // the end of the last word
        const char* next = nullptr;  // the beginning of the next line

        // The line's first word begins at p.
        layer_line(const char* p, const char* end) noexcept {
            while (p != end && *p != '\n') {
                last = words::word_end(p, end);
                if (count < max_layer_fields) fields[count] = view(p, last);
                ++count;
                p = words::skip_blanks(last, end);
            }
            next = p == end ? end : p + 1;
            if (!may_have_target()) return;
            has_target = true;
            for (std::size_t n = 0; n != target_keys_count; ++n)
                has_target = has_target && is_sha256(target_fields()[n]);
        }

        std::string_view whole() const noexcept { return view(fields[0].data(), last); }
        const std::string_view* target_fields() const noexcept { return fields + count - target_keys_count; }
        // The number of fields without the sha256 texts. The thirteenth is a policy.
        std::size_t own() const noexcept { return has_target ? count - target_keys_count : count; }
        // Whether the line has as many fields as a layer of any dialect.
        bool is_layer_sized() const noexcept { return own() == layer_fields || own() == layer_fields + 1; }
        std::string_view policy() const noexcept {
            return own() > layer_fields ? fields[policy_field] : std::string_view();
        }
        std::string_view further() const noexcept {
            return has_target ? view(target_fields()->data(), last) : std::string_view();
        }
        bool may_have_target() const noexcept { return count == max_layer_fields || count == max_layer_fields - 1; }
    };

    static workload::phase& phase_of_field(workload::layer& l, std::size_t field) noexcept {
        return l.*workload::phase_rows[field < 5 ? 0 : field < 8 ? 1 : 2].member;
    }

    // Reads one of the twelve fields. It reads the field even if it returns error_kind::related_format, for a number in
    // the place of a collective, or error_kind::negative_value, for a time or a size below 0.
    static error_kind read_field(std::size_t field, std::string_view w, const char* end,
                                 workload::layer& layer) noexcept {
        workload::phase& p = phase_of_field(layer, field);
        number& time = field + 1 == layer_fields ? layer.update : p.compute;
        std::int64_t moved = 0;
        error_kind problem = error_kind::none;
        switch (type_of_field(field)) {
        case field_type::name: layer.name = w; return problem;
        case field_type::collective: p.comm = w; return words::is_number(w) ? error_kind::related_format : problem;
        case field_type::number:
            problem = words::number_in(w, end, time);
            return problem == error_kind::none && words::is_negative(time) ? error_kind::negative_value : problem;
        default:
            if (field == 1) return words::integer_in(w, end, layer.dependency);
            problem = words::integer_in(w, end, moved);
            p.bytes = moved;
            return problem == error_kind::none && moved < 0 ? error_kind::negative_value : problem;
        }
    }

    // Guesses which field a short line lacks: the first one where there is a word in place of a number, or the reverse,
    // else the one at the end of the line. Of two neighbouring numbers, the first is taken to be missing.
    static std::string_view missing_field(const layer_line& line) noexcept {
        for (std::size_t field = 1; field < layer_fields; ++field) {
            if (field >= line.count) return layer_field_names[field];
            const bool number_wanted = type_of_field(field) != field_type::collective;
            if (words::is_number(line.fields[field]) == number_wanted) continue;
            const bool second = number_wanted && type_of_field(field) == field_type::number;
            return layer_field_names[second ? field - 1 : field];
        }
        return layer_field_names[policy_field];
    }

    // Recognises a related format by its first layer line, and returns by what, or nothing. `typed` says that the line
    // reads as a layer, with or without further fields.
    static std::string_view related_format(const layer_line& line, bool typed) noexcept {
        switch (line.count) {
        case 17:
            for (std::size_t n = line.count - target_keys_count; n != line.count; ++n)
                if (line.fields[n].substr(0, sha256_start.size()) == sha256_start)
                    return "17 fields, the last five of which are not all `sha256:` and 64 digits";
            return "roofline or multi-collective layers (17 fields)";
        case 21: return "roofline or multi-collective layers (21 fields)";
        case 24: return "roofline or multi-collective layers (24 fields)";
        default: break;
        }
        if (typed) return {};
        if (line.fields[0] == "Layername") return "LLMServingSim column titles";
        if (line.count < layer_fields - 1) return {};
        for (std::size_t field = 0; field < line.count && field < layer_fields; ++field)
            if (words::is_number(line.fields[field])) return {};
        return "column titles";
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
