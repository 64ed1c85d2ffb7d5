// Writes records in the interchange form, which is JSON.
#ifndef WLFMT_DETAIL_JSON_WRITE_HPP
#define WLFMT_DETAIL_JSON_WRITE_HPP

#include <iterator>

#include "../../json/line.hpp"
#include "../../table.hpp"
#include "../../workload.hpp"
#include "../oplog/find.hpp"
#include "../workload/schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Whether the value of an entry is a count followed by that many indices. Any other value, as in `checkpoints: all`,
// stays a text.
inline bool json_is_index_list(const workload::entry& e) noexcept {
    if (type_of_entry(e.key) != entry_type::index_list) return false;
    const workload::words words(e.value);
    const auto first = words.begin();
    const auto count = static_cast<std::size_t>(std::distance(first, words.end()));
    if (count == 0 || workload::index_list(e.value).size() != count - 1) return false;
    const auto counted = to_number(*first);
    return counted.is_integer() && counted == count - 1;
}

struct json_writing {
    json::line line;
    problem wrong = {};  // the first problem: something that JSON cannot express

    template <class Record> static problem write(any_sink sink, const Record& record) {
        json_writing writing{json::line(sink)};
        writing.put(record);
        const problem failed = writing.line.finish();
        return failed ? failed : writing.wrong;
    }

private:
    void put(const oplog::sub_operation& s) {
        if (s.is_text()) return line.string(s.text, s.quote);
        line.open('{');
        visit_attributes(s, [&](std::string_view key, const auto& v) {
            if (!is_missing(v)) line.key(key, s.quote).value(v, s.quote);
        });
        line.close('}');
    }
    void put(const oplog::operation& r) {
        line.open('{');
        line.key(r.origin == oplog::origin::rank ? "rank" : "stage").integer(r.rank);
        line.key("op").string(r.op);
        visit_attributes(r, [&](std::string_view key, const auto& v) {
            if (is_missing(v)) return;
            line.key(key);
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, oplog::sub_operation_list>) {
                if (v.is_none()) return line.null();
                line.open('[');
                for (const oplog::sub_operation& s : v) {
                    if (!s.damaged) put(s);
                    else if (!wrong) wrong = unwritable("sub_operations");
                }
                line.close(']');
            } else {
                line.value(v);
            }
        });
        line.end_object();
    }
    void put(const oplog::document& doc) {
        for (std::size_t n = 0; n != doc.operations.size(); ++n) {
            const bool is_first = !wrong;
            put(doc.operations[n]);
            if (wrong && is_first) wrong = in_document(wrong, n);
        }
    }

    void put(const workload::header& head) {
        line.open('{');
        line.key("policy").string(head.policy);
        line.key("header").open('{');
        for (const workload::entry& e : head.entries) {
            // A bare number is an entry without a key or a colon; a lone colon is an entry with an empty key.
            const bool bare = e.key.empty() && !e.colon;
            line.key(bare ? last_bottom_layer : e.key);
            const entry_type type = bare ? entry_type::number : type_of_entry(e.key);
            const number n = workload_header::header_number(e.value);
            const bool is_number = type == entry_type::size || type == entry_type::number;
            const bool is_target = target_position(e.key) != target_keys_count;
            if (json_is_index_list(e)) line.list(workload::index_list(e.value));
            else if (n.has_value() && (is_number || (!is_target && json::line::is_written_as(n, e.value))))
                line.typed(n);
            else if (!is_number && !is_target && json::line::is_plain_integer(e.value))
                line.plain(e.value);  // beyond 64 bits
            else line.string(e.value);
        }
        line.close('}');
        if (!head.declared_layers.is_missing()) line.key("declared_layers").value(head.declared_layers);
        line.end_object();
    }
    void put(const workload::layer& layer) {
        line.open('{');
        line.key("name").string(layer.name);
        line.key("dependency").integer(layer.dependency);
        for (const workload::phase_row& row : workload::phase_rows) {
            const workload::phase& p = layer.*row.member;
            line.key(row.name).open('{');
            line.key(phase_members[0]).value(p.compute);
            line.key(phase_members[1]).string(p.comm);
            line.key(phase_members[2]).value(written_size(p.bytes));
            line.close('}');
        }
        line.key("update").value(layer.update);
        if (!is_missing(layer.policy)) line.key("policy").string(layer.policy);
        if (!is_missing(layer.further)) {
            line.key("further").open('[');
            for (const std::string_view word : workload::words(layer.further)) line.string(word);
            line.close(']');
        }
        line.end_object();
    }
    void put(const workload::document& doc) {
        put(doc.header);
        for (const workload::layer& layer : doc.layers) put(layer);
    }

    // A cell without a value stays a text, even if it looks like a number: `316.074` without its unit is not a time.
    void put(const table::cell& cell, bool prose) {
        const number& v = cell.value();
        const std::string_view t = cell.text();
        if (prose && !is_missing(t)) return line.string(t);
        if (v.is_text()) return line.string(v.text());
        if (v.has_value()) return line.typed(v);
        if (prose) return line.string("");
        if (!is_missing_cell(t)) return line.string(t);
        line.null();
    }
    void put(const table::profile& profile) {
        line.open('{');
        line.key("columns").open('[');
        for (std::size_t n = 0; n != profile.columns.size(); ++n) line.string(profile.columns[n].name);
        line.close(']');
        line.key("totals").open('{');
        for (const table::total& t : profile.totals) {
            line.key(t.name);
            put(table_cells::cell_in(table::unit::microseconds, t.value), false);
        }
        line.close('}');
        line.end_object();
        std::vector<std::string> keys(profile.columns.size());
        for (std::size_t c = 0; c != keys.size(); ++c)
            append_json(keys[c], [&](json::line& key_line) { key_line.key(profile.columns[c].name); });
        for (const table::row& row : profile.rows()) {
            line.open('{');
            for (std::size_t c = 0; c != keys.size(); ++c) {
                const table::column& column = profile.columns[c];
                line.written_key(keys[c]);
                if (column.unit != table::unit::source) {
                    put(row[c], column.unit == table::unit::text);
                    continue;
                }
                line.open('[');
                if (!row[c].text().empty() || !row.frames.empty()) line.string(row[c].text());
                for (const std::string_view frame : row.frames) line.string(frame);
                line.close(']');
            }
            line.end_object();
        }
    }
    void put(const table::document& doc) {
        for (const table::profile& profile : doc.tables) put(profile);
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
