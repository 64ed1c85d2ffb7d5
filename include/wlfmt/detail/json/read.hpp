// Reading the interchange form.
#ifndef WLFMT_DETAIL_JSON_READ_HPP
#define WLFMT_DETAIL_JSON_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../from_json.hpp"
#include "records.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {
inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

// Keeps track of which members of an object were met, as each may come once.
class members_met {
public:
    explicit members_met(json_records& from) noexcept : from_(from) {}
    // True where the key is that name, for the first time; a second time it is an error.
    bool is(std::string_view key, std::string_view name, unsigned n, json_value& v) {
        if (key != name) return false;
        if ((met_ & (1U << n)) != 0) v.fail_key(error_kind::duplicate_key, key);
        met_ |= 1U << n;
        return true;
    }
    bool all(const std::string_view* names, unsigned count) {
        for (unsigned n = 0; n != count; ++n)
            if ((met_ & (1U << n)) == 0) return from_.fail_record(error_kind::missing_member, names[n]);
        return true;
    }

private:
    json_records& from_;
    unsigned met_ = 0;
};

// Workload files.

// A count and the indices: "2 2 11".
inline bool index_text(json_records& from, json_value& v, std::string_view& to) {
    std::string text;
    std::size_t count = 0;
    const bool whole = v.items(json_value::wanted::scalar, [&](std::size_t, json_value& item) {
        std::int64_t index = 0;
        if (!item.integer(index)) return false;
        text += ' ';
        text += std::to_string(index);
        ++count;
        return true;
    });
    if (whole) to = from.keep(std::to_string(count) + text);
    return whole;
}

inline bool header_entries(json_records& from, json_value& v, std::vector<workload::entry>& to) {
    return v.members([&](std::string_view key, json_value& one) {
        workload::entry e;
        e.key = key;
        e.colon = one.spaces_after_key() < layout_spaces;
        to.push_back(e);
        const bool list = key == "checkpoints" || key == "checkpoint_initiates";
        if (list && one.kind() == json_kind::array) return index_text(from, one, to.back().value);
        return one.text(to.back().value);
    });
}

inline bool read_header(json_records& from, ondemand::object& o, workload::header& head) {
    static constexpr std::string_view names[] = {"policy", "header", "declared_layers"};
    members_met met(from);
    std::vector<workload::entry> entries;
    const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
        std::int64_t layers = 0;
        if (met.is(key, names[0], 0, v)) return v.string(head.policy);
        if (met.is(key, names[1], 1, v)) return header_entries(from, v, entries);
        if (!met.is(key, names[2], 2, v)) return v.fail_key(error_kind::unknown_member, key);
        if (!v.integer(layers)) return false;
        head.declared_layers = layers;
        return true;
    });
    if (!whole || !met.all(names, 2)) return false;
    // The number of the last bottom layer has no key where it is the only entry, unless the layout says so.
    if (is_dlrm(head.policy) && entries.size() == 1 && entries[0].key == last_bottom_layer) {
        if (entries[0].colon) entries[0].key = {};
        entries[0].colon = !entries[0].colon;
    }
    head.entries = workload::entry_list(std::move(entries));
    return true;
}

inline bool read_phase(json_records& from, json_value& v, workload::phase& p) {
    static constexpr std::string_view names[] = {"compute", "comm", "size"};
    members_met met(from);
    const bool whole = v.members([&](std::string_view key, json_value& m) {
        if (met.is(key, names[0], 0, m)) return m.numeral(p.compute);
        if (met.is(key, names[1], 1, m)) return m.string(p.comm);
        if (met.is(key, names[2], 2, m)) return m.integer(p.bytes);
        return m.fail_key(error_kind::unknown_member, key);
    });
    return whole && met.all(names, 3);
}

inline bool read_layer(json_records& from, ondemand::object& o, workload::layer& one) {
    static constexpr std::string_view names[] = {"name",        "dependency", "forward", "input_grad",
                                                 "weight_grad", "update",     "policy",  "further"};
    members_met met(from);
    const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
        if (met.is(key, names[0], 0, v)) return v.string(one.name);
        if (met.is(key, names[1], 1, v)) return v.integer(one.dependency);
        if (met.is(key, names[2], 2, v)) return read_phase(from, v, one.forward);
        if (met.is(key, names[3], 3, v)) return read_phase(from, v, one.input_grad);
        if (met.is(key, names[4], 4, v)) return read_phase(from, v, one.weight_grad);
        if (met.is(key, names[5], 5, v)) return v.numeral(one.update);
        if (met.is(key, names[6], 6, v)) return v.string(one.policy);
        if (!met.is(key, names[7], 7, v)) return v.fail_key(error_kind::unknown_member, key);
        std::string words;
        if (!v.items(json_value::wanted::strings, [&](std::size_t index, json_value& item) {
                std::string_view word;
                if (!item.string(word)) return false;
                if (index != 0) words += '\t';
                words += word;
                return true;
            }))
            return false;
        one.further = from.keep(words);
        return true;
    });
    return whole && met.all(names, 6);
}

