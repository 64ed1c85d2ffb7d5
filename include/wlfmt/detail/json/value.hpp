// One value of an object, and walks over its members or items.
#ifndef WLFMT_DETAIL_JSON_VALUE_HPP
#define WLFMT_DETAIL_JSON_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../number/read.hpp"
#include "records.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {
inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

inline bool json_is_number(std::string_view t) noexcept {
    const char* p = t.data();
    const char* const end = p + t.size();
    const auto digits = [&] {
        const char* const begin = p;
        while (p != end && is_digit(*p)) ++p;
        return p != begin;
    };
    if (p != end && *p == '-') ++p;
    if (p != end && *p == '0') ++p;
    else if (!digits()) return false;
    if (p != end && *p == '.' && (++p, !digits())) return false;
    if (p != end && (*p | 0x20) == 'e') {
        if (++p != end && (*p == '+' || *p == '-')) ++p;
        if (!digits()) return false;
    }
    return p == end;
}

// What a value is, and its first bytes: a literal or number as a whole, a string after its opening quote.
enum class json_kind : std::uint8_t { null, boolean, number, string, array, object, broken };

// One value of an object.
class json_value {
public:
    json_value(json_records& from, ondemand::value v)
        : from_(from), value_(v), token_(token_of(value_)), kind_(kind_of(token_)) {
        if (kind_ == json_kind::broken) from_.not_json(json_fault::syntax, token_.data());
    }

    json_kind kind() const noexcept { return kind_; }
    std::string_view token() const noexcept { return token_; }
    json_records& from() const noexcept { return from_; }

    // The text of a scalar as the formats write it: None, True, the digits of a number, the characters of a string.
    // False, and an error, for arrays and objects: `wanted` is what the message says is expected.
    bool text(std::string_view& to) {
        switch (kind_) {
        case json_kind::null: to = "None"; return true;
        case json_kind::boolean:
            to = token_ == "true" ? std::string_view("True") : std::string_view("False");
            return true;
        case json_kind::number: to = token_; return true;
        case json_kind::string: to = from_.string_at(token_.data() + 1); return to.data() != nullptr;
        default: return wrong_type(wanted::scalar);
        }
    }
    // The text of a string; anything else is an error.
    bool string(std::string_view& to) {
        if (kind_ != json_kind::string) return wrong_type(wanted::string);
        to = from_.string_at(token_.data() + 1);
        return to.data() != nullptr;
    }
    // A number as it is written; beyond 64 bits its digits, as a text.
    number numeral() const noexcept { return numeral_of(token_); }
    static number numeral_of(std::string_view text) noexcept {
        number n;
        const char* p = text.data();
        const number_status status = read_number(p, text.data() + text.size(), n);
        return status == number_status::ok && p == text.data() + text.size() ? n : number(text);
    }
    // An integer of 64 bits, for an integer or a number.
    template <class Integer> bool integer(Integer& to) {
        std::int64_t whole = 0;
        if (kind_ != json_kind::number) return wrong_type(wanted::number);
        if (numeral().is_text()) return fail(error_kind::number_overflow);
        if (!read_whole(token_.data(), token_.data() + token_.size(), whole)) return fail(error_kind::not_an_integer);
        to = whole;
        return true;
    }
    // An integer or a decimal that fits in 64 bits.
    bool numeral(number& to) {
        if (kind_ != json_kind::number) return wrong_type(wanted::number);
        to = numeral();
        return !to.is_text() || fail(error_kind::number_overflow);
    }

    // The type that wrong_type() says is expected.
    enum class wanted : std::int64_t { scalar, string, number, object, array, strings, integers, objects_or_strings };
    bool wrong_type(wanted what) {
        if (kind_ == json_kind::broken) return false;
        return from_.fail(error_kind::wrong_type, token_.data(), token_.size(), static_cast<std::int64_t>(kind_),
                          static_cast<std::int64_t>(what));
    }
    bool fail(error_kind kind) { return from_.fail(kind, token_.data(), token_.size()); }
    // The same error at its key, or at the value if the key had escapes and is not a view of the JSON.
    bool fail_key(error_kind kind, std::string_view key) {
        return from_.has(key) ? from_.fail(kind, key.data(), key.size()) : fail(kind);
    }

