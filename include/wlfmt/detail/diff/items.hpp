// Documents as lists of named values, which can be compared.
#ifndef WLFMT_DETAIL_DIFF_ITEMS_HPP
#define WLFMT_DETAIL_DIFF_ITEMS_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../table.hpp"
#include "../../to_number.hpp"
#include "../../types/number.hpp"
#include "../../workload.hpp"
#include "../summary/ordered_map.hpp"
#include "../table/columns.hpp"

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

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
