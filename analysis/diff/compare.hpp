// Turns documents into lists of named values, compares two lists, and writes differences for people and for programs.
#ifndef WLFMT_ANALYSIS_DIFF_COMPARE_HPP
#define WLFMT_ANALYSIS_DIFF_COMPARE_HPP

#include <algorithm>
#include <map>

#include <wlfmt/table.hpp>
#include <wlfmt/workload.hpp>

#include "../callback.hpp"
#include "../library.hpp"
#include "../output.hpp"
#include "../profile/sums.hpp"
#include "../summary/state.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

// The value of a field: a number with its text, or a text alone.
struct diff_value {
    std::string field;
    std::string text;
    number value;
    std::string_view quantity;  // what the number is an amount of; if empty, any difference has the effect 1
    double scale = 1;           // the amount of the quantity that a 1 in this field stands for
    bool adds = true;           // whether the number counts towards the quantity's total
};
struct diff_item {
    std::string key;     // the name, and the number of earlier items of that name
    std::string name;    // the name that is shown
    std::string place;   // what is shown before the name, such as "layer 3: "
    std::string inside;  // the key of the item that this item is a part of, if any
    std::vector<diff_value> values;
    std::optional<std::int64_t> rank = {};
    std::string operation = {};
    std::string title() const { return place + name; }
};
// All items of a document, in order.
struct diff_list {
    std::vector<diff_item> items;
    std::map<std::string, std::size_t> positions;  // the position of each key
    std::map<std::string, std::size_t> seen;       // the number of items of each name so far

    diff_item& add(const std::string& name, std::string place = {}) {
        std::string key = name + '\n' + std::to_string(seen[name]++);
        positions.try_emplace(key, items.size());
        items.push_back({std::move(key), name, std::move(place), {}, {}});
        return items.back();
    }
    const diff_item* find(const std::string& key) const {
        const auto at = positions.find(key);
        return at != positions.end() ? &items[at->second] : nullptr;
    }
};

inline diff_value& diff_number(diff_item& item, std::string_view field, const number& v,
                               std::string_view quantity = {}) {
    diff_value& value = item.values.emplace_back();
    value.field = field;
    value.value = v;
    value.quantity = quantity;
    value.adds = !quantity.empty();
    if (!v.is_missing()) append_value(value.text, v);
    return value;
}
inline void diff_text(diff_item& item, std::string_view field, std::string_view text) {
    if (is_missing(text)) return;
    diff_value& value = item.values.emplace_back();
    value.field = field;
    value.text = text;
}

inline diff_list diff_header_of(const workload::document& doc) {
    diff_list list;
    diff_item& item = list.add("header");
    diff_text(item, "policy", doc.header.policy);
    for (const workload::entry& e : doc.header.entries) {
        const std::string_view key = e.key.empty() ? workload::last_bottom_layer : e.key;
        const number n = to_number(e.value);
        if (n.has_value()) diff_number(item, key, n);
        else diff_text(item, key, e.value);
    }
    return list;
}
inline diff_list diff_layers_of(const workload::document& doc) {
    diff_list list;
    for (std::size_t n = 0; n != doc.layers.size(); ++n) {
        const workload::layer& l = doc.layers[n];
        diff_item& item = list.add(std::string(l.name), "layer " + std::to_string(n) + ": ");
        diff_number(item, "dependency", number(l.dependency));
        for (const workload::phase_row& row : workload::phase_rows) {
            const workload::phase& p = l.*row.member;
            diff_number(item, row.compute, p.compute, "compute");
            diff_text(item, row.comm, p.comm);
            diff_number(item, row.bytes, p.bytes, "bytes");
        }
        diff_number(item, "update", l.update, "compute");
        diff_text(item, "policy", l.policy);
        diff_text(item, "further", l.further);
    }
    return list;
}

