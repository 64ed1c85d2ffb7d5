// Comparing documents: each becomes a list of named values, and the lists are compared.
#ifndef WLFMT_DETAIL_DIFF_COMPARE_HPP
#define WLFMT_DETAIL_DIFF_COMPARE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../csv.hpp"
#include "../../diff.hpp"
#include "../../to_number.hpp"
#include "../base/order.hpp"
#include "../base/out.hpp"
#include "../error/problems.hpp"
#include "../json/line.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// A value of an item: a number, or a text if it is not a number. Numbers of one `quantity` add up.
struct diff_value {
    std::string field;
    std::string text;
    number value;
    std::string_view quantity;
};
struct diff_item {
    std::string name;   // as it is shown
    std::string place;  // before it, where items have positions: "layer 3: "
    std::vector<diff_value> values;
};
// All items of a document in their order. The key of an item is its name and which one of that name it is.
struct diff_list {
    std::vector<std::string> order;
    std::map<std::string, diff_item> items;
    std::map<std::string, std::size_t> seen;

    diff_item& add(const std::string& name, std::string place = {}) {
        const std::size_t n = seen[name]++;
        std::string key = name + '\n' + std::to_string(n);
        diff_item& item = items[key];
        item.name = name;
        item.place = std::move(place);
        order.push_back(std::move(key));
        return item;
    }
    // The item of that name, made at the first call: for sums.
    diff_item& sum(const std::string& name) {
        const std::string key = name + "\n0";
        const auto at = items.find(key);
        return at != items.end() ? at->second : add(name);
    }
};

inline void add_value(diff_item& item, std::string_view field, const number& v, std::string_view quantity) {
    diff_value one;
    one.field = field;
    one.value = v;
    one.quantity = quantity;
    if (!v.is_missing()) append(one.text, v);
    item.values.push_back(std::move(one));
}
inline void add_text(diff_item& item, std::string_view field, std::string_view text) {
    if (is_missing(text)) return;
    diff_value one;
    one.field = field;
    one.text = text;
    item.values.push_back(std::move(one));
}
// Adds to a value that is a sum; what has no value adds nothing.
inline void add_to(diff_item& item, std::string_view field, double by, bool counts, std::string_view quantity) {
    for (diff_value& one : item.values) {
        if (one.field != field) continue;
        one.value = counts ? number(one.value.as<std::int64_t>().value_or(0) + 1) : number(one.value.value_or(0) + by);
        return;
    }
    diff_value one;
    one.field = field;
    one.value = counts ? number(std::int64_t{1}) : number(by);
    one.quantity = quantity;
    item.values.push_back(std::move(one));
}

class diff_comparison {
public:
    explicit diff_comparison(double tolerance) noexcept : tolerance_(tolerance) {}

    std::vector<diff::difference> run(const diff_list& before, const diff_list& after) {
        for (const auto& one : before.items)
            for (const diff_value& v : one.second.values)
                if (const double size = size_of(v); is_finite(size)) totals_[v.quantity] += size;
        for (const std::string& key : before.order) {
            const diff_item& was = before.items.at(key);
            const auto now = after.items.find(key);
            if (now == after.items.end())
                whole(diff::change::removed, was);
            else
                fields(was, now->second);
        }
        for (const std::string& key : after.order)
            if (before.items.count(key) == 0) whole(diff::change::added, after.items.at(key));
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
    static double size_of(const diff_value& v) { return std::fabs(v.value.value_or(0)); }
    // A value that is not a number, or that is not finite, counts as the whole.
    double share(double by, std::string_view quantity) const {
        const auto total = totals_.find(quantity);
        if (total == totals_.end() || !(total->second > 0) || !is_finite(total->second)) return 1;
        const double part = std::fabs(by) / total->second;
        return is_finite(part) ? part : 1;
    }
    static std::string shown(const diff_value& v) {
        std::string text = v.text;
        if (text.empty() && v.value.has_value()) append(text, v.value);
        return text;
    }
    void whole(diff::change what, const diff_item& item) {
        diff::difference d;
        d.change = what;
        d.item = item.place + item.name;
        for (const diff_value& v : item.values) d.effect = (std::max)(d.effect, share(size_of(v), v.quantity));
        if (item.values.empty()) d.effect = 1;
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
        std::map<std::string_view, std::vector<const diff_value*>> others;
        for (const diff_value& v : now.values) others[v.field].push_back(&v);
        std::map<std::string_view, std::size_t> seen;
        for (const diff_value& v : was.values) {
            const std::size_t n = seen[v.field]++;
            const auto at = others.find(v.field);
            if (at != others.end() && n < at->second.size())
                field(name, v, *at->second[n]);
            else
                one_sided(diff::change::removed, name, v);
        }
        for (const diff_value& v : now.values) {
            std::size_t& left = seen[v.field];
            if (left == 0)
                one_sided(diff::change::added, name, v);
            else
                --left;
        }
    }
    // A field that only one side has.
    void one_sided(diff::change what, const std::string& name, const diff_value& v) {
        diff::difference d;
        d.change = what;
        d.item = name;
        d.field = v.field;
        (what == diff::change::added ? d.after : d.before) = shown(v);
        d.effect = 1;
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
                d.effect = share(by, was.quantity);
            }
        } else if (d.before == d.after) {
            return;
        }
        all_.push_back(std::move(d));
    }

    double tolerance_;
    std::map<std::string_view, double> totals_;
    std::vector<diff::difference> all_;
};

