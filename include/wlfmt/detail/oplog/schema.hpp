// The keys of op logs, one row for each, in the tracer's order. Everything uses these rows, except the fast paths
// (paths.hpp, write.hpp). Also the words of op logs for collectives, groups and states of the pipeline.
#ifndef WLFMT_DETAIL_OPLOG_SCHEMA_HPP
#define WLFMT_DETAIL_OPLOG_SCHEMA_HPP

#include "../../types/oplog.hpp"
#include "../../workload/policies.hpp"
#include "../base/scan.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail {

// What a numeric attribute holds: an integer, a number, or a number that may be not_measured.
enum class numeric : std::uint8_t { index, time, duration };

// One key of a Record and the member that holds its value. The row of the nested list has no such member.
template <class Record> struct key_row {
    // `path` is what problems call the key; its last word is the key's name.
    template <class Member = std::nullptr_t>
    constexpr explicit key_row(std::string_view path, std::string_view column_meaning,
                               [[maybe_unused]] Member member = nullptr, numeric number_is = numeric::time) noexcept
        : name(path.substr(std::is_same_v<Record, oplog::operation> ? 0 : sizeof "sub_operations." - 1)),
          place(path),
          heading(name),
          meaning(column_meaning),
          holds(number_is) {
        if constexpr (std::is_same_v<Member, number Record::*>) as_number = member;
        else if constexpr (std::is_same_v<Member, text_view Record::*>) as_text = member;
        else if constexpr (std::is_same_v<Member, oplog::shape Record::*>) as_shape = member;
        else static_assert(std::is_null_pointer_v<Member>);
    }
    constexpr key_row& or_name(std::string_view other) noexcept {
        other_name = other;
        return *this;
    }
    // Whether `either`, which must be one of the row's two names, is `name`. The two differ in length.
    constexpr bool has_name(std::string_view either) const noexcept { return either.size() == name.size(); }
    constexpr key_row& column(std::string_view title) noexcept {
        heading = title;
        return *this;
    }
    constexpr key_row& of_variants() noexcept {
        is_tracers = false;
        return *this;
    }

    std::string_view name;
    std::string_view other_name = {};  // its name in variants of the tracer
    std::string_view place;
    std::string_view heading;  // the name of its column in CSV, Arrow and Python
    std::string_view meaning;  // what that column holds
    number Record::*as_number = nullptr;
    text_view Record::*as_text = nullptr;
    oplog::shape Record::*as_shape = nullptr;
    numeric holds = numeric::time;
    bool is_tracers = true;  // it is one of the tracer's own keys, which the fast paths expect
};

// The position of a key's row, or `extra` for a key without a row.
enum class op_key : std::uint8_t { extra = 31 };
enum class sub_key : std::uint8_t { extra = 31 };
enum class no_known_key : std::uint8_t { extra = 31 };

struct oplog_schema {
    using op = key_row<oplog::operation>;
    using sub = key_row<oplog::sub_operation>;

    static constexpr op op_rows[] = {
        op("stage_id"sv, "the pipeline stage"sv, &oplog::operation::stage_id, numeric::index),
        op("batch_id"sv, "the micro-batch"sv, &oplog::operation::batch_id, numeric::index),
        op("mg_state"sv, "the state of the pipeline's schedule"sv, &oplog::operation::mg_state).or_name("stage"sv),
        op("duration"sv, "how long the operation took"sv, &oplog::operation::duration, numeric::duration)
            .column("duration_ms"sv),
        op("description"sv, "free text"sv, &oplog::operation::description),
        op("group_kind"sv, "the communication group"sv, &oplog::operation::group_kind),
        op("input__shape"sv, "the sizes of the tensor"sv, &oplog::operation::input_shape),
        op("input__dtype"sv, "the type of the tensor's elements"sv, &oplog::operation::input_dtype),
        op("timestamp"sv, "when the operation ended, by a clock that never goes back; 0: not measured"sv,
           &oplog::operation::timestamp)
            .or_name("time_stamp"sv)
            .column("timestamp_ms"sv),
        op("sub_operations"sv, "the number of nested operations"sv),
    };
    static constexpr sub sub_rows[] = {
        sub("sub_operations.trace_src_func"sv, "the traced function"sv, &oplog::sub_operation::trace_src_func),
        sub("sub_operations.duration"sv, "how long the nested operation took"sv, &oplog::sub_operation::duration,
            numeric::duration)
            .column("sub_duration_ms"sv),
        sub("sub_operations.timestamp"sv, "when the nested operation ended"sv, &oplog::sub_operation::timestamp)
            .column("sub_timestamp_ms"sv),
        sub("sub_operations.input__shape"sv, "the sizes of the tensor"sv, &oplog::sub_operation::input_shape)
            .column("sub_input__shape"sv),
        sub("sub_operations.input__dtype"sv, "the type of the tensor's elements"sv, &oplog::sub_operation::input_dtype)
            .column("sub_input__dtype"sv),
        sub("sub_operations.func_name"sv, "where in the model the call is"sv, &oplog::sub_operation::func_name),
        sub("sub_operations.group"sv, "the communication group"sv, &oplog::sub_operation::group),
        sub("sub_operations.comm_func"sv, "the collective"sv, &oplog::sub_operation::comm_func),
    };

