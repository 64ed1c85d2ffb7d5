// Visits the members of a record by key in the order of writing, finds them and their places in the text, and compares
// and sets them.
#ifndef WLFMT_DETAIL_OPLOG_FIND_HPP
#define WLFMT_DETAIL_OPLOG_FIND_HPP

#include "../../number.hpp"
#include "../error/problems.hpp"
#include "paths.hpp"
#include "reader.hpp"
#include "schema.hpp"
#include "split.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail {

// Calls visit(key, member) for each attribute of a record in the order of writing, which is that of its list of
// attributes. The first occurrence of a known key there stands for the member. Members that are not in the list come
// before the nested list or, if that is not in it either, last.
template <class Record, class Visitor> void visit_attributes(const Record& r, Visitor&& visit) {
    using keys = key_of_record<Record>;
    const auto bit_of = [](keys key) { return 1U << static_cast<unsigned>(key); };
    unsigned listed = 0;
    for (const oplog::attribute& a : r.attributes) listed |= bit_of(key_of(r, a.key));
    const auto visit_as = [&](const key_row<Record>& row, std::string_view name) {
        with_member(row, [&](auto member) { visit(name, r.*member); });
    };
    const auto visit_others = [&] {
        unsigned bit = 1;
        for (const key_row<Record>& row : rows_of<Record>()) {
            if ((listed & bit) == 0) visit_as(row, row.name);
            bit <<= 1;
        }
        listed = ~0U;
    };
    unsigned written = bit_of(keys::extra);  // a further key has no member
    for (const oplog::attribute& a : r.attributes) {
        const keys key = key_of(r, a.key);
        if ((written & bit_of(key)) != 0) {
            visit(a.key, a.value);
            continue;
        }
        written |= bit_of(key);
        const key_row<Record>& row = row_of(r, key);
        if (row.name == list_key) visit_others();
        visit_as(row, a.key);
    }
    visit_others();
}

// The text that a member holds; empty if it holds a decoded value.
template <class Member> std::string_view text_of(const Member& v) noexcept {
    if constexpr (std::is_convertible_v<const Member&, std::string_view>) return v;
    else return v.text();
}

// The value of a key in the text of a record. A known key is found under either of its names.
template <class Record>
std::string_view find_place(const Record& r, std::string_view text, separator kind, std::string_view name) noexcept {
    using keys = key_of_record<Record>;
    attribute_splitter<keys> split(text, kind);
    const keys wanted = key_of(r, name);
    oplog::attribute a;
    for (keys key{}; split.next(a, key);)
        if (wanted == keys::extra ? a.key == name : key == wanted) return a.value;
    return {};
}

// The value that find() returns for a member.
inline value value_of(const oplog::shape& s) noexcept {
    if (s.dims() == nullptr) return value_of(s.text());
    value v(s.dims(), s.size());
    value_access::keep(v, oplog_access::owned(s));
    return v;
}
inline value value_of(const oplog::sub_operation_list& list) noexcept {
    if (list.is_missing()) return {};
    return list.is_none() ? value("None", nullptr) : value(list.text(), number(list.text()));
}

// Implements where(): finds the place of a field in the text of a record.
struct oplog_finding {
    // In problems, the key `duration` of a nested operation is `sub_operations.duration`.
    static std::string_view without_list_key(std::string_view name) noexcept {
        constexpr std::string_view prefix = "sub_operations."sv;
        return name.substr(0, prefix.size()) == prefix ? name.substr(prefix.size()) : name;
    }

    static std::string_view where(const oplog::sub_operation& sub, std::string_view field) noexcept {
        field = without_list_key(field);
        if (sub.is_text()) return field == "text" ? sub.source : wlfmt::text_view();
        return find_place(sub, sub.source, separator::undecided, field);
    }

    static std::string_view where(const oplog::operation& op, std::string_view field) noexcept {
        const char* const end = op.source.data() + op.source.size();
        record_head head;
        if (op.source.empty() || !oplog_split::read_head(op.source.data(), end, head)) return {};
        if (field == "op") return head.op;
        if (field == name_of(head.origin)) return head.number;
        std::string_view body = view(head.body, end != head.body && end[-1] == ')' ? end - 1 : end);
        // A lenient reader may have skipped text before the first key.
        separator kind = separator::undecided;
        oplog_slow::pass_junk(body, kind, nullptr);
        const std::string_view found = find_place(op, body, kind, field);
        // Text that was tolerated after the record is not a part of its list.
        const bool list = !found.empty() && found.front() == '[' && field == list_key;
        const char* const found_end = found.data() + found.size();
        if (!list || (found_end == body.data() + body.size() && ends_as_list(found.data(), found_end))) return found;
        const char* const list_end = oplog_split::after_list(found.data(), found_end);
        return list_end == nullptr ? found : view(found.data(), list_end);
    }
};