inline diff_list diff_rows_of(const table::document& doc) {
    diff_list list;
    for (const table::profile& profile : doc.tables) {
        for (const table::row& r : profile.rows()) {
            std::string name = "row";
            for (std::size_t c = 0; c != profile.columns.size(); ++c) {
                const std::string_view column = profile.columns[c].name;
                const bool names =
                    column == "Name" || column == "Overload Name" || column == "Input Shapes" || column == "Node ID";
                if (names && !r[c].text().empty()) name.append(" ").append(r[c].text());
            }
            diff_item& item = list.add(with_spaces(name));
            for (std::size_t c = 0; c != profile.columns.size(); ++c) {
                const table::column& column = profile.columns[c];
                if (column.unit == table::unit::text || column.unit == table::unit::cut || column.name == "Node ID")
                    continue;
                // A cell without a value is not 0. The quantity's name is a view of the document's text, which outlives
                // the comparison.
                if (r[c].value().has_value()) diff_number(item, table::heading_of(column), r[c].value(), column.name);
                else if (!table::is_missing_cell(r[c].text())) diff_text(item, table::heading_of(column), r[c].text());
            }
        }
        diff_item& totals = list.add("totals");
        for (const table::total& t : profile.totals)
            diff_number(totals, t.name, profile.find_total(t.name).value(), t.name);
    }
    return list;
}

// The times of one item. Their sum is kept in whole nanoseconds, so that it does not depend on the order of adding.
struct diff_sum {
    std::int64_t count = 0;
    std::int64_t copies = 0;  // operations that repeat another one's time
    std::int64_t unmeasured = 0;
    std::int64_t not_numbers = 0;
    std::int64_t nanoseconds = 0;
    double beyond = 0;  // the part of the sum that 64 bits cannot hold, in milliseconds

    void add(const number& duration) noexcept {
        ++count;
        const double ms = duration.value_or(0.0);
        constexpr double limit = 9e9;
        if (duration.is_missing() || duration.is_none()) ++unmeasured;
        else if (!duration.has_value() || !std::isfinite(ms)) ++not_numbers;
        else if (std::fabs(ms) < limit && std::fabs(static_cast<double>(nanoseconds)) < limit * 1e6)
            nanoseconds += static_cast<std::int64_t>(std::llround(ms * 1e6));
        else beyond += ms;
    }
    void add_copy() noexcept {
        ++count;
        ++copies;
    }
    std::int64_t measured() const noexcept { return count - copies - unmeasured - not_numbers; }
    double milliseconds() const noexcept { return static_cast<double>(nanoseconds) / 1e6 + beyond; }
    double mean() const noexcept { return measured() == 0 ? 0 : milliseconds() / static_cast<double>(measured()); }
};

class diff_sums {
public:
    explicit diff_sums(dimension by) noexcept : by_(by) {}

    void add(const oplog::operation& op) {
        const origin from{op.origin == oplog::origin::stage, op.rank};
        has_several_ = has_several_ || (rank_ && *rank_ != from);
        rank_ = from;
        const bool names = has(by_, dimension::operation);
        const std::size_t above = item_of(place_of(op), names ? std::string_view(op.op) : std::string_view(), no_item);
        if (by_rank() && !from.first) items_[above].rank = from.second;
        if (names && items_[above].operation.empty()) items_[above].operation = op.op;
        if (copies_.is_copy(op)) items_[above].sum.add_copy();
        else items_[above].sum.add(op.duration);
        for (const oplog::sub_operation& s : nested_operations_of(op)) {
            if (s.is_text()) continue;
            std::string buffer;
            std::string name(plain_text(is_missing(s.comm_func) ? s.trace_src_func : s.comm_func, s.quote, buffer));
            if (!is_missing(s.group)) name.append(" (").append(plain_text(s.group, s.quote, buffer)).append(")");
            item& nested = items_[item_of(items_[above].name + ": ", name, above)];
            nested.rank = items_[above].rank;
            nested.sum.add(s.duration);
        }
    }

