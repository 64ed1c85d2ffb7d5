// wlfmt: reads, writes, checks and sums up rank op logs, workload files and profiler tables from the command line.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

namespace {

using namespace std::string_view_literals;

constexpr char usage[] =
    "usage: wlfmt COMMAND [OPTION ...] FILE...\n"
    "\n"
    "  json FILE...      the interchange form, a JSON object a line, on standard output\n"
    "  format FILE       the file read and written again in its format's own layout\n"
    "  check FILE...     every problem on standard error, what a file holds on standard output\n"
    "  summary FILE...   what a person wants to see first\n"
    "\n"
    "  --kind=oplog|workload|table   the format, instead of what the text looks like\n"
    "  --strict                      tolerate nothing: foreign text too is an error\n"
    "  --limit=N                     check: print at most N problems of a file (default 100, 0: all)\n"
    "  --version, --help\n"
    "\n"
    "FILE `-` is standard input. Exit status: 0 clean, 1 problems, 2 usage or unreadable file.\n";

enum exit_status : int { clean = 0, problems = 1, unusable = 2 };

// Standard output or standard error, through a large buffer. What a closed pipe does not take is dropped.
class stream {
public:
    explicit stream(std::FILE* to) noexcept : to_(to) {}
    void append(const char* bytes, std::size_t size) {
        if (kept_.size() + size > capacity) flush();
        kept_.append(bytes, size);
    }
    void append(std::string_view text) { append(text.data(), text.size()); }
    void flush() {
        if (!failed_ && !kept_.empty()) failed_ = std::fwrite(kept_.data(), 1, kept_.size(), to_) != kept_.size();
        if (!failed_) failed_ = std::fflush(to_) != 0;
        if (failed_ && errno == EPIPE) closed_ = true;
        kept_.clear();
    }
    // Nobody reads any more: there is nothing left to do.
    bool closed() const noexcept { return closed_; }
    bool failed() const noexcept { return failed_ && !closed_; }

private:
    static constexpr std::size_t capacity = 1 << 20;
    std::FILE* to_;
    std::string kept_;
    bool failed_ = false;
    bool closed_ = false;
};

struct settings {
    std::string_view command;
    wlfmt::format kind = wlfmt::format::unknown;
    bool strict = false;
    std::uint64_t limit = 100;
    std::vector<const char*> files;
};

stream standard_output(stdout);
stream standard_error(stderr);

// What was wrong with one file: printed as it comes up, at most so many.
class report {
public:
    report(std::string_view name, std::uint64_t limit) noexcept : name_(name), limit_(limit) {}

    // The text that the next problems are about, and the number of its first line in the file.
    void about(std::string_view text, std::uint64_t first_line) noexcept {
        text_ = text;
        first_line_ = first_line;
    }
    void error(const wlfmt::error& e) {
        ++errors_;
        print(e, wlfmt::severity::error);
    }
    void warning(const wlfmt::error& e) {
        ++warnings_;
        print(e, wlfmt::severity::warning);
    }
    static void warn(void* self, const wlfmt::error& e) { static_cast<report*>(self)->warning(e); }

    void close() {
        const std::uint64_t all = errors_ + warnings_;
        if (limit_ == 0 || all <= limit_) return;
        standard_error.append(name_);
        standard_error.append(": " + std::to_string(all - limit_) + " more problems, " + std::to_string(all) +
                              " in all\n");
    }
    std::uint64_t errors() const noexcept { return errors_; }

private:
    void print(const wlfmt::error& e, wlfmt::severity s) {
        if (limit_ != 0 && errors_ + warnings_ > limit_) return;
        standard_error.append(wlfmt::explain(e, text_, name_, s, first_line_));
    }
    std::string_view name_;
    std::uint64_t limit_;
    std::string_view text_;
    std::uint64_t first_line_ = 1;
    std::uint64_t errors_ = 0;
    std::uint64_t warnings_ = 0;
};

// A file or standard input, in pieces that end at a line's end: only a piece is ever in memory.
class input {
public:
    explicit input(const char* path) : path_(path) {
        stream_ = path_ == "-"sv ? stdin : std::fopen(path, "rb");
        if (stream_ == nullptr) {
            error_.what = wlfmt::code::cannot_open;
            return;
        }
        fill(first_piece);
    }
    input(const input&) = delete;
    input& operator=(const input&) = delete;
    ~input() {
        if (stream_ != nullptr && stream_ != stdin) static_cast<void>(std::fclose(stream_));
    }