// The current value of a member whose key is `name`.
template <class Record, class Member>
value member_value(const Record& r, std::string_view name, const Member& v) noexcept {
    if constexpr (std::is_same_v<Member, number>)
        return value_of(v, is_missing(v) ? std::string_view() : oplog_finding::where(r, name));
    else return value_of(v);
}

template <class Record> value find_value(const Record& r, std::string_view name) noexcept {
    const auto key = key_of(r, name);
    if (key != key_of_record<Record>::extra)
        return with_member(row_of(r, key), [&](auto member) { return member_value(r, name, r.*member); });
    for (const oplog::attribute& a : r.attributes)
        if (a.key == name) return value_of(a.value);
    return {};
}

// Which of two records, a and b, may have texts with the escapes of a Python string.
struct escaped_records {
    bool a = false;
    bool b = false;
};
inline bool holds_escapes(const oplog::operation&) noexcept { return false; }
inline bool holds_escapes(const oplog::sub_operation& s) noexcept { return s.quote != 0; }

// Whether two texts have one value: the same bytes, but for escapes, or the same list of integers, `torch.Size([8])`
// and
// `[8]`. JSON carries no more of them.
inline bool is_same_value(std::string_view a, bool a_escaped, std::string_view b, bool b_escaped) noexcept {
    if (is_same_text(a, a_escaped, b, b_escaped)) return true;
    const oplog::shape list(a);
    const oplog::shape other(b);
    return list.is_list() && other.is_list() && are_same(list, other);
}

// The attributes of a record that have a value, but no member.
struct further_attributes {
    using iterator = oplog::attribute_list::iterator;

    const oplog::attribute_list& list;
    bool (*is_further)(std::string_view key) noexcept;
    bool escaped;  // keys and values may hold escapes of a Python string

    // Advances `at` to the first further attribute, which may be `at` itself. Returns false if there is none.
    bool find(iterator& at) const noexcept {
        while (at != list.end() && (!is_further((*at).key) || is_missing((*at).value))) ++at;
        return at != list.end();
    }
    std::size_t count(iterator at) const noexcept {
        std::size_t n = 0;
        for (; find(at); ++at) ++n;
        return n;
    }
    // Whether both have the same keys and, for each, the same values in the same order. Linear if all have one order.
    static bool same(const further_attributes& a, const further_attributes& b) noexcept {
        const auto is_same_key = [&](const oplog::attribute& in_a, const oplog::attribute& in_b) {
            return is_same_text(in_a.key, a.escaped, in_b.key, b.escaped);
        };
        const auto is_same = [&](const oplog::attribute& in_a, const oplog::attribute& in_b) {
            return is_same_key(in_a, in_b) && is_same_value(in_a.value, a.escaped, in_b.value, b.escaped);
        };
        iterator in_a = a.list.begin();
        iterator in_b = b.list.begin();
        for (; a.find(in_a) && b.find(in_b); ++in_a, ++in_b)
            if (!is_same(*in_a, *in_b)) break;
        if (a.count(in_a) != b.count(in_b)) return false;
        for (iterator item = in_a; a.find(item); ++item) {
            const oplog::attribute wanted = *item;
            std::size_t before = 0;  // the number of attributes with this key that come before it
            for (iterator at = in_a; a.find(at) && at != item; ++at)
                before += is_same_text((*at).key, a.escaped, wanted.key, a.escaped) ? 1U : 0U;
            iterator other = in_b;
            for (; b.find(other); ++other)
                if (is_same_key(wanted, *other) && before-- == 0) break;
            if (other == b.list.end() || !is_same(wanted, *other)) return false;
        }
        return true;
    }
};
template <class Record> further_attributes further_attributes_of(const Record& r) noexcept {
    return {r.attributes,
            [](std::string_view key) noexcept { return key_named<Record>(key) == key_of_record<Record>::extra; },
            holds_escapes(r)};
}