    // The sums as a list, with ranks in the names or, to compare two logs of one rank each, without them.
    diff_list list(bool with_rank) const {
        double total = 0;
        for (const item& summed : items_)
            if (summed.above == no_item) total += std::fabs(summed.sum.milliseconds());
        diff_list shown_items;
        for (const item& summed : items_) {
            const std::string name = with_rank ? summed.name : summed.name.substr(summed.rank_size);
            const bool is_nameless = name.empty() || name.front() == ':';
            diff_item& shown = shown_items.add(is_nameless ? all_together + name : name);
            if (with_rank) shown.rank = summed.rank;
            shown.operation = summed.operation;
            const bool top = summed.above == no_item;
            if (!top && !has(by_, dimension::collective)) shown.inside = shown_items.items[summed.above].key;
            const auto count = [&](std::string_view field, std::int64_t many) -> diff_value& {
                // A difference in the count weighs as much as the time that that many operations take on average.
                diff_value& v = diff_number(shown, field, number(many), total > 0 ? "ms" : "operations");
                v.scale = total > 0 ? std::fabs(summed.sum.mean()) : 1;
                v.adds = false;
                return v;
            };
            count("count", summed.sum.count).adds = top && !(total > 0);
            count("unmeasured", summed.sum.unmeasured);
            diff_number(shown, "not_a_number", number(summed.sum.not_numbers));
            if (summed.sum.measured() != 0)
                diff_number(shown, "duration_ms", summed.sum.milliseconds(), "ms").adds = top;
        }
        return shown_items;
    }
    bool by_rank() const noexcept { return has(by_, dimension::rank); }
    // The name of the only rank, or of the only stage's plan; empty if there are several or none.
    std::string only_rank() const { return rank_ && !has_several_ ? name_of_rank(*rank_) : std::string(); }

private:
    using origin = std::pair<bool, std::int64_t>;
    static constexpr std::size_t no_item = static_cast<std::size_t>(-1);
    static constexpr const char* all_together = "all operations";
    struct item {
        std::string name;
        std::size_t rank_size;  // the size of the part of the name that names its rank
        std::size_t above;
        std::optional<std::int64_t> rank = {};
        std::string operation = {};
        diff_sum sum = {};
    };

    static std::string name_of_rank(const origin& from) {
        return (from.first ? "plan of stage " : "rank ") + std::to_string(from.second);
    }
    // Returns a prefix such as `rank 7, stage 3: `. Sets rank_size_ to the size of the part that names the rank.
    std::string place_of(const oplog::operation& op) {
        std::string place;
        const auto add = [&](const std::string& part) { place += (place.empty() ? "" : ", ") + part; };
        if (by_rank()) add(name_of_rank({op.origin == oplog::origin::stage, op.rank}));
        rank_size_ = place.size();
        const bool others = has(by_, dimension::stage | dimension::state | dimension::group);
        if (has(by_, dimension::stage)) {
            std::string stage;
            append_value(stage, op.stage_id);
            add(op.stage_id.has_value() ? "stage " + stage : "no stage");
        }
        if (has(by_, dimension::state)) add(is_missing(op.mg_state) ? "no state" : std::string(op.mg_state));
        if (has(by_, dimension::group))
            add(is_missing(op.group_kind) || is_none(op.group_kind) ? "no group" : std::string(op.group_kind));
        if (!place.empty() && has(by_, dimension::operation)) place += ": ";
        if (rank_size_ != 0) rank_size_ = others ? rank_size_ + 2 : place.size();
        return place;
    }
    std::size_t item_of(std::string name, std::string_view suffix, std::size_t above) {
        name += suffix;
        if (name.empty()) name = all_together;
        const auto [place, is_new] = positions_.try_emplace(name, items_.size());
        const std::size_t rank_size = above == no_item ? rank_size_ : items_[above].rank_size;
        if (is_new) items_.push_back({std::move(name), rank_size, above});
        return place->second;
    }

    dimension by_;
    std::size_t rank_size_ = 0;
    std::map<std::string, std::size_t> positions_;
    std::vector<item> items_;
    std::optional<origin> rank_;  // the rank of the last operation
    bool has_several_ = false;
    oplog::copies copies_;
};

inline diff::difference diff_changed(std::string_view item, std::string before, std::string after) {
    return {diff::change::changed, std::string(item), {}, std::move(before), std::move(after), 0, 1};
}

class diff_comparison {
public:
    explicit diff_comparison(double tolerance) noexcept : tolerance_(tolerance) {}

