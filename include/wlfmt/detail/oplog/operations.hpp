// What the names of operations say about them. The words for collectives are in schema.hpp.
#ifndef WLFMT_DETAIL_OPLOG_OPERATIONS_HPP
#define WLFMT_DETAIL_OPLOG_OPERATIONS_HPP

#include "../../oplog.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The members of a blocking call leave it within this many nanoseconds of each other.
inline constexpr double clock_noise = 70000;

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

struct oplog_operations : oplog_words {
    // A name or, if it ends in `*`, the beginning of names. The first row that matches counts.
    struct operation_row {
        std::string_view name;
        operation_kind kind;
        bool backward;
    };
    static constexpr operation_row operations[] = {
        {"get_batch"sv, operation_kind::input, false},
        {"forward_step"sv, operation_kind::forward, false},
        {"loss_func"sv, operation_kind::loss, false},
        {"backward_step"sv, operation_kind::backward, true},
        {"optimizer_step"sv, operation_kind::optimizer, false},
        {"send_forward"sv, operation_kind::send, false},
        {"recv_forward"sv, operation_kind::receive, false},
        {"send_backward"sv, operation_kind::send, true},
        {"recv_backward"sv, operation_kind::receive, true},
        // An exchange, timed once, is written by the tracer as a send and a receive; these name both together.
        {"send_forward_recv_backward"sv, operation_kind::exchange, false},
        {"send_backward_recv_forward"sv, operation_kind::exchange, true},
        {"send_*"sv, operation_kind::send, false},
        {"recv_*"sv, operation_kind::receive, false}};

    static operation_facts facts_of(std::string_view name) noexcept {
        for (const operation_row& row : operations) {
            const bool is_pattern = row.name.back() == '*';
            const std::size_t size = row.name.size() - (is_pattern ? 1 : 0);
            if (name.substr(0, size) != row.name.substr(0, size) || (!is_pattern && name.size() != size)) continue;
            operation_facts facts{row.kind, row.backward};
            facts.between_stages = facts.is_message() && !is_pattern;
            return facts;
        }
        const auto collective = [](oplog::collective which, std::string_view before, std::string_view after) {
            return operation_facts{operation_kind::collective, false, false, which, group_in(before, after)};
        };
        for (std::size_t at = 0; at != name.size(); ++at)
            // No word begins at a `_`. Without this check, a run of them would be skipped from each of its bytes.
            for (const collective_word& row : spoken_collectives) {
                const std::size_t size = name[at] == '_' ? 0 : begins_with(name.substr(at), row.word);
                if (size != 0) return collective(row.collective, name.substr(0, at), name.substr(at + size));
            }
        if (const std::size_t at = name.find("_comm");
            at != std::string_view::npos && (at + 5 == name.size() || name[at + 5] == '_'))
            return collective(oplog::collective::other, name.substr(0, at + 1), name.substr(at + 5));
        return {};
    }
    static std::string_view name_of(operation_kind kind, bool backward = false) noexcept {
        for (const operation_row& row : operations)
            if (row.kind == kind && row.backward == backward) return row.name;
        return {};
    }
    static bool is_in_stage(std::string_view group) noexcept {
        return groups[static_cast<std::size_t>(oplog_operations::group_of(group))].in_stage;
    }
    // The kind of a record's group, from its key or else its name. `ep` is the embedding group in records only.
    static std::string_view group_of_record(std::string_view group_kind, const operation_facts& facts) noexcept {
        if (group_kind.empty() || group_kind == "None") group_kind = facts.group;
        return group_kind == groups[static_cast<std::size_t>(oplog::group::embedding)].word ? embedding : group_kind;
    }
    // Kinds of groups that occur in answers about a run, but that tracers do not write. `model` is the group of the
    // collectives that optimizer_step hides.
    static constexpr std::string_view embedding = "embedding";
    static constexpr std::string_view model = "model";

private:
    static std::string_view group_in(std::string_view before, std::string_view after) noexcept {
        while (!before.empty() && before.back() == '_') before.remove_suffix(1);
        while (!after.empty() && after.front() == '_') after.remove_prefix(1);
        for (const group_row& row : groups)
            if (!row.word.empty() && (row.word == before || row.word == after)) return row.word;
        return before.find(embedding) != std::string_view::npos ? std::string_view(embedding) : std::string_view();
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
