// Writes the command's own JSON, which is not that of the formats.
#ifndef WLFMT_TOOLS_OUTPUT_JSON_PRINT_HPP
#define WLFMT_TOOLS_OUTPUT_JSON_PRINT_HPP

#include <wlfmt/json.hpp>
#include "analysis/answers/answers.hpp"

#include "grid.hpp"
#include "output.hpp"

namespace tool {

// A number with at most six decimals, without trailing zeros.
std::string decimals_of(double v);
// A sum that overflows a double is written as null.
template <class Line> void put_decimal(Line& line, std::string_view key, double v) {
    line.key(key);
    std::isfinite(v) ? line.plain(decimals_of(v)) : line.null();
}
template <class Line> void put_count(Line& line, std::string_view key, std::uint64_t n) {
    line.key(key).integer(static_cast<std::int64_t>(n));
}
template <class Line> void put_text(Line& line, std::string_view key, std::string_view text) {
    line.key(key).string(text);
}
template <class Line> void put_flag(Line& line, std::string_view key, bool v) {
    line.key(key).plain(v ? "true" : "false");
}
// Writes an object; fill() writes its members.
template <class Line, class Fill> void put_object(Line& line, std::string_view key, const Fill& fill) {
    line.key(key).open('{');
    fill();
    line.close('}');
}
// Writes a list with an object for each item; fill(item) writes the members of that object.
template <class Line, class Items, class Fill>
void put_objects(Line& line, std::string_view key, const Items& items, const Fill& fill) {
    line.key(key).open('[');
    for (const auto& item : items) {
        line.open('{');
        fill(item);
        line.close('}');
    }
    line.close(']');
}
template <class Line, class Texts> void put_texts(Line& line, std::string_view key, const Texts& texts) {
    line.key(key).open('[');
    for (const auto& text : texts) line.string(text);
    line.close(']');
}
// A number, a truth value or a list of numbers as JSON; empty if the value is not known. A sum that overflows a double
// is null.
inline std::string number_text(double v) { return std::isfinite(v) ? decimals_of(v) : "null"; }
inline std::string number_text(bool v) { return v ? "true" : "false"; }
inline std::string number_text(const bounded& v) { return v.is_known() ? number_text(v.number()) : std::string(); }
// A template, as the type of whole numbers that std::size_t is depends on the machine.
template <class Whole, std::enable_if_t<std::is_integral_v<Whole>, int> = 0> std::string number_text(Whole n) {
    return std::to_string(n);
}
template <class Number> std::string number_text(const std::optional<Number>& v) {
    return v ? number_text(*v) : std::string();
}
template <class Number> std::string number_text(const std::vector<Number>& values) {
    std::string list = "[";
    for (const Number& v : values) list.append(list.size() == 1 ? "" : ",").append(number_text(v));
    return list + "]";
}
template <class Number> std::optional<Number> value_if(bool is_given, Number v) {
    return is_given ? std::optional<Number>(v) : std::nullopt;
}
// A member of an object. An unknown value has no text, and its key is not written; one that is known to be between two
// others has these as well.
struct number_member {
    std::string_view key;
    std::string text;
    std::optional<bounded> ends = std::nullopt;

    template <class Number> number_member(std::string_view name, const Number& v) : key(name), text(number_text(v)) {}
    number_member(std::string_view name, const bounded& v) : key(name), text(number_text(v)) {
        if (!v.is_exact()) ends = v;
    }
};
using number_members = std::initializer_list<number_member>;
template <class Line, class Members = number_members> void put_numbers(Line& line, const Members& members) {
    for (const number_member& member : members)
        if (!member.text.empty()) line.key(member.key).plain(member.text);
}
// Writes an object, "limit", that says which of the members are no more than the least or the greatest that the number
// can be.
template <class Line, class Members = number_members> void put_limits(Line& line, const Members& members) {
    bool any = false;
    for (const number_member& member : members) {
        if (member.text.empty() || !member.ends) continue;
        if (!any) line.key("limit").open('{');
        any = true;
        put_text(line, member.key, member.ends->has_least() ? "least" : "most");
    }
    if (any) line.close('}');
}
// Writes the ends of an interval, as far as they are known: `work_least` and `work_most`.
template <class Line> void put_ends(Line& line, std::string_view key, const bounded& v) {
    if (v.is_exact()) return;
    if (v.has_least()) line.key(std::string(key) + "_least").plain(number_text(v.at_least()));
    if (v.has_most()) line.key(std::string(key) + "_most").plain(number_text(v.at_most()));
}
// Writes exact numbers, and of others the ends alone.
template <class Line> void put_bounds(Line& line, number_members members) {
    for (const number_member& member : members)
        if (member.ends) put_ends(line, member.key, *member.ends);
        else if (!member.text.empty()) line.key(member.key).plain(member.text);
}
// Prints a line that is one object; fill(line) writes its members.
template <class Fill> void print_object(const Fill& fill) {
    static_cast<void>(wlfmt::json::write_object(standard_output, fill));
}

}  // namespace tool

#endif
