// The keys of op logs: a row for each, in the order in which the tracer writes them. Code that reads, writes, finds and
// checks attributes one by one goes by the rows; only the plain paths (plain.hpp, write.hpp) name keys themselves.
#ifndef WLFMT_DETAIL_OPLOG_SCHEMA_HPP
#define WLFMT_DETAIL_OPLOG_SCHEMA_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../../types/oplog.hpp"
#include "../base/scan.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// What a numeric attribute holds: an integer, a number, or a number that may be not_measured.
enum class numeric : std::uint8_t { index, time, duration };

// One key of a Record and the member that holds its value. A row without a member is that of the nested list.
template <class Record>
struct key_row {
    // `where`: what an error calls the key, whose name is its last word.
    constexpr explicit key_row(std::string_view where) noexcept
        : name(where.substr(std::is_same_v<Record, oplog::operation> ? 0 : sizeof "sub_operations." - 1)),
          place(where),
          heading(name) {}
    constexpr key_row(std::string_view where, number Record::*member, numeric what) noexcept : key_row(where) {
        as_number = member;
        holds = what;
    }
    constexpr key_row(std::string_view where, text Record::*member) noexcept : key_row(where) { as_text = member; }
    constexpr key_row(std::string_view where, oplog::shape Record::*member) noexcept : key_row(where) {
        as_shape = member;
    }
    constexpr key_row or_name(std::string_view other) const noexcept {
        key_row row = *this;
        row.other_name = other;
        return row;
    }
    // Which of the row's two names it is: they differ in their lengths.
    constexpr bool has_name(std::string_view either) const noexcept { return either.size() == name.size(); }
    constexpr key_row column(std::string_view title) const noexcept {
        key_row row = *this;
        row.heading = title;
        return row;
    }
    constexpr key_row of_variants() const noexcept {
        key_row row = *this;
        row.is_tracers = false;
        return row;
    }

    std::string_view name;
    std::string_view other_name = {};  // its name in variants of the tracer
    std::string_view place;
    std::string_view heading;  // of its column in CSV
    number Record::*as_number = nullptr;
    text Record::*as_text = nullptr;
    oplog::shape Record::*as_shape = nullptr;
    numeric holds = numeric::time;
    bool is_tracers = true;  // one of the tracer's own keys, which the plain paths expect
};

// The keys, in the order of their rows.
enum class op_key : std::uint8_t {
    stage_id,
    batch_id,
    mg_state,
    duration,
    description,
    group_kind,
    input_shape,
    input_dtype,
    timestamp,
    sub_operations,
    extra
};
enum class sub_key : std::uint8_t {
    trace_src_func,
    duration,
    timestamp,
    input_shape,
    input_dtype,
    func_name,
    group,
    comm_func,
    extra
};
enum class no_known_key : std::uint8_t { extra };

template <class Way>
struct oplog_schema {
    using op = typename lazily<Way, key_row<oplog::operation>>::type;
    using sub = typename lazily<Way, key_row<oplog::sub_operation>>::type;

    static constexpr op op_rows[] = {
        op("stage_id", &oplog::operation::stage_id, numeric::index),
        op("batch_id", &oplog::operation::batch_id, numeric::index),
        op("mg_state", &oplog::operation::mg_state).or_name("stage"),
        op("duration", &oplog::operation::duration, numeric::duration).column("duration_ms"),
        op("description", &oplog::operation::description),
        op("group_kind", &oplog::operation::group_kind),
        op("input__shape", &oplog::operation::input_shape),
        op("input__dtype", &oplog::operation::input_dtype),
        op("timestamp", &oplog::operation::timestamp, numeric::time).or_name("time_stamp").column("timestamp_ms"),
        op("sub_operations"),
    };
    static constexpr sub sub_rows[] = {
        sub("sub_operations.trace_src_func", &oplog::sub_operation::trace_src_func),
        sub("sub_operations.duration", &oplog::sub_operation::duration, numeric::duration).column("sub_duration_ms"),
        sub("sub_operations.timestamp", &oplog::sub_operation::timestamp, numeric::time).column("sub_timestamp_ms"),
        sub("sub_operations.input__shape", &oplog::sub_operation::input_shape).column("sub_input__shape"),
        sub("sub_operations.input__dtype", &oplog::sub_operation::input_dtype).column("sub_input__dtype"),
        sub("sub_operations.func_name", &oplog::sub_operation::func_name),
        sub("sub_operations.group", &oplog::sub_operation::group),
        sub("sub_operations.comm_func", &oplog::sub_operation::comm_func),
    };