    // Calls each(key, value) for each member of an object, or each(index, value) for each item of an array. False, and
    // an error, if the value is not an object or array, if the JSON is broken, or if each() returns false.
    template <class Each> bool members(Each&& each) {
        ondemand::object o;
        if (kind_ != json_kind::object) return wrong_type(wanted::object);
        return value_.get_object().get(o) == simdjson::SUCCESS ? members_of(from_, o, each) : from_.syntax_error();
    }
    template <class Each> bool items(wanted what, Each&& each) {
        ondemand::array a;
        if (kind_ != json_kind::array) return wrong_type(what);
        if (value_.get_array().get(a) != simdjson::SUCCESS) return from_.syntax_error();
        std::size_t index = 0;
        for (auto item : a) {
            ondemand::value v;
            if (std::move(item).get(v) != simdjson::SUCCESS) return from_.syntax_error();
            const std::size_t before = from_.push(index);
            json_value one(from_, v);
            if (one.kind_ == json_kind::broken || !each(index, one)) return false;
            from_.pop(before);
            ++index;
        }
        return true;
    }
    // Calls each(index, text) for each item of an array of strings.
    template <class Each> bool strings(Each&& each) {
        return items(wanted::strings, [&](std::size_t index, json_value& item) {
            std::string_view text;
            return item.string(text) && each(index, text);
        });
    }
    template <class Each> static bool members_of(json_records& from, ondemand::object& o, Each&& each) {
        for (auto field : o) {
            ondemand::field f;
            if (std::move(field).get(f) != simdjson::SUCCESS) return from.syntax_error();
            const std::string_view key = from.string_at(f.key().raw());
            if (key.data() == nullptr) return false;
            const std::size_t before = from.push(key);
            json_value one(from, std::move(f).value());
            if (one.kind_ == json_kind::broken || !each(key, one)) return false;
            from.pop(before);
        }
        return true;
    }

private:
    // A token of simdjson reaches to the next one.
    static std::string_view token_of(ondemand::value& v) noexcept {
        std::string_view token = v.raw_json_token();
        while (!token.empty() &&
               (token.back() == ' ' || token.back() == '\n' || token.back() == '\t' || token.back() == '\r'))
            token.remove_suffix(1);
        return token;
    }
    static json_kind kind_of(std::string_view token) noexcept {
        if (token.empty()) return json_kind::broken;
        switch (token[0]) {
        case '{': return json_kind::object;
        case '[': return json_kind::array;
        case '"': return json_kind::string;
        case 'n': return token == "null" ? json_kind::null : json_kind::broken;
        case 't': return token == "true" ? json_kind::boolean : json_kind::broken;
        case 'f': return token == "false" ? json_kind::boolean : json_kind::broken;
        default: return json_is_number(token) ? json_kind::number : json_kind::broken;
        }
    }

    json_records& from_;
    ondemand::value value_;
    std::string_view token_;
    json_kind kind_;
};

// A member that an object of one kind may have, and how its value becomes a part of a record.
template <class Record> struct json_member {
    std::string_view name;
    bool (*read)(json_value& v, Record& to);
    std::string_view older_name = name;
};

// Reads an object whose members have known names: the first `needed` ones must come, and none may come twice.
template <class Record> class json_members {
public:
    template <std::size_t N>
    json_members(const json_member<Record> (&known)[N], unsigned needed, Record& to) noexcept
        : known_(known), count_(N), needed_(needed), to_(to) {}

    bool operator()(std::string_view key, json_value& v) {
        for (unsigned n = 0; n != count_; ++n) {
            if (key != known_[n].name && key != known_[n].older_name) continue;
            if ((met_ >> n & 1U) != 0) return v.fail_key(error_kind::duplicate_key, key);
            met_ |= 1U << n;
            return known_[n].read(v, to_);
        }
        return v.fail_key(error_kind::unknown_member, key);
    }
    // After the last member.
    bool has_needed(json_records& from) const {
        for (unsigned n = 0; n != needed_; ++n)
            if ((met_ >> n & 1U) == 0) return from.fail_record(error_kind::missing_member, known_[n].name);
        return true;
    }

private:
    const json_member<Record>* known_;
    unsigned count_;
    unsigned needed_;
    Record& to_;
    unsigned met_ = 0;
};

}}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL::SIMDJSON_BUILTIN_IMPLEMENTATION

#endif