inline diff_list list_of(const oplog::document& doc) {
    diff_list all;
    for (const oplog::operation& op : doc.operations) {
        diff_item& item = all.sum(std::string(op.op));
        add_to(item, "count", 1, true, "operations");
        add_to(item, "duration_ms", op.duration.value_or(0), false, "ms");
        for (const oplog::sub_operation& s : op.sub_operations) {
            if (s.is_text()) continue;
            std::string name(op.op);
            name += ": ";
            name += is_missing(s.comm_func) ? s.trace_src_func : s.comm_func;
            if (!is_missing(s.group)) name.append(" (").append(s.group).append(")");
            diff_item& nested = all.sum(name);
            add_to(nested, "count", 1, true, "nested operations");
            add_to(nested, "duration_ms", s.duration.value_or(0), false, "nested ms");
        }
    }
    // Sums of hundredths are not exact: they are rounded to the digits that they had. (Beyond 8e9 a double has no
    // more.)
    for (auto& one : all.items)
        for (diff_value& v : one.second.values)
            if (v.value.is_decimal() && std::fabs(v.value.value_or(0)) < 8e9)
                v.value = number(std::round(v.value.value_or(0) * 1e6) / 1e6);
    return all;
}

inline diff_list header_of(const workload::document& doc) {
    diff_list all;
    diff_item& item = all.add("header");
    add_text(item, "policy", doc.header().policy);
    for (const workload::entry& e : doc.header().entries) {
        const std::string_view key = e.key.empty() ? detail::last_bottom_layer : e.key;
        const number n = to_number(e.value);
        if (n.has_value())
            add_value(item, key, n, key);
        else
            add_text(item, key, e.value);
    }
    return all;
}
inline diff_list list_of(const workload::document& doc) {
    diff_list all;
    for (std::size_t n = 0; n != doc.layers.size(); ++n) {
        const workload::layer& l = doc.layers[n];
        diff_item& item = all.add(std::string(l.name), "layer " + std::to_string(n) + ": ");
        add_value(item, "dependency", number(l.dependency), "dependency");
        const auto phase = [&](const std::string& name, const workload::phase& p) {
            add_value(item, name + ".compute", p.compute, "compute");
            add_text(item, name + ".comm", p.comm);
            add_value(item, name + ".bytes", number(p.bytes), "bytes");
        };
        phase("forward", l.forward);
        phase("input_grad", l.input_grad);
        phase("weight_grad", l.weight_grad);
        add_value(item, "update", l.update, "update");
        add_text(item, "policy", l.policy);
        add_text(item, "further", l.further);
    }
    return all;
}

