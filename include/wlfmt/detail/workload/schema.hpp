// The parts of workload files: words, policies, header keys, the fields of a layer.
#ifndef WLFMT_DETAIL_WORKLOAD_SCHEMA_HPP
#define WLFMT_DETAIL_WORKLOAD_SCHEMA_HPP

#include "../../to_number.hpp"
#include "../../types/error.hpp"
#include "../../types/workload.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "policies.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"sv;

inline constexpr std::string_view last_bottom_layer = "DLRM_LAST_BOTTOM_LAYER"sv;
inline constexpr std::string_view layer_count = "layer count"sv;

// The type that the value of a header entry has to have.
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
inline constexpr std::string_view sha256_start = "sha256:"sv;
inline bool is_sha256(std::string_view v) noexcept {
    if (v.size() != sha256_start.size() + 64 || v.compare(0, sha256_start.size(), sha256_start) != 0) return false;
    for (const char c : v.substr(sha256_start.size()))
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) return false;
    return true;
}

// The phases of a layer, in the order of the layer's fields.
struct phase_row {
    std::string_view name;
    workload::phase workload::layer::*of;
    std::string_view compute;
    std::string_view comm;
    std::string_view bytes;
    std::string_view numeric_comm;  // what a near relative of the format has
};
inline constexpr phase_row phase_rows[] = {
    {"forward"sv, &workload::layer::forward, "forward.compute"sv, "forward.comm"sv, "forward.bytes"sv,
     "a number as forward.comm"sv},
    {"input_grad"sv, &workload::layer::input_grad, "input_grad.compute"sv, "input_grad.comm"sv, "input_grad.bytes"sv,
     "a number as input_grad.comm"sv},
    {"weight_grad"sv, &workload::layer::weight_grad, "weight_grad.compute"sv, "weight_grad.comm"sv,
     "weight_grad.bytes"sv, "a number as weight_grad.comm"sv}};
// The members of a phase in JSON, in the order of its fields; and what wlfmt called the last of them up to 0.3.
inline constexpr std::string_view phase_members[] = {"compute"sv, "comm"sv, "bytes"sv};
inline constexpr std::string_view older_bytes = "size"sv;

// A layer's line.

inline constexpr std::size_t layer_fields = 12;  // and a policy as the thirteenth
inline constexpr std::size_t policy_field = 12;
inline constexpr std::size_t most_layer_fields = layer_fields + 1 + target_keys_count;
inline constexpr std::string_view layer_field_names[] = {"name"sv,           "dependency"sv,      phase_rows[0].compute,
                                                         phase_rows[0].comm, phase_rows[0].bytes, phase_rows[1].compute,
                                                         phase_rows[1].comm, phase_rows[1].bytes, phase_rows[2].compute,
                                                         phase_rows[2].comm, phase_rows[2].bytes, "update"sv,
                                                         "policy"sv};
inline constexpr std::string_view further_field = "further"sv;

// The type that a field of a layer has to have.
enum class field_type : std::uint8_t { name, integer, number, collective };
inline constexpr field_type phase_types[] = {field_type::number, field_type::collective, field_type::integer};
constexpr field_type type_of_field(std::size_t field) noexcept {
    return field == 0 ? field_type::name : phase_types[(field + 1) % 3];
}

constexpr const char* end_of(std::string_view text) noexcept { return text.data() + text.size(); }

inline bool is_finite(double v) noexcept { return (bits_of(v) & infinity_bits) != infinity_bits; }

template <class Build> struct workload_words {
    static const char* skip_blanks(const char* p, const char* end) noexcept {
        while (p != end && is_blank(*p)) ++p;
        return p;
    }
    static const char* skip_blank_lines(const char* p, const char* end) noexcept {
        while (p != end && (is_blank(*p) || *p == '\n')) ++p;
        return p;
    }
    // The end of the word that begins at p.
    static const char* word_end(const char* p, const char* end) noexcept {
        return find_any<'\t', ' ', '\n', '\r', '\v', '\f'>(p, end);
    }
    static std::string_view word_at(const char* p, const char* end) noexcept { return view(p, word_end(p, end)); }

    // Numbers that are a whole word.

    // `end` is where reading must stop at the latest. The end of the text is best, as read_number() reads blocks.

    // The word as an integer or decimal: error_kind::none, not_a_number or number_overflow.
    static error_kind number_in(std::string_view w, const char* end, number& value) noexcept {
        const char* p = w.data();
        const number_status status = read_number(p, end, value);
        if (status == number_status::invalid || p != end_of(w)) return error_kind::not_a_number;
        if (status == number_status::overflow) return error_kind::number_overflow;
        const bool finite = !value.is_decimal() || is_finite(number_access::decimal(value));
        return finite ? error_kind::none : error_kind::not_a_number;
    }

    // The word as an integer, which Python's `2621440.0` is too: error_kind::none, not_an_integer or number_overflow.
    static error_kind integer_in(std::string_view w, const char* end, std::int64_t& value) noexcept {
        constexpr double limit = 9223372036854775808.0;  // 2^63
        number n;
        const error_kind what = number_in(w, end, n);
        if (what != error_kind::none) return what == error_kind::not_a_number ? error_kind::not_an_integer : what;
        if (n.is_integer()) {
            value = number_access::integer(n);
            return error_kind::none;
        }
        if (read_whole(w.data(), end_of(w), value)) return error_kind::none;
        const double decimal = number_access::decimal(n);
        return decimal < -limit || decimal >= limit ? error_kind::number_overflow : error_kind::not_an_integer;
    }

    // The word as the size in a header, which may be a decimal. Beyond 2^53 a double may not be what is written: a
    // whole number is an integer there, and no other is a size.
    static error_kind size_in(std::string_view w, const char* end, number& value) noexcept {
        constexpr double limit = 9007199254740992.0;
        const error_kind what = number_in(w, end, value);
        const bool exact = !value.is_decimal() || (value > -limit && value < limit);
        std::int64_t whole = 0;
        if (what != error_kind::none || exact) return what;
        const error_kind of_whole = integer_in(w, end, whole);
        if (of_whole == error_kind::none) value = whole;
        return of_whole;
    }

    // The word as digits with or without a sign.
    static number_status plain_integer(std::string_view w, std::int64_t& value) noexcept {
        const char* p = w.data();
        const number_status status = read_integer(p, end_of(w), value);
        return p == end_of(w) ? status : number_status::invalid;
    }

    static bool is_number(std::string_view w) noexcept {
        // Most words that are no numbers are names of collectives. No number begins with a capital letter.
        if (!w.empty() && w.front() >= 'A' && w.front() <= 'Z') return false;
        number value;
        return number_in(w, end_of(w), value) != error_kind::not_a_number;
    }

    static bool is_negative(const number& n) noexcept {
        return n.is_integer() ? number_access::integer(n) < 0 : n.is_decimal() && number_access::decimal(n) < 0;
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
