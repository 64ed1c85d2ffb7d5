// Holds wlfmt against the goals that it was built for: its speed as a share of a scan for line ends and as a multiple
// of its peers' speed. Each ratio is taken within one round, as a machine's speed drifts and its neighbours are noisy;
// the median of the rounds counts. Time is processor time.
//
//   ratios [--markdown] [--ranges] [--only=TASK] [--enforce] [--rounds=7] [--size=MB] [--large]
//
// --ranges: the ratios alone, as lines `task TAB against TAB least TAB most`, these two over all inputs; run.sh makes
// the tables of docs/performance.md from them. --enforce: a missed `must` is exit code 1. --large: linear to 4 GB, with
// a file of that size in TMPDIR. WLFMT_BENCH_FILES: a folder with real files to read besides those of tests/data.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>
#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"
#include "contest.hpp"
#include "grid.hpp"
#include "peers/script.hpp"

namespace {
std::uint64_t allocations = 0;
}

void* operator new(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace {

using bench::contest;
using bench::format;
using bench::grid;
using bench::input;
using bench::kilobyte;
using bench::megabyte;
using bench::progress;
using bench::seconds_of;
using bench::text;

struct options {
    bool markdown = false;
    bool enforce = false;
    bool large = false;
    bool ranges = false;
    std::string only;  // a task; empty: all
    int rounds = 7;
    std::size_t size = 64 * megabyte;
};

std::string kernel() {
    const std::string_view name = typeid(wlfmt::number).name();
    for (const char* k : {"sse2", "neon"})
        if (name.find(k) != std::string_view::npos) return k;
    return "portable";
}

std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.compare(0, 10, "model name") == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

std::string compiler() {
#if defined(__clang__)
    return "Clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
           std::to_string(__clang_patchlevel__);
#else
    return "GCC " __VERSION__;
#endif
}

void print_build(const options& settings) {
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
    std::printf("%s: kernel %s; %s %s; %s; %s; medians of %d rounds or more\n",
                settings.markdown ? "wlfmt" : "wlfmt benchmarks", kernel().c_str(), compiler().c_str(),
                WLFMT_BENCH_FLAGS, processor().c_str(), date, settings.rounds);
    std::fflush(stdout);
}

const bench::task& task_named(const std::string& name) {
    for (const bench::task& t : bench::tasks())
        if (t.name == name) return t;
    bench::fail("no task " + name);
}

// One column of the table: what is read, and whether in one piece.
struct column {
    std::string title;
    std::string kind;
    std::size_t file_size;  // 0: all in one file
};

// The inputs of a column; slow ways get shorter ones.
class column_inputs {
public:
    column_inputs(format f, const column& c) : format_(f), column_(c) {}
    const input& of(std::size_t size) {
        std::unique_ptr<input>& in = inputs_[size];
        if (in == nullptr) {
            in = std::make_unique<input>();
            bench::fill(*in, format_, column_.kind, size,
                        column_.file_size == 0 ? size : (std::min)(column_.file_size, size));
        }
        return *in;
    }

private:
    format format_;
    column column_;
    std::map<std::size_t, std::unique_ptr<input>> inputs_;
};

// A way made ready for the column's input, or for as much of it as takes a fraction of a second, and how much that is.
std::pair<bench::job, std::size_t> ready(const bench::task& t, const bench::way& w, column_inputs& inputs,
                                         std::size_t size) {
    constexpr double patience = 0.15;
    std::size_t probe = (std::min)({w.most, size, megabyte});
    bench::job work = bench::ready(t, w, inputs.of(probe));
    if (!work) return {};
    const double per_byte = seconds_of(work) / static_cast<double>(inputs.of(probe).text.size());
    std::size_t best = probe;
    for (std::size_t s = probe; s <= (std::min)(size, w.most); s *= 2)
        if (per_byte * static_cast<double>(s) <= patience) best = s;
    if (best != probe) work = bench::ready(t, w, inputs.of(best));
    return {std::move(work), inputs.of(best).text.size()};
}

enum class unit {
    share,  // a share of the other's speed
    times,  // a multiple of the other's speed
    time    // a multiple of the other's time: the smaller the better
};

struct goal {
    std::string title;
    std::string task;
    std::string subject;
    std::string against;
    unit what;
    double must;  // 0: none
    double aim;
    std::vector<double> ratios = {};  // one per column, 0 for a column without one
};

std::string shown(unit what, double ratio) {
    if (ratio == 0) return "-";
    if (what == unit::share) return text(ratio < 0.01 ? "%.4f" : "%.3f", ratio);
    if (what == unit::times) return text(ratio < 10 ? "%.2fx" : "%.1fx", ratio);
    return text("%.2fx time", 1 / ratio);
}
double as_ratio(unit what, double bound) { return what == unit::time && bound != 0 ? 1 / bound : bound; }

std::string bound(unit what, double b) { return b == 0 ? "-" : shown(what, as_ratio(what, b)); }

// The worst column decides.
std::string verdict(const goal& g, bool& missed) {
    double worst = 0;
    for (const double r : g.ratios)
        if (r != 0 && (worst == 0 || r < worst)) worst = r;
    if (worst == 0) return "not measured";
    const bool has_must = g.must != 0;
    const bool has_aim = g.aim != 0;
    if (has_must && worst < as_ratio(g.what, g.must)) {
        missed = true;
        return "MISSED";
    }
    if (has_aim && worst < as_ratio(g.what, g.aim)) return "short of aim";
    return has_aim ? "aim met" : has_must ? "met" : "";
}

std::vector<goal> all_goals() {
    const std::string simdjson = task_named("oplog_read").ways[2].name;
    const std::string splitter = "string_view::find, from_chars";
    return {
        {"op log, pull read", "oplog_read", "wlfmt", "floor", unit::share, 0.12, 0.16},
        {"op log, pull read", "oplog_read", "wlfmt", simdjson, unit::times, 2.0, 3.0},
        {"op log, pull read", "oplog_read", "wlfmt", splitter, unit::times, 0, 0},
        {"op log, pull read", "oplog_read", "wlfmt", "std::regex", unit::times, 0, 0},
        {"op log, pull read", "oplog_read", "wlfmt", "Python re, ast.literal_eval", unit::times, 0, 0},
        {"op log, durations and comm_func only", "oplog_read_durations", "wlfmt", "floor", unit::share, 0.28, 0.45},
        {"workload, pull read", "workload_read", "wlfmt", "ifstream >>", unit::times, 10, 0},
        {"workload, pull read", "workload_read", "wlfmt", "istringstream >>", unit::times, 0, 0},
        {"workload, pull read", "workload_read", "wlfmt", splitter, unit::times, 0, 0},
        {"workload, pull read", "workload_read", "wlfmt", "floor", unit::share, 0, 0.18},
        {"workload, pull read", "workload_read", "wlfmt", "Python split()", unit::times, 0, 0},
        {"table, pull read", "table_read", "wlfmt", "floor", unit::share, 0.12, 0.26},
        {"table, pull read", "table_read", "wlfmt", splitter, unit::times, 0, 0},
        {"table, pull read", "table_read", "wlfmt", "Python re.split", unit::times, 0, 0},
        {"op log, written", "oplog_write", "wlfmt", "ostream", unit::times, 20, 27},
        {"op log, written", "oplog_write", "wlfmt", "fmt::format_to", unit::times, 0, 0},
        {"op log, written as read", "oplog_write", "wlfmt, as read", "ostream", unit::times, 0, 0},
        {"workload, written", "workload_write", "wlfmt", "ostream", unit::times, 8, 17},
        {"workload, written", "workload_write", "wlfmt", "fmt::format_to", unit::times, 0, 0},
        {"table, written from values", "table_write", "wlfmt", "ostream", unit::times, 8, 17},
        {"table, written from values", "table_write", "wlfmt", "fmt::format_to", unit::times, 0, 0},
        {"table, written as read", "table_write", "wlfmt, as read", "ostream", unit::times, 0, 0},
        {"op log, from mapped file", "file_oplog", "mapped file", "memory", unit::time, 1.6, 0},
        {"workload, from mapped file", "file_workload", "mapped file", "memory", unit::time, 1.6, 0},
        {"table, from mapped file", "file_table", "mapped file", "memory", unit::time, 1.6, 0},
    };
}

std::vector<column> all_columns() {
    std::vector<column> columns = {{"samples", "samples", 0}, {"random", "random", 0}};
    const bool files = bench::has_kind(format::oplog, "files") && bench::has_kind(format::workload, "files") &&
                       bench::has_kind(format::table, "files");
    if (files) columns.push_back({"files", "files", 0});
    columns.push_back({"samples, 16 KB files", "samples", 16 * kilobyte});
    columns.push_back({"random, 16 KB files", "random", 16 * kilobyte});
    return columns;
}

// Measures all ways of a task on one column, and adds the ratios to the goals, and the speeds to each way's line.
void measure(const bench::task& t, const column& c, std::vector<goal>& goals, const options& settings,
             std::map<std::string, std::vector<std::string>>& speeds) {
    progress(t.name + ", " + c.title);
    column_inputs inputs(t.format, c);
    contest all;
    std::map<std::string, std::size_t> entered;
    for (const bench::way& w : t.ways) {
        // With many small files, opening them or starting a program for each would be most of what is measured.
        if (c.file_size != 0 && t.name.compare(0, 5, "file_") == 0) continue;
        // The peers write what is in the samples, not everything that is in real files.
        if (c.kind == "files" && (w.name == "ostream" || w.name == "fmt::format_to")) continue;
        auto [work, bytes] = ready(t, w, inputs, settings.size);
        if (!work) continue;
        entered[w.name] = entered.size();
        all.enter(std::move(work), bytes);
    }
    if (!entered.empty()) all.go(settings.rounds);
    for (const bench::way& w : t.ways) {
        const auto found = entered.find(w.name);
        speeds[w.name].push_back(found == entered.end() ? "-" : text("%.4g", 1e3 / all.nanoseconds(found->second)));
    }
    for (goal& g : goals) {
        if (g.task != t.name) continue;
        const bool both = entered.count(g.subject) != 0 && entered.count(g.against) != 0;
        g.ratios.push_back(both ? all.ratio(entered[g.subject], entered[g.against]) : 0);
    }
}

void print_ranges(const std::vector<goal>& goals) {
    for (const goal& g : goals) {
        if (g.ratios.empty()) continue;
        double least = 0;
        double most = 0;
        for (const double r : g.ratios) {
            if (r == 0) continue;
            least = least == 0 ? r : (std::min)(least, r);
            most = (std::max)(most, r);
        }
        std::printf("%s\t%s\t%s\t%s\n", g.title.c_str(), g.against.c_str(), shown(g.what, least).c_str(),
                    shown(g.what, most).c_str());
    }
    std::fflush(stdout);
}

// Whether every `must` was met.
bool print_goals(const options& settings) {
    std::vector<goal> goals = all_goals();
    const std::vector<column> columns = all_columns();
    std::vector<std::string> head = {"task", "against", "must", "aim"};
    std::vector<std::string> speed_head = {"task", "way"};
    for (const column& c : columns) {
        head.push_back(c.title);
        speed_head.push_back(c.title);
    }
    head.push_back("");
    grid speeds(speed_head);
    for (const bench::task& t : bench::tasks()) {
        if (!settings.only.empty() && t.name != settings.only) continue;
        std::map<std::string, std::vector<std::string>> lines;
        for (const column& c : columns) measure(t, c, goals, settings, lines);
        for (const bench::way& w : t.ways) {
            std::vector<std::string> line = {t.name, w.name};
            line.insert(line.end(), lines[w.name].begin(), lines[w.name].end());
            speeds.add(std::move(line));
        }
    }
    bool missed = false;
    if (settings.ranges) {
        print_ranges(goals);
        return true;
    }
    grid table(head);
    for (const goal& g : goals) {
        std::vector<std::string> line = {g.title, g.against, bound(g.what, g.must), bound(g.what, g.aim)};
        for (const double r : g.ratios) line.push_back(shown(g.what, r));
        line.push_back(verdict(g, missed));
        table.add(std::move(line));
    }
    table.print("Speed against the floor (a scan for line ends) and against peers", settings.markdown);
    speeds.print("Speed in MB/s", settings.markdown);
    return !missed;
}

// Written while the records are still in the cache, as by a program that has just made them: the time that memory takes
// for 64 MB, which is not the writer's, is left out.
void print_cached(const options& settings) {
    constexpr std::size_t size = 256 * kilobyte;
    grid table({"task", "samples", "random"});
    for (const std::string name : {"oplog_write", "workload_write", "table_write"}) {
        progress(name + ", in the cache");
        const bench::task& t = task_named(name);
        std::vector<std::string> line = {name};
        for (const char* kind : {"samples", "random"}) {
            input in;
            bench::fill(in, t.format, kind, size, size);
            contest both;
            for (const char* way : {"wlfmt", "ostream"})
                both.enter(bench::ready(t, *bench::find(t, way), in), in.text.size());
            both.go(settings.rounds);
            line.push_back(shown(unit::times, both.ratio(0, 1)));
        }
        table.add(std::move(line));
    }
    table.print("Written from records in the cache (256 KB): times an ostream's speed", settings.markdown);
}

const bench::task& reading_task(format f) {
    return task_named(f == format::oplog ? "oplog_read" : f == format::workload ? "workload_read" : "table_read");
}
constexpr format formats[] = {format::oplog, format::workload, format::table};
const char* name_of(format f) { return f == format::oplog ? "op log" : f == format::workload ? "workload" : "table"; }

bool print_odd(const options& settings) {
    constexpr double must = 1.0 / 3;
    const std::size_t size = (std::min)(settings.size, 8 * megabyte);
    bool all_met = true;
    grid table({"format", "odd values", "speed against plain", "must", ""});
    for (const format f : formats) {
        const bench::task& t = reading_task(f);
        const bench::way& w = *bench::find(t, "wlfmt");
        std::vector<std::string> kinds = bench::odd_kinds(f);
        kinds.insert(kinds.begin(), "odd");
        std::vector<std::unique_ptr<input>> inputs;
        contest all;
        progress(std::string(name_of(f)) + ", odd values");
        const auto enter = [&](const std::string& kind) {
            inputs.push_back(std::make_unique<input>());
            bench::fill(*inputs.back(), f, kind, size, size);
            all.enter(bench::ready(t, w, *inputs.back()), inputs.back()->text.size());
        };
        enter("samples");
        for (const std::string& kind : kinds) enter(kind);
        all.go(settings.rounds);
        for (std::size_t n = 0; n != kinds.size(); ++n) {
            const double ratio = all.ratio(n + 1, 0);
            all_met = all_met && ratio >= must;
            if (settings.ranges)
                std::printf("%s, odd\t%s\t%s\t%s\n", name_of(f), kinds[n].c_str(), shown(unit::share, ratio).c_str(),
                            shown(unit::share, ratio).c_str());
            table.add({name_of(f), kinds[n] == "odd" ? "all at once" : kinds[n], shown(unit::share, ratio),
                       shown(unit::share, must), ratio >= must ? "met" : "MISSED"});
        }
    }
    if (!settings.ranges) table.print("No slow cliff: files with odd values in every record", settings.markdown);
    return all_met;
}

// How long a byte of a mapped file of 4 GB takes.
double large_file_nanoseconds() {
    const bench::task& t = task_named("file_oplog");
    input in;
    bench::fill(in, format::oplog, "random", 256 * megabyte, 256 * megabyte);
    const bench::peers::temporary_file file(in.text);
    std::uint64_t bytes = in.text.size();
    {
        std::ofstream more(file.path(), std::ios::binary | std::ios::app);
        for (int n = 1; n != 16; ++n) more << in.text;
        more.flush();
        if (!more) bench::fail("no room for 4 GB in " + file.path());
        bytes *= 16;
    }
    const bench::answer part = bench::find(t, "memory")->prepare(in)();
    double best = 0;
    for (int n = 0; n != 3; ++n) {
        const double start = bench::processor_seconds();
        const wlfmt::text_file mapped(file.path());
        if (!mapped.ok() || mapped.text().size() != bytes) bench::fail("4 GB that cannot be mapped");
        input whole;
        whole.files = {mapped.text()};
        const bench::answer all = bench::find(t, "memory")->prepare(whole)();
        const double time = bench::processor_seconds() - start;
        if (all.records != 16 * part.records || all.parts != 16 * part.parts) bench::fail("4 GB that lost records");
        if (n == 0 || time < best) best = time;
    }
    return best * 1e9 / static_cast<double>(bytes);
}

void print_linear(const options& settings) {
    const std::size_t sizes[] = {settings.size / 64, settings.size / 4, settings.size * 4};
    std::vector<std::string> head = {"format"};
    for (const std::size_t s : sizes) head.push_back(text("%.4g MB", static_cast<double>(s) / megabyte));
    if (settings.large) head.push_back("4 GB, mapped");
    grid table(head);
    for (const format f : formats) {
        const bench::task& t = reading_task(f);
        std::vector<std::unique_ptr<input>> inputs;
        contest all;
        for (const std::size_t s : sizes) {
            inputs.push_back(std::make_unique<input>());
            bench::fill(*inputs.back(), f, "random", s, s);
            all.enter(bench::find(t, "wlfmt")->prepare(*inputs.back()), inputs.back()->text.size());
        }
        all.go(settings.rounds);
        std::vector<std::string> line = {name_of(f)};
        for (std::size_t n = 0; n != inputs.size(); ++n) line.push_back(text("%.3f", all.nanoseconds(n)));
        if (settings.large) line.push_back(f == format::oplog ? text("%.3f", large_file_nanoseconds()) : "-");
        table.add(std::move(line));
    }
    table.print("Linear in size: nanoseconds a byte", settings.markdown);
}

template <class Work> std::string allocations_of(Work&& work) {
    const std::uint64_t before = allocations;
    work();
    return std::to_string(allocations - before);
}

template <class Read> std::string document_allocations(std::string_view text, Read read) {
    return allocations_of([&] {
        if (!read(text, wlfmt::options())) bench::fail("a document that cannot be read");
    });
}

bool print_allocations(const options& settings) {
    bool none = true;
    grid table({"format", "size", "records", "pull reader", "document", "written"});
    for (const format f : formats) {
        for (const std::size_t size : {16 * kilobyte, settings.size}) {
            input in;
            bench::fill(in, f, "random", size, size);
            const bench::job pull = bench::find(reading_task(f), "wlfmt")->prepare(in);
            bench::answer found;
            const std::string pulled = allocations_of([&] { found = pull(); });
            none = none && pulled == "0";
            std::string document;
            std::string out;
            out.reserve(in.text.size() + 4096);
            std::string written;
            const auto count = [&](auto read) {
                const std::string_view text = in.text;
                document = document_allocations(text, read);
                const auto doc = read(text, wlfmt::options());
                written = allocations_of([&] {
                    if (write(out, *doc)) bench::fail("a document that is not written");
                });
            };
            if (f == format::oplog)
                count([](std::string_view s, const wlfmt::options& o) { return wlfmt::oplog::read(s, o); });
            else if (f == format::workload)
                count([](std::string_view s, const wlfmt::options& o) { return wlfmt::workload::read(s, o); });
            else count([](std::string_view s, const wlfmt::options& o) { return wlfmt::table::read(s, o); });
            table.add({name_of(f), text("%.4g KB", static_cast<double>(in.text.size()) / kilobyte),
                       std::to_string(found.records), pulled, document, written});
        }
    }
    table.print("Allocations (a table each is a document's unit: 64 MB of tables are thousands of them)",
                settings.markdown);
    return none;
}

}  // namespace

int main(int count, char** arguments) {
    options settings;
    for (int n = 1; n != count; ++n) {
        const std::string a = arguments[n];
        const auto value = [&](std::string_view name) { return a.substr(name.size()); };
        if (a == "--markdown") {
            settings.markdown = true;
        } else if (a == "--ranges") {
            settings.ranges = true;
        } else if (a == "--enforce") {
            settings.enforce = true;
        } else if (a == "--large") {
            settings.large = true;
        } else if (a.compare(0, 7, "--only=") == 0) {
            settings.only = value("--only=");
        } else if (a.compare(0, 9, "--rounds=") == 0) {
            settings.rounds = (std::max)(1, std::atoi(value("--rounds=").c_str()));
        } else if (a.compare(0, 7, "--size=") == 0) {
            settings.size = static_cast<std::size_t>((std::max)(1, std::atoi(value("--size=").c_str()))) * megabyte;
        } else {
            std::fputs(
                "usage: ratios [--markdown] [--ranges] [--only=TASK] [--enforce] [--large] [--rounds=N] [--size=MB]\n",
                stderr);
            return 2;
        }
    }
    if (!settings.ranges) print_build(settings);
    bool met = print_goals(settings);
    if (settings.ranges) return !settings.only.empty() || print_odd(settings) || !settings.enforce ? 0 : 1;
    print_cached(settings);
    met = print_odd(settings) && met;
    print_linear(settings);
    met = print_allocations(settings) && met;
    return settings.enforce && !met ? 1 : 0;
}
