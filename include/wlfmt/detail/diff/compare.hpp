// Comparing two lists of named values, and differences as lines for people and for programs.
#ifndef WLFMT_DETAIL_DIFF_COMPARE_HPP
#define WLFMT_DETAIL_DIFF_COMPARE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../types/diff.hpp"
#include "../../types/error.hpp"
#include "../base/order.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "../json/line.hpp"
#include "../number/write.hpp"
#include "../summary/ordered_map.hpp"
#include "sums.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

class diff_comparison {
public:
    explicit diff_comparison(double tolerance) noexcept : tolerance_(tolerance) {}

    std::vector<diff::difference> run(const diff_list& before, const diff_list& after) {
        add_totals(before);
        add_totals(after);
        std::set<std::string> different;
        // The parts of an item that differs are not listed again.
        const auto listed = [&](const diff_item& one) {
            return one.inside.empty() || different.count(one.inside) == 0;
        };
        for (const std::string& key : before.order) {
            const diff_item& was = before.items.at(key);
            const auto now = after.items.find(key);
            const std::size_t count = all_.size();
            if (!listed(was)) continue;
            if (now == after.items.end()) whole(diff::change::removed, was);
            else fields(was, now->second);
            if (all_.size() != count) different.insert(key);
        }
        for (const std::string& key : after.order) {
            if (before.items.count(key) != 0 || !listed(after.items.at(key))) continue;
            whole(diff::change::added, after.items.at(key));
            different.insert(key);
        }
        return std::move(all_);
    }
    // Adds a difference if the items that are in both lists are not in the same order.
    void order(const diff_list& before, const diff_list& after) {
        const auto common = [](const diff_list& of, const diff_list& with) {
            std::vector<std::string> keys;
            for (const std::string& key : of.order)
                if (with.items.count(key) != 0) keys.push_back(key);
            return keys;
        };
        const auto was = common(before, after);
        const auto now = common(after, before);
        for (std::size_t n = 0; n != was.size(); ++n) {
            if (was[n] == now[n]) continue;
            diff::difference d;
            d.item = "order";
            d.before = before.items.at(was[n]).place + before.items.at(was[n]).name;
            d.after = after.items.at(now[n]).place + after.items.at(now[n]).name;
            d.effect = 1;
            all_.push_back(std::move(d));
            return;
        }
    }
    static void sort(std::vector<diff::difference>& all) {
        sort_list(all, [](const diff::difference& a, const diff::difference& b) { return a.effect > b.effect; });
    }

private:
    static double size_of(const diff_value& v) { return std::fabs(v.value.value_or(0.0)); }
    // The total of a quantity is taken from the side that has more of it.
    void add_totals(const diff_list& side) {
        ordered_map<std::string_view, double> totals;
        for (const auto& one : side.items)
            for (const diff_value& v : one.second.values)
                if (const double size = size_of(v); v.adds && is_finite(size)) totals[v.quantity] += size;
        for (const auto& [quantity, total] : totals) {
            double& most = totals_[quantity];
            if (!(total <= most)) most = total;
        }
    }
    // A value that is not a number, or that is not finite, counts as the whole.
    double share(double by, const diff_value& v) const {
        const auto total = totals_.find(v.quantity);
        if (total == totals_.end() || !(total->second > 0) || !is_finite(total->second)) return 1;
        const double part = std::fabs(by) * v.scale / total->second;
        return part < 1 ? part : 1;
    }
    static std::string shown(const diff_value& v) {
        std::string text = v.text;
        if (text.empty() && v.value.has_value()) append_value(text, v.value);
        return text;
    }
    void whole(diff::change what, const diff_item& item) {
        diff::difference d;
        d.change = what;
        d.item = item.place + item.name;
        bool measured = false;
        for (const diff_value& v : item.values) {
            if (v.quantity.empty()) continue;
            measured = true;
            d.effect = (std::max)(d.effect, share(size_of(v), v));
            if (v.field != "duration_ms") continue;
            d.field = v.field;
            (what == diff::change::added ? d.after : d.before) = shown(v);
        }
        if (!measured) d.effect = 1;
        all_.push_back(std::move(d));
    }
    void fields(const diff_item& was, const diff_item& now) {
        const std::string name = was.place + was.name;
        const auto same_field = [](const diff_value& a, const diff_value& b) { return a.field == b.field; };
        if (std::equal(was.values.begin(), was.values.end(), now.values.begin(), now.values.end(), same_field)) {
            for (std::size_t n = 0; n != was.values.size(); ++n) field(name, was.values[n], now.values[n]);
            return;
        }
        // Of several fields with one name, the n-th is compared with the n-th.
        ordered_map<std::string_view, std::vector<const diff_value*>> others;
        for (const diff_value& v : now.values) others[v.field].push_back(&v);
        ordered_map<std::string_view, std::size_t> seen;
        for (const diff_value& v : was.values) {
            const std::size_t n = seen[v.field]++;
            const auto at = others.find(v.field);
            if (at != others.end() && n < at->second.size()) field(name, v, *at->second[n]);
            else one_sided(diff::change::removed, name, v);
        }
        for (const diff_value& v : now.values) {
            std::size_t& left = seen[v.field];
            if (left == 0) one_sided(diff::change::added, name, v);
            else --left;
        }
    }
    // A field that is only on one side.
    void one_sided(diff::change what, const std::string& name, const diff_value& v) {
        diff::difference d;
        d.change = what;
        d.item = name;
        d.field = v.field;
        (what == diff::change::added ? d.after : d.before) = shown(v);
        d.effect = v.value.has_value() ? share(size_of(v), v) : 1;
        all_.push_back(std::move(d));
    }
    void field(const std::string& name, const diff_value& was, const diff_value& now) {
        diff::difference d;
        d.item = name;
        d.field = was.field;
        d.before = shown(was);
        d.after = shown(now);
        d.effect = 1;
        const auto a = was.value.as<double>();
        const auto b = now.value.as<double>();
        if (a && b) {
            const double by = *b - *a;
            // As numbers: 100 and 100.0 are the same, and so are two nan.
            if (*a == *b || (*a != *a && *b != *b)) return;
            if (is_finite(*a) && is_finite(*b)) {
                if (std::fabs(by) <= tolerance_ * (std::max)(std::fabs(*a), std::fabs(*b))) return;
                d.ratio = *a != 0 ? by / std::fabs(*a) : 0;
                if (!is_finite(d.ratio)) d.ratio = 0;
                d.effect = (std::max)(share(by, was), share(by, now));
            }
        } else if (d.before == d.after) {
            return;
        }
        all_.push_back(std::move(d));
    }