    // If a key begins at p, the place after its `=`, and which key it is; else null. Switches: looking at the rows one
    // by one would take half as long again.
    WLFMT_INLINE static const char* after_known(const char* p, const char* end, op_key& key) noexcept {
        const auto is = [&](auto& name, op_key which) {
            if (!starts(p, end, name)) return false;
            key = which;
            p += sizeof name - 1;
            return true;
        };
        switch (*p) {
        case 'b': return is("batch_id=", op_key::batch_id) ? p : nullptr;
        case 'd': return is("duration=", op_key::duration) || is("description=", op_key::description) ? p : nullptr;
        case 'g': return is("group_kind=", op_key::group_kind) ? p : nullptr;
        case 'i':
            return is("input__shape=", op_key::input_shape) || is("input__dtype=", op_key::input_dtype) ? p : nullptr;
        case 'm': return is("mg_state=", op_key::mg_state) ? p : nullptr;
        case 's':
            if (is("stage_id=", op_key::stage_id) || is("stage=", op_key::mg_state)) return p;
            return is("sub_operations=", op_key::sub_operations) ? p : nullptr;
        case 't': return is("timestamp=", op_key::timestamp) || is("time_stamp=", op_key::timestamp) ? p : nullptr;
        default: return nullptr;
        }
    }
    WLFMT_INLINE static const char* after_known(const char* p, const char* end, sub_key& key) noexcept {
        const auto is = [&](auto& name, sub_key which) {
            if (!starts(p, end, name)) return false;
            key = which;
            p += sizeof name - 1;
            return true;
        };
        switch (*p) {
        case 'c': return is("comm_func=", sub_key::comm_func) ? p : nullptr;
        case 'd': return is("duration=", sub_key::duration) ? p : nullptr;
        case 'f': return is("func_name=", sub_key::func_name) ? p : nullptr;
        case 'g': return is("group=", sub_key::group) ? p : nullptr;
        case 'i':
            return is("input__shape=", sub_key::input_shape) || is("input__dtype=", sub_key::input_dtype) ? p : nullptr;
        case 't':
            return is("timestamp=", sub_key::timestamp) || is("trace_src_func=", sub_key::trace_src_func) ? p : nullptr;
        default: return nullptr;
        }
    }
    WLFMT_INLINE static const char* after_known(const char*, const char*, no_known_key&) noexcept { return nullptr; }
};

inline constexpr std::string_view list_key = "sub_operations";

template <class Record>
constexpr const auto& rows_of() noexcept {
    if constexpr (std::is_same_v<Record, oplog::operation>)
        return oplog_schema<kernel>::op_rows;
    else
        return oplog_schema<kernel>::sub_rows;
}
template <class Record>
using key_of_record = std::conditional_t<std::is_same_v<Record, oplog::operation>, op_key, sub_key>;
template <class Record>
inline constexpr std::size_t key_count = static_cast<std::size_t>(key_of_record<Record>::extra);

template <class Record>
constexpr bool names_differ_in_length() noexcept {
    for (const key_row<Record>& row : rows_of<Record>())
        if (row.has_name(row.other_name)) return false;
    return true;
}
template <class Record>
constexpr const key_row<Record>& row_of(const Record&, key_of_record<Record> key) noexcept {
    static_assert(sizeof rows_of<Record>() == key_count<Record> * sizeof(key_row<Record>), "each key has a row");
    static_assert(names_differ_in_length<Record>(), "key_row::has_name() looks at the length alone");
    return rows_of<Record>()[static_cast<std::size_t>(key)];
}

// The key of that name; `extra` for any other name.
template <class Record>
key_of_record<Record> key_of(const Record&, std::string_view name) noexcept {
    std::size_t n = 0;
    for (const key_row<Record>& row : rows_of<Record>()) {
        if (row.name == name || (!row.other_name.empty() && row.other_name == name)) break;
        ++n;
    }
    return static_cast<key_of_record<Record>>(n);
}

// Calls visit(pointer) with the pointer to the member of a row.
template <class Record, class Visitor>
auto with_member(const key_row<Record>& row, Visitor&& visit) {
    if (row.as_text != nullptr) return visit(row.as_text);
    if (row.as_number != nullptr) return visit(row.as_number);
    if constexpr (std::is_same_v<Record, oplog::operation>)
        if (row.as_shape == nullptr) return visit(&oplog::operation::sub_operations);
    return visit(row.as_shape);
}
// Calls visit(row, member) for each key of a record, in the order of the rows.
template <class Record, class Visitor>
void for_each_key(Record& r, Visitor&& visit) {
    for (const auto& row : rows_of<std::remove_const_t<Record>>())
        with_member(row, [&](auto member) { visit(row, r.*member); });
}

template <class Record>
constexpr bool all_keys_are_tracers() noexcept {
    for (const key_row<Record>& row : rows_of<Record>())
        if (!row.is_tracers) return false;
    return true;
}
// Does a record hold the value of a known key that is not one of the tracer's own? The plain paths do not know it.
template <class Record>
WLFMT_INLINE bool has_variants_key(const Record& r) noexcept {
    if constexpr (all_keys_are_tracers<Record>()) {
        static_cast<void>(r);
        return false;
    } else {
        bool found = false;
        for_each_key(r, [&](const auto& row, const auto& v) { found = found || (!row.is_tracers && !is_missing(v)); });
        return found;
    }
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