    // Adds the differences between two lists, with effects as shares of these lists' totals.
    void add(const diff_list& before, const diff_list& after) {
        totals_.clear();
        add_totals(before);
        add_totals(after);
        std::map<std::string, bool> different;
        // The parts of an item that differs are not listed as well.
        const auto is_listed = [&](const diff_item& item) {
            return item.inside.empty() || different.count(item.inside) == 0;
        };
        const auto set_differences = [&](const diff_item& item, std::size_t first) {
            if (found_.size() != first) different.try_emplace(item.key);
            for (; first != found_.size(); ++first) {
                found_[first].rank = item.rank;
                found_[first].operation = item.operation;
            }
        };
        for (const diff_item& was : before.items) {
            if (!is_listed(was)) continue;
            const std::size_t count = found_.size();
            if (const diff_item* const now = after.find(was.key)) compare_fields(was, *now);
            else add_item(diff::change::removed, was);
            set_differences(was, count);
        }
        for (const diff_item& now : after.items) {
            if (before.find(now.key) != nullptr || !is_listed(now)) continue;
            add_item(diff::change::added, now);
            set_differences(now, found_.size() - 1);
        }
    }
    // Adds a difference if the items that both lists have are in different orders.
    void add_order(const diff_list& before, const diff_list& after) {
        auto now = after.items.begin();
        for (const diff_item& was : before.items) {
            if (after.find(was.key) == nullptr) continue;
            while (before.find(now->key) == nullptr) ++now;
            if (was.key != now->key) return add(diff_changed("order", was.title(), now->title()));
            ++now;
        }
    }
    void add(diff::difference d) { found_.push_back(std::move(d)); }
    // Takes out the differences. The one with the greatest effect comes first.
    std::vector<diff::difference> sorted() {
        std::stable_sort(found_.begin(), found_.end(),
                         [](const diff::difference& a, const diff::difference& b) { return a.effect > b.effect; });
        return std::move(found_);
    }

private:
    static double size_of(const diff_value& v) { return std::fabs(v.value.value_or(0.0)); }
    // The total of a quantity is that of the side that has more of it.
    void add_totals(const diff_list& side) {
        std::map<std::string_view, double> totals;
        // As sums of doubles depend on the order of adding, values are added in the order of the keys.
        for (const auto& [key, position] : side.positions)
            for (const diff_value& v : side.items[position].values)
                if (const double size = size_of(v); v.adds && std::isfinite(size)) totals[v.quantity] += size;
        for (const auto& [quantity, total] : totals) {
            double& greatest = totals_[quantity];
            if (!(total <= greatest)) greatest = total;
        }
    }
    // The share of its quantity's total that a change makes up: at most 1, and 1 if that is not a finite number.
    double share_of_total(double by, const diff_value& v) const {
        const auto total = totals_.find(v.quantity);
        if (total == totals_.end() || !(total->second > 0) || !std::isfinite(total->second)) return 1;
        const double part = std::fabs(by) * v.scale / total->second;
        return part < 1 ? part : 1;
    }
    // Adds an item, or a field of an item, that only one side has. Without `field`, no value is shown.
    void one_sided(diff::change change, std::string item, const diff_value* field, double effect) {
        diff::difference d{change, std::move(item), {}, {}, {}, 0, effect};
        if (field != nullptr) {
            d.field = field->field;
            (change == diff::change::added ? d.after : d.before) = field->text;
        }
        add(std::move(d));
    }
    void add_item(diff::change change, const diff_item& item) {
        const diff_value* duration = nullptr;
        bool measured = false;
        double effect = 0;
        for (const diff_value& v : item.values) {
            if (v.quantity.empty()) continue;
            measured = true;
            effect = (std::max)(effect, share_of_total(size_of(v), v));
            if (v.field == "duration_ms") duration = &v;
        }
        one_sided(change, item.title(), duration, measured ? effect : 1);
    }
    void compare_fields(const diff_item& was, const diff_item& now) {
        const std::string name = was.title();
        const auto same_field = [](const diff_value& a, const diff_value& b) { return a.field == b.field; };
        if (std::equal(was.values.begin(), was.values.end(), now.values.begin(), now.values.end(), same_field)) {
            for (std::size_t n = 0; n != was.values.size(); ++n) compare_field(name, was.values[n], now.values[n]);
            return;
        }
        const auto add_one_sided = [&](diff::change change, const diff_value& v) {
            one_sided(change, name, &v, v.value.has_value() ? share_of_total(size_of(v), v) : 1);
        };
        // Several fields may share a name: the first ones are compared, then the second ones. `left` holds, for each
        // name, the positions in `now` of the fields that have not been compared yet, the last one first.
        std::map<std::string_view, std::vector<std::size_t>> left;
        for (std::size_t n = now.values.size(); n-- != 0;) left[now.values[n].field].push_back(n);
        std::vector<char> met(now.values.size());
        for (const diff_value& v : was.values) {
            std::vector<std::size_t>& others = left[v.field];
            if (others.empty()) {
                add_one_sided(diff::change::removed, v);
            } else {
                compare_field(name, v, now.values[others.back()]);
                met[others.back()] = 1;
                others.pop_back();
            }
        }
        for (std::size_t n = 0; n != met.size(); ++n)
            if (met[n] == 0) add_one_sided(diff::change::added, now.values[n]);
    }
    void compare_field(const std::string& name, const diff_value& was, const diff_value& now) {
        diff::difference d = diff_changed(name, was.text, now.text);
        d.field = was.field;
        const auto a = was.value.as<double>();
        const auto b = now.value.as<double>();
        if (a && b) {
            const double by = *b - *a;
            if (*a == *b || (*a != *a && *b != *b)) return;  // compares values, not texts: 100 is 100.0, nan is nan
            if (std::isfinite(*a) && std::isfinite(*b)) {
                if (std::fabs(by) <= tolerance_ * (std::max)(std::fabs(*a), std::fabs(*b))) return;
                d.ratio = *a != 0 ? by / std::fabs(*a) : 0;
                if (!std::isfinite(d.ratio)) d.ratio = 0;
                d.effect = (std::max)(share_of_total(by, was), share_of_total(by, now));
            }
        } else if (d.before == d.after) {
            return;
        }
        add(std::move(d));
    }