    double tolerance_;
    ordered_map<std::string_view, double> totals_;
    std::vector<diff::difference> all_;
};

inline std::vector<diff::difference> diff_compare(const diff_sums& before, const diff_sums& after, double tolerance) {
    std::vector<diff::difference> all;
    const std::string was = before.only_rank();
    const std::string now = after.only_rank();
    const bool two_ranks = before.by_rank() && !was.empty() && !now.empty();
    if (two_ranks && was != now) {
        diff::difference d;
        d.item = "rank";
        d.before = was;
        d.after = now;
        d.effect = 1;
        all.push_back(std::move(d));
    }
    for (auto& d : diff_comparison(tolerance).run(before.list(!two_ranks), after.list(!two_ranks)))
        all.push_back(std::move(d));
    diff_comparison::sort(all);
    return all;
}
inline std::vector<diff::difference> diff_compare(const workload::document& before, const workload::document& after,
                                                  double tolerance) {
    auto all = diff_comparison(tolerance).run(diff_header_of(before), diff_header_of(after));
    const diff_list was = diff_layers_of(before);
    const diff_list now = diff_layers_of(after);
    diff_comparison layers(tolerance);
    layers.order(was, now);
    for (diff::difference& d : layers.run(was, now)) all.push_back(std::move(d));
    diff_comparison::sort(all);
    return all;
}
inline std::vector<diff::difference> diff_compare(const table::document& before, const table::document& after,
                                                  double tolerance) {
    auto all = diff_comparison(tolerance).run(diff_rows_of(before), diff_rows_of(after));
    diff_comparison::sort(all);
    return all;
}

template <class Sink> error diff_write(Sink&& sink, const diff::difference& d) {
    out<std::remove_reference_t<Sink>> to(sink);
    to.text(diff::name_of(d.change));
    to.text(d.change == diff::change::added ? "    " : "  ");
    to.text(d.item);
    if (!d.field.empty()) {
        to.literal("  ");
        to.text(d.field);
        to.literal("  ");
        to.text(d.before.empty() ? std::string_view("nothing") : std::string_view(d.before));
        to.literal(" -> ");
        to.text(d.after.empty() ? std::string_view("nothing") : std::string_view(d.after));
    } else if (d.change == diff::change::changed) {
        to.literal("  ");
        to.text(d.before);
        to.literal(" -> ");
        to.text(d.after);
    }
    if (d.ratio != 0) {
        to.text(d.ratio > 0 ? "  +" : "  -");
        char digits[max_fixed_chars];
        to.text({digits, static_cast<std::size_t>(write_fixed(digits, std::fabs(d.ratio) * 100, 1) - digits)});
        to.literal(" %");
    }
    to.put('\n');
    return to.finish() ? error() : sink_error();
}

template <class Sink, class More> error diff_write_json(Sink&& sink, const diff::difference& d, const More& more) {
    out<std::remove_reference_t<Sink>> to(sink);
    json_line<std::remove_reference_t<Sink>> line(to);
    line.open('{');
    line.key("change").string(diff::name_of(d.change));
    line.key("item").string(d.item);
    line.key("field");
    d.field.empty() ? line.null() : line.string(d.field);
    line.key("before");
    d.before.empty() ? line.null() : line.value(std::string_view(d.before));
    line.key("after");
    d.after.empty() ? line.null() : line.value(std::string_view(d.after));
    line.key("ratio");
    d.ratio == 0 ? line.null() : line.decimal(d.ratio);
    line.key("effect").decimal(d.effect);
    more(line);
    line.close('}');
    line.end_line();
    return to.finish() ? error() : sink_error();
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
