// Writing profiler summary tables from values in memory: only the names have a text that could be copied.
#include <cstdint>
#include <iomanip>
#include <memory>
#include <ostream>
#include <string>
#include <vector>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"
#include "peers/fmt.hpp"
#include "peers/stream.hpp"

namespace {

namespace table = wlfmt::table;
using bench::input;
using bench::job;
using files = std::shared_ptr<const std::vector<table::document>>;

// Turns tables that were read into tables as a program builds them from values.
void rebuild(table::document& doc, bench::peers::literals& literals) {
    for (table::profile& profile : doc.tables) {
        for (table::cell& c : profile.cells) {
            if (c.value().has_value()) {
                c = wlfmt::number(c.value());
            } else {
                std::string_view text = c.text();
                literals.replace(text);
                c = table::cell(text);
            }
        }
    }
}

// The tables as read, or as if they had been built by hand.
files read_files(const input& in, bool built) {
    const auto all = std::make_shared<std::vector<table::document>>();
    bench::peers::literals literals;
    for (const std::string_view file : in.files) {
        auto doc = table::read(file);
        if (!doc) bench::fail(wlfmt::explain(doc.error(), file, wlfmt::in_file("input")));
        if (built) rebuild(*doc, literals);
        all->push_back(std::move(*doc));
    }
    return all;
}

void write_wlfmt(std::string& to, const table::document& doc) { table::write_unchecked(to, doc); }
void write_checked(std::string& to, const table::document& doc) {
    if (table::write(to, doc)) bench::fail("a table that was read cannot be written");
}
void write_checked_first(std::string& to, const table::document& doc) {
    if (table::write(bench::peers::append_only{to}, doc)) bench::fail("a table that was read cannot be written");
}

void write_cell(std::ostream& to, const table::cell& c, const table::column& column) {
    const auto width = static_cast<int>(column.width);
    const wlfmt::number& v = c.value();
    if (!c.text().empty() || !v.has_value()) {
        to << std::setw(width) << c.text();
    } else if (column.unit == table::unit::count || (v.is_integer() && v == 0)) {
        to << std::setw(width) << v.as<std::int64_t>().value_or(0);
    } else if (column.unit == table::unit::percent) {
        to << std::setprecision(2) << std::setw(width - 1) << v.value_or(0.0) << '%';
    } else {
        const double us = v.value_or(0.0);
        to << std::setprecision(3);
        if (us >= 1e6) to << std::setw(width - 1) << us / 1e6 << 's';
        else if (us >= 1e3) to << std::setw(width - 2) << us / 1e3 << "ms";
        else to << std::setw(width - 2) << us << "us";
    }
    to << "  ";
}

void write_rule(std::ostream& to, const table::profile& profile) {
    for (const table::column& c : profile.columns)
        to << std::setfill('-') << std::setw(static_cast<int>(c.width)) << ""
           << "  ";
    to << std::setfill(' ') << '\n';
}

void write_stream(std::ostream& to, const table::document& doc) {
    to << std::fixed;
    bool first = true;
    for (const table::profile& profile : doc.tables) {
        if (!first) to << '\n';
        first = false;
        const std::size_t columns = profile.columns.size();
        write_rule(to, profile);
        for (const table::column& c : profile.columns) to << std::setw(static_cast<int>(c.width)) << c.name << "  ";
        to << '\n';
        write_rule(to, profile);
        for (std::size_t n = 0; n != profile.size(); ++n) {
            for (std::size_t c = 0; c != columns; ++c)
                write_cell(to, profile.cells[n * columns + c], profile.columns[c]);
            to << '\n';
        }
        write_rule(to, profile);
        for (const table::total& t : profile.totals) to << t.name << ": " << t.value.text() << '\n';
    }
}

#ifdef WLFMT_BENCH_FMT
void write_cell(fmt::appender out, const table::cell& c, const table::column& column) {
    const auto width = static_cast<int>(column.width);
    const wlfmt::number& v = c.value();
    const std::string_view text = c.text();
    if (!text.empty() || !v.has_value()) {
        fmt::format_to(out, FMT_COMPILE("{:>{}}  "), text, width);
    } else if (column.unit == table::unit::count || (v.is_integer() && v == 0)) {
        fmt::format_to(out, FMT_COMPILE("{:>{}}  "), *v.as<std::int64_t>(), width);
    } else if (column.unit == table::unit::percent) {
        fmt::format_to(out, FMT_COMPILE("{:>{}.2f}%  "), v.value_or(0.0), width - 1);
    } else {
        const double us = v.value_or(0.0);
        if (us >= 1e6) fmt::format_to(out, FMT_COMPILE("{:>{}.3f}s  "), us / 1e6, width - 1);
        else if (us >= 1e3) fmt::format_to(out, FMT_COMPILE("{:>{}.3f}ms  "), us / 1e3, width - 2);
        else fmt::format_to(out, FMT_COMPILE("{:>{}.3f}us  "), us, width - 2);
    }
}

void write_rule(fmt::appender out, const table::profile& profile) {
    for (const table::column& c : profile.columns) fmt::format_to(out, FMT_COMPILE("{:->{}}  "), "", c.width);
    fmt::format_to(out, FMT_COMPILE("\n"));
}

void write_fmt(fmt::memory_buffer& to, const table::document& doc) {
    const auto out = fmt::appender(to);
    bool first = true;
    for (const table::profile& profile : doc.tables) {
        if (!first) to.push_back('\n');
        first = false;
        const std::size_t columns = profile.columns.size();
        write_rule(out, profile);
        for (const table::column& c : profile.columns)
            fmt::format_to(out, FMT_COMPILE("{:>{}}  "), std::string_view(c.name), c.width);
        to.push_back('\n');
        write_rule(out, profile);
        for (std::size_t n = 0; n != profile.size(); ++n) {
            for (std::size_t c = 0; c != columns; ++c) write_cell(out, profile.cell_at(n, c), profile.columns[c]);
            to.push_back('\n');
        }
        write_rule(out, profile);
        for (const table::total& t : profile.totals)
            fmt::format_to(out, FMT_COMPILE("{}: {}\n"), std::string_view(t.name), std::string_view(t.value.text()));
    }
}
#endif

using bench::peers::with_wlfmt;
// The tables as a program builds them, and as they were read.
const auto built = [](const input& in) { return read_files(in, true); };
const auto as_read = [](const input& in) { return read_files(in, false); };

using bench::takes;
const bool added = bench::add(
    {"table_write",
     bench::format::table,
     {
         bench::floor_way(),
         {"wlfmt", with_wlfmt(built, write_wlfmt), 64 * bench::megabyte, takes::any_text},
         {"wlfmt, checked", with_wlfmt(built, write_checked)},
         {"wlfmt, checked first", with_wlfmt(built, write_checked_first)},
         {"wlfmt, as read", with_wlfmt(as_read, write_wlfmt)},
         {"wlfmt, as read, checked", with_wlfmt(as_read, write_checked)},
         {"ostream", bench::peers::with_peer<bench::peers::reused_stream>(built, write_wlfmt, write_stream)},
#ifdef WLFMT_BENCH_FMT
         {"fmt::format_to", bench::peers::with_peer<bench::peers::reused_buffer>(built, write_wlfmt, write_fmt)},
#endif
     }});

}  // namespace
