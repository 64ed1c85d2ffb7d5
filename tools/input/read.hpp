// Reads op logs chunk by chunk, and the tables of a text prefix by prefix.
#ifndef WLFMT_TOOLS_INPUT_READ_HPP
#define WLFMT_TOOLS_INPUT_READ_HPP

#include <wlfmt/table/lost.hpp>

#include "../command_line/settings.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "analysis/callback.hpp"
#include "folder.hpp"
#include "input.hpp"

namespace tool {

inline std::string_view prefix_for(const settings& s) noexcept { return s.any_prefix ? wlfmt::any_prefix : s.prefix; }

// Reading is lenient, so that one problem hides no other and what can be read is written, unless --strict asks for
// the opposite. `check` lists all problems in either case.
inline wlfmt::options options_for(const settings& s, report& r) {
    wlfmt::options options;
    options.strict = s.strict;
    options.lenient = s.lists_problems || !s.strict;
    options.on_problem = [&r](const wlfmt::problem& e) { r.tolerated(e); };
    options.prefix = prefix_for(s);
    return options;
}
// Options for a text that is only looked at, whatever problems it has.
inline wlfmt::options lenient_options(std::string_view prefix = {}) {
    wlfmt::options options;
    options.lenient = true;
    options.prefix = prefix;
    return options;
}

// The format of a text that is read with these settings.
inline wlfmt::file_format kind_of(std::string_view beginning, const settings& s) {
    if (s.kind != wlfmt::file_format::unknown) return s.kind;
    if (s.prefix.empty()) return wlfmt::detect(beginning);
    wlfmt::options options;
    options.prefix = s.prefix;
    wlfmt::oplog::reader log(beginning, options);
    const bool has_record = log.next() != nullptr || log.error().kind != wlfmt::error_kind::no_records;
    wlfmt::table::reader tables(beginning, options);
    const bool has_table = tables.next_table();
    if (has_table && (!has_record || tables.offset() < log.offset())) return wlfmt::file_format::table;
    return has_record ? wlfmt::file_format::oplog : wlfmt::file_format::unknown;
}

// What the cells of a notebook have printed, as one text; empty for any other text, and in a build without simdjson
// (json/read.hpp).
std::string text_of_notebook(std::string_view json, std::vector<notebook_cell>& cells);
inline bool is_notebook(std::string_view beginning) noexcept {
    return beginning.substr(0, 1) == "{" && beginning.find("\"cells\"") != std::string_view::npos;
}
// The text of a quoted string, as Python or JSON writes it with \n for line ends; empty for any other text, and for a
// string with escapes other than those of white space, quotes and slashes.
inline std::string unquoted(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    const char quote = text.size() < 2 ? 'x' : text.front();
    if ((quote != '"' && quote != '\'') || text.back() != quote) return {};
    std::string unquoted_text;
    for (std::size_t n = 1; n + 1 < text.size(); ++n) {
        if (text[n] == quote || text[n] == '\n') return {};
        if (text[n] != '\\') {
            unquoted_text += text[n];
            continue;
        }
        constexpr std::string_view escapes = "nrt\\\"'/";
        const std::size_t which = escapes.find(text[++n]);
        if (which == std::string_view::npos || n + 1 == text.size()) return {};
        unquoted_text += "\n\r\t\\\"'/"[which];
    }
    return unquoted_text;
}
// Replaces a notebook, or a text in quotes, with the text that it holds.
inline void unpack(input& from) {
    const std::string_view beginning = from.beginning();
    const bool quoted = beginning.substr(0, 1) == "\"" || beginning.substr(0, 1) == "'";
    if (!quoted && !is_notebook(beginning)) return;
    std::vector<notebook_cell> cells;
    std::string text = quoted ? unquoted(from.whole()) : text_of_notebook(from.whole(), cells);
    if (!text.empty()) from.replace(std::move(text), std::move(cells));
}

// Whether a file is worth searching to its end: it is not packed and, unlike a model, begins without zero bytes.
inline bool is_text(std::string_view beginning) noexcept {
    return wlfmt::packed_by(beginning).empty() && beginning.substr(0, 4096).find('\0') == std::string_view::npos;
}

// The format of a file. Reads no more of the file than this takes.
inline wlfmt::file_format kind_of(input& from, const settings& s) {
    if (!wlfmt::packed_by(from.beginning()).empty()) return wlfmt::file_format::unknown;
    unpack(from);
    wlfmt::file_format kind = kind_of(from.beginning(), s);
    const std::string_view beginning = from.beginning();
    if (kind != wlfmt::file_format::unknown || !is_text(beginning) || wlfmt::is_mixed_diff(beginning)) return kind;
    from.search([&](std::string_view part) {
        kind = kind_of(part, s);
        // A workload file is always a whole text, never a part of one.
        if (kind == wlfmt::file_format::workload) kind = wlfmt::file_format::unknown;
        return kind != wlfmt::file_format::unknown;
    });
    return kind;
}

// Reports the lines that hold a record after other text, of a text that a reader of documents or of another format has
// read. Returns whether there are any. `holds_records`, if not null, is set to whether other lines are records.
inline bool report_lost_records(std::string_view text, const settings& s, report& r, bool* holds_records = nullptr) {
    wlfmt::oplog::reader log(text, lenient_options(wlfmt::any_prefix));
    while (log.next() != nullptr)
        if (holds_records != nullptr) *holds_records = true;
    const wlfmt::problem lost = s.strict || !s.any_prefix ? wlfmt::problem() : log.lost();
    if (lost) r.lost_records(lost);
    return static_cast<bool>(lost);
}

using operation_reader = callback<void(const wlfmt::oplog::operation&, const wlfmt::oplog::stream&)>;
struct lines_read {
    std::uint64_t count = 0;
    std::uint64_t foreign = 0;  // lines that are not blank and hold no record
    // Whether the text also holds a table, which is reported once the text has been read to its end.
    bool has_table = false;
    wlfmt::problem lost;  // the lines that hold a record after other text
};
inline void report_table_in_log(report& r, const settings& s) {
    r.other_format("a profiler table", wlfmt::file_format::table, s.copies);
}
// Calls each(operation, stream) for every record of an op log, or of a range of it. Goes on after errors if the command
// lists all problems.
inline lines_read for_each_operation(input& from, const settings& s, report& r, wlfmt::byte_range range,
                                     const operation_reader& each) {
    wlfmt::oplog::stream log(range, options_for(s, r));
    r.about(log);
    struct end_of_log {
        report& owner;
        ~end_of_log() { owner.forget_log(); }
    } const at_end{r};
    bool has_table = false;
    for (bool more = true; more && !log.done();) {
        const std::string_view chunk = from.next();
        more = !chunk.empty();
        has_table = has_table || (s.kind == wlfmt::file_format::unknown && wlfmt::holds_table(chunk));
        if (more) log.feed(chunk);
        else log.finish();
        do {
            while (const auto op = log.next()) {
                // A strict reader finds the errors of a list only when a program iterates over the list.
                if (s.strict)
                    for (const auto& sub : op->sub_operations) static_cast<void>(sub);
                if (!log.ok()) break;
                each(*op, log);
                if (standard_output.closed()) return {log.lines(), log.foreign_lines(), has_table, log.lost()};
            }
            if (log.ok()) break;
            // If a file could not be read to its end, the rest might hold records: `no_records` would then be wrong.
            if (!from.error() || log.error().kind != wlfmt::error_kind::no_records) r.error(log.error());
        } while (s.lists_problems && log.skip());
        if (!log.ok()) break;
    }
    if (has_table) report_table_in_log(r, s);
    if (log.lost()) r.lost_records(log.lost());
    return {log.lines(), log.foreign_lines(), has_table, log.lost()};
}
inline void for_each_operation(input& from, const settings& s, report& r, const operation_reader& each) {
    static_cast<void>(for_each_operation(from, s, r, {}, each));
}

class ranks_of_log {
public:
    void add(const wlfmt::oplog::operation& op) {
        if (op.origin != wlfmt::oplog::origin::rank || op.rank == last_) return;
        last_ = op.rank;
        ranks_[op.rank] = true;
    }
    // Call this after the last operation. Adds the number of unread records to the sums of each rank of the log, as any
    // of the ranks may lack them.
    void add_unread(wlfmt::analysis::summary& run, const report& r) const {
        for (const auto& [rank, is_there] : ranks_) run.add_unread(rank, r.losses());
    }
    const keyed<std::int64_t, bool>& all() const noexcept { return ranks_; }

private:
    std::int64_t last_ = -1;
    keyed<std::int64_t, bool> ranks_;
};

// The prefixes with which the tables of a text are to be read, one after the other.
inline std::vector<std::string_view> table_prefixes(std::string_view text, const settings& s) {
    if (!s.any_prefix) return {s.prefix};
    std::vector<std::string_view> prefixes = wlfmt::find_prefixes(text);
    if (prefixes.empty()) prefixes.emplace_back();
    return prefixes;
}

// Calls each(options, losses) for each of these prefixes. `each` adds to the losses what it reads, and returns the
// error that ended the reading, if there is one. A prefix without a table is an error only if no prefix has a table.
inline void for_each_prefix(std::string_view text, const settings& s, report& r,
                            const callback<wlfmt::problem(const wlfmt::options&, wlfmt::table::losses&)>& each) {
    wlfmt::problem no_table;
    bool any = false;
    struct notes {
        report& r;
        wlfmt::table::losses lost;
    } own{r, wlfmt::table::losses(text)};
    for (const std::string_view prefix : table_prefixes(text, s)) {
        wlfmt::options options = options_for(s, r);
        options.prefix = prefix;
        options.on_problem = [&](const wlfmt::problem& e) {
            own.lost.add(e);
            own.r.tolerated(e);
        };
        const wlfmt::problem e = each(options, own.lost);
        if (e.kind == wlfmt::error_kind::no_records) {
            no_table = e;
            continue;
        }
        any = true;
        if (e) r.error(e);
    }
    if (!any) r.error(no_table);
    // With --kind, check and --lenient judge the text by that format alone, so that other lines are no loss.
    const bool is_loss = s.kind == wlfmt::file_format::unknown || !(s.lists_problems || s.lenient);
    if (any && s.any_prefix)
        own.lost.report([&](const wlfmt::problem& e) {
            // Strict reading reports such lines itself.
            if (s.strict && e.kind == wlfmt::error_kind::lost_lines) return;
            is_loss ? r.tolerated(e) : r.warning(e);
        });
    bool holds_records = false;
    if (any && s.kind == wlfmt::file_format::unknown)
        static_cast<void>(report_lost_records(text, s, r, &holds_records));
    if (holds_records) r.other_format("rank op-log records", wlfmt::file_format::oplog, s.copies);
}

// Returns whether the file lacks the table that --table names, and reports it.
inline bool report_missing_table(const wlfmt::table::document& tables, const settings& s, report& r) {
    const std::size_t count = tables.tables.size();
    if (s.table <= count) return false;
    r.error({"there is no table ", s.table, ": the file has ", counted(count, "table", "tables"), ", counted from 1"});
    return true;
}
// Removes all tables but the one that --table names. Returns whether any is left.
inline bool keep_chosen_table(wlfmt::table::document& tables, const settings& s, report& r) {
    if (tables.tables.empty() || report_missing_table(tables, s, r)) return false;
    if (s.table != 0) tables.tables = {tables.tables[static_cast<std::size_t>(s.table - 1)]};
    return true;
}
inline constexpr const char* has_no_tables = "only files of tables have tables; leave --table out";
// Returns whether --table is given for a file that has no tables, and reports it.
inline bool refuse_table(const settings& s, report& r) {
    if (s.table != 0) r.error({has_no_tables});
    return s.table != 0;
}
// The offset in the text at which a table begins, or one soon after it.
inline std::uint64_t offset_of(const wlfmt::table::profile& table, std::string_view text) noexcept {
    const reported_text whole(text, 1);
    // A name that is spelt differently in the text is not a view of it.
    for (const wlfmt::table::column& column : table.columns)
        if (const auto offset = whole.offset_of(column.name)) return *offset;
    return 0;
}
inline wlfmt::table::document read_tables(std::string_view text, const settings& s, report& r) {
    wlfmt::table::document tables;
    for_each_prefix(text, s, r, [&](const wlfmt::options& options, wlfmt::table::losses& lost) {
        auto read = wlfmt::table::read(text, options);
        for (auto& table : read->tables) {
            lost.add(table);
            tables.tables.push_back(s.canonical ? canonical(table) : std::move(table));
        }
        return read.error();
    });
    return tables;
}

}  // namespace tool

#endif