inline diff_list list_of(const table::document& doc) {
    diff_list all;
    for (const table::summary& one : doc.tables) {
        for (const table::row& r : one.rows()) {
            std::string name = "row";
            for (std::size_t c = 0; c != one.columns.size(); ++c) {
                const std::string_view column = one.columns[c].name;
                const bool names =
                    column == "Name" || column == "Overload Name" || column == "Input Shapes" || column == "Node ID";
                if (names && !r[c].text().empty()) name.append(" ").append(r[c].text());
            }
            diff_item& item = all.add(name);
            for (std::size_t c = 0; c != one.columns.size(); ++c) {
                const table::column& column = one.columns[c];
                if (column.unit == table::unit::text || column.name == "Node ID") continue;
                // The name views the document's text, which outlives the comparison.
                if (r[c].value().has_value())
                    add_value(item, csv_name(column), r[c].value(), column.name);
                else if (column.unit != table::unit::source || !r[c].text().empty())
                    add_text(item, csv_name(column), r[c].text());
            }
        }
        diff_item& totals = all.add("totals");
        for (const table::total& t : one.totals) add_value(totals, t.name, t.value.value(), t.name);
    }
    return all;
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace diff {

inline std::string_view name_of(change c) noexcept {
    return c == change::added ? "added" : c == change::removed ? "removed" : "changed";
}

inline namespace WLFMT_IMPL {

inline std::vector<difference> compare(const oplog::document& before, const oplog::document& after, double tolerance) {
    auto all = detail::diff_comparison(tolerance).run(detail::list_of(before), detail::list_of(after));
    detail::diff_comparison::sort(all);
    return all;
}
inline std::vector<difference> compare(const workload::document& before, const workload::document& after,
                                       double tolerance) {
    auto all = detail::diff_comparison(tolerance).run(detail::header_of(before), detail::header_of(after));
    const detail::diff_list was = detail::list_of(before);
    const detail::diff_list now = detail::list_of(after);
    detail::diff_comparison layers(tolerance);
    layers.order(was, now);
    for (difference& d : layers.run(was, now)) all.push_back(std::move(d));
    detail::diff_comparison::sort(all);
    return all;
}
inline std::vector<difference> compare(const table::document& before, const table::document& after, double tolerance) {
    auto all = detail::diff_comparison(tolerance).run(detail::list_of(before), detail::list_of(after));
    detail::diff_comparison::sort(all);
    return all;
}

template <class Sink>
error write(Sink&& sink, const difference& d) {
    detail::out<std::remove_reference_t<Sink>> to(sink);
    to.text(name_of(d.change));
    to.text(d.change == change::added ? "    " : "  ");
    to.text(d.item);
    if (!d.field.empty()) {
        to.literal("  ");
        to.text(d.field);
        to.literal("  ");
        to.text(d.before.empty() ? std::string_view("nothing") : std::string_view(d.before));
        to.literal(" -> ");
        to.text(d.after.empty() ? std::string_view("nothing") : std::string_view(d.after));
    } else if (d.change == change::changed) {
        to.literal("  ");
        to.text(d.before);
        to.literal(" -> ");
        to.text(d.after);
    }
    if (d.ratio != 0) {
        to.text(d.ratio > 0 ? "  +" : "  -");
        char digits[detail::max_fixed_chars];
        to.text({digits, static_cast<std::size_t>(detail::write_fixed(digits, std::fabs(d.ratio) * 100, 1) - digits)});
        to.literal(" %");
    }
    to.put('\n');
    return to.finish() ? error() : detail::sink_error();
}

template <class Sink>
error write_json(Sink&& sink, const difference& d) {
    detail::out<std::remove_reference_t<Sink>> to(sink);
    detail::json_line<std::remove_reference_t<Sink>> line(to);
    line.open('{');
    line.key("change");
    line.string(name_of(d.change));
    line.key("item");
    line.string(d.item);
    line.key("field");
    d.field.empty() ? line.null() : line.string(d.field);
    line.key("before");
    d.before.empty() ? line.null() : line.value(std::string_view(d.before));
    line.key("after");
    d.after.empty() ? line.null() : line.value(std::string_view(d.after));
    line.key("ratio");
    line.decimal(d.ratio);
    line.key("effect");
    line.decimal(d.effect);
    line.close('}');
    line.end_line();
    return to.finish() ? error() : detail::sink_error();
}

}  // namespace WLFMT_IMPL
}  // namespace diff
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
