// The members of a record under their keys: visited in the order in which they are written, found by name, and placed
// in the text that they were read from.
#ifndef WLFMT_DETAIL_OPLOG_FIND_HPP
#define WLFMT_DETAIL_OPLOG_FIND_HPP

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../../to_number.hpp"
#include "../../types/oplog.hpp"
#include "../error/problems.hpp"
#include "general.hpp"
#include "lists.hpp"
#include "members.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Calls visit(key, member) for each attribute of a record in the order in which it is written. Where the record has a
// list of its attributes that order rules: a known key takes the member's place in it, once, and members that the list
// does not name come before the nested list or last.
template <class Visitor>
void visit_member(const oplog::operation& r, op_key key, std::string_view name, Visitor& visit) {
    switch (key) {
    case op_key::stage_id: return visit(name, r.stage_id);
    case op_key::batch_id: return visit(name, r.batch_id);
    case op_key::mg_state: return visit(name, r.mg_state);
    case op_key::duration: return visit(name, r.duration);
    case op_key::description: return visit(name, r.description);
    case op_key::group_kind: return visit(name, r.group_kind);
    case op_key::input_shape: return visit(name, r.input_shape);
    case op_key::input_dtype: return visit(name, r.input_dtype);
    case op_key::timestamp: return visit(name, r.timestamp);
    case op_key::sub_operations: return visit(name, r.sub_operations);
    case op_key::further: return;
    }
}
template <class Visitor>
void visit_member(const oplog::sub_operation& s, sub_key key, std::string_view name, Visitor& visit) {
    switch (key) {
    case sub_key::trace_src_func: return visit(name, s.trace_src_func);
    case sub_key::duration: return visit(name, s.duration);
    case sub_key::timestamp: return visit(name, s.timestamp);
    case sub_key::input_shape: return visit(name, s.input_shape);
    case sub_key::input_dtype: return visit(name, s.input_dtype);
    case sub_key::func_name: return visit(name, s.func_name);
    case sub_key::group: return visit(name, s.group);
    case sub_key::comm_func: return visit(name, s.comm_func);
    case sub_key::further: return;
    }
}

inline constexpr std::string_view op_key_names[] = {"stage_id",    "batch_id",      "mg_state",     "duration",
                                                    "description", "group_kind",    "input__shape", "input__dtype",
                                                    "timestamp",   "sub_operations"};

// The key of that name; `further` for any other name.
template <class Key, std::size_t N>
Key key_among(const std::string_view (&names)[N], std::string_view name) noexcept {
    static_assert(static_cast<std::size_t>(Key::further) == N, "the names are those of the keys");
    std::size_t n = 0;
    while (n != N && names[n] != name) ++n;
    return static_cast<Key>(n);
}
template <class Kernel = kernel>
inline op_key key_of(const oplog::operation&, std::string_view name) noexcept {
    if (is_other_name(name)) return name == "stage" ? op_key::mg_state : op_key::timestamp;
    return key_among<op_key>(op_key_names, name);
}
template <class Kernel = kernel>
inline sub_key key_of(const oplog::sub_operation&, std::string_view name) noexcept {
    return key_among<sub_key>(sub_key_names, name);
}

template <class Record, class Key, std::size_t N, class Visitor>
void visit_attributes(const Record& r, const std::string_view (&key_names)[N], Key further, Visitor&& visit) {
    unsigned listed = 0;
    for (const oplog::attribute& a : r.attributes) {
        const Key key = key_of(r, a.key);
        if (key != further) listed |= 1U << static_cast<unsigned>(key);
    }
    const auto others = [&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n)
            if ((listed & (1U << n)) == 0) visit_member(r, static_cast<Key>(n), key_names[n], visit);
    };
    unsigned written = 0;
    bool others_written = false;
    for (const oplog::attribute& a : r.attributes) {
        const Key key = key_of(r, a.key);
        const unsigned bit = 1U << static_cast<unsigned>(key);
        if (key == further || (written & bit) != 0) {
            visit(a.key, a.value);
            continue;
        }
        if (key_names[static_cast<unsigned>(key)] == list_key) {
            others(0, N);
            others_written = true;
        }
        written |= bit;
        visit_member(r, key, a.key, visit);
    }
    if (!others_written) others(0, N);
}

// What a member holds as text: nothing where it is a value.
template <class Member>
std::string_view text_of(const Member& v) noexcept {
    if constexpr (std::is_convertible_v<const Member&, std::string_view>)
        return v;
    else
        return v.text();
}

// For records with a list of their attributes, and for whoever wants them one by one.
template <class Visitor>
void visit_attributes(const oplog::operation& r, Visitor&& visit) {
    visit_attributes(r, op_key_names, op_key::further, visit);
}
template <class Visitor>
void visit_attributes(const oplog::sub_operation& s, Visitor&& visit) {
    visit_attributes(s, sub_key_names, sub_key::further, visit);
}

