// Writing workload files from layers in memory.
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"
#include "peers/fmt.hpp"
#include "peers/stream.hpp"

namespace {

namespace workload = wlfmt::workload;
using bench::input;
using bench::job;
using files = std::shared_ptr<const std::vector<workload::document>>;

// The layers as if a program had built them.
files read_files(const input& in) {
    const auto all = std::make_shared<std::vector<workload::document>>();
    bench::peers::literals literals;
    for (const std::string_view file : in.files) {
        auto doc = workload::read(file);
        if (!doc) bench::fail(wlfmt::explain(doc.error(), file, wlfmt::in_file("input")));
        for (workload::layer& l : doc->layers)
            for (std::string_view* t : {&l.name, &l.forward.comm, &l.input_grad.comm, &l.weight_grad.comm})
                literals.replace(*t);
        all->push_back(std::move(*doc));
    }
    return all;
}

void write_wlfmt(std::string& to, const workload::document& doc) { workload::write_unchecked(to, doc); }
void write_checked(std::string& to, const workload::document& doc) {
    if (workload::write(to, doc)) bench::fail("layers that would not read back");
}
void write_checked_first(std::string& to, const workload::document& doc) {
    if (workload::write(bench::peers::append_only{to}, doc)) bench::fail("layers that would not read back");
}

void write_stream(std::ostream& to, const workload::document& doc) {
    using bench::peers::write_number;
    to << doc.header.policy;
    for (const workload::entry& e : doc.header.entries) to << ' ' << e.key << (e.colon ? ": " : " ") << e.value;
    to << '\n' << doc.layers.size() << '\n';
    for (const workload::layer& l : doc.layers) {
        to << l.name << '\t' << l.dependency << '\t';
        for (const workload::phase* p : {&l.forward, &l.input_grad, &l.weight_grad}) {
            write_number(to, p->compute);
            to << '\t' << p->comm << '\t';
            write_number(to, p->bytes);
            to << '\t';
        }
        write_number(to, l.update);
        to << '\n';
    }
}

#ifdef WLFMT_BENCH_FMT
void write_fmt(fmt::memory_buffer& to, const workload::document& doc) {
    const auto out = fmt::appender(to);
    fmt::format_to(out, FMT_COMPILE("{}"), doc.header.policy);
    for (const workload::entry& e : doc.header.entries)
        fmt::format_to(out, FMT_COMPILE(" {}{} {}"), e.key, e.colon ? ":" : "", e.value);
    fmt::format_to(out, FMT_COMPILE("\n{}\n"), doc.layers.size());
    for (const workload::layer& l : doc.layers)
        fmt::format_to(out, FMT_COMPILE("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n"), l.name, l.dependency,
                       l.forward.compute, l.forward.comm, l.forward.bytes, l.input_grad.compute, l.input_grad.comm,
                       l.input_grad.bytes, l.weight_grad.compute, l.weight_grad.comm, l.weight_grad.bytes, l.update);
}
#endif

using bench::takes;
using bench::peers::with_wlfmt;
const bool added = bench::add(
    {"workload_write",
     bench::format::workload,
     {
         bench::floor_way(),
         {"wlfmt", with_wlfmt(read_files, write_wlfmt), 64 * bench::megabyte, takes::any_text},
         {"wlfmt, checked", with_wlfmt(read_files, write_checked), 64 * bench::megabyte, takes::any_text},
         {"wlfmt, checked first", with_wlfmt(read_files, write_checked_first), 64 * bench::megabyte, takes::any_text},
         {"ostream", bench::peers::with_peer<bench::peers::reused_stream>(read_files, write_wlfmt, write_stream)},
#ifdef WLFMT_BENCH_FMT
         {"fmt::format_to", bench::peers::with_peer<bench::peers::reused_buffer>(read_files, write_wlfmt, write_fmt)},
#endif
     }});

}  // namespace
