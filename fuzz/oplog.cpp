// Reading rank op logs. The first byte chooses the options, the rest is the text.
#include <wlfmt/oplog.hpp>

#include "check.hpp"
#include "dump.hpp"

namespace {

namespace oplog = wlfmt::oplog;

struct reading {
    std::vector<std::string> records;
    std::vector<wlfmt::error> errors;     // where the reader stopped
    std::vector<wlfmt::error> tolerated;  // what it went on after
};

void check_views(const oplog::operation& r, std::string_view text) {
    using fuzz::is_inside;
    bool inside = true;
    const auto see = [&](std::string_view v) { inside = inside && is_inside(v, text); };
    for (const std::string_view v :
         {r.op, r.mg_state, r.description, r.group_kind, r.input_dtype, r.input_shape.text(), r.stage_id.text(),
          r.batch_id.text(), r.duration.text(), r.timestamp.text(), r.sub_operations.text()})
        see(v);
    const auto see_attributes = [&](const oplog::attribute_list& list) {
        for (const auto& a : list) {
            see(a.key);
            see(a.value);
        }
    };
    see_attributes(r.attributes);
    for (const auto& s : r.sub_operations) {
        for (const std::string_view v : {s.trace_src_func, s.duration.text(), s.timestamp.text(), s.input_shape.text(),
                                         s.input_dtype, s.func_name, s.group, s.comm_func, s.text})
            see(v);
        see_attributes(s.attributes);
    }
    fuzz::check(inside, "every view lies in the text", fuzz::dump(r));
}

// A list that decodes some fields alone has the same values in them as the full one.
template <oplog::field Chosen>
void check_selection(const oplog::operation& r) {
    using oplog::field;
    auto full = r.sub_operations.begin();
    for (const auto& s : r.sub_operations.only<Chosen>()) {
        fuzz::check(full != r.sub_operations.end(), "a selection has no more than the list");
        oplog::sub_operation a = s;
        oplog::sub_operation b = *full;
        // Of more than one comm_func a selection takes the last, wherever it stands.
        std::size_t comm_funcs = 0;
        for (const auto& x : b.attributes)
            comm_funcs += x.key == "comm_func" || x.value.find("comm_func=") != std::string_view::npos;
        if (comm_funcs > 1 || b.attributes.find("sub_operations").data() != nullptr) a.comm_func = b.comm_func = {};
        a.attributes = b.attributes = {};
        const auto drop = [&](field f, auto member) {
            if (!oplog::has(Chosen, f)) a.*member = b.*member = {};
        };
        drop(field::trace_src_func, &oplog::sub_operation::trace_src_func);
        drop(field::duration, &oplog::sub_operation::duration);
        drop(field::timestamp, &oplog::sub_operation::timestamp);
        drop(field::input_shape, &oplog::sub_operation::input_shape);
        drop(field::input_dtype, &oplog::sub_operation::input_dtype);
        drop(field::func_name, &oplog::sub_operation::func_name);
        drop(field::group, &oplog::sub_operation::group);
        drop(field::comm_func, &oplog::sub_operation::comm_func);
        fuzz::check_same(fuzz::dump(a), fuzz::dump(b), "a selection equals the full walk");
        ++full;
    }
    fuzz::check(!(full != r.sub_operations.end()), "a selection has as many as the list");
}
void check_selections(const oplog::operation& r) {
    using oplog::field;
    check_selection<field::none>(r);
    check_selection<field::duration>(r);
    check_selection<field::duration | field::comm_func>(r);
    check_selection<field::trace_src_func | field::timestamp | field::input_dtype>(r);
    check_selection<field::input_shape | field::func_name | field::group>(r);
}

// The general path reads what the plain path reads.
void check_paths(const oplog::operation& r, std::string_view text) {
    const char* line = r.op.data();
    while (line != text.data() && line[-1] != '\n') --line;
    if (text.substr(static_cast<std::size_t>(line - text.data()), 3) == "\xEF\xBB\xBF") line += 3;
    const char* end = wlfmt::detail::find_far(line, text.data() + text.size(), '\n');
    while (wlfmt::detail::is_blank(end[-1])) --end;
    wlfmt::detail::record_head head;
    fuzz::check(wlfmt::detail::read_head(line, end, head), "a record's line has a head");
    if (end[-1] != ')') return;
    wlfmt::detail::problems problems;
    problems.text = text.data();
    oplog::operation general{r.origin, r.rank, r.op};
    const bool read =
        wlfmt::detail::read_attributes({head.body, static_cast<std::size_t>(end - 1 - head.body)}, general, &problems);
    fuzz::check(read, "the general path reads what the plain path reads");
    fuzz::check_same(fuzz::dump(general), fuzz::dump(r), "the two paths agree on an operation");

    const char* p = r.sub_operations.text().data();
    const char* const list_end = p + r.sub_operations.text().size();
    for (const auto& sub : r.sub_operations) {
        p = wlfmt::detail::find_any<'\'', '"'>(p, list_end);
        oplog::sub_operation other;
        p = wlfmt::detail::read_sub_operation(p, list_end, oplog::field::all, other, nullptr);
        fuzz::check(p != nullptr, "the general path reads every string");
        fuzz::check_same(fuzz::dump(other), fuzz::dump(sub), "the two paths agree on a sub-operation");
    }
}

reading read_on(std::string_view text, unsigned option_bits, bool look = false) {
    reading got;
    oplog::reader log(text, fuzz::options_of(option_bits, got.tolerated));
    const std::size_t most = fuzz::lines_of(text).size();
    std::uint64_t offset = 0;
    do {
        while (const oplog::operation* op = log.next()) {
            const std::string one = fuzz::dump(*op);
            fuzz::check(log.offset() > offset && log.offset() <= text.size(), "the reader moves on");
            offset = log.offset();
            if (!log.ok()) break;
            got.records.push_back(one);
            if (!look) continue;
            check_views(*op, text);
            check_selections(*op);
            if ((option_bits & 2) == 0) check_paths(*op, text);
        }
        if (log.ok()) break;
        got.errors.push_back(log.error());
        fuzz::check(got.records.size() + got.errors.size() <= most + 1, "a line is one record or one error");
    } while (log.skip());
    fuzz::check(log.next() == nullptr, "the end is the end");
    return got;
}

// The document holds what the pull reader yields up to its first error.
void check_document(std::string_view text, unsigned option_bits, const reading& pulled) {
    std::vector<wlfmt::error> tolerated;
    const auto doc = oplog::read(text, fuzz::options_of(option_bits, tolerated));
    fuzz::check(doc.ok() == pulled.errors.empty(), "document and pull reader agree that there is an error");
    std::vector<std::string> all = fuzz::dump_all(*doc);
    fuzz::check(all.size() <= pulled.records.size(), "the document holds no more than the pull reader");
    std::vector<std::string> first(pulled.records.begin(),
                                   pulled.records.begin() + static_cast<std::ptrdiff_t>(all.size()));
    fuzz::check_same(all, first, "the document equals the pull reader");
    if (doc.ok())
        fuzz::check(all.size() == pulled.records.size(), "the document holds as much as the pull reader");
    else
        fuzz::check(doc.error().what == pulled.errors[0].what && doc.error().offset == pulled.errors[0].offset,
                    "document and pull reader agree on the error");

    // What was read without tolerance has no problem, but for a list in a nested operation, of which only its first
    // bytes are looked at; what was tolerated may have been all that told a separator.
    for (const auto& op : doc->operations) {
        if (!problem_of(op)) continue;
        const bool sure = (option_bits & 2) == 0 && problem_of(op).field != "sub_operations";
        fuzz::check(!sure, "what was read has no problem", problem_of(op).field);
        return;
    }
    if (all.empty()) return;
    std::string written;
    oplog::write(written, *doc);
    const auto again = oplog::read(written, fuzz::options_of(option_bits, tolerated));
    fuzz::check(again.ok(), "what was read is written so that it can be read", written);
    fuzz::check_same(fuzz::dump_all(*again), all, "what is written reads back equal");
    std::string twice;
    oplog::write(twice, *again);
    fuzz::check_same(twice, written, "writing twice is writing once");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const unsigned option_bits = data[0];
    const fuzz::block block({reinterpret_cast<const char*>(data) + 1, size - 1});
    const std::string_view text = block.text();

    const reading got = read_on(text, option_bits, true);
    fuzz::check_errors(got.errors, text);
    fuzz::check_errors(got.tolerated, text);
    check_document(text, option_bits, got);

    // More is read leniently than otherwise, and foreign text changes no record.
    const reading strict = read_on(text, 1);
    const reading usual = read_on(text, 0);
    const reading lenient = read_on(text, 2);
    fuzz::check_same(strict.records, usual.records, "strict reads the same records");
    fuzz::check_subsequence(usual.records, lenient.records, "lenient reads a superset");
    fuzz::check_errors(strict.errors, text);
    fuzz::check_errors(lenient.tolerated, text);
    fuzz::check(lenient.errors.empty() || lenient.errors[0].what == wlfmt::code::no_records, "lenient goes on");
    if (usual.errors.empty()) fuzz::check(lenient.tolerated.empty(), "what is no error is no warning");

    // Line by line: no bad line takes a good one with it, and a log read in pieces is the log. The line end before a
    // line keeps a byte order mark in it from being one.
    std::vector<std::string> by_line;
    bool first = true;
    for (const std::string_view line : fuzz::lines_of(text)) {
        const std::string alone = (first ? "" : "\n") + std::string(line);
        first = false;
        const reading one = read_on(alone, 0);
        by_line.insert(by_line.end(), one.records.begin(), one.records.end());
    }
    fuzz::check_same(by_line, usual.records, "skipping loses no good line, pieces are the whole");
    return 0;
}
