// Lines of JSON that the command makes itself.
#ifndef WLFMT_TOOLS_JSON_PRINT_HPP
#define WLFMT_TOOLS_JSON_PRINT_HPP

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <wlfmt/answers.hpp>
#include <wlfmt/json.hpp>

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
inline std::string_view name_of(wlfmt::oplog::limit what) noexcept {
    using wlfmt::oplog::limit;
    return what == limit::least ? "least" : what == limit::most ? "most" : what == limit::either ? "either" : "exact";
}
// Under "limit": which numbers of the object are limits of what they stand for.
using limited_numbers = std::initializer_list<std::pair<std::string_view, wlfmt::oplog::limit>>;
template <class Line> void put_limits(Line& to, limited_numbers numbers, limited_numbers more = {}) {
    bool any = false;
    for (const limited_numbers& some : {numbers, more})
        for (const auto& [key, what] : some) {
            if (what == wlfmt::oplog::limit::exact) continue;
            if (!any) to.key("limit").open('{');
            any = true;
            put_text(to, key, name_of(what));
        }
    if (any) to.close('}');
}
// Prints a line that is one object, whose members fill(line) writes.
template <class Fill> void print_object(const Fill& fill) {
    static_cast<void>(wlfmt::json::write_object(standard_output, fill));
}

}  // namespace tool

#endif