struct oplog_comparison {
    static bool same(std::string_view a, std::string_view b, escaped_records escaped = {}) noexcept {
        return is_missing(a) == is_missing(b) && is_same_value(a, escaped.a, b, escaped.b);
    }
    static bool same(const number& a, const number& b, escaped_records escaped) noexcept {
        return a.is_text() && b.is_text() ? same(a.text(), b.text(), escaped) : is_same_value(a, b);
    }
    static bool same(const oplog::shape& a, const oplog::shape& b, escaped_records escaped) noexcept {
        if (!a.is_list() || !b.is_list())
            return same(a.text(), b.text(), escaped) && (a.dims() == nullptr) == (b.dims() == nullptr);
        return are_same(a, b);
    }
    static bool same(const oplog::sub_operation_list& a, const oplog::sub_operation_list& b, escaped_records) noexcept {
        if (a.is_missing() != b.is_missing() || a.is_none() != b.is_none()) return false;
        return are_same(a, b, [](const auto& x, const auto& y) { return same_record(x, y); });
    }
    static bool same(const oplog::operation& a, const oplog::operation& b) noexcept {
        return a.origin == b.origin && a.rank == b.rank && same(a.op, b.op) && same_record(a, b);
    }
    template <class Record> static bool same_record(const Record& a, const Record& b) noexcept {
        const escaped_records escaped{holds_escapes(a), holds_escapes(b)};
        bool same_members = true;
        for (const key_row<Record>& row : rows_of<Record>())
            same_members =
                same_members && with_member(row, [&](auto member) { return same(a.*member, b.*member, escaped); });
        if constexpr (std::is_same_v<Record, oplog::sub_operation>)
            same_members = same_members && same(a.text, b.text, escaped) && a.damaged == b.damaged;
        return same_members && further_attributes::same(further_attributes_of(a), further_attributes_of(b));
    }
};

// Sets the first attribute with that key, which is the one that find() finds. If none has it, adds one before the list.
inline void set_attribute(std::vector<oplog::attribute>& attributes, std::string_view key, std::string_view text) {
    std::size_t at = attributes.size();
    for (std::size_t n = 0; n != attributes.size(); ++n) {
        if (attributes[n].key == list_key && at == attributes.size()) at = n;
        if (attributes[n].key != key) continue;
        attributes[n].value = text;
        return;
    }
    insert_at(attributes, at, {key, text});
}
template <class Record> bool set_value(Record& r, std::string_view key, std::string_view text) {
    if (key == list_key) return false;
    const auto known = key_of(r, key);
    if (known != key_of_record<Record>::extra) {
        if (text.data() != nullptr)
            return oplog_slow::read_known(row_of(r, known), text, text.data() + text.size(), r, nullptr);
        with_member(row_of(r, known), [&](auto member) { r.*member = {}; });
        return true;
    }
    std::vector<oplog::attribute>& attributes = r.attributes.edit();
    if (attributes.empty())
        for (const key_row<Record>& row : rows_of<Record>()) insert_at(attributes, attributes.size(), {row.name, {}});
    set_attribute(attributes, key, text);
    return true;
}

template <class Record> bool set_number(Record& r, std::string_view key, const number& n) noexcept {
    const auto known = key_of(r, key);
    if (key == list_key || known == key_of_record<Record>::extra) return false;
    return with_member(row_of(r, known), [&](auto member) {
        constexpr bool is_number = std::is_same_v<std::decay_t<decltype(r.*member)>, number>;
        if constexpr (is_number) r.*member = n;
        return is_number;
    });
}

// Calls visit(key, value) for each attribute that the record has, in the order of writing.
template <class Record, class Visitor> void visit_values(const Record& r, Visitor& visit) {
    visit_attributes(r, [&](std::string_view key, const auto& v) {
        if (!is_missing(v)) visit(key, member_value(r, key, v));
    });
}

}  // namespace detail

namespace oplog {

inline operation operation::traced(std::int64_t rank, text_view op WLFMT_LIFETIMEBOUND) noexcept {
    operation r;
    r.rank = rank;
    r.op = op;
    for (const auto& row : detail::rows_of<operation>())
        if (row.is_tracers) detail::set_value(r, row.name, "None");
    r.sub_operations = detail::oplog_access::empty_list();
    return r;
}

inline value operation::find(std::string_view key) const noexcept {
    // An attribute may have the name of a part of the head; as in where(), the name then stands for that part.
    if (key == "op") return detail::value_of(op);
    if (key == name_of(origin)) return detail::value_of(number(rank), detail::oplog_finding::where(*this, key));
    return detail::find_value(*this, key);
}
inline value sub_operation::find(std::string_view key) const noexcept {
    key = detail::oplog_finding::without_list_key(key);
    if (is_text()) return key == "text" ? detail::value_of(text) : value();
    return detail::find_value(*this, key);
}

inline bool operation::set(text_view key, text_view printed) {
    if (key == name_of(origin)) return detail::number_access::as_integer(to_number(printed), rank);
    if (key != "op") return detail::set_value(*this, key, printed);
    op = printed;
    return true;
}
inline bool sub_operation::set(text_view key, text_view printed) { return detail::set_value(*this, key, printed); }
inline bool operation::set(text_view key, const number& n) noexcept {
    if (key == name_of(origin)) return detail::number_access::as_integer(n, rank);
    return detail::set_number(*this, key, n);
}
inline bool sub_operation::set(text_view key, const number& n) noexcept { return detail::set_number(*this, key, n); }

}  // namespace oplog
}}  // namespace wlfmt::WLFMT_ABI

#endif
