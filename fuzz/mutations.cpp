// Damages files by truncation, by deletion of a byte and by insertions, at every place. In each damaged text, every
// line that is not blank must be a record or an error, and the lines that were not touched must read as before.
//
// usage: PROGRAM [--every] FILE_OR_FOLDER...      Without --every large files are damaged at some 100 places.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <wlfmt/wlfmt.hpp>

#include "check.hpp"
#include "dump.hpp"

namespace {

namespace fs = std::filesystem;
using wlfmt::error_kind;
using wlfmt::file_format;

// What reading a text says of each of its lines: records, errors, or nothing.
struct reading {
    std::vector<std::string> lines;
    std::vector<bool> structure;  // whether the reading of other lines depends on this one
    // For each line of stack frames, the line of their row; for any other line, its own number: a row and its frames
    // are lost together.
    std::vector<std::size_t> owner;
    std::string head;                                 // facts outside these lines that decide how they are read
    std::size_t rest = static_cast<std::size_t>(-1);  // from this line on, everything but records is one error
    std::size_t errors = 0;
};

// Finds the line of a text that a view or an offset points into.
class line_map {
public:
    explicit line_map(std::string_view text) : text_(text) {
        std::size_t at = 0;
        for (const std::string_view line : fuzz::lines_of(text)) {
            begins_.push_back(at);
            at += line.size();
        }
    }
    std::size_t size() const { return begins_.size(); }
    std::size_t at(std::size_t offset) const {
        const auto next = std::upper_bound(begins_.begin(), begins_.end(), offset);
        return next == begins_.begin() ? 0 : static_cast<std::size_t>(next - begins_.begin()) - 1;
    }
    std::size_t at(const char* p) const { return at(static_cast<std::size_t>(p - text_.data())); }
    std::string_view line(std::size_t n) const {
        const std::size_t end = n + 1 < size() ? begins_[n + 1] : text_.size();
        return text_.substr(begins_[n], end - begins_[n]);
    }

private:
    std::string_view text_;
    std::vector<std::size_t> begins_;
};

// Collects what reading says of the lines.
class notes {
public:
    notes(reading& found, const line_map& map) : to_(found), map_(map) {
        found.lines.resize(map.size());
        found.structure.resize(map.size());
        for (std::size_t n = 0; n < map.size(); ++n) found.owner.push_back(n);
    }
    void record(const char* at, const std::string& dump) { to_.lines[map_.at(at)] += dump; }
    void frame(const char* at, std::size_t row) {
        record(at, "frame");
        to_.owner[map_.at(at)] = row;
    }
    void error(const wlfmt::problem& e) {
        ++to_.errors;
        // This error is reported once, for this line and everything after it.
        if (e.kind == error_kind::text_after_layers || e.kind == error_kind::related_format)
            to_.rest = (std::min)(to_.rest, map_.at(static_cast<std::size_t>(e.offset)));
        // A wrong number of layers is an error of the whole file, not of a line, and a missing rule one of the table.
        if (e.kind == error_kind::no_records || e.kind == error_kind::missing_layer_count ||
            e.kind == error_kind::layer_count_mismatch || e.kind == error_kind::unclosed_table)
            return;
        if (to_.lines.empty()) return;
        const std::size_t line = map_.at(static_cast<std::size_t>(e.offset));
        to_.lines[line] += name_of(e.kind);
        if (e.kind == error_kind::column_mismatch) structure(line);
        if (e.kind == error_kind::too_many_columns) refused_rule(line);
    }
    // The error of a table with too many columns points into its rule and is about the header, too: both are refused,
    // and reading resumes below them. The header is the line below the rule or, if the table lacks its first rule, the
    // one above it: as errors come in the order of the lines, nothing has been noted for it yet. Like the header of
    // a table that is read, that of a refused one depends on the rules around it.
    void refused_rule(std::size_t line) {
        if (line > 0 && to_.lines[line - 1].empty()) structure(line - 1);
        else if (line + 1 < map_.size() && to_.lines[line + 1].empty()) structure(line + 1);
    }
    // That a column was cut is concluded from the cells of all rows, and decides how each of them is read.
    void cut_column(std::string_view name) { to_.head.append("cut: ").append(name); }
    void structure(std::size_t line) {
        to_.lines[line] += "structure";
        to_.structure[line] = true;
    }

private:
    reading& to_;
    const line_map& map_;
};

// Foreign text counts as an error. A lenient reader reports every error; any other one stops there, and has to skip it.
wlfmt::options options_of(notes& found, bool lenient) {
    wlfmt::options options;
    options.strict = true;
    options.lenient = lenient;
    options.on_problem = [&](const wlfmt::problem& e) { found.error(e); };
    return options;
}

void read_oplog(std::string_view text, bool lenient, notes& found) {
    wlfmt::oplog::reader log(text, options_of(found, lenient));
    do {
        while (const auto* op = log.next()) {
            const std::string dump = fuzz::dump(*op);
            if (!log.ok()) break;
            found.record(op->op.data(), dump);
        }
        if (log.ok()) break;
        found.error(log.error());
    } while (log.skip());
}

void read_workload(std::string_view text, bool lenient, notes& found, const line_map& map, std::string& head) {
    wlfmt::workload::reader file(text, options_of(found, lenient));
    head = file.header().policy;
    bool more = file.ok();
    if (!more) {
        found.error(file.error());
        more = file.skip();
    }
    const auto body = static_cast<std::size_t>(file.offset());
    for (std::size_t n = 0; n < map.size() && map.line(n).data() < text.data() + body; ++n) found.structure(n);
    while (more) {
        while (const auto* l = file.next()) found.record(l->name.data(), fuzz::dump(*l));
        if (file.ok()) break;
        found.error(file.error());
        more = file.skip();
    }
}

bool is_blank(std::string_view line) { return wlfmt::detail::without_blanks(wlfmt::detail::without_bom(line)).empty(); }
bool is_rule_or_blank(std::string_view line) {
    std::string rest(wlfmt::detail::without_bom(line));
    rest.erase(std::remove_if(rest.begin(), rest.end(), [](char c) { return c == '-' || c == '='; }), rest.end());
    return is_blank(rest);
}

void read_table(std::string_view text, bool lenient, notes& found, const line_map& map) {
    for (std::size_t n = 0; n < map.size(); ++n) {
        // Of several totals with one name the reader hands out only the last one, and any other line ends the list of
        // totals.
        wlfmt::table::total total;
        if (is_rule_or_blank(map.line(n)) || wlfmt::detail::table_lines::split_total(map.line(n), total))
            found.structure(n);
    }
    wlfmt::table::reader tables(text, options_of(found, lenient));
    for (bool more = true; more;) {
        while (tables.next_table()) {
            for (const auto& c : tables.columns()) {
                if (!c.name.empty()) found.structure(map.at(c.name.data()));
                if (c.unit == wlfmt::table::unit::cut) found.cut_column(c.name);
            }
            for (const std::string_view title : tables.titles()) found.structure(map.at(title.data()));
            for (bool rows = true; rows;) {
                while (const auto* r = tables.next()) {
                    std::size_t line = 0;
                    wlfmt::table::row cells = *r;
                    cells.frames = {};
                    for (const auto& c : cells.cells) {
                        if (c.text().empty()) continue;
                        line = map.at(c.text().data());
                        found.record(c.text().data(), fuzz::dump(cells));
                        break;
                    }
                    for (const std::string_view frame : r->frames) found.frame(frame.data(), line);
                }
                if (tables.ok()) break;
                found.error(tables.error());
                rows = tables.skip();
                // An error with nothing after it stays.
                if (!rows) return;
            }
        }
        if (tables.ok()) break;
        found.error(tables.error());
        more = tables.skip();
    }
}

reading read(file_format f, std::string_view text, bool lenient) {
    reading got;
    const line_map map(text);
    notes found(got, map);
    if (f == file_format::oplog) read_oplog(text, lenient, found);
    if (f == file_format::workload) read_workload(text, lenient, found, map, got.head);
    if (f == file_format::table) read_table(text, lenient, found, map);
    return got;
}

// The damage has made one line of the lines [first, last], or has removed them.
struct damage {
    std::string text;
    std::size_t first;
    std::size_t last;

