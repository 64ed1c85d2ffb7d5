// Documents as lists of named values, and as sums of them, which can be compared.
#ifndef WLFMT_DETAIL_DIFF_SUMS_HPP
#define WLFMT_DETAIL_DIFF_SUMS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../../table.hpp"
#include "../../to_number.hpp"
#include "../../types/number.hpp"
#include "../../types/summary.hpp"
#include "../../workload.hpp"
#include "../oplog/operations.hpp"
#include "../summary/ordered_map.hpp"
#include "../summary/state.hpp"
#include "../table/cell.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// A value of an item: a number, or a text if it is not a number.
struct diff_value {
    std::string field;
    std::string text;
    number value;
    std::string_view quantity;  // the quantity that the number is an amount of; empty: a difference counts as the whole
    double scale = 1;           // how much of that quantity a 1 in this field is
    bool adds = true;           // the quantity's total is the sum of these
};
struct diff_item {
    std::string name;    // as it is shown
    std::string place;   // before it, where items have positions: "layer 3: "
    std::string inside;  // the key of the item that holds this item as a part
    std::vector<diff_value> values;
};
// All items of a document in their order. The key of an item is its name, and its number among the items of that name.
struct diff_list {
    std::vector<std::string> order;
    ordered_map<std::string, diff_item> items;
    ordered_map<std::string, std::size_t> seen;

    diff_item& add(const std::string& name, std::string place = {}) {
        const std::size_t n = seen[name]++;
        std::string key = name + '\n' + std::to_string(n);
        diff_item& item = items[key];
        item.name = name;
        item.place = std::move(place);
        order.push_back(std::move(key));
        return item;
    }
};

inline diff_value& diff_number(diff_item& item, std::string_view field, const number& v,
                               std::string_view quantity = {}) {
    diff_value one;
    one.field = field;
    one.value = v;
    one.quantity = quantity;
    one.adds = !quantity.empty();
    if (!v.is_missing()) append_value(one.text, v);
    item.values.push_back(std::move(one));
    return item.values.back();
}
inline void diff_text(diff_item& item, std::string_view field, std::string_view text) {
    if (is_missing(text)) return;
    diff_value one;
    one.field = field;
    one.text = text;
    item.values.push_back(std::move(one));
}

inline diff_list diff_header_of(const workload::document& doc) {
    diff_list all;
    diff_item& item = all.add("header");
    diff_text(item, "policy", doc.header().policy);
    for (const workload::entry& e : doc.header().entries) {
        const std::string_view key = e.key.empty() ? last_bottom_layer : e.key;
        const number n = to_number(e.value);
        if (n.has_value()) diff_number(item, key, n);
        else diff_text(item, key, e.value);
    }
    return all;
}
inline diff_list diff_layers_of(const workload::document& doc) {
    diff_list all;
    for (std::size_t n = 0; n != doc.layers.size(); ++n) {
        const workload::layer& l = doc.layers[n];
        diff_item& item = all.add(std::string(l.name), "layer " + std::to_string(n) + ": ");
        diff_number(item, "dependency", number(l.dependency));
        for (const phase_row& row : phase_rows) {
            const workload::phase& p = l.*row.of;
            diff_number(item, std::string(row.compute), p.compute, "compute");
            diff_text(item, std::string(row.comm), p.comm);
            diff_number(item, std::string(row.bytes), p.bytes, "bytes");
        }
        diff_number(item, "update", l.update, "compute");
        diff_text(item, "policy", l.policy);
        diff_text(item, "further", l.further);
    }
    return all;
}

inline diff_list diff_rows_of(const table::document& doc) {
    diff_list all;
    for (const table::profile& one : doc.tables) {
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
                // A cell without a value is not the same as a cell of 0. The name views the document's text, which
                // outlives the comparison.
                if (r[c].value().has_value())
                    diff_number(item, table_columns<build>::heading(column), r[c].value(), column.name);
                else if (!is_missing_cell(r[c].text()))
                    diff_text(item, table_columns<build>::heading(column), r[c].text());
            }
        }
        diff_item& totals = all.add("totals");
        for (const table::total& t : one.totals) diff_number(totals, t.name, one.find_total(t.name).value(), t.name);
    }
    return all;
}

// The times of one item. Sums of times are whole numbers of nanoseconds, which come out the same in any order.
class diff_sum {
public:
    void add(const number& duration) noexcept {
        ++count_;
        const double ms = duration.value_or(0.0);
        constexpr double most = 9e9;
        if (duration.is_missing() || duration.is_none()) ++unmeasured_;
        else if (!duration.has_value() || !is_finite(ms)) ++not_numbers_;
        else if (std::fabs(ms) < most && std::fabs(static_cast<double>(nanoseconds_)) < most * 1e6)
            nanoseconds_ += static_cast<std::int64_t>(std::llround(ms * 1e6));
        else beyond_ += ms;
    }
    // An operation whose time is in that of another one.
    void add_copy() noexcept {
        ++count_;
        ++copies_;
    }
    std::int64_t count() const noexcept { return count_; }
    std::int64_t unmeasured() const noexcept { return unmeasured_; }
    std::int64_t not_numbers() const noexcept { return not_numbers_; }
    // In milliseconds; missing where nothing was measured.
    number duration() const noexcept {
        if (measured() == 0) return {};
        return static_cast<double>(nanoseconds_) / 1e6 + beyond_;
    }
    double mean() const noexcept {
        return measured() == 0 ? 0 : duration().value_or(0.0) / static_cast<double>(measured());
    }

private:
    std::int64_t measured() const noexcept { return count_ - copies_ - unmeasured_ - not_numbers_; }

