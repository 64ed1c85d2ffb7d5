// The words that tracers write for collectives, groups and states, and the enumerators that they stand for.
#ifndef WLFMT_DETAIL_OPLOG_WORDS_HPP
#define WLFMT_DETAIL_OPLOG_WORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/oplog.hpp"
#include "../base/collectives.hpp"
#include "../base/kernel.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

namespace detail {
inline namespace WLFMT_IMPL {

// The sentence that a tracer writes in place of a duration.
inline constexpr std::string_view not_measured = "Async operation, duration not measured";

template <class Way>
struct oplog_words {
    using word = typename lazily<Way, std::string_view>::type;

    // In the order of oplog::collective. Op logs have fewer collectives than workload files.
    static constexpr word collectives[] = {collective_table<Way>::rows[0].name,
                                           collective_table<Way>::rows[1].name,
                                           collective_table<Way>::rows[4].name,
                                           collective_table<Way>::rows[2].name,
                                           collective_table<Way>::rows[3].name,
                                           collective_table<Way>::rows[7].name,
                                           "other"};
    // What tracers write for each group; a group's own name says what it is.
    static constexpr word groups[] = {"", "dp", "tp", "pp", "ep", "exp", "ep_dp", "exp_dp"};
    static constexpr word group_names[] = {
        "none",      "data_parallel",   "tensor_parallel",         "pipeline_parallel",
        "embedding", "expert_parallel", "embedding_data_parallel", "expert_data_parallel",
        "other"};
    static constexpr word pipeline_states[] = {"none", "warmup",  "steady",   "cooldown", "finalize",
                                               "help", "forward", "backward", "other"};

    // The enumerator whose word the text is; the first enumerator if there is no text, `other` for any other word.
    template <class Enum, std::size_t N>
    static Enum enum_of(std::string_view text, const std::string_view (&words)[N], Enum other) noexcept {
        if (is_missing(text) || is_none(text)) return Enum{};
        for (std::size_t n = 1; n != N; ++n)
            if (words[n] == text) return n < static_cast<std::size_t>(other) ? static_cast<Enum>(n) : other;
        return other;
    }
    template <class Enum, std::size_t N>
    static std::string_view enum_name(Enum e, const std::string_view (&names)[N]) noexcept {
        const auto n = static_cast<std::size_t>(e);
        return n < N ? names[n] : std::string_view("unknown");
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace oplog {

template <class Kernel>
collective collective_of(std::string_view comm_func) noexcept {
    using words = detail::oplog_words<Kernel>;
    return words::enum_of(comm_func, words::collectives, collective::other);
}
template <class Kernel>
group group_of(std::string_view group_kind) noexcept {
    using words = detail::oplog_words<Kernel>;
    return words::enum_of(group_kind, words::groups, group::other);
}
template <class Kernel>
pipeline_state pipeline_state_of(std::string_view mg_state) noexcept {
    using words = detail::oplog_words<Kernel>;
    return words::enum_of(mg_state, words::pipeline_states, pipeline_state::other);
}
template <class Kernel>
std::string_view name_of(collective c) noexcept {
    using words = detail::oplog_words<Kernel>;
    return words::enum_name(c, words::collectives);
}
template <class Kernel>
std::string_view name_of(group g) noexcept {
    using words = detail::oplog_words<Kernel>;
    return words::enum_name(g, words::group_names);
}
template <class Kernel>
std::string_view name_of(pipeline_state s) noexcept {
    using words = detail::oplog_words<Kernel>;
    return words::enum_name(s, words::pipeline_states);
}
inline std::string_view name_of(origin o) noexcept { return o == origin::rank ? "rank" : "stage"; }
template <class Kernel>
std::string_view name_of(field f) noexcept {
    if (f == field::none) return "none";
    if (f == field::all) return "all";
    // Each field has the same position as the row of its key.
    unsigned n = 0;
    for (const auto& row : detail::oplog_schema<Kernel>::sub_rows)
        if (static_cast<unsigned>(f) == 1U << n++) return row.name;
    return "several";
}

}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
