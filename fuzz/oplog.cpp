// Reading rank op logs. The first byte chooses the options, the rest is the text.
#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <wlfmt/oplog.hpp>

#include "check.hpp"
#include "dump_oplog.hpp"

namespace {

namespace oplog = wlfmt::oplog;

struct reading {
    std::vector<std::string> records;
    std::vector<wlfmt::problem> errors;     // where the reader stopped
    std::vector<wlfmt::problem> tolerated;  // the problems that it tolerated
    std::uint64_t foreign_lines = 0;
};

void check_views(const oplog::operation& r, std::string_view text) {
    using fuzz::is_inside;
    bool inside = true;
    const auto record = [&](std::string_view v) { inside = inside && is_inside(v, text); };
    const auto record_member = [&](const auto&, const auto& v) { record(wlfmt::detail::text_of(v)); };
    record(r.op);
    record(r.source);
    wlfmt::detail::for_each_key(r, record_member);
    const auto record_attributes = [&](const oplog::attribute_list& list) {
        for (const auto& a : list) {
            record(a.key);
            record(a.value);
        }
    };
    record_attributes(r.attributes);
    for (const auto& s : r.sub_operations) {
        record(s.text);
        record(s.source);
        wlfmt::detail::for_each_key(s, record_member);
        record_attributes(s.attributes);
    }
    fuzz::check(inside, "every view lies in the text", fuzz::dump(r));
}

// A list that decodes only some fields has the same values in them as the full list.
template <oplog::fields Chosen> void check_selection(const oplog::operation& r) {
    using oplog::fields;
    auto full = r.sub_operations.begin();
    for (const auto& s : r.sub_operations.only<Chosen>()) {
        fuzz::check(full != r.sub_operations.end(), "a selection has no more than the list");
        oplog::sub_operation a = s;
        oplog::sub_operation b = *full;
        // Of several comm_func a selection takes the last one, wherever it is.
        std::size_t comm_funcs = 0;
        for (const auto& x : b.attributes)
            comm_funcs += x.key == "comm_func" || x.value.find("comm_func=") != std::string_view::npos;
        if (comm_funcs > 1 || !b.find("sub_operations").is_missing()) a.comm_func = b.comm_func = {};
        a.attributes = b.attributes = {};
        unsigned place = 0;
        for (const auto& row : wlfmt::detail::rows_of<oplog::sub_operation>()) {
            const bool chosen = oplog::has(Chosen, static_cast<fields>(1U << place++));
            wlfmt::detail::with_member(row, [&](auto member) {
                if (!chosen) a.*member = b.*member = {};
            });
        }
        fuzz::check_same(fuzz::dump(a), fuzz::dump(b), "a selection equals the full walk");
        ++full;
    }
    fuzz::check(!(full != r.sub_operations.end()), "a selection has as many as the list");
}
void check_selections(const oplog::operation& r) {
    using oplog::fields;
    check_selection<fields::none>(r);
    check_selection<fields::duration>(r);
    check_selection<fields::duration | fields::comm_func>(r);
    check_selection<fields::trace_src_func | fields::timestamp | fields::input_dtype>(r);
    check_selection<fields::input_shape | fields::func_name | fields::group>(r);
}

// The record's text with an extra attribute before all others, in the operation and in each of its strings that has
// attributes, so that the fast path does not apply.
std::string with_extra_attribute(const oplog::operation& r) {
    const auto attribute = [](bool any, bool spaced) {
        return std::string("zz=1").append(!any ? "" : spaced ? ", " : ",");
    };
    std::string text(r.source);
    std::vector<std::pair<std::size_t, std::string>> places;
    const std::size_t body = r.source.find('(') + 1;
    places.emplace_back(body, attribute(body + 1 < r.source.size(), r.spaced));
    for (const auto& s : r.sub_operations)
        if (!s.is_text())
            places.emplace_back(static_cast<std::size_t>(s.source.data() - r.source.data()), attribute(true, s.spaced));
    // Inserts at the last place first, which leaves the places before it as they are.
    for (auto place = places.rbegin(); place != places.rend(); ++place) text.insert(place->first, place->second);
    return text;
}
template <class Record> void check_slow(const Record& fast, const Record& slow) {
    fuzz::check_same(fuzz::dump_members(slow), fuzz::dump_members(fast), "the two paths agree on the members");
    std::vector<std::string> order = fuzz::dump_order(slow);
    fuzz::check(!order.empty() && order.front() == " zz=1:1", "the slow path keeps an extra attribute");
    order.erase(order.begin());
    fuzz::check_same(order, fuzz::dump_order(fast), "the two paths agree on the order");
    if (order.size() > 1) fuzz::check(slow.spaced == fast.spaced, "the two paths agree on the separator");
}

// The slow path reads what the fast path reads.
void check_paths(const oplog::operation& r) {
    if (r.source.back() != ')') return;
    const std::string text = with_extra_attribute(r);
    const auto slow = oplog::read(text);
    fuzz::check(slow.ok() && slow->operations.size() == 1, "the slow path reads what was read", text);
    const oplog::operation& other = slow->operations[0];
    check_slow(r, other);
    auto sub = other.sub_operations.begin();
    for (const auto& s : r.sub_operations) {
        fuzz::check(sub != other.sub_operations.end(), "the slow path has as many strings", text);
        if (s.is_text()) fuzz::check_same(fuzz::dump(*sub), fuzz::dump(s), "the two paths agree on a text");
        else check_slow(s, *sub);
        ++sub;
    }
    fuzz::check(sub == other.sub_operations.end(), "the slow path has no more strings", text);
}

// A record's own bytes are read as the record, and each of its fields is found in them.
std::string_view text_in(std::string_view v) { return v; }
std::string_view text_in(const oplog::shape& v) { return v.text(); }
std::string_view text_in(const oplog::sub_operation_list& v) {
    return v.is_none() ? std::string_view("None") : v.text();
}
void check_place(std::string_view place, const wlfmt::number& v, std::string_view on) {
    wlfmt::number there = wlfmt::to_number(place);
    // A sentence may take the place of a number.
    if (v.is_text()) there = wlfmt::number(place);
    fuzz::check(there == v, "where() finds a number", on);
}
template <class Member> void check_place(std::string_view place, const Member& v, std::string_view on) {
    if constexpr (std::is_same_v<Member, oplog::sub_operation_list>) {
        if (!v.is_none()) {
            fuzz::check(place.size() >= 2 && place.front() == '[' && place.back() == ']', "where() finds a list", on);
            place = place.substr(1, place.size() - 2);
            // The blanks in an empty list are not kept.
            if (v.empty()) place = {};
        }
    }
    fuzz::check(place == text_in(v), "where() finds a text", on);
}
template <class Record> void check_places(const Record& r, std::string_view text) {
    std::vector<std::string_view> seen;
    wlfmt::detail::visit_attributes(r, [&](std::string_view key, const auto& v) {
        const std::string_view place = where(r, key);
        fuzz::check(fuzz::is_inside(place, r.source), "where() finds a place in the record", r.source);
        if (wlfmt::is_missing(v)) return fuzz::check(place.data() == nullptr, "what is missing has no place", key);
        fuzz::check(place.data() != nullptr, "what is there has a place", key);
        fuzz::check(!r.find(key).is_missing(), "what is there is found", key);
        // If an unknown key occurs twice, the first one counts.
        if (std::find(seen.begin(), seen.end(), key) != seen.end()) return;
        seen.push_back(key);
        check_place(place, v, r.source);
    });
    fuzz::check(fuzz::is_inside(r.source, text), "a record's source lies in the text");
}
void check_source(const oplog::operation& r, std::string_view text) {
    check_places(r, text);
    for (const auto& s : r.sub_operations)
        if (!s.is_text()) check_places(s, r.source);
    const auto again = oplog::read(r.source);
    fuzz::check(again.ok() && again->operations.size() == 1, "a record's source is a record", r.source);
    fuzz::check_same(fuzz::dump(again->operations[0]), fuzz::dump(r), "a record's source is the record");
}

wlfmt::options options_of(unsigned bits, std::vector<wlfmt::problem>& tolerated) {
    wlfmt::options options = fuzz::options_of(bits, tolerated);
    if ((bits & 8) != 0) options.prefix = wlfmt::any_prefix;
    if ((bits & 16) != 0) options.prefix = "[rank0]: ";
    return options;
}

reading read_on(std::string_view text, unsigned option_bits, bool checks_records = false) {
    reading got;
    std::vector<oplog::operation> copies;
    {
        oplog::reader log(text, options_of(option_bits, got.tolerated));
        const std::size_t most = fuzz::lines_of(text).size();
        std::uint64_t offset = 0;
        do {
            while (const oplog::operation* op = log.next()) {
                const std::size_t reported = got.tolerated.size();
                const std::string record = fuzz::dump(*op);
                fuzz::check(got.tolerated.size() == reported,
                            "a lenient walk reports nothing that was reported before");
                fuzz::check(log.offset() > offset && log.offset() <= text.size(), "the reader moves on");
                offset = log.offset();
                if (!log.ok()) break;
                got.records.push_back(record);
                copies.push_back(*op);
                if (!checks_records) continue;
                check_views(*op, text);
                check_selections(*op);
                if ((option_bits & 2) != 0) continue;
                check_paths(*op);
                check_source(*op, text);
            }
            if (log.ok()) break;
            got.errors.push_back(log.error());
            fuzz::check(got.records.size() + got.errors.size() <= most + 1, "a line is one record or one error");
        } while (log.skip());
        fuzz::check(log.next() == nullptr, "the end is the end");
        fuzz::check(log.ok() == got.errors.empty() || log.ok(), "an error that is not passed over stays");
        got.foreign_lines = log.foreign_lines();
    }
    // A copied record needs no reader.
    fuzz::check(copies.size() == got.records.size(), "there are as many copies as records");
    for (std::size_t n = 0; n != copies.size(); ++n)
        fuzz::check_same(fuzz::dump(copies[n]), got.records[n], "a copy holds what the reader showed");
    return got;
}

// What is written unchecked, after checking that write() agrees.
template <class Record> std::string written_text(const Record& r) {
    std::string unchecked;
    write_unchecked(unchecked, r);
    fuzz::check_write(r, unchecked);
    return unchecked;
}

// The document holds what the pull reader yields up to its first error.
void check_document(std::string_view text, unsigned option_bits, const reading& pulled) {
    std::vector<wlfmt::problem> tolerated;
    const auto doc = oplog::read(text, options_of(option_bits, tolerated));
    fuzz::check(doc.ok() == pulled.errors.empty(), "document and pull reader agree that there is an error");
    std::vector<std::string> all = fuzz::dump_all(*doc);
    fuzz::check(all.size() <= pulled.records.size(), "the document holds no more than the pull reader");
    std::vector<std::string> first(pulled.records.begin(),
                                   pulled.records.begin() + static_cast<std::ptrdiff_t>(all.size()));
    fuzz::check_same(all, first, "the document equals the pull reader");
    if (doc.ok()) {
        fuzz::check(all.size() == pulled.records.size(), "the document holds as much as the pull reader");
        fuzz::check(tolerated.size() == pulled.tolerated.size(), "the document reports what the pull reader reports");
    } else {
        fuzz::check(doc.error().kind == pulled.errors[0].kind && doc.error().offset == pulled.errors[0].offset,
                    "document and pull reader agree on the error");
    }

    // A record that was read without tolerating anything is never refused.
    const std::string written = written_text(*doc);
    if (const wlfmt::problem problem = problem_of(*doc)) {
        fuzz::check((option_bits & 2) != 0, "what was read has no problem", problem.field);
        return;
    }
    if (all.empty()) return;
    const auto again = oplog::read(written);
    fuzz::check(again.ok(), "what was read is written so that it can be read", written);
    fuzz::check_same(fuzz::dump_all(*again), all, "what is written reads back equal");
    fuzz::check_same(written_text(*again), written, "writing twice is writing once");
}

// A launcher's prefix before every line changes nothing.
void check_prefix(std::string_view text, const reading& usual) {
    constexpr std::string_view prefix = "[rank0]: ";
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    std::string prefixed;
    for (const std::string_view line : fuzz::lines_of(text)) prefixed.append(prefix).append(line);
    const reading got = read_on(prefixed, 16);
    fuzz::check_same(got.records, usual.records, "a prefix changes no record");
    fuzz::check(got.foreign_lines == usual.foreign_lines, "a prefix changes no foreign line");
    fuzz::check(got.errors.size() == usual.errors.size(), "a prefix changes no error");
    for (std::size_t n = 0; n != got.errors.size(); ++n) {
        // Foreign text is the whole line, including its prefix.
        const bool whole_line = usual.errors[n].kind == wlfmt::error_kind::foreign_text;
        const std::size_t length = usual.errors[n].length + (whole_line ? prefix.size() : 0);
        fuzz::check(got.errors[n].kind == usual.errors[n].kind && got.errors[n].length == length,
                    "a prefix changes no error");
    }
}

void check_text(std::string_view text, unsigned option_bits) {
    const reading got = read_on(text, option_bits, true);
    fuzz::check_errors(got.errors, text);
    fuzz::check_errors(got.tolerated, text);
    check_document(text, option_bits, got);

    const auto read = [](std::string_view t, unsigned bits) { return read_on(t, bits); };
    const reading usual = fuzz::check_modes(text, read, &reading::records);
    check_prefix(text, usual);

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
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::check_with_options(data, size, check_text);
}