    std::string_view name() const noexcept { return path_ == "-"sv ? "<stdin>"sv : path_; }
    const wlfmt::error& error() const noexcept { return error_; }
    // What has been read so far and not been handed out: enough to tell the format by.
    std::string_view beginning() const noexcept { return text_; }

    // The next whole lines, and the number of the first. False behind the last.
    bool next(std::string_view& piece, std::uint64_t& first_line) {
        text_.erase(0, handed_);
        line_ += lines_;
        handed_ = lines_ = 0;
        std::size_t end = 0;
        std::size_t size = piece_size;
        for (;; size *= 2) {
            fill(size);
            end = text_.rfind('\n') + 1;
            if (at_end_ || end != 0) break;
        }
        if (at_end_) end = text_.size();
        if (end == 0) return false;
        piece = std::string_view(text_).substr(0, end);
        first_line = line_;
        handed_ = end;
        lines_ = static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
        return true;
    }

    // All of it at once.
    std::string_view whole() {
        for (std::size_t size = 4 * piece_size; !at_end_; size *= 2) fill(size);
        return text_;
    }

private:
    static constexpr std::size_t first_piece = 1 << 16;
    static constexpr std::size_t piece_size = 1 << 22;

    void fill(std::size_t size) {
        while (!at_end_ && text_.size() < size) {
            const std::size_t have = text_.size();
            text_.resize(size);
            errno = 0;
            const std::size_t got = std::fread(&text_[have], 1, size - have, stream_);
            text_.resize(have + got);
            if (got != 0) continue;
            at_end_ = true;
            if (std::ferror(stream_) != 0)
                error_.what = errno == EISDIR ? wlfmt::code::is_directory : wlfmt::code::cannot_read;
        }
    }

    const char* path_;
    std::FILE* stream_ = nullptr;
    std::string text_;
    bool at_end_ = false;
    std::size_t handed_ = 0;
    std::uint64_t lines_ = 0;
    std::uint64_t line_ = 1;
    wlfmt::error error_;
};

wlfmt::options options_for(const settings& s, report& r) {
    wlfmt::options how;
    how.strict = s.strict;
    how.lenient = s.command != "check" && !s.strict;
    how.on_problem = report::warn;
    how.context = &r;
    return how;
}

// Walks the records of an op log piece by piece and goes on behind errors where the command lists them all. `each` is
// called with every record that is whole. False where reading ended before the log did.
template <class Each>
void for_each_operation(input& from, const settings& s, report& r, Each&& each) {
    const bool list_all = s.command == "check";
    bool any = false;
    std::string_view piece;
    std::uint64_t first_line = 1;
    wlfmt::error none;
    while (from.next(piece, first_line)) {
        r.about(piece, first_line);
        wlfmt::oplog::reader log(piece, options_for(s, r));
        for (;;) {
            while (const wlfmt::oplog::operation* op = log.next()) {
                any = true;
                each(*op, log);
                if (standard_output.closed()) return;
            }
            if (log.ok()) break;
            if (log.error().what == wlfmt::code::no_records) {
                none = log.error();
                break;
            }
            any = true;
            r.error(log.error());
            if (!list_all) return;
            if (!log.skip()) break;
        }
    }
    if (any) return;
    none.what = wlfmt::code::no_records;
    r.error(none);
}

void json(input& from, wlfmt::format kind, const settings& s, report& r) {
    if (kind == wlfmt::format::oplog) {
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, wlfmt::oplog::reader& log) {
            if (s.strict)
                for (const auto& sub : op.sub_operations) static_cast<void>(sub);
            if (log.ok()) wlfmt::json::write(standard_output, op);
        });
        return;
    }
    const std::string_view text = from.whole();
    r.about(text, 1);
    const auto write = [&](const auto& read) {
        if (!read) r.error(read.error());
        if (read.error().what != wlfmt::code::no_records) wlfmt::json::write(standard_output, *read);
    };
    if (kind == wlfmt::format::workload)
        write(wlfmt::workload::read(text, options_for(s, r)));
    else
        write(wlfmt::table::read(text, options_for(s, r)));
}

