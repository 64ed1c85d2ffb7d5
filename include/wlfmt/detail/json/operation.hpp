// Operations, made of objects.
#ifndef WLFMT_DETAIL_JSON_OPERATION_HPP
#define WLFMT_DETAIL_JSON_OPERATION_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../oplog/find.hpp"
#include "value.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {
inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

// Gathers the attributes of a record in their order. A record whose known keys are in the tracer's order, with no other
// keys between them, needs no list.
template <class Key>
class json_attributes {
public:
    void start() {
        all_.clear();
        seen_ = next_ = 0;
        plain_ = true;
    }
    // Is this the first time that the key of a member is met? `other_name`: the key is not in the tracer's own
    // spelling.
    bool is_member(Key key, bool other_name) {
        const auto n = static_cast<unsigned>(key);
        plain_ = plain_ && key != Key::extra && !other_name && n >= next_;
        next_ = n + 1;
        if (key == Key::extra || (seen_ & (1U << n)) != 0) return false;
        seen_ |= 1U << n;
        return true;
    }
    void add(std::string_view key, std::string_view text) { all_.push_back({key, text}); }
    oplog::attribute_list list(json::texts& kept) const {
        return plain_ ? oplog::attribute_list() : oplog::attribute_list(texts_access::keep(kept, all_), all_.size());
    }

private:
    std::vector<oplog::attribute> all_;
    unsigned seen_ = 0;
    unsigned next_ = 0;
    bool plain_ = true;
};

// Operations, one after the other.
class json_operations {
public:
    const oplog::operation* next(json_records& from) {
        ondemand::object o;
        return from.next(o) && build(from, o, record_) ? &record_ : nullptr;
    }

private:
    bool build(json_records& from, ondemand::object& o, oplog::operation& op) {
        op = {};
        order_.start();
        may_split_ = false;
        bool has_origin = false;
        const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
            const bool is_rank = key == "rank";
            if (!has_origin && (is_rank || (key == "stage" && v.kind() == json_kind::number))) {
                has_origin = true;
                op.origin = is_rank ? oplog::origin::rank : oplog::origin::stage;
                return v.integer(op.rank);
            }
            // An attribute `stage`, which the tracer writes, may follow; a second rank may not.
            if (is_rank && op.origin == oplog::origin::stage) return v.fail_key(error_kind::duplicate_key, key);
            if (key == "op" && op.op.data() == nullptr) return v.string(op.op);
            return attribute(from, op, order_, key, v);
        });
        if (!whole) return false;
        if (!has_origin) return from.fail_record(error_kind::missing_member, "rank");
        if (op.op.data() == nullptr) return from.fail_record(error_kind::missing_member, "op");
        op.spaced = op.origin == oplog::origin::stage;
        op.attributes = order_.list(from.kept());
        if (may_split_) choose_separator(op.spaced, op);
        return true;
    }

    // A text with `,key=` or `, key=` in it would be split by one of the two separators: its record gets the other one.
    static void choose_separator(bool& spaced, const oplog::operation& op) noexcept {
        if (!oplog::problem_of(op)) return;
        spaced = !spaced;
        if (oplog::problem_of(op)) spaced = !spaced;
    }

    template <class Record, class Key>
    bool attribute(json_records& from, Record& r, json_attributes<Key>& order, std::string_view key, json_value& v) {
        const Key known = key_of(r, key);
        std::string_view text = "";
        if (!order.is_member(known, known != Key::extra && key != row_of(r, known).name)) {
            if (!text_of(from, v, text)) return false;
            order.add(key, text);
            return true;
        }
        order.add(key, text);
        return with_member(row_of(r, known), [&](auto member) { return read(from, v, r.*member); });
    }

    bool read(json_records& from, json_value& v, oplog::sub_operation_list& list) {
        if (v.kind() == json_kind::null) {
            oplog_access<kernel>::set_none(list);
            return true;
        }
        subs_.clear();
        const bool whole = v.items(json_value::wanted::array, [&](std::size_t, json_value& one) {
            subs_.emplace_back();
            if (one.kind() == json_kind::string) return one.string(subs_.back().text);
            if (one.kind() != json_kind::object) return one.wrong_type(json_value::wanted::objects_or_strings);
            sub_order_.start();
            const bool outer_may_split = std::exchange(may_split_, false);
            oplog::sub_operation& sub = subs_.back();
            if (!one.members(
                    [&](std::string_view key, json_value& m) { return attribute(from, sub, sub_order_, key, m); }))
                return false;
            sub.attributes = sub_order_.list(from.kept());
            if (may_split_) {
                oplog::operation alone;
                alone.op = "f";
                alone.sub_operations = oplog::sub_operation_list(&sub, 1);
                choose_separator(sub.spaced, alone);
            }
            may_split_ = outer_may_split;
            return true;
        });
        if (whole) list = oplog::sub_operation_list(texts_access::keep(from.kept(), subs_), subs_.size());
        return whole;
    }

    bool read(json_records&, json_value& v, number& to) {
        std::string_view text;
        switch (v.kind()) {
        case json_kind::null: to = nullptr; return true;
        case json_kind::number: to = v.numeral(); return true;
        default:
            // `nan`, `inf`, or the sentence of a tracer that has measured nothing.
            if (!v.text(text)) return false;
            to = json_value::numeral_of(text);
            return true;
        }
    }
    // The text of a scalar, or of a list of integers.
    bool text_of(json_records& from, json_value& v, std::string_view& to) {
        if (v.kind() != json_kind::array) {
            if (!v.text(to)) return false;
            may_split_ = may_split_ || to.find('=') != std::string_view::npos;
            return true;
        }
        list_text_ = "[";
        const bool whole = v.items(json_value::wanted::scalar, [&](std::size_t index, json_value& item) {
            if (item.kind() != json_kind::number || item.token().find_first_of(".eE") != std::string_view::npos)
                return item.wrong_type(json_value::wanted::integers);
            if (index != 0) list_text_ += ", ";
            list_text_ += item.token();
            return true;
        });
        list_text_ += ']';
        if (whole) to = from.keep(list_text_);
        return whole;
    }
    bool read(json_records& from, json_value& v, oplog::shape& to) {
        std::string_view text;
        if (!text_of(from, v, text)) return false;
        to = oplog::shape(text);
        return true;
    }

    bool read(json_records& from, json_value& v, text& to) {
        std::string_view text;
        if (!text_of(from, v, text)) return false;
        to = text;
        return true;
    }

    oplog::operation record_;
    json_attributes<op_key> order_;
    json_attributes<sub_key> sub_order_;
    std::vector<oplog::sub_operation> subs_;
    std::string list_text_;
    bool may_split_ = false;  // a text of the record holds a `=`
};

}  // namespace SIMDJSON_BUILTIN_IMPLEMENTATION
}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