    double tolerance_;
    std::map<std::string_view, double> totals_;
    std::vector<diff::difference> found_;
};

inline std::vector<diff::difference> diff_compare(const diff_sums& before, const diff_sums& after, double tolerance) {
    diff_comparison comparison(tolerance);
    const std::string was = before.only_rank();
    const std::string now = after.only_rank();
    const bool two_ranks = before.by_rank() && !was.empty() && !now.empty();
    if (two_ranks && was != now) comparison.add(diff_changed("rank", was, now));
    comparison.add(before.list(!two_ranks), after.list(!two_ranks));
    return comparison.sorted();
}
inline std::vector<diff::difference> diff_compare(const workload::document& before, const workload::document& after,
                                                  double tolerance) {
    diff_comparison comparison(tolerance);
    comparison.add(diff_header_of(before), diff_header_of(after));
    const diff_list was = diff_layers_of(before);
    const diff_list now = diff_layers_of(after);
    comparison.add_order(was, now);
    comparison.add(was, now);
    return comparison.sorted();
}
inline std::vector<diff::difference> diff_compare(const table::document& before, const table::document& after,
                                                  double tolerance) {
    diff_comparison comparison(tolerance);
    comparison.add(diff_rows_of(before), diff_rows_of(after));
    return comparison.sorted();
}

inline void diff_write(output& to, const diff::difference& d) {
    to.append(diff::name_of(d.change));
    to.append(d.change == diff::change::added ? "    " : "  ");
    to.append(d.item);
    if (!d.field.empty()) {
        to.append("  ");
        to.append(d.field);
    }
    if (!d.field.empty() || d.change == diff::change::changed) {
        const auto shown = [&](std::string_view text) {
            return text.empty() && !d.field.empty() ? std::string_view("nothing") : text;
        };
        to.append("  ");
        to.append(shown(d.before));
        to.append(" -> ");
        to.append(shown(d.after));
    }
    if (d.ratio != 0) {
        to.append(d.ratio > 0 ? "  +" : "  -");
        std::string percent;
        append_fixed(percent, std::fabs(d.ratio) * 100, 1);
        to.append(percent);
        to.append(" %");
    }
    to.put('\n');
}

inline void diff_write_json(output& to, const diff::difference& d, const callback<void(json::line&)>& more) {
    json::line line(to);
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
    line.end_object();
    static_cast<void>(line.finish());
}

}  // namespace wlfmt::analysis

#endif