// Tables.

inline bool read_columns(json_value& v, std::vector<table::column>& to) {
    return v.items(json_value::wanted::strings, [&](std::size_t, json_value& item) {
        std::string_view name;
        if (!item.string(name)) return false;
        to.emplace_back(name);
        const std::size_t before = item.spaces_before();
        const std::size_t after = item.spaces_after();
        const std::size_t width = before > after ? before : after;
        if (width >= least_layout_width && width <= most_layout_width) {
            to.back().width = static_cast<std::uint32_t>(width);
            to.back().left_aligned = after > before;
        }
        return to.size() <= table::max_columns || item.fail(error_kind::too_many_columns);
    });
}

// The text of a cell whose number is spelled as in 4.6; a view without data where it is not.
inline std::string_view spelled_text(json_records& from, json_value& v, const number& n, table::unit unit) {
    char text[max_value_chars];
    std::size_t size = 0;
    number said;
    if (unit == table::unit::bytes && v.spaces_before() >= layout_spaces) {
        size = static_cast<std::size_t>(write_value(text, unit, n) - text);
        if (size != 0 && text[size - 1] == 'B') text[size - 1] = 'b';
    } else if (v.token().size() <= max_value_chars - 2) {
        size = write_spelled(text, v.token(), unit);
    }
    const bool held = size != 0 && read_any_cell(unit, {text, size}, said) == error_kind::none && said.has_value();
    return held ? from.keep({text, size}) : std::string_view();
}

inline bool read_cell(json_records& from, json_value& v, table::unit unit, table::cell& to) {
    std::string_view text;
    switch (v.kind()) {
    case json_kind::null:
        to = table::cell(v.spaces_before() >= layout_spaces ? std::string_view("") : text_of_nothing(unit));
        return true;
    case json_kind::number: {
        number n = v.numeral();
        if (n.is_text()) {
            to = table::cell(n.text());
            return true;
        }
        text = spelled_text(from, v, n, unit);
        if (text.data() == nullptr) {
            to = table::cell(n);
            return true;
        }
        static_cast<void>(read_any_cell(unit, text, n));
        to = table::cell(text, n);
        return true;
    }
    case json_kind::string:
        if (!v.string(text)) return false;
        to = table::cell(text);
        return true;
    default: return v.wrong_type(json_value::wanted::scalar);
    }
}

inline bool read_frames(json_value& v, table::cell& first, table::frame_list& further) {
    std::vector<std::string_view> frames;
    const bool whole = v.items(json_value::wanted::strings, [&](std::size_t index, json_value& item) {
        std::string_view frame;
        if (!item.string(frame)) return false;
        if (index == 0)
            first = table::cell(frame);
        else
            frames.push_back(frame);
        return true;
    });
    if (whole && !frames.empty()) further = table::frame_list(std::move(frames));
    return whole;
}

// An object with an array of columns begins a table: in a row, only Source Location is an array.
enum class table_part : std::uint8_t { head, row };

// Reads the head of a table, or a row of the table that is given. The first members of an object tell which it is.
inline bool read_part(json_records& from, ondemand::object& o, table::summary* rows_of, table::summary& head,
                      table_part& part) {
    static constexpr std::string_view names[] = {"columns", "totals"};
    const std::size_t count = rows_of != nullptr ? rows_of->columns.size() : 0;
    members_met met(from);
    part = table_part::row;
    std::vector<table::cell> cells(count);
    std::vector<bool> filled(count);
    table::frame_list frames;
    std::size_t next = 0;
    head = {};
    const auto is_head = [&](std::string_view key, const json_value& v) {
        return (key == names[0] && v.kind() == json_kind::array) || (key == names[1] && v.kind() == json_kind::object);
    };
    const bool whole = json_value::members_of(from, o, [&](std::string_view key, json_value& v) {
        if (is_head(key, v) || part == table_part::head || count == 0) {
            part = table_part::head;
            if (met.is(key, names[0], 0, v)) {
                if (v.spaces_before_key() >= layout_spaces) head.titles.push_back(top_level_title);
                return read_columns(v, head.columns);
            }
            if (!met.is(key, names[1], 1, v)) return v.fail_key(error_kind::unknown_member, key);
            return v.members([&](std::string_view name, json_value& value) {
                table::total t;
                t.name = name;
                head.totals.push_back(t);
                // A total is never empty.
                if (value.kind() == json_kind::null) {
                    head.totals.back().value = table::cell(std::string_view("NaN"));
                    return true;
                }
                return read_cell(from, value, table::unit::microseconds, head.totals.back().value);
            });
        }
        // Most of the time, members come in the order of the columns.
        std::size_t c = next;
        if (c == count || rows_of->columns[c].name != key || filled[c])
            for (c = 0; c != count && (rows_of->columns[c].name != key || filled[c]);) ++c;
        if (c == count)
            return v.fail_key(
                rows_of->find_column(key) == count ? error_kind::unknown_member : error_kind::duplicate_key, key);
        filled[c] = true;
        next = c + 1;
        const table::unit unit = rows_of->columns[c].unit;
        return unit == table::unit::source ? read_frames(v, cells[c], frames) : read_cell(from, v, unit, cells[c]);
    });
    if (!whole) return false;
    if (part == table_part::head || count == 0) return met.all(names, 1);
    rows_of->cells.insert(rows_of->cells.end(), cells.begin(), cells.end());
    rows_of->frames.push_back(std::move(frames));
    return true;
}