    template <class Key> static constexpr const auto& rows() noexcept {
        if constexpr (std::is_same_v<Key, op_key>) return op_rows;
        else return sub_rows;
    }
    // Whether there are keys that only variants of the tracer write.
    template <class Key> static constexpr bool has_variants() noexcept {
        for (const auto& row : rows<Key>())
            if (!row.is_tracers) return true;
        return false;
    }
    // If a known key begins at p, which must not be the end, sets `key` and returns the place after its `=`; else null.
    template <class Key>
    WLFMT_INLINE static const char* after_known(const char* p, const char* end, Key& key) noexcept {
        return after_known_from<0>(p, end, key);
    }

private:
    // As after_known(), from the N-th row on. Each row has its own comparisons: a loop would take half as long again.
    template <std::size_t N, class Key>
    WLFMT_INLINE static const char* after_known_from(const char* p, const char* end, Key& key) noexcept {
        if constexpr (N == std::size(rows<Key>())) {
            return nullptr;
        } else {
            constexpr const auto& row = rows<Key>()[N];
            constexpr std::size_t other_size = row.other_name.size();
            const char* after = after_name<row.name.size()>(p, end, row.name.data());
            if constexpr (other_size != 0)
                if (after == nullptr) after = after_name<other_size>(p, end, row.other_name.data());
            if (after == nullptr) return after_known_from<N + 1>(p, end, key);
            key = static_cast<Key>(N);
            return after;
        }
    }
    template <std::size_t Size>
    WLFMT_INLINE static const char* after_name(const char* p, const char* end, const char* name) noexcept {
        const bool is_here = *p == *name && holds(end, p, Size + 1) && !differs<Size>(p, name) && p[Size] == '=';
        return is_here ? p + Size + 1 : nullptr;
    }
};

inline constexpr std::string_view list_key = "sub_operations"sv;

template <class Record>
using key_of_record = std::conditional_t<std::is_same_v<Record, oplog::operation>, op_key, sub_key>;
template <class Record> constexpr const auto& rows_of() noexcept { return oplog_schema::rows<key_of_record<Record>>(); }
template <class Record> inline constexpr std::size_t key_count = std::size(rows_of<Record>());

template <class Record> constexpr bool names_differ_in_length() noexcept {
    for (const key_row<Record>& row : rows_of<Record>())
        if (row.has_name(row.other_name)) return false;
    return true;
}
template <class Record> const key_row<Record>& row_of(const Record&, key_of_record<Record> key) noexcept {
    static_assert(key_count<Record> <= static_cast<std::size_t>(key_of_record<Record>::extra));
    static_assert(names_differ_in_length<Record>(), "key_row::has_name() looks at the length alone");
    return rows_of<Record>()[static_cast<std::size_t>(key)];
}

