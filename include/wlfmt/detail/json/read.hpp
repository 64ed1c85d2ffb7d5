// Reading the interchange form.
#ifndef WLFMT_DETAIL_JSON_READ_HPP
#define WLFMT_DETAIL_JSON_READ_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
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
        e.colon = true;
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
    // The number of the last bottom layer has no key where it is the only entry.
    if (is_dlrm(head.policy) && entries.size() == 1 && entries[0].key == last_bottom_layer)
        entries[0] = {{}, entries[0].value, false};
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
        const bool header = key == "header" || key == "declared_layers";
        if (header) return v.fail_key(error_kind::text_after_layers, key);
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
        return to.size() <= table::max_columns || item.fail(error_kind::too_many_columns);
    });
}

// What PyTorch prints where there is no value.
inline std::string_view text_of_nothing(table::unit unit) noexcept {
    return unit == table::unit::percent ? "NaN" : unit == table::unit::flops ? "--" : "";
}

// A number with all of its digits, in the base unit of its column: `3821.335us`; at most max_value_chars. A zero that
// is an integer has no unit, as PyTorch prints it.
inline char* write_all_digits(char* out, table::unit unit, const number& v) noexcept {
    const std::string_view suffix = v.is_integer() && v == 0            ? ""
                                    : unit == table::unit::microseconds ? "us"
                                    : unit == table::unit::percent      ? "%"
                                    : unit == table::unit::bytes        ? " B"
                                                                        : "";
    char* end = write_number(out, v);
    // No unit follows an exponent.
    if (!suffix.empty() && view(out, end).find('e') != std::string_view::npos) {
        const auto fixed = std::to_chars(out, out + max_fixed_chars, v.value_or(0), std::chars_format::fixed);
        end = fixed.ec == std::errc() ? fixed.ptr : write_number(out, v);
    }
    return write_bytes(end, suffix.data(), suffix.size());
}

// The cell of a number: the value, which is printed as PyTorch prints it, or a text with all of its digits where that
// form would lose some of them. (3821.335 microseconds are not `3.821ms`.)
inline table::cell cell_of(json_records& from, number v, table::unit unit) {
    // In these columns only a zero is an integer.
    const bool decimals =
        unit == table::unit::microseconds || unit == table::unit::percent || unit == table::unit::bytes;
    const number decimal = v.value_or(0.0);
    if (decimals && v.is_integer() && v != 0 && decimal.as<std::int64_t>() == v.as<std::int64_t>()) v = decimal;
    char printed[max_value_chars];
    number read;
    const auto holds = [&](std::string_view text) { return read_any_cell(unit, text, read) == error_kind::none; };
    if (holds(view(printed, write_value(printed, unit, v))) && read == v) return table::cell(v);
    const std::string_view digits = view(printed, write_all_digits(printed, unit, v));
    return holds(digits) ? table::cell(from.keep(digits), read) : table::cell(v);
}

inline bool read_cell(json_records& from, json_value& v, table::unit unit, table::cell& to) {
    std::string_view text;
    switch (v.kind()) {
    case json_kind::null: to = table::cell(text_of_nothing(unit)); return true;
    case json_kind::number: {
        const number n = v.numeral();
        to = n.is_text() ? table::cell(n.text()) : cell_of(from, n, unit);
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

// The width of a column: 0, which is PyTorch's own, or as much as PyTorch takes with a higher limit where its own would
// cut a text, or as much as a number with all of its digits takes.
inline std::uint32_t width_for_long_texts(table::summary& one, std::size_t n) {
    constexpr std::size_t most = std::size_t{1} << 20;
    one.columns[n].width = 0;
    const column_limit limit = limit_of(one.columns[n], n == 0);
    if (limit.longer == column_limit::cut::none) {
        std::size_t longest = default_column_width;
        for (std::size_t at = n; at < one.cells.size(); at += one.columns.size())
            if (one.cells[at].text().size() > longest && one.cells[at].value().has_value())
                longest = one.cells[at].text().size();
        return longest > default_column_width ? static_cast<std::uint32_t>(longest) : 0;
    }
    const std::size_t longest = basic_table_layout<kernel>::longest_text(one, n);
    if (longest <= limit.most || longest > most) return 0;
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
    const bool any = from_.next(o);
    if (any || !ok()) ++layers_;
    if (any) {
        record_ = {};
        return detail::read_layer(from_, o, record_) ? &record_ : nullptr;
    }
    const auto declared = header_.declared_layers.as<std::int64_t>();
    if (ok() && declared && *declared > layers_)
        from_.fail_at_end(error_kind::layer_count_mismatch, layers_, *declared);
    return nullptr;
}

inline void table_reader::begin() {
    table_ = std::move(ahead_);
    begun_ = true;
    has_ahead_ = false;
}
inline const table::summary* table_reader::finish() {
    for (std::size_t n = 0; n != table_.columns.size(); ++n)
        table_.columns[n].width = detail::width_for_long_texts(table_, n);
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
