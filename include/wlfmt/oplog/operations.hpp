// wlfmt/oplog/operations.hpp: what the names of operations say about them. Not included by wlfmt.hpp.
//
//     if (wlfmt::oplog::operations::facts_of(op.op).is_communication()) ms += op.duration.value_or(0.0);
#include "../version.hpp"

#ifndef WLFMT_OPLOG_OPERATIONS_HPP
#define WLFMT_OPLOG_OPERATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../oplog.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

enum class operation_kind : std::uint8_t {
    other,  // nothing is known about it, and it counts as computation
    input,
    forward,
    loss,
    backward,
    optimizer,
    collective,
    send,
    receive,
    exchange  // a send and a receive at once
};

// The facts that the name of an operation gives.
struct operation_facts {
    operation_kind kind = operation_kind::other;
    bool backward = false;        // its message, or the one that its exchange sends, goes to an earlier stage
    bool between_stages = false;  // it is a message with a known direction
    oplog::collective collective = oplog::collective::none;
    std::string_view group = {};  // the kind of a collective's group, if the name has it

    bool is_message() const noexcept { return kind >= operation_kind::send; }
    bool is_communication() const noexcept { return kind >= operation_kind::collective; }
    bool is_pipeline_step() const noexcept { return kind >= operation_kind::input && kind <= operation_kind::backward; }
    // Whether the other end of the message is in the next stage, not in the previous one.
    bool is_to_next_stage() const noexcept { return (kind == operation_kind::receive) == backward; }
};

// The names of operations, and the kinds of groups that they name.
namespace operations {

// Kinds of groups that occur in answers about a run, but that tracers do not write. `model` is the group of the
// collectives that optimizer_step hides.
inline constexpr std::string_view embedding = "embedding";
inline constexpr std::string_view model = "model";

// A name or, if it ends in `*`, the beginning of names. The first row that matches counts.
struct row {
    std::string_view name;
    operation_kind kind;
    bool backward;
};
inline constexpr row rows[] = {
    {"get_batch", operation_kind::input, false},
    {"forward_step", operation_kind::forward, false},
    {"loss_func", operation_kind::loss, false},
    {"backward_step", operation_kind::backward, true},
    {"optimizer_step", operation_kind::optimizer, false},
    {"send_forward", operation_kind::send, false},
    {"recv_forward", operation_kind::receive, false},
    {"send_backward", operation_kind::send, true},
    {"recv_backward", operation_kind::receive, true},
    // An exchange, timed once, is written by the tracer as a send and a receive; these name both together.
    {"send_forward_recv_backward", operation_kind::exchange, false},
    {"send_backward_recv_forward", operation_kind::exchange, true},
    {"send_*", operation_kind::send, false},
    {"recv_*", operation_kind::receive, false}};

[[nodiscard]] inline operation_facts facts_of(text_view operation) noexcept {
    const std::string_view name = operation;
    for (const row& known : rows) {
        const bool is_pattern = known.name.back() == '*';
        const std::size_t size = known.name.size() - (is_pattern ? 1 : 0);
        if (name.substr(0, size) != known.name.substr(0, size) || (!is_pattern && name.size() != size)) continue;
        operation_facts facts{known.kind, known.backward};
        facts.between_stages = facts.is_message() && !is_pattern;
        return facts;
    }
    using words = detail::oplog_words;
    const auto collective = [](oplog::collective which, std::string_view before, std::string_view after) {
        while (!before.empty() && before.back() == '_') before.remove_suffix(1);
        while (!after.empty() && after.front() == '_') after.remove_prefix(1);
        operation_facts facts{operation_kind::collective, false, false, which};
        for (const words::group_row& group : words::groups)
            if (!group.word.empty() && (group.word == before || group.word == after)) {
                facts.group = group.word;
                return facts;
            }
        if (before.find(embedding) != std::string_view::npos) facts.group = embedding;
        return facts;
    };
    for (std::size_t at = 0; at != name.size(); ++at)
        // No word begins at a `_`. Without this check, many of them in a row would be skipped from each of its bytes.
        for (const words::collective_word& spoken : words::spoken_collectives) {
            const std::size_t size = name[at] == '_' ? 0 : words::begins_with(name.substr(at), spoken.word);
            if (size != 0) return collective(spoken.collective, name.substr(0, at), name.substr(at + size));
        }
    if (const std::size_t at = name.find("_comm");
        at != std::string_view::npos && (at + 5 == name.size() || name[at + 5] == '_'))
        return collective(oplog::collective::other, name.substr(0, at + 1), name.substr(at + 5));
    return {};
}
// The name of the operations of a kind; empty if there is none. Static storage.
[[nodiscard]] inline std::string_view name_of(operation_kind kind, bool backward = false) noexcept {
    for (const row& known : rows)
        if (known.kind == kind && known.backward == backward) return known.name;
    return {};
}
// The word that tracers write for a kind of groups; empty for a value that is not an enumerator. Static storage.
[[nodiscard]] inline std::string_view word_of(group g) noexcept {
    const auto n = static_cast<std::size_t>(g);
    return n < detail::oplog_words::group_count ? detail::oplog_words::groups[n].word : std::string_view();
}
// Whether the ranks of a group of this kind are in one stage, and so have the same program.
[[nodiscard]] inline bool is_in_stage(text_view group_kind) noexcept {
    return detail::oplog_words::groups[static_cast<std::size_t>(group_of(group_kind))].in_stage;
}
// The kind of a record's group, from its key or else its name. `ep` is the embedding group in records only.
[[nodiscard]] inline std::string_view group_of_record(text_view group_kind WLFMT_LIFETIMEBOUND,
                                                      const operation_facts& facts) noexcept {
    const std::string_view kind =
        group_kind.empty() || is_none(group_kind) ? facts.group : std::string_view(group_kind);
    return kind == word_of(group::embedding) ? embedding : kind;
}

}  // namespace operations

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#include "../detail/base/config_end.hpp"
#endif