    // Where line n of the `before` lines is among the `now` lines of the damaged text; `touched` if it was damaged.
    static constexpr std::size_t touched = static_cast<std::size_t>(-1);
    std::size_t line_now(std::size_t n, std::size_t before, std::size_t now) const {
        if (n < first) return n;
        return n <= last || last + 1 == before ? touched : now - (before - n);
    }
};

// Whether the damage may change how other lines are read: it changes the policy of a workload file or where its layers
// begin, it is in a table's rule or header or in the line after these, or from an earlier line on the text is no longer
// of the format.
bool decides_more(file_format f, const reading& before, const reading& after, const damage& d) {
    if (before.head != after.head || before.rest != after.rest) return true;
    for (std::size_t n = 0; n < before.lines.size(); ++n) {
        const std::size_t now = d.line_now(n, before.lines.size(), after.lines.size());
        const bool is_touched = now == damage::touched;
        const bool others_follow = d.last + 1 != before.lines.size();
        // A row after a blank line decides whether the table goes on.
        const bool decides = before.structure[n] || (n > 0 && before.structure[n - 1]);
        if (f == file_format::table && is_touched && others_follow && decides) return true;
        if (f == file_format::workload && !is_touched && before.structure[n] != after.structure[now]) return true;
    }
    return false;
}

// The lines that the damage touches, either themselves or in a line of their stack frames.
std::vector<bool> damaged_owners(const reading& before, const reading& after, const damage& d) {
    std::vector<bool> damaged(before.lines.size());
    for (std::size_t n = 0; n < before.lines.size(); ++n) {
        if (d.line_now(n, before.lines.size(), after.lines.size()) == damage::touched) damaged[before.owner[n]] = true;
    }
    return damaged;
}

struct counts {
    std::size_t inputs = 0;
    std::size_t errors = 0;
    std::size_t lost = 0;     // lines of damaged texts that are neither a record nor an error
    std::size_t changed = 0;  // lines that were not touched and are read differently
};

void report(const char* what, const fs::path& file, const std::string& text, std::size_t line) {
    constexpr std::size_t most = 400;
    std::fprintf(stderr, "%s: %s, line %zu of:\n%s\n", file.string().c_str(), what, line + 1,
                 text.substr(0, most).c_str());
}

// Compares the reading of a damaged text with that of the undamaged one.
void try_one(file_format f, const fs::path& file, const reading& before, const damage& d, bool lenient, counts& sum) {
    const fuzz::block block(d.text);
    const reading after = read(f, block.view(), lenient);
    ++sum.inputs;
    sum.errors += after.errors;
    const line_map map(block.view());
    const std::vector<bool> damaged = damaged_owners(before, after, d);
    std::vector<bool> excused(after.lines.size());
    const bool reads_alike = !decides_more(f, before, after, d);
    for (std::size_t n = 0; n < before.lines.size(); ++n) {
        const std::size_t now = d.line_now(n, before.lines.size(), after.lines.size());
        if (now == damage::touched) continue;
        const std::size_t owner = before.owner[n];
        excused[now] = owner != n && (damaged[owner] || !reads_alike);
        if (!reads_alike || excused[now] || before.structure[n] || after.lines[now] == before.lines[n]) continue;
        ++sum.changed;
        report("a line that was not touched reads otherwise", file, d.text, n);
        std::fprintf(stderr, "before: %s\nafter: %s\n", before.lines[n].c_str(), after.lines[now].c_str());
    }
    for (std::size_t n = 0; n < after.lines.size(); ++n) {
        if (!after.lines[n].empty() || excused[n] || n >= after.rest || is_blank(map.line(n))) continue;
        ++sum.lost;
        report("a line is neither record nor error", file, d.text, n);
    }
}

void try_file(const fs::path& file, const std::string& text, std::size_t places, counts& sum) {
    file_format f = wlfmt::detect(text);
    if (f == file_format::unknown) f = file_format::oplog;
    const line_map map(text);
    const std::size_t stride = (text.size() / places) | 1;
    static constexpr std::string_view insertions[] = {
        "'", "\"", "[", "]", ",", "\t", "\r", std::string_view("\0", 1), "\xFF", "18446744073709551616"};
    for (const bool lenient : {false, true}) {
        const reading before = read(f, text, lenient);
        const auto attempt = [&](damage d) { try_one(f, file, before, d, lenient, sum); };
        const std::size_t last_line = map.size() - 1;
        for (std::size_t at = 0; at < text.size(); at += stride) {
            const std::size_t line = map.at(at);
            attempt({text.substr(0, at), line, last_line});
            const bool joins = text[at] == '\n' && line != last_line;
            attempt({text.substr(0, at) + text.substr(at + 1), line, joins ? line + 1 : line});
            for (const std::string_view piece : insertions)
                attempt({text.substr(0, at).append(piece).append(text, at), line, line});
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t places = 100;
    counts sum;
    std::size_t files = 0;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--every") {
            places = static_cast<std::size_t>(-1);
            continue;
        }
        std::vector<fs::path> names;
        if (fs::is_directory(argv[i])) {
            for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
                if (entry.is_regular_file() && entry.path().extension() == ".txt") names.push_back(entry.path());
            std::sort(names.begin(), names.end());
        } else {
            names.emplace_back(argv[i]);
        }
        for (const fs::path& file : names) {
            std::ifstream in(file, std::ios::binary);
            const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
            if (text.empty()) continue;
            try_file(file, text, places, sum);
            ++files;
        }
    }
    std::printf("%zu files, %zu damaged texts, %zu errors, %zu lines lost, %zu untouched lines changed\n", files,
                sum.inputs, sum.errors, sum.lost, sum.changed);
    return files > 0 && sum.lost == 0 && sum.changed == 0 ? 0 : 1;
}
