// The words of rank op logs that the types know: what tracers write for collectives, groups and states.
#ifndef WLFMT_DETAIL_OPLOG_WORDS_HPP
#define WLFMT_DETAIL_OPLOG_WORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/oplog.hpp"
#include "../base/collectives.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

namespace detail {

// In the order of oplog::collective, which has fewer of them than workload files.
inline constexpr std::string_view collective_words[] = {collective_rows[0].name,
                                                        collective_rows[1].name,
                                                        collective_rows[4].name,
                                                        collective_rows[2].name,
                                                        collective_rows[3].name,
                                                        collective_rows[7].name,
                                                        "other"};
// What tracers write for each group; a group's own name says what it is.
inline constexpr std::string_view group_words[] = {"", "dp", "tp", "pp", "ep", "exp", "ep_dp", "exp_dp"};
inline constexpr std::string_view group_own_words[] = {
    "none",      "data_parallel",   "tensor_parallel",         "pipeline_parallel",
    "embedding", "expert_parallel", "embedding_data_parallel", "expert_data_parallel",
    "other"};
inline constexpr std::string_view pipeline_state_words[] = {"none", "warmup",  "steady",   "cooldown", "finalize",
                                                            "help", "forward", "backward", "other"};
inline constexpr std::string_view sub_key_names[] = {"trace_src_func", "duration",  "timestamp", "input__shape",
                                                     "input__dtype",   "func_name", "group",     "comm_func"};

// The enumerator whose word the text is; the first one where there is no text, `other` where the word is none of these.
template <class Enum, std::size_t N>
Enum enum_of(std::string_view text, const std::string_view (&words)[N], Enum other) noexcept {
    if (is_missing(text) || is_none(text)) return Enum{};
    for (std::size_t n = 1; n != N; ++n)
        if (words[n] == text) return n < static_cast<std::size_t>(other) ? static_cast<Enum>(n) : other;
    return other;
}
template <class Enum, std::size_t N>
constexpr std::string_view enum_name(Enum e, const std::string_view (&names)[N]) noexcept {
    const auto n = static_cast<std::size_t>(e);
    return n < N ? names[n] : std::string_view("unknown");
}

}  // namespace detail

namespace oplog {

inline collective collective_of(std::string_view comm_func) noexcept {
    return detail::enum_of(comm_func, detail::collective_words, collective::other);
}
inline group group_of(std::string_view group_kind) noexcept {
    return detail::enum_of(group_kind, detail::group_words, group::other);
}
inline pipeline_state pipeline_state_of(std::string_view mg_state) noexcept {
    return detail::enum_of(mg_state, detail::pipeline_state_words, pipeline_state::other);
}
inline std::string_view name_of(collective c) noexcept { return detail::enum_name(c, detail::collective_words); }
inline std::string_view name_of(group g) noexcept { return detail::enum_name(g, detail::group_own_words); }
inline std::string_view name_of(pipeline_state s) noexcept {
    return detail::enum_name(s, detail::pipeline_state_words);
}
inline std::string_view name_of(origin o) noexcept { return o == origin::rank ? "rank" : "stage"; }
inline std::string_view name_of(field f) noexcept {
    if (f == field::none) return "none";
    if (f == field::all) return "all";
    for (unsigned n = 0; n != 8; ++n)
        if (static_cast<unsigned>(f) == 1U << n) return detail::sub_key_names[n];
    return "several";
}

}  // namespace oplog

namespace detail {
inline namespace WLFMT_IMPL {

inline constexpr std::string_view list_key = "sub_operations";

// The sentence that a tracer writes in place of a duration.
inline constexpr std::string_view not_measured = "Async operation, duration not measured";

// What a numeric attribute holds: an integer, a number, or a number that may be not_measured.
enum class numeric : std::uint8_t { index, time, duration };

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