    std::int64_t count_ = 0;
    std::int64_t copies_ = 0;
    std::int64_t unmeasured_ = 0;
    std::int64_t not_numbers_ = 0;
    std::int64_t nanoseconds_ = 0;
    double beyond_ = 0;  // the part of the sum that 64 bits cannot hold
};

class diff_sums {
public:
    explicit diff_sums(oplog::dimension by) noexcept : by_(by) {}

    void add(const oplog::operation& op) {
        ranks_.emplace(op.origin == oplog::origin::stage, op.rank);
        const bool names = has(by_, oplog::dimension::operation);
        const std::size_t above = at(place_of(op), names ? std::string_view(op.op) : std::string_view(), no_item);
        if (copies_.is_copy(op)) all_[above].sum.add_copy();
        else all_[above].sum.add(op.duration);
        for (const oplog::sub_operation& s : nested_operations_of(op)) {
            if (s.is_text() || s.damaged) continue;
            std::string name(is_missing(s.comm_func) ? s.trace_src_func : s.comm_func);
            if (!is_missing(s.group)) name.append(" (").append(s.group).append(")");
            all_[at(all_[above].name + ": ", name, above)].sum.add(s.duration);
        }
    }

    // The sums as a list. If a log holds a single rank, that rank is not a part of the names, so that two such logs can
    // be compared.
    diff_list list(bool with_rank) const {
        double total = 0;
        for (const item& one : all_)
            if (one.above == no_item) total += std::fabs(one.sum.duration().value_or(0.0));
        diff_list to;
        std::vector<std::string> keys(all_.size());
        for (std::size_t n = 0; n != all_.size(); ++n) {
            const item& one = all_[n];
            const std::string name = with_rank ? one.name : one.name.substr(one.rank_size);
            const bool is_nameless = name.empty() || name.front() == ':';
            diff_item& shown = to.add(is_nameless ? all_together + name : name);
            keys[n] = to.order.back();
            const bool top = one.above == no_item;
            if (!top && !has(by_, oplog::dimension::collective)) shown.inside = keys[one.above];
            const auto count = [&](std::string_view field, std::int64_t many) -> diff_value& {
                // As much time as that many operations take.
                diff_value& v = diff_number(shown, field, number(many), total > 0 ? "ms" : "operations");
                v.scale = total > 0 ? std::fabs(one.sum.mean()) : 1;
                v.adds = false;
                return v;
            };
            count("count", one.sum.count()).adds = top && !(total > 0);
            count("unmeasured", one.sum.unmeasured());
            diff_number(shown, "not_a_number", number(one.sum.not_numbers()));
            if (!one.sum.duration().is_missing())
                diff_number(shown, "duration_ms", one.sum.duration(), "ms").adds = top;
        }
        return to;
    }
    bool by_rank() const noexcept { return has(by_, oplog::dimension::rank); }
    // The only rank or plan of a stage; empty if there are several or none.
    std::string only_rank() const { return ranks_.size() == 1 ? name_of_rank(*ranks_.begin()) : std::string(); }

private:
    using origin = std::pair<bool, std::int64_t>;
    static constexpr std::size_t no_item = static_cast<std::size_t>(-1);
    static constexpr const char* all_together = "all operations";
    struct item {
        std::string name;
        std::size_t rank_size = 0;  // of the part that names its rank
        std::size_t above = no_item;
        diff_sum sum;
    };

    static std::string name_of_rank(const origin& of) {
        return (of.first ? "plan of stage " : "rank ") + std::to_string(of.second);
    }
    // "rank 7, stage 3: ", and how much of it names the rank.
    std::string place_of(const oplog::operation& op) {
        std::string place;
        const auto add = [&](const std::string& part) { place += (place.empty() ? "" : ", ") + part; };
        if (by_rank()) add(name_of_rank({op.origin == oplog::origin::stage, op.rank}));
        rank_size_ = place.size();
        const bool others = has(by_, oplog::dimension::stage | oplog::dimension::state | oplog::dimension::group);
        if (has(by_, oplog::dimension::stage)) {
            std::string stage;
            append_value(stage, op.stage_id);
            add(op.stage_id.has_value() ? "stage " + stage : "no stage");
        }
        if (has(by_, oplog::dimension::state)) add(is_missing(op.mg_state) ? "no state" : std::string(op.mg_state));
        if (has(by_, oplog::dimension::group))
            add(is_missing(op.group_kind) || is_none(op.group_kind) ? "no group" : std::string(op.group_kind));
        if (!place.empty() && has(by_, oplog::dimension::operation)) place += ": ";
        if (rank_size_ != 0) rank_size_ = others ? rank_size_ + 2 : place.size();
        return place;
    }
    std::size_t at(std::string name, std::string_view last, std::size_t above) {
        name += last;
        if (name.empty()) name = all_together;
        const auto [place, is_new] = positions_.try_emplace(name, all_.size());
        if (is_new) {
            all_.emplace_back();
            all_.back().name = std::move(name);
            all_.back().rank_size = above == no_item ? rank_size_ : all_[above].rank_size;
            all_.back().above = above;
        }
        return place->second;
    }

    oplog::dimension by_;
    std::size_t rank_size_ = 0;
    ordered_map<std::string, std::size_t> positions_;
    std::vector<item> all_;
    std::set<origin> ranks_;
    exchange_copies copies_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
