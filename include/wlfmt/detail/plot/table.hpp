// Drawing a profiler table.
#ifndef WLFMT_DETAIL_PLOT_TABLE_HPP
#define WLFMT_DETAIL_PLOT_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../table.hpp"
#include "../base/order.hpp"
#include "svg.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

inline constexpr std::size_t most_rows = 24;

inline std::string picture_of(const table::summary& one, std::string_view given) {
    // The columns of the device if they hold anything, otherwise those of the processor.
    std::size_t self = one.find_column("Self CPU");
    std::size_t total = one.find_column("CPU total");
    for (const char* device : {"CUDA", "XPU", "HPU", "NPU", "MTIA", "MUSA", "PRIVATEUSE1"}) {
        const std::size_t s = one.find_column(std::string("Self ").append(device));
        const std::size_t t = one.find_column(std::string(device).append(" total"));
        double sum = 0;
        for (std::size_t n = 0; n != one.size(); ++n) sum += one.at(n, s < one.columns.size() ? s : t).value_or(0);
        if (!(sum > 0)) continue;
        self = s;
        total = t;
    }
    const auto value = [&](std::size_t row, std::size_t column) {
        return (std::max)(one.at(row, column).value_or(0), 0.0);
    };
    std::vector<std::size_t> rows(one.size());
    for (std::size_t n = 0; n != rows.size(); ++n) rows[n] = n;
    sort_list(rows, [&](std::size_t a, std::size_t b) {
        return std::make_pair(value(a, self), value(a, total)) > std::make_pair(value(b, self), value(b, total));
    });
    const std::size_t shown = (std::min)(rows.size(), most_rows);
    const auto name_of_column = [&](std::size_t c, const char* otherwise) {
        return c < one.columns.size() ? std::string(one.columns[c].name) : std::string(otherwise);
    };
    svg to;
    const std::string_view heading = given.empty() ? std::string_view("The heaviest operations") : given;
    to.heading(heading);
    to.text(svg::left, 48, std::to_string(shown) + " of " + std::to_string(rows.size()) + " rows, by self time",
            "start", "small");
    double y = to.legend(
        60, {{"forward", name_of_column(self, "no self time")}, {"total", name_of_column(total, "no total time")}});
    const double top = y;
    double most = 1e-3;
    for (std::size_t n = 0; n != shown; ++n)
        most = (std::max)(most, (std::max)(value(rows[n], self), value(rows[n], total)));
    const double room = svg::inside - 160;
    const bool seconds = most >= 1e6;
    const double range = most / (seconds ? 1e6 : 1e3);
    draw_axis(to, top, top + 24 * static_cast<double>(shown), range, room / range, seconds ? "s" : "ms");
    for (std::size_t n = 0; n != shown; ++n) {
        const std::string name(one.at(rows[n], one.find_column("Name")).text());
        const double own = value(rows[n], self);
        const double all = value(rows[n], total);
        const std::string title = name + "\nself " + microseconds_text(own) + ", total " + microseconds_text(all);
        to.name(y + 14.5, name);
        to.rectangle(svg::left, y, (std::max)(room * all / most, 0.5), 20, "total", title);
        to.rectangle(svg::left, y + 4, (std::max)(room * own / most, 0.5), 12, "forward", title);
        to.text(svg::left + room * (std::max)(own, all) / most + 8, y + 14.5,
                microseconds_text(own) + (all > own ? " of " + microseconds_text(all) : ""), "start", "small");
        y += 24;
    }
    return to.finish(y + 36, heading);
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
