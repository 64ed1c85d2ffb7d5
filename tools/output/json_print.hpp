// Lines of JSON that the command makes itself.
#ifndef WLFMT_TOOLS_OUTPUT_JSON_PRINT_HPP
#define WLFMT_TOOLS_OUTPUT_JSON_PRINT_HPP

#include <wlfmt/json.hpp>
#include <wlfmt/oplog/answers.hpp>

#include "grid.hpp"
#include "output.hpp"

namespace tool {

// A number with at most six decimals, and no zeros at their end.
inline std::string decimals_of(double v) {
    std::string to = fixed(v, 6);
    to.erase(to.find_last_not_of('0') + 1);
    if (to.back() == '.') to.pop_back();
    return to == "-0" ? "0" : to;
}
// A sum that is beyond what a double holds is null.
template <class Line> void put_decimal(Line& to, std::string_view key, double v) {
    to.key(key);
    std::isfinite(v) ? to.plain(decimals_of(v)) : to.null();
}
template <class Line> void put_count(Line& to, std::string_view key, std::uint64_t n) {
    to.key(key).integer(static_cast<std::int64_t>(n));
}
template <class Line> void put_text(Line& to, std::string_view key, std::string_view text) { to.key(key).string(text); }
template <class Line> void put_flag(Line& to, std::string_view key, bool v) { to.key(key).plain(v ? "true" : "false"); }
// A number, a truth value or a list of numbers in JSON; empty if it is not known. A sum that is beyond what a double
// holds is null.
inline std::string number_text(double v) { return std::isfinite(v) ? decimals_of(v) : "null"; }
inline std::string number_text(bool v) { return v ? "true" : "false"; }
inline std::string number_text(const bounded& v) { return v.is_known() ? number_text(v.number()) : std::string(); }
// Any whole number: which of them std::size_t is depends on the machine.
template <class Whole, std::enable_if_t<std::is_integral_v<Whole>, int> = 0> std::string number_text(Whole n) {
    return std::to_string(n);
}
template <class Number> std::string number_text(const std::optional<Number>& v) {
    return v ? number_text(*v) : std::string();
}
template <class Number> std::string number_text(const std::vector<Number>& values) {
    std::string to = "[";
    for (const Number& v : values) to.append(to.size() == 1 ? "" : ",").append(number_text(v));
    return to + "]";
}
template <class Number> std::optional<Number> told(bool is_told, Number v) {
    return is_told ? std::optional<Number>(v) : std::nullopt;
}
// A member of an object, and whether it is a limit of what it stands for. What is not known has no text, and no key.
struct number_member {
    std::string_view key;
    std::string text;
    wlfmt::oplog::limit what = wlfmt::oplog::limit::exact;

    template <class Number> number_member(std::string_view name, const Number& v) : key(name), text(number_text(v)) {}
    number_member(std::string_view name, const bounded& v) : key(name), text(number_text(v)), what(v.what()) {}
    // Of numbers that are limits of one kind.
    number_member(std::string_view name, const std::vector<double>& values, wlfmt::oplog::limit limit)
        : key(name), text(number_text(values)), what(limit) {}
};
using number_members = std::initializer_list<number_member>;
template <class Line> void put_numbers(Line& to, number_members members) {
    for (const number_member& one : members)
        if (!one.text.empty()) to.key(one.key).plain(one.text);
}
// Under "limit": which of the members are limits.
template <class Line> void put_limits(Line& to, number_members members, number_members more = {}) {
    bool any = false;
    for (const number_members& some : {members, more})
        for (const number_member& one : some) {
            if (one.text.empty() || one.what == wlfmt::oplog::limit::exact) continue;
            if (!any) to.key("limit").open('{');
            any = true;
            put_text(to, one.key, name_of(one.what));
        }
    if (any) to.close('}');
}
// Prints a line that is one object, whose members fill(line) writes.
template <class Fill> void print_object(const Fill& fill) {
    static_cast<void>(wlfmt::json::write_object(standard_output, fill));
}

}  // namespace tool

#endif