void format(input& from, wlfmt::format kind, const settings& s, report& r) {
    if (kind == wlfmt::format::oplog) {
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, wlfmt::oplog::reader& log) {
            if (s.strict)
                for (const auto& sub : op.sub_operations) static_cast<void>(sub);
            if (log.ok()) wlfmt::oplog::write(standard_output, op);
        });
        return;
    }
    const std::string_view text = from.whole();
    r.about(text, 1);
    if (kind == wlfmt::format::workload) {
        const auto read = wlfmt::workload::read(text, options_for(s, r));
        if (!read) return r.error(read.error());
        wlfmt::workload::write(standard_output, *read);
    } else {
        const auto read = wlfmt::table::read(text, options_for(s, r));
        if (!read) return r.error(read.error());
        wlfmt::table::write(standard_output, *read);
    }
}

std::string counted(std::uint64_t n, const char* one, const char* many) {
    return std::to_string(n) + ' ' + (n == 1 ? one : many);
}

// Pulls every record and hands every error on, behind which reading goes on.
template <class Reader, class Pull>
void check_all(Reader& reader, report& r, Pull&& pull) {
    for (;;) {
        pull();
        if (reader.ok()) return;
        r.error(reader.error());
        if (!reader.skip()) return;
    }
}

void check(input& from, wlfmt::format kind, const settings& s, report& r) {
    std::string holds;
    if (kind == wlfmt::format::oplog) {
        std::uint64_t records = 0;
        std::uint64_t nested = 0;
        for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, wlfmt::oplog::reader& log) {
            std::uint64_t here = 0;
            for (const auto& sub : op.sub_operations) {
                static_cast<void>(sub);
                ++here;
            }
            if (!log.ok()) return;
            ++records;
            nested += here;
        });
        holds = "oplog, " + counted(records, "record", "records") + ", " +
                counted(nested, "sub-operation", "sub-operations");
    } else if (kind == wlfmt::format::workload) {
        const std::string_view text = from.whole();
        r.about(text, 1);
        std::uint64_t layers = 0;
        wlfmt::workload::reader file(text, options_for(s, r));
        check_all(file, r, [&] {
            while (file.next() != nullptr) ++layers;
        });
        holds = "workload, " + counted(layers, "layer", "layers");
    } else if (kind == wlfmt::format::table) {
        const std::string_view text = from.whole();
        r.about(text, 1);
        std::uint64_t tables = 0;
        std::uint64_t rows = 0;
        wlfmt::table::reader reader(text, options_for(s, r));
        check_all(reader, r, [&] {
            // Behind an error the table goes on.
            while (tables != 0 && reader.next() != nullptr) ++rows;
            while (reader.next_table()) {
                ++tables;
                while (reader.next() != nullptr) ++rows;
            }
        });
        holds = "table, " + counted(tables, "table", "tables") + ", " + counted(rows, "row", "rows");
    } else {
        r.about(from.beginning(), 1);
        wlfmt::error e;
        e.what = wlfmt::code::unknown_format;
        r.error(e);
        holds = "unknown format";
    }
    if (r.errors() != 0) holds += ", " + counted(r.errors(), "problem", "problems");
    standard_output.append(from.name());
    standard_output.append(": " + holds + "\n");
}

// Lines of cells, each column as wide as its widest cell: the first column left-aligned, the others right-aligned.
class grid {
public:
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    void print() const {
        std::vector<std::size_t> widths;
        for (const auto& cells : rows_)
            for (std::size_t n = 0; n < cells.size(); ++n) {
                if (n == widths.size()) widths.push_back(0);
                widths[n] = std::max(widths[n], characters(cells[n]));
            }
        for (const auto& cells : rows_) {
            std::string line = "  ";
            for (std::size_t n = 0; n < cells.size(); ++n) {
                const std::string padding(widths[n] - characters(cells[n]), ' ');
                line += n == 0 ? cells[n] + padding : "  " + padding + cells[n];
            }
            line.erase(line.find_last_not_of(' ') + 1);
            standard_output.append(line + "\n");
        }
    }

private:
    static std::size_t characters(const std::string& s) {
        return static_cast<std::size_t>(
            std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    }
    std::vector<std::vector<std::string>> rows_;
};

std::string fixed(double v, int decimals) {
    char buffer[400];
    static_cast<void>(std::snprintf(buffer, sizeof buffer, "%.*f", decimals, v));
    return buffer;
}
std::string share(double part, double all) { return all > 0 ? fixed(100 * part / all, 1) + "%" : "-"; }

struct tally {
    std::uint64_t count = 0;
    double sum = 0;
};
using tallies = std::map<std::string, tally, std::less<>>;

void add(tallies& to, std::string_view key, double value) {
    auto at = to.find(key);
    if (at == to.end()) at = to.emplace(std::string(key), tally()).first;
    ++at->second.count;
    at->second.sum += value;
}

std::vector<std::pair<std::string, tally>> heaviest_first(const tallies& from) {
    std::vector<std::pair<std::string, tally>> sorted(from.begin(), from.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.sum > b.second.sum; });
    return sorted;
}

