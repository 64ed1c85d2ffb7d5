// Reading profiler tables. The first byte chooses the options, the rest is the text.
#include <wlfmt/table.hpp>
#include <wlfmt/table/mend.hpp>

#include "check.hpp"
#include "table_dump.hpp"

namespace {

namespace table = wlfmt::table;

struct reading {
    std::vector<std::string> records;       // the head of a table, its rows, its totals
    std::vector<std::string> rows;          // the rows of all tables
    std::vector<wlfmt::problem> errors;     // where the reader stopped
    std::vector<wlfmt::problem> tolerated;  // the problems that it tolerated
    bool sources = false;                   // a table has source locations
};

void check_views(const table::row& r, std::string_view text) {
    bool inside = true;
    for (const auto& c : r.cells)
        inside = inside && fuzz::is_inside(c.text(), text) && fuzz::is_inside(c.value().text(), text);
    for (const std::string_view frame : r.frames) inside = inside && fuzz::is_inside(frame, text);
    inside = inside && fuzz::is_inside(r.source, text);
    for (const table::column& c : r.columns) {
        const std::string_view place = table::where(r, c.name);
        inside = inside && fuzz::is_inside(place, r.source) &&
                 place == (place.data() != nullptr ? r.find(c.name).text() : "");
    }
    fuzz::check(inside, "every view of a row lies in the text", fuzz::dump(r));
}
// A name of PyTorch's in which a browser has put no-break spaces is a constant with spaces.
bool is_name_of(std::string_view name, std::string_view text) {
    return fuzz::is_inside(name, text) || (text.find("\xC2\xA0") != text.npos && name.find("\xC2\xA0") == name.npos);
}
void check_views(const table::reader& tables, std::string_view text) {
    bool inside = true;
    for (const auto& c : tables.columns()) inside = inside && is_name_of(c.name, text);
    for (const std::string_view t : tables.titles()) inside = inside && fuzz::is_inside(t, text);
    for (const auto& t : tables.totals())
        inside = inside && is_name_of(t.name, text) && fuzz::is_inside(t.value.text(), text) &&
                 fuzz::is_inside(t.value.value().text(), text);
    fuzz::check(inside, "every view of a table lies in the text");
}

// The slow path reads the cells that the fast path reads.
void check_paths(const table::row& r) {
    for (std::size_t n = 0; n < r.cells.size(); ++n) {
        const table::column& c = r.columns[n];
        if (wlfmt::detail::holds_texts(c.unit) || r[n].text().empty()) continue;
        wlfmt::number slow;
        wlfmt::detail::table_cells::read_any_cell(c.unit, r[n].text(), slow);
        fuzz::check(slow == r[n].value(), "the two paths agree on a cell", r[n].text());
    }
}

reading read_on(std::string_view text, unsigned option_bits, bool checks_records = false,
                std::string_view prefix = {}) {
    reading got;
    wlfmt::options options = fuzz::options_of(option_bits, got.tolerated);
    options.prefix = prefix;
    table::reader tables(text, options);
    const std::size_t most = 2 * fuzz::lines_of(text).size() + 2;
    std::size_t steps = 0;
    bool at_end = false;
    // Keeps the error, and returns whether reading can go on.
    const auto can_go_on = [&] {
        fuzz::check(++steps <= most, "reading comes to an end");
        if (at_end) return false;
        got.errors.push_back(tables.error());
        at_end = !tables.skip();
        fuzz::check(tables.ok() != at_end, "an error stays where nothing follows it");
        return !at_end;
    };
    for (;;) {
        if (!tables.next_table()) {
            if (tables.ok() || !can_go_on()) break;
            continue;
        }
        got.records.push_back(fuzz::dump_head(tables.titles(), tables.columns()));
        got.sources = got.sources || tables.find_column("Source Location") != tables.columns().size();
        for (;;) {
            const table::row* r = tables.next();
            if (r == nullptr) {
                if (tables.ok() || !can_go_on()) break;
                continue;
            }
            fuzz::check(r->cells.size() == tables.columns().size(), "a row has a cell for each column");
            got.rows.push_back(fuzz::dump(*r));
            got.records.push_back(got.rows.back());
            if (!checks_records) continue;
            check_views(*r, text);
            check_paths(*r);
        }
        got.records.push_back(fuzz::dump_totals(tables.totals()));
        if (checks_records) check_views(tables, text);
    }
    fuzz::check(!tables.next_table(), "the end is the end");
    return got;
}

// The document holds what the pull reader yields up to its first error.
void check_document(std::string_view text, unsigned option_bits, const reading& pulled, bool has_rules) {
    std::vector<wlfmt::problem> tolerated;
    const auto doc = table::read(text, fuzz::options_of(option_bits, tolerated));
    fuzz::check(doc.ok() == pulled.errors.empty(), "document and pull reader agree that there is an error");
    const std::vector<std::string> all = fuzz::dump_all(*doc);
    if (doc.ok()) {
        fuzz::check_same(all, pulled.records, "the document equals the pull reader");
    } else {
        fuzz::check(doc.error().kind == pulled.errors[0].kind && doc.error().offset == pulled.errors[0].offset,
                    "document and pull reader agree on the error");
        // The totals of the last table may differ, as the reader stopped in them or before them.
        const std::size_t sure = all.empty() ? 0 : all.size() - 1;
        fuzz::check(sure <= pulled.records.size(), "the document holds no more than the pull reader");
        for (std::size_t n = 0; n < sure; ++n)
            fuzz::check_same(all[n], pulled.records[n], "the document equals the pull reader up to the error");
    }
    std::string written;
    if (table::write(written, *doc)) {
        fuzz::check(written.empty(), "what is refused is not written");
        return;
    }
    if (all.empty()) return;

    const auto again = table::read(written, fuzz::options_of(option_bits & 2, tolerated));
    fuzz::check(again.ok(), "what was read is written so that it can be read", written);
    // Of a table that lacked rules, only the values read back: its columns may have other widths.
    if (has_rules) fuzz::check_same(fuzz::dump_all(*again), all, "what is written reads back equal");
    else fuzz::check(*again == *doc, "what is written reads back as the same values", written);
    std::string twice;
    table::write_unchecked(twice, *again);
    fuzz::check_same(twice, written, "writing twice is writing once");
}

// The text without the lines in which errors begin.
std::string without_bad_lines(std::string_view text, const std::vector<wlfmt::problem>& errors) {
    std::string good;
    std::size_t at = 0;
    for (const std::string_view line : fuzz::lines_of(text)) {
        const bool bad = std::any_of(errors.begin(), errors.end(), [&](const wlfmt::problem& e) {
            // A missing rule is in no line.
            return e.kind != wlfmt::error_kind::unclosed_table && e.offset >= at && e.offset < at + line.size();
        });
        if (!bad) good += line;
        at += line.size();
    }
    return good;
}
// The rows that have their last cells. Any other row was cut if its table ends with it, as it may once the bad lines
// after it are gone.
std::vector<std::string> with_last_cells(std::vector<std::string> rows) {
    constexpr std::string_view empty = " cell=0: is=7:missing";
    const auto lacks_it = [&](const std::string& row) {
        return row.size() >= empty.size() && row.compare(row.size() - empty.size(), empty.size(), empty) == 0;
    };
    rows.erase(std::remove_if(rows.begin(), rows.end(), lacks_it), rows.end());
    return rows;
}
// Whether the text has a blank line, which may end a table.
bool has_blank_lines(std::string_view text) {
    for (std::string_view line : fuzz::lines_of(text))
        if (wlfmt::detail::without_blanks(line).empty()) return true;
    return false;
}

// The same tables are read from a text in which each line has a launcher's prefix and other lines come in between.
void check_prefix(std::string_view text) {
    constexpr std::string_view prefix = "[rank1]: ";
    constexpr std::size_t most = 4000;
    // A byte order mark counts as one only at the beginning of a text.
    if (text.size() > most || text.substr(0, 1) == "\xEF") return;
    std::string plain;
    std::string prefixed;
    for (std::string_view line : fuzz::lines_of(text)) {
        if (line.back() == '\n') line.remove_suffix(1);
        plain.append(line).append("\n");
        prefixed.append("[rank2]: ---  ---\n").append(prefix).append(line).append("\n\n");
    }
    const fuzz::block block(prefixed);
    const std::vector<std::string> rows = read_on(plain, 0).rows;
    fuzz::check_same(read_on(block.view(), 0, true, prefix).rows, rows, "tables read the same after a prefix");
    read_on(block.view(), 0, true, wlfmt::any_prefix);
    read_on(text, 0, true, wlfmt::any_prefix);
    wlfmt::options any;
    any.prefix = wlfmt::any_prefix;
    wlfmt::table::reader tables(block.view(), any);
    if (tables.next_table())
        fuzz::check(fuzz::is_inside(tables.prefix(), block.view()), "the prefix that is found lies in the text");
}

// Rows that are laid out as expected are read on a faster path, unless the text ends with them. Both paths read the
// same.
void check_last_rows(std::string_view text, const std::vector<std::string>& rows) {
    constexpr std::size_t most = 40;
    std::size_t end = 0;
    std::size_t count = 0;
    for (std::string_view line : fuzz::lines_of(text)) {
        end += line.size();
        if (++count > most) break;
        std::string_view cut = text.substr(0, end);
        if (cut.back() == '\n') cut.remove_suffix(1);
        const std::vector<std::string> got = read_on(cut, 0).rows;
        fuzz::check(got.size() <= rows.size(), "a text that ends early has no further rows");
        for (std::size_t n = 0; n < got.size(); ++n)
            fuzz::check_same(got[n], rows[n], "a row at the end of the text is the same");
    }
}

// Lines of a mended text are lines of the original one; what nothing was done to is there as it was.
void check_mended(std::string_view text) {
    const table::mended mended = table::mend(text);
    fuzz::check(mended.done.empty() == mended.text.empty(), "only what was mended is copied");
    if (mended.done.empty()) return;
    const std::vector<std::string_view> before = fuzz::lines_of(text);
    const std::vector<std::string_view> after = fuzz::lines_of(mended.text);
    std::uint64_t last = 1;
    for (const table::mending& one : mended.done) {
        fuzz::check(one.line >= last && one.line <= before.size() + 1 && one.count != 0, "what was done has a line");
        fuzz::check(!message(one).empty(), "what was done has words");
        last = one.line;
    }
    last = 1;
    for (std::size_t n = 0; n != after.size(); ++n) {
        const std::uint64_t line = mended.line_of(n + 1);
        fuzz::check(line >= last && line <= before.size() + 1,
                    "the lines of a mended text are in the order of the text");
        last = line;
    }
    const table::text_place end = mended.place_of({after.size(), after.empty() ? 1 : after.back().size() + 1});
    fuzz::check(end.line != 0 && end.column != 0, "a place has a place");
    read_on(mended.text, 0, false, wlfmt::any_prefix);
}

// Whether a table of the text lacks rules. It is read by its header's columns, and written with rules of other widths;
// without one of its bad lines, it may be another table.
bool lacks_rules(std::string_view text) {
    const reading lenient = read_on(text, 2U);
    return std::any_of(lenient.tolerated.begin(), lenient.tolerated.end(),
                       [](const wlfmt::problem& e) { return e.kind == wlfmt::error_kind::missing_rule; });
}

void check_text(std::string_view text, unsigned option_bits) {
    const reading got = read_on(text, option_bits, true);
    fuzz::check_errors(got.errors, text);
    fuzz::check_errors(got.tolerated, text);
    const bool has_rules = !lacks_rules(text);
    check_document(text, option_bits, got, has_rules);

    const auto read = [](std::string_view t, unsigned bits) { return read_on(t, bits); };
    const reading usual = fuzz::check_modes(text, read, &reading::rows);
    if (usual.errors.empty() && !usual.sources) check_last_rows(text, usual.rows);
    check_prefix(text);
    check_mended(text);

    // Skipping a bad line loses no good one. A table that lacks a rule may be another table without that line, and
    // where there are stacks, a bad row takes its frames with it.
    if (!has_rules || usual.errors.empty() || usual.sources || has_blank_lines(text)) return;
    using kind = wlfmt::error_kind;
    // The line of these errors is the header.
    for (const wlfmt::problem& e : usual.errors)
        if (e.kind == kind::column_mismatch || e.kind == kind::too_many_columns || e.kind == kind::cut_column) return;
    fuzz::check_same(with_last_cells(read_on(without_bad_lines(text, usual.errors), 0).rows),
                     with_last_cells(usual.rows), "skipping loses no good line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::check_with_options(data, size, check_text);
}