// The key with that name; `extra` for any other name.
template <class Record> key_of_record<Record> key_named(std::string_view name) noexcept {
    std::size_t n = 0;
    for (const key_row<Record>& row : rows_of<Record>()) {
        if (row.name == name || (!row.other_name.empty() && row.other_name == name))
            return static_cast<key_of_record<Record>>(n);
        ++n;
    }
    return key_of_record<Record>::extra;
}
template <class Record> key_of_record<Record> key_of(const Record&, std::string_view name) noexcept {
    return key_named<Record>(name);
}

template <class Record, class Visitor> auto with_member(const key_row<Record>& row, Visitor&& visit) {
    if (row.as_text != nullptr) return visit(row.as_text);
    if (row.as_number != nullptr) return visit(row.as_number);
    if constexpr (std::is_same_v<Record, oplog::operation>)
        if (row.as_shape == nullptr) return visit(&oplog::operation::sub_operations);
    return visit(row.as_shape);
}
// Calls visit(row, member) for each key of a record, in the order of the rows.
template <class Record, class Visitor> void for_each_key(Record& r, Visitor&& visit) {
    for (const auto& row : rows_of<std::remove_const_t<Record>>())
        with_member(row, [&](auto member) { visit(row, r.*member); });
}

// Whether a record has a value for a known key that is not one of the tracer's own: the fast paths know only those.
template <class Record> WLFMT_INLINE bool has_variants_key([[maybe_unused]] const Record& r) noexcept {
    bool found = false;
    if constexpr (oplog_schema::has_variants<key_of_record<Record>>())
        for_each_key(r, [&](const auto& row, const auto& v) { found = found || (!row.is_tracers && !is_missing(v)); });
    return found;
}

// The tracer writes this in place of a duration.
inline constexpr std::string_view not_measured = "Async operation, duration not measured"sv;

struct oplog_words {
    using word = std::string_view;

    // The names in the order of oplog::collective. Op logs have fewer collectives than workload files.
    static constexpr word collectives[] = {workload::collectives::rows[0].name,
                                           workload::collectives::rows[1].name,
                                           workload::collectives::rows[4].name,
                                           workload::collectives::rows[2].name,
                                           workload::collectives::rows[3].name,
                                           workload::collectives::rows[7].name,
                                           "other"sv};
    static_assert(std::size(collectives) == static_cast<std::size_t>(oplog::collective::other) + 1,
                  "each enumerator of oplog::collective has its name here, and its words in spoken_collectives");
    static constexpr const char* pipeline_states[] = {"none", "warmup",  "steady",   "cooldown", "finalize",
                                                      "help", "forward", "backward", "other"};

    // The enumerator that the text names; the first one if there is no text, the last one for any other text.
    template <class Enum, class Word, std::size_t N>
    static Enum enum_of(std::string_view text, const Word (&words)[N]) noexcept {
        if (is_missing(text) || is_none(text)) return Enum{};
        std::size_t n = 1;
        while (n != N - 1 && words[n] != text) ++n;
        return static_cast<Enum>(n);
    }

    // The words for each collective, without `_` and in lower case: `all_reduce` and `AllReduce` are `allreduce`.
    struct collective_word {
        std::string_view word;
        oplog::collective collective;
    };
    static constexpr collective_word spoken_collectives[] = {{"allreduce"sv, oplog::collective::allreduce},
                                                             {"alltoall"sv, oplog::collective::all_to_all},
                                                             {"allgather"sv, oplog::collective::allgather},
                                                             {"reducescatter"sv, oplog::collective::reduce_scatter},
                                                             {"broadcast"sv, oplog::collective::broadcast}};
    // What may come after the word, as in reduce_scatter_tensor, all_gather_into_tensor, all_to_all_single and
    // c10d::allreduce_.
    static constexpr const char* tails[] = {"into",  "tensor", "single", "base", "coalesced",
                                            "async", "list",   "v",      "out",  "_"};
    // The beginnings of kernels' names, in which all that follows the word is about types and algorithms.
    static constexpr const char* kernels[] = {"ncclDevKernel_", "ncclKernel_", "rcclGenericKernel_"};