// Operations that are communication as a whole; of the others their nested collectives are.
bool is_communication(std::string_view op) {
    const auto holds = [&](std::string_view part) { return op.find(part) != std::string_view::npos; };
    return op.substr(0, 5) == "send_" || op.substr(0, 5) == "recv_" || holds("allreduce") || holds("_comm");
}

void summarise_oplog(input& from, const settings& s, report& r) {
    tallies by_op;
    tallies by_collective;
    std::map<std::int64_t, std::uint64_t> ranks;
    std::map<std::int64_t, std::uint64_t> stages;
    std::uint64_t records = 0;
    std::uint64_t nested = 0;
    double communication = 0;
    double all = 0;
    for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, wlfmt::oplog::reader&) {
        const double ms = op.duration.value_or(0);
        ++records;
        all += ms;
        add(by_op, op.op, ms);
        ++(op.origin == wlfmt::oplog::origin::rank ? ranks : stages)[op.rank];
        double inside = 0;
        for (const auto& sub : op.sub_operations) {
            ++nested;
            const double sub_ms = sub.duration.value_or(0);
            inside += sub_ms;
            std::string key(sub.is_text()                          ? "(text)"sv
                            : wlfmt::oplog::missing(sub.comm_func) ? "(none)"sv
                                                                   : sub.comm_func);
            if (!wlfmt::oplog::missing(sub.group)) key.append(" ").append(sub.group);
            add(by_collective, key, sub_ms);
        }
        communication += is_communication(op.op) ? ms : std::min(inside, ms);
    });

    const auto range = [](const std::map<std::int64_t, std::uint64_t>& of, const char* one, const char* many) {
        if (of.empty()) return std::string();
        std::string text = ", " + counted(of.size(), one, many);
        text += " (" + std::to_string(of.begin()->first);
        if (of.size() > 1) text += " to " + std::to_string(of.rbegin()->first);
        return text + ")";
    };
    standard_output.append(from.name());
    standard_output.append(": rank op log, " + counted(records, "record", "records") + ", " +
                           counted(nested, "sub-operation", "sub-operations") + range(ranks, "rank", "ranks") +
                           range(stages, "stage", "stages") + "\n");
    grid total;
    total.row({"time", "ms", "share"});
    total.row({"computation", fixed(all - communication, 2), share(all - communication, all)});
    total.row({"communication", fixed(communication, 2), share(communication, all)});
    total.row({"all", fixed(all, 2), share(all, all)});
    total.print();
    const auto table = [&](const char* title, const tallies& of) {
        if (of.empty()) return;
        standard_output.append("\n");
        grid lines;
        lines.row({title, "count", "ms", "mean ms", "share"});
        for (const auto& [key, t] : heaviest_first(of))
            lines.row({key, std::to_string(t.count), fixed(t.sum, 2), fixed(t.sum / static_cast<double>(t.count), 3),
                       share(t.sum, all)});
        lines.print();
    };
    table("operation", by_op);
    table("collective, group", by_collective);
}

