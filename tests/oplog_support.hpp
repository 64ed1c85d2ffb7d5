// What the op-log tests share: records taken out of their reader, and a comparison that goes as deep as a record does.
#ifndef WLFMT_TESTS_OPLOG_SUPPORT_HPP
#define WLFMT_TESTS_OPLOG_SUPPORT_HPP

#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/oplog.hpp>

#include "data_files.hpp"
#include "support.hpp"

namespace test {

inline std::vector<std::string> oplog_files() { return data_files("oplog", oplog_samples); }

// The two nested operations that several test texts contain; the second one has other values in each text.
inline std::array<wlfmt::oplog::sub_operation, 2> reduce_and_broadcast(wlfmt::number duration, wlfmt::number timestamp,
                                                                       std::string_view group) {
    std::array<wlfmt::oplog::sub_operation, 2> subs;
    subs[0].trace_src_func = "_reduce";
    subs[0].duration = 0.02;
    subs[0].timestamp = 4509233031.56;
    subs[0].input_shape = wlfmt::oplog::shape("[2048, 2]");
    subs[0].input_dtype = "torch.float32";
    subs[0].func_name = "crossEntropy_fwd_1";
    subs[0].group = "tp";
    subs[0].comm_func = "allreduce";
    subs[1].trace_src_func = "_broadcast";
    subs[1].duration = duration;
    subs[1].timestamp = timestamp;
    subs[1].input_shape = wlfmt::oplog::shape("[8]");
    subs[1].input_dtype = "torch.int64";
    subs[1].group = group;
    subs[1].comm_func = "broadcast";
    return subs;
}

// The options that change what a reader takes for a record or goes on after.
inline std::vector<wlfmt::options> ways_to_read() {
    std::vector<wlfmt::options> ways(5);
    ways[1].strict = true;
    ways[2].lenient = true;
    ways[3].strict = ways[3].lenient = true;
    ways[4].prefix = wlfmt::any_prefix;
    return ways;
}

// The records that a pull reader yields with bad lines skipped, with copies of their sub-operations.
struct reading {
    std::vector<wlfmt::oplog::operation> records;
    std::vector<wlfmt::problem> errors;  // errors and tolerated problems, in the order of the text
    std::uint64_t foreign_lines = 0;
    std::uint64_t tolerated = 0;
    bool ok = false;  // whether the reader was ok at the end
};

inline reading read_on(std::string_view text, wlfmt::options how = {}) {
    reading got;
    how.on_problem = [&](const wlfmt::problem& e) { got.errors.push_back(e); };
    wlfmt::oplog::reader log(text, how);
    do {
        while (const wlfmt::oplog::operation* op = log.next()) {
            wlfmt::oplog::operation kept = *op;
            if (!op->sub_operations.is_missing() && !op->sub_operations.is_none()) {
                std::vector<wlfmt::oplog::sub_operation> subs;
                for (const auto& sub : op->sub_operations) subs.push_back(sub);
                if (!log.ok()) break;
                kept.sub_operations = std::move(subs);
            }
            got.records.push_back(std::move(kept));
        }
        if (!log.ok()) got.errors.push_back(log.error());
    } while (log.skip());
    got.ok = log.ok();
    got.foreign_lines = log.foreign_lines();
    got.tolerated = log.tolerated();
    return got;
}

inline bool same_text(std::string_view a, std::string_view b) {
    return wlfmt::is_missing(a) == wlfmt::is_missing(b) && a == b;
}

inline bool same_shape(const wlfmt::oplog::shape& a, const wlfmt::oplog::shape& b) {
    if (a.is_missing() != b.is_missing() || a.is_none() != b.is_none() || a.is_list() != b.is_list()) return false;
    if (a.size() != b.size() || (!a.is_list() && a.text() != b.text())) return false;
    auto other = b.begin();
    for (const auto dim : a) {
        if (dim != *other) return false;
        ++other;
    }
    return true;
}

// The text of a known key may be another spelling of the member's value; the texts of unknown keys must be the same.
template <class Record> bool same_attributes(const Record& first, const Record& second) {
    const wlfmt::oplog::attribute_list& a = first.attributes;
    const wlfmt::oplog::attribute_list& b = second.attributes;
    auto other = b.begin();
    for (const auto& one : a) {
        if (other == b.end() || one.key != other->key) return false;
        const bool known = wlfmt::detail::key_of(first, one.key) != wlfmt::detail::key_of_record<Record>::extra;
        if (!known && one.value != other->value) return false;
        ++other;
    }
    return other == b.end();
}

inline bool same_member(std::string_view a, std::string_view b) { return same_text(a, b); }
inline bool same_member(const wlfmt::number& a, const wlfmt::number& b) { return a == b; }
inline bool same_member(const wlfmt::oplog::shape& a, const wlfmt::oplog::shape& b) { return same_shape(a, b); }
// difference() compares the lists.
inline bool same_member(const wlfmt::oplog::sub_operation_list&, const wlfmt::oplog::sub_operation_list&) {
    return true;
}

// The first key in whose members two records differ; "" if there is none.
template <class Record> std::string different_member(const Record& a, const Record& b) {
    for (const auto& row : wlfmt::detail::rows_of<Record>())
        if (!wlfmt::detail::with_member(row, [&](auto member) { return same_member(a.*member, b.*member); }))
            return std::string(row.name);
    return {};
}

// The first member in which two records differ; "" if they are the same.
inline std::string difference(const wlfmt::oplog::sub_operation& a, const wlfmt::oplog::sub_operation& b) {
    if (const std::string member = different_member(a, b); !member.empty()) return member;
    if (!same_text(a.text, b.text)) return "text";
    if (!same_attributes(a, b)) return "attributes";
    if (a.quote != b.quote) return "quote";
    if (a.spaced != b.spaced) return "spaced";
    if (a.damaged != b.damaged) return "damaged";
    return {};
}

inline std::string difference(const wlfmt::oplog::operation& a, const wlfmt::oplog::operation& b) {
    if (a.origin != b.origin) return "origin";
    if (a.rank != b.rank) return "rank";
    if (!same_text(a.op, b.op)) return "op";
    if (const std::string member = different_member(a, b); !member.empty()) return member;
    if (!same_attributes(a, b)) return "attributes";
    if (a.spaced != b.spaced) return "spaced";
    if (a.sub_operations.is_missing() != b.sub_operations.is_missing()) return "sub_operations: missing";
    if (a.sub_operations.is_none() != b.sub_operations.is_none()) return "sub_operations: None";
    if (a.sub_operations.size() != b.sub_operations.size()) return "sub_operations: size";
    auto other = b.sub_operations.begin();
    std::size_t n = 0;
    for (const auto& sub : a.sub_operations) {
        const std::string member = difference(sub, *other);
        if (!member.empty()) return "sub_operations[" + std::to_string(n) + "]." + member;
        ++other;
        ++n;
    }
    return {};
}

inline std::string difference(const std::vector<wlfmt::oplog::operation>& a,
                              const std::vector<wlfmt::oplog::operation>& b) {
    for (std::size_t n = 0; n < a.size() && n < b.size(); ++n) {
        const std::string member = difference(a[n], b[n]);
        if (!member.empty()) return "record " + std::to_string(n) + ": " + member;
    }
    return a.size() == b.size() ? std::string() : std::to_string(a.size()) + " and " + std::to_string(b.size());
}

// Calls visit(view) for each view in a record and in its nested operations.
template <class Visitor> void visit_views(const wlfmt::oplog::sub_operation& s, Visitor&& visit) {
    visit(s.text);
    visit(s.source);
    wlfmt::detail::for_each_key(s, [&](const auto&, const auto& member) { visit(wlfmt::detail::text_of(member)); });
    for (const auto& a : s.attributes) {
        visit(a.key);
        visit(a.value);
    }
}
template <class Visitor> void visit_views(const wlfmt::oplog::operation& r, Visitor&& visit) {
    visit(r.op);
    visit(r.source);
    wlfmt::detail::for_each_key(r, [&](const auto&, const auto& member) { visit(wlfmt::detail::text_of(member)); });
    for (const auto& a : r.attributes) {
        visit(a.key);
        visit(a.value);
    }
    for (const auto& sub : r.sub_operations) visit_views(sub, visit);
}

// What write_unchecked() writes. write() appends the same, unless problem_of() says why not: then it returns that error
// and appends nothing. A stream, from which nothing can be taken back, is given the same as a string.
template <class Record> std::string written(const Record& r) {
    std::string out;
    write_unchecked(out, r);
    const wlfmt::problem problem = problem_of(r);
    const std::string before = "before, ";
    const auto check = [&](const wlfmt::problem& e, const std::string& text) {
        CHECK(e.kind == problem.kind);
        CHECK(e.field == problem.field);
        CHECK(e.found == problem.found);
        CHECK(e.expected == problem.expected);
        CHECK(text == (problem ? before : before + out));
    };
    std::string checked = before;
    check(write(checked, r), checked);
    std::ostringstream stream;
    stream << before;
    const wlfmt::problem streamed = write(stream, r);
    check(streamed, stream.str());
    return out;
}
inline std::string written(std::vector<wlfmt::oplog::operation> records) {
    return written(wlfmt::oplog::document{std::move(records)});
}

}  // namespace test

#endif
