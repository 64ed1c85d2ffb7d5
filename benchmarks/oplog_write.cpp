// Writing rank op logs from records in memory: sub-operations are structs, shapes are integers.
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"
#include "peers/fmt.hpp"
#include "peers/stream.hpp"

namespace {

namespace oplog = wlfmt::oplog;
using bench::input;
using bench::job;

// The records of a file, and the integers of their shapes one after the other.
struct records {
    oplog::document doc;
    std::vector<std::int64_t> dims;
};
using files = std::shared_ptr<const std::vector<records>>;

// Turns records that were read into records as a program builds them.
void rebuild(records& r, bench::peers::literals& literals) {
    std::vector<oplog::shape*> shapes;
    for (oplog::operation& op : r.doc.operations) {
        for (std::string_view* t : {&op.op, &op.mg_state, &op.description, &op.group_kind, &op.input_dtype})
            literals.replace(*t);
        shapes.push_back(&op.input_shape);
        for (oplog::sub_operation& s : op.sub_operations.edit()) {
            for (std::string_view* t : {&s.trace_src_func, &s.input_dtype, &s.func_name, &s.group, &s.comm_func})
                literals.replace(*t);
            shapes.push_back(&s.input_shape);
        }
    }
    for (const oplog::shape* s : shapes)
        for (const std::int64_t dim : *s) r.dims.push_back(dim);
    const std::int64_t* dims = r.dims.data();
    for (oplog::shape* s : shapes) {
        const std::size_t size = s->size();
        if (s->is_list()) *s = oplog::shape(dims, size);
        dims += size;
    }
}

// The records as read, or as if they had been built by hand.
files read_files(const input& in, bool built) {
    const auto all = std::make_shared<std::vector<records>>(in.files.size());
    bench::peers::literals literals;
    for (std::size_t n = 0; n != in.files.size(); ++n) {
        records& r = (*all)[n];
        auto doc = oplog::read(in.files[n]);
        if (!doc) bench::fail(wlfmt::explain(doc.error(), in.files[n], wlfmt::in_file("input")));
        r.doc = std::move(*doc);
        if (built) rebuild(r, literals);
    }
    return all;
}

void write_wlfmt(std::string& to, const records& r) { oplog::write_unchecked(to, r.doc); }
void write_checked(std::string& to, const records& r) {
    if (oplog::write(to, r.doc)) bench::fail("records that would not read back");
}
void write_checked_first(std::string& to, const records& r) {
    if (oplog::write(bench::peers::append_only{to}, r.doc)) bench::fail("records that would not read back");
}

bool has_name(const oplog::sub_operation& s) { return !wlfmt::is_missing(s.func_name); }

void write_shape(std::ostream& to, const oplog::shape& s) {
    if (s.dims() == nullptr) {
        to << s.text();
        return;
    }
    to << '[';
    for (std::size_t n = 0; n != s.size(); ++n) {
        if (n != 0) to << ", ";
        to << s.dims()[n];
    }
    to << ']';
}

void write_stream(std::ostream& to, const records& r) {
    using bench::peers::write_number;
    for (const oplog::operation& op : r.doc.operations) {
        to << "rank:" << op.rank << ':' << op.op << "(stage_id=";
        write_number(to, op.stage_id);
        to << ",batch_id=";
        write_number(to, op.batch_id);
        to << ",mg_state=" << op.mg_state << ",duration=";
        write_number(to, op.duration);
        to << ",description=" << op.description << ",group_kind=" << op.group_kind << ",input__shape=";
        write_shape(to, op.input_shape);
        to << ",input__dtype=" << op.input_dtype << ",timestamp=";
        write_number(to, op.timestamp);
        to << ",sub_operations=[";
        bool first = true;
        for (const oplog::sub_operation& s : op.sub_operations) {
            if (!first) to << ", ";
            first = false;
            to << "'trace_src_func=" << s.trace_src_func << ",duration=";
            write_number(to, s.duration);
            to << ",timestamp=";
            write_number(to, s.timestamp);
            to << ",input__shape=";
            write_shape(to, s.input_shape);
            to << ",input__dtype=" << s.input_dtype;
            if (has_name(s)) to << ",func_name=" << s.func_name;
            to << ",group=" << s.group << ",comm_func=" << s.comm_func << '\'';
        }
        to << "])\n";
    }
}

#ifdef WLFMT_BENCH_FMT
}  // namespace

template <> struct fmt::formatter<oplog::shape> {
    constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    template <class Context> auto format(const oplog::shape& s, Context& context) const {
        if (s.dims() == nullptr) return fmt::format_to(context.out(), FMT_COMPILE("{}"), s.text());
        return fmt::format_to(context.out(), FMT_COMPILE("[{}]"), fmt::join(s.dims(), s.dims() + s.size(), ", "));
    }
};

namespace {

void write_fmt(fmt::memory_buffer& to, const records& r) {
    const auto out = fmt::appender(to);
    for (const oplog::operation& op : r.doc.operations) {
        fmt::format_to(out,
                       FMT_COMPILE("rank:{}:{}(stage_id={},batch_id={},mg_state={},duration={},description={},"
                                   "group_kind={},input__shape={},input__dtype={},timestamp={},sub_operations=["),
                       op.rank, op.op, op.stage_id, op.batch_id, op.mg_state, op.duration, op.description,
                       op.group_kind, op.input_shape, op.input_dtype, op.timestamp);
        std::string_view separator;
        for (const oplog::sub_operation& s : op.sub_operations) {
            fmt::format_to(out,
                           FMT_COMPILE("{}'trace_src_func={},duration={},timestamp={},input__shape={},input__dtype={}"),
                           separator, s.trace_src_func, s.duration, s.timestamp, s.input_shape, s.input_dtype);
            if (has_name(s)) fmt::format_to(out, FMT_COMPILE(",func_name={}"), s.func_name);
            fmt::format_to(out, FMT_COMPILE(",group={},comm_func={}'"), s.group, s.comm_func);
            separator = ", ";
        }
        fmt::format_to(out, FMT_COMPILE("])\n"));
    }
}
#endif

using bench::peers::with_wlfmt;
// The records as a program builds them, and as they were read.
const auto built = [](const input& in) { return read_files(in, true); };
const auto as_read = [](const input& in) { return read_files(in, false); };

using bench::takes;
const bool added = bench::add(
    {"oplog_write",
     bench::format::oplog,
     {
         bench::floor_way(),
         {"wlfmt", with_wlfmt(built, write_wlfmt), 64 * bench::megabyte, takes::any_text},
         {"wlfmt, checked", with_wlfmt(built, write_checked), 64 * bench::megabyte, takes::any_text},
         {"wlfmt, checked first", with_wlfmt(built, write_checked_first), 64 * bench::megabyte, takes::any_text},
         {"wlfmt, as read", with_wlfmt(as_read, write_wlfmt), 64 * bench::megabyte, takes::any_text},
         {"ostream", bench::peers::with_peer<bench::peers::reused_stream>(built, write_wlfmt, write_stream)},
#ifdef WLFMT_BENCH_FMT
         {"fmt::format_to", bench::peers::with_peer<bench::peers::reused_buffer>(built, write_wlfmt, write_fmt)},
#endif
     }});

}  // namespace