void summarise_workload(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text, 1);
    wlfmt::workload::reader file(text, options_for(s, r));
    const char* const phases[] = {"forward", "input_grad", "weight_grad"};
    double compute[3] = {};
    double update = 0;
    std::uint64_t layers = 0;
    std::map<std::string, std::array<tally, 3>, std::less<>> moved;
    while (const wlfmt::workload::layer* one = file.next()) {
        ++layers;
        update += one->update.value_or(0);
        const wlfmt::workload::phase* const of[] = {&one->forward, &one->input_grad, &one->weight_grad};
        for (std::size_t n = 0; n < 3; ++n) {
            compute[n] += of[n]->compute.value_or(0);
            if (of[n]->comm == "NONE") continue;
            tally& t = moved[std::string(of[n]->comm)][n];
            ++t.count;
            t.sum += static_cast<double>(of[n]->bytes);
        }
    }
    if (!file.ok()) r.error(file.error());
    const wlfmt::workload::header& head = file.header();
    standard_output.append(from.name());
    standard_output.append(": workload, policy " + std::string(head.policy) + ", " +
                           counted(layers, "layer", "layers") + "\n");
    grid entries;
    for (const wlfmt::workload::entry& e : head.entries)
        entries.row({e.key.empty() ? "last bottom layer" : std::string(e.key), std::string(e.value)});
    entries.print();

    const double all = compute[0] + compute[1] + compute[2];
    standard_output.append("\n");
    grid times;
    times.row({"compute", "time", "share"});
    for (std::size_t n = 0; n < 3; ++n) times.row({phases[n], fixed(compute[n], 0), share(compute[n], all)});
    times.row({"all", fixed(all, 0), share(all, all)});
    times.row({"update", fixed(update, 0)});
    times.print();
    if (moved.empty()) return;
    standard_output.append("\n");
    grid bytes;
    bytes.row({"bytes", "count", phases[0], phases[1], phases[2], "all"});
    for (const auto& [comm, t] : moved)
        bytes.row({comm, std::to_string(t[0].count + t[1].count + t[2].count), fixed(t[0].sum, 0), fixed(t[1].sum, 0),
                   fixed(t[2].sum, 0), fixed(t[0].sum + t[1].sum + t[2].sum, 0)});
    bytes.print();
}

double sum_of(const wlfmt::table::summary& of, std::size_t column) {
    double sum = 0;
    for (std::size_t n = 0; n < of.size(); ++n) sum += of[n][column].value.value_or(0);
    return sum;
}

// The column whose time tells how heavy a row is: a device's own time, else the processor's, else the first time there
// is; of these the first that measured anything.
std::size_t weight_column(const wlfmt::table::summary& of) {
    std::vector<std::size_t> device;
    std::vector<std::size_t> cpu;
    std::vector<std::size_t> further;
    for (std::size_t n = 0; n < of.columns.size(); ++n) {
        if (of.columns[n].unit != wlfmt::table::unit::microseconds) continue;
        const std::string_view name = of.columns[n].name;
        if (name.substr(0, 5) != "Self ")
            further.push_back(n);
        else
            (name.find("CPU") != std::string_view::npos ? cpu : device).push_back(n);
    }
    device.insert(device.end(), cpu.begin(), cpu.end());
    device.insert(device.end(), further.begin(), further.end());
    for (const std::size_t n : device)
        if (sum_of(of, n) > 0) return n;
    return of.columns.size();
}

void summarise_table(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text, 1);
    const auto read = wlfmt::table::read(text, options_for(s, r));
    if (!read) r.error(read.error());
    std::size_t number = 0;
    for (const auto& one : read->tables) {
        ++number;
        const std::size_t rows = one.size();
        standard_output.append(from.name());
        standard_output.append(": profiler table " + std::to_string(number) + " of " +
                               std::to_string(read->tables.size()) + ", " + counted(rows, "row", "rows") + ", " +
                               counted(one.columns.size(), "column", "columns") + "\n");
        for (const auto& total : one.totals)
            standard_output.append("  " + std::string(total.name) + ": " + std::string(total.value.text) + "\n");
        const std::size_t weight = weight_column(one);
        if (weight == one.columns.size()) continue;
        std::vector<std::size_t> order(rows);
        for (std::size_t n = 0; n < rows; ++n) order[n] = n;
        const double all = sum_of(one, weight);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return one[a][weight].value.value_or(0) > one[b][weight].value.value_or(0);
        });
        if (order.size() > 10) order.resize(10);
        grid lines;
        std::vector<std::string> titles{"heaviest rows", std::string(one.columns[weight].name), "share"};
        std::vector<std::size_t> further;
        for (std::size_t n = 0; n < one.columns.size(); ++n)
            if (n != weight && (one.columns[n].name == "Self CPU" || one.columns[n].name == "CPU total" ||
                                one.columns[n].name.find("Calls") != std::string_view::npos)) {
                further.push_back(n);
                titles.emplace_back(one.columns[n].name);
            }
        lines.row(titles);
        for (const std::size_t n : order) {
            const wlfmt::table::cell* const row = one[n];
            std::vector<std::string> cells{std::string(row[0].text), std::string(row[weight].text),
                                           share(row[weight].value.value_or(0), all)};
            for (const std::size_t c : further) cells.emplace_back(row[c].text);
            lines.row(cells);
        }
        lines.print();
    }
}