    // The kinds of groups in the order of oplog::group.
    struct group_row {
        std::string_view word;  // what tracers write
        const char* name;       // the enumerator's name
        bool in_stage;          // its ranks have the same program, so that waiting in it shows imbalance
    };
    static constexpr group_row groups[] = {{""sv, "none", false},
                                           {"dp"sv, "data_parallel", true},
                                           {"tp"sv, "tensor_parallel", true},
                                           {"pp"sv, "pipeline_parallel", false},
                                           {"ep"sv, "embedding", false},
                                           {"exp"sv, "expert_parallel", true},
                                           {"ep_dp"sv, "embedding_data_parallel", true},
                                           {"exp_dp"sv, "expert_data_parallel", true},
                                           {""sv, "other", false}};
    static constexpr std::size_t group_count = sizeof groups / sizeof *groups;

    // `name` is a comm_func or the name of a kernel.
    static oplog::collective collective_of(std::string_view name) noexcept {
        bool is_kernel = false;
        for (const std::string_view begin : kernels) {
            if (name.substr(0, begin.size()) != begin) continue;
            is_kernel = true;
            name.remove_prefix(begin.size());
        }
        name.remove_prefix(name.find_last_of(is_kernel ? "" : ":") + 1);
        for (const collective_word& row : spoken_collectives) {
            const std::size_t size = begins_with(name, row.word);
            if (size != 0 && (is_kernel || is_tail(name.substr(size)))) return row.collective;
        }
        return oplog::collective::other;
    }
    static oplog::group group_of(std::string_view word) noexcept {
        for (std::size_t n = 1; n != group_count; ++n)
            if (groups[n].word == word) return static_cast<oplog::group>(n);
        return oplog::group::other;
    }
    static std::string_view word_of(oplog::group g) noexcept { return groups[static_cast<std::size_t>(g)].word; }

    // The size of the word at the text's beginning, in any case and with any `_` in it; 0 if it is not there.
    static std::size_t begins_with(std::string_view text, std::string_view word) noexcept {
        std::size_t n = 0;
        for (const char c : word) {
            while (n != text.size() && text[n] == '_') ++n;
            if (n == text.size() || (text[n] != c && text[n] != c - 'a' + 'A')) return 0;
            ++n;
        }
        return n;
    }
    // Whether the text consists of tails.
    static bool is_tail(std::string_view text) noexcept {
        while (!text.empty()) {
            std::size_t size = 0;
            for (const std::string_view tail : tails)
                if (size == 0 && text.substr(0, tail.size()) == tail) size = tail.size();
            if (size == 0) return false;
            text.remove_prefix(size);
        }
        return true;
    }
};

}  // namespace detail

namespace oplog {

inline collective collective_of(std::string_view comm_func) noexcept {
    using words = detail::oplog_words;
    const auto exact = words::enum_of<collective>(comm_func, words::collectives);
    return exact == collective::other ? words::collective_of(comm_func) : exact;
}
inline group group_of(std::string_view group_kind) noexcept {
    if (is_missing(group_kind) || is_none(group_kind)) return group::none;
    return detail::oplog_words::group_of(group_kind);
}
inline pipeline_state pipeline_state_of(std::string_view mg_state) noexcept {
    return detail::oplog_words::enum_of<pipeline_state>(mg_state, detail::oplog_words::pipeline_states);
}
inline std::string_view name_of(collective c) noexcept { return detail::name_in(detail::oplog_words::collectives, c); }
inline std::string_view name_of(group g) noexcept {
    const auto n = static_cast<std::size_t>(g);
    return n < detail::oplog_words::group_count ? detail::oplog_words::groups[n].name : "unknown";
}
inline std::string_view name_of(pipeline_state s) noexcept {
    return detail::name_in(detail::oplog_words::pipeline_states, s);
}
inline std::string_view name_of(origin o) noexcept { return o == origin::rank ? "rank" : "stage"; }
inline std::string_view name_of(fields f) noexcept {
    if (f == fields::none) return "none";
    if (f == fields::all) return "all";
    // Each field has the same position as the row of its key.
    unsigned n = 0;
    for (const auto& row : detail::oplog_schema::sub_rows)
        if (static_cast<unsigned>(f) == 1U << n++) return row.name;
    return "several";
}

}  // namespace oplog
}}  // namespace wlfmt::WLFMT_ABI

#endif