// The width of a column that has none in the JSON: 0, which is PyTorch's own, or as much as PyTorch takes with a higher
// limit where its own would cut a text.
inline std::uint32_t width_for_long_texts(table::summary& one, std::size_t n) {
    one.columns[n].width = 0;
    const column_limit limit = limit_of(one.columns[n], n == 0);
    if (limit.longer == column_limit::cut::none) return 0;
    const std::size_t longest = basic_table_layout<kernel>::longest_text(one, n);
    if (longest <= limit.most || longest > most_layout_width) return 0;
    return static_cast<std::uint32_t>(basic_table_layout<kernel>::width_for(longest, {2 * longest, limit.longer}));
}

}  // namespace SIMDJSON_BUILTIN_IMPLEMENTATION
}  // namespace WLFMT_IMPL
}  // namespace detail

namespace json {
inline namespace WLFMT_IMPL {
inline namespace SIMDJSON_BUILTIN_IMPLEMENTATION {

inline const oplog::operation* oplog_reader::next() {
    detail::ondemand::object o;
    if (!from_.next(o) || !build_.build(from_, o, record_)) return nullptr;
    return &record_;
}

inline workload_reader::workload_reader(std::string_view text, texts& kept) : record_reader(text, kept) {
    detail::ondemand::object o;
    if (from_.next(o)) detail::read_header(from_, o, header_);
}
inline const workload::layer* workload_reader::next() {
    detail::ondemand::object o;
    if (!from_.next(o)) return nullptr;
    record_ = {};
    return detail::read_layer(from_, o, record_) ? &record_ : nullptr;
}

inline void table_reader::begin() {
    table_ = std::move(ahead_);
    begun_ = true;
    has_ahead_ = false;
    widths_.clear();
    for (const table::column& c : table_.columns) widths_.push_back(c.width);
}
inline const table::summary* table_reader::finish() {
    for (std::size_t n = 0; n != widths_.size(); ++n)
        table_.columns[n].width = widths_[n] != 0 ? widths_[n] : detail::width_for_long_texts(table_, n);
    return &table_;
}
inline const table::summary* table_reader::next() {
    detail::ondemand::object o;
    if (!begun_) table_ = {};
    if (has_ahead_) begin();
    while (from_.next(o)) {
        detail::table_part part{};
        if (!detail::read_part(from_, o, begun_ ? &table_ : nullptr, ahead_, part)) return nullptr;
        if (part == detail::table_part::row && begun_) continue;
        if (begun_) {
            has_ahead_ = true;
            begun_ = false;
            return finish();
        }
        begin();
    }
    if (!ok() || !begun_) return nullptr;
    begun_ = false;
    return finish();
}

inline result<oplog::document> read_oplog(std::string_view text, texts& kept) {
    oplog::document doc;
    oplog_reader log(text, kept);
    while (const oplog::operation* op = log.next()) doc.operations.push_back(*op);
    return {std::move(doc), log.error(), log.ok()};
}
inline result<workload::document> read_workload(std::string_view text, texts& kept) {
    workload::document doc;
    workload_reader file(text, kept);
    doc.header() = file.header();
    while (const workload::layer* one = file.next()) doc.layers.push_back(*one);
    return {std::move(doc), file.error(), file.ok()};
}
inline result<table::document> read_table(std::string_view text, texts& kept) {
    table::document doc;
    table_reader tables(text, kept);
    while (const table::summary* one = tables.next()) doc.tables.push_back(*one);
    if (const table::summary* one = tables.unfinished()) doc.tables.push_back(*one);
    return {std::move(doc), tables.error(), tables.ok()};
}

}  // namespace SIMDJSON_BUILTIN_IMPLEMENTATION
}  // namespace WLFMT_IMPL
}  // namespace json
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