exit_status run_file(const char* path, const settings& s) {
    input from(path);
    report r(from.name(), s.command == "check" ? s.limit : 0);
    const auto unreadable = [&] {
        if (!from.error()) return false;
        standard_error.append(wlfmt::explain(from.error(), {}, from.name()));
        return true;
    };
    if (unreadable()) return unusable;
    const wlfmt::format kind = s.kind != wlfmt::format::unknown ? s.kind : wlfmt::detect(from.beginning());
    if (s.command == "check") {
        check(from, kind, s, r);
    } else if (kind == wlfmt::format::unknown) {
        r.about(from.beginning(), 1);
        wlfmt::error e;
        e.what = wlfmt::code::unknown_format;
        r.error(e);
    } else if (s.command == "json") {
        json(from, kind, s, r);
    } else if (s.command == "format") {
        format(from, kind, s, r);
    } else if (kind == wlfmt::format::oplog) {
        summarise_oplog(from, s, r);
    } else if (kind == wlfmt::format::workload) {
        summarise_workload(from, s, r);
    } else {
        summarise_table(from, s, r);
    }
    r.close();
    if (unreadable()) return unusable;
    return r.errors() == 0 ? clean : problems;
}

bool parse(int count, char** arguments, settings& s) {
    for (int n = 1; n < count; ++n) {
        const std::string_view a = arguments[n];
        if (s.command.empty()) {
            s.command = a;
        } else if (a == "--strict") {
            s.strict = true;
        } else if (a.substr(0, 7) == "--kind=") {
            const std::string_view kind = a.substr(7);
            for (const auto f : {wlfmt::format::oplog, wlfmt::format::workload, wlfmt::format::table})
                if (kind == wlfmt::name(f)) s.kind = f;
            if (s.kind == wlfmt::format::unknown) return false;
        } else if (a.substr(0, 8) == "--limit=") {
            const char* p = a.data() + 8;
            const char* const end = a.data() + a.size();
            for (s.limit = 0; p != end && *p >= '0' && *p <= '9' && s.limit < 1'000'000'000; ++p)
                s.limit = s.limit * 10 + static_cast<std::uint64_t>(*p - '0');
            if (p != end || a.size() == 8) return false;
        } else if (a.size() > 1 && a[0] == '-') {
            return false;
        } else {
            s.files.push_back(arguments[n]);
        }
    }
    const bool known = s.command == "json" || s.command == "format" || s.command == "check" || s.command == "summary";
    return known && !s.files.empty() && (s.command != "format" || s.files.size() == 1);
}

}  // namespace

int main(int count, char** arguments) {
#if defined(SIGPIPE)
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
#endif
    const std::string_view first = count > 1 ? arguments[1] : "";
    if (first == "--help" || first == "-h") {
        standard_output.append(usage);
        standard_output.flush();
        return clean;
    }
    if (first == "--version") {
        standard_output.append("wlfmt " + std::to_string(wlfmt::version_major) + "." +
                               std::to_string(wlfmt::version_minor) + "." + std::to_string(wlfmt::version_patch) +
                               "\n");
        standard_output.flush();
        return clean;
    }
    settings s;
    if (!parse(count, arguments, s)) {
        standard_error.append(usage);
        standard_error.flush();
        return unusable;
    }
    exit_status worst = clean;
    for (const char* path : s.files) {
        worst = std::max(worst, run_file(path, s));
        if (standard_output.closed()) break;
        if (s.files.size() > 1) standard_error.flush();
    }
    standard_output.flush();
    standard_error.flush();
    if (standard_output.failed()) {
        standard_error.append("wlfmt: writing the output failed\n");
        standard_error.flush();
        return unusable;
    }
    return worst;
}