// The value of a key in the text of a record; a known key is found under its other name too.
template <class Record, class Key>
std::string_view find_place(const Record& r, std::string_view text, separator kind, std::string_view name,
                            Key further) noexcept {
    attribute_splitter<Key> split(text, kind);
    const Key wanted = key_of(r, name);
    oplog::attribute a;
    for (Key key{}; split.next(a, key);)
        if (wanted == further ? a.key == name : key == wanted) return a.value;
    return {};
}

// What find() returns for a member; `place` is where the text that was read has its value.
template <class Kernel = kernel>
inline value value_of(const oplog::shape& s, std::string_view) noexcept {
    return s.dims() != nullptr ? value(s.dims(), s.size()) : value_of(s.text());
}
template <class Kernel = kernel>
inline value value_of(const oplog::sub_operation_list& list, std::string_view) noexcept {
    if (list.is_missing()) return {};
    return list.is_none() ? value("None", nullptr) : value(list.text(), number(list.text()));
}
template <class Kernel = kernel>
inline value value_of(const text& t, std::string_view) noexcept {
    return value_of(t);
}

// The names of error::field, `sub_operations.duration`, are known, too.
template <class Kernel = kernel>
inline std::string_view without_list_key(std::string_view name) noexcept {
    constexpr std::string_view prefix = "sub_operations.";
    return name.substr(0, prefix.size()) == prefix ? name.substr(prefix.size()) : name;
}

// What where() promises.
template <class Way>
struct oplog_finding {
    static std::string_view where(const oplog::sub_operation& sub, std::string_view field) noexcept {
        field = without_list_key(field);
        if (sub.is_text()) return field == "text" ? sub.source : wlfmt::text();
        return find_place(sub, sub.source, separator::undecided, field, sub_key::further);
    }

    static std::string_view where(const oplog::operation& op, std::string_view field) noexcept {
        const char* const end = op.source.data() + op.source.size();
        record_head head;
        if (op.source.empty() || !read_head(op.source.data(), end, head)) return {};
        if (field == "op") return head.op;
        if (field == name_of(head.origin)) return head.number;
        const bool closed = end != head.body && end[-1] == ')';
        std::string_view body = view(head.body, closed ? end - 1 : end);
        // What a lenient reader passed over before the first key.
        options lenient;
        lenient.lenient = true;
        problems ignored(body, lenient);
        separator kind = separator::undecided;
        pass_junk(body, kind, &ignored);
        const std::string_view found = find_place(op, body, kind, field, op_key::further);
        // Text after the record, where that was tolerated, is not a part of its list.
        const bool list = !found.empty() && found.front() == '[' && key_of(op, field) == op_key::sub_operations;
        if (!list || ends_as_list(found.data(), found.data() + found.size())) return found;
        const char* const list_end = after_list(found.data(), found.data() + found.size());
        return list_end == nullptr ? found : view(found.data(), list_end);
    }
};

// The present value of a member; `name` is its key.
template <class Record, class Member>
value member_value(const Record& r, std::string_view name, const Member& v) noexcept {
    const bool read = std::is_same_v<Member, number> && !is_missing(v);
    return value_of(v, read ? oplog_finding<kernel>::where(r, name) : std::string_view());
}

template <class Record, class Key>
value find_value(const Record& r, std::string_view name, Key further) noexcept {
    const Key key = key_of(r, name);
    value found;
    if (key != further) {
        const auto take = [&](std::string_view, const auto& v) { found = member_value(r, name, v); };
        visit_member(r, key, name, take);
        return found;
    }
    for (const oplog::attribute& a : r.attributes)
        if (a.key == name) return value_of(a.value);
    return found;
}

// Calls visit(key, value) for each attribute that the record has, in the order in which it is written.
template <class Record, class Visitor>
void visit_values(const Record& r, Visitor& visit) {
    visit_attributes(r, [&](std::string_view key, const auto& v) {
        if (!is_missing(v)) visit(key, member_value(r, key, v));
    });
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace oplog {

template <class Kernel>
value operation::find(std::string_view key) const noexcept {
    // The head's names, which an attribute may have, too: where() places the head as well.
    if (key == "op") return detail::value_of(op);
    if (key == name_of(origin)) return detail::value_of(number(rank), detail::oplog_finding<Kernel>::where(*this, key));
    return detail::find_value(*this, key, detail::op_key::further);
}
template <class Kernel>
value sub_operation::find(std::string_view key) const noexcept {
    key = detail::without_list_key(key);
    if (is_text()) return key == "text" ? detail::value_of(text) : value();
    return detail::find_value(*this, key, detail::sub_key::further);
}

}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
