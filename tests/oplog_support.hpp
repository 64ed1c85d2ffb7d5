// What the op-log tests share: records taken out of their reader, and a comparison that goes as deep as a record does.
#ifndef WLFMT_TESTS_OPLOG_SUPPORT_HPP
#define WLFMT_TESTS_OPLOG_SUPPORT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/oplog.hpp>

#include "support.hpp"

namespace test {

// Every op-log file of tests/data: the samples and the small files of tests/data/oplog, in a fixed order.
inline std::vector<std::string> oplog_files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(data_path("oplog")))
        names.push_back("oplog/" + entry.path().filename().string());
    std::sort(names.begin(), names.end());
    names.insert(names.begin(), std::begin(oplog_samples), std::end(oplog_samples));
    return names;
}

// The two nested operations that several test texts contain; of the second one the texts have different values.
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

// The records that a pull reader yields with bad lines skipped, their sub-operations walked and kept.
struct reading {
    std::vector<wlfmt::oplog::operation> records;
    std::vector<wlfmt::error> errors;  // errors and tolerated problems, in the order of the text
    std::uint64_t foreign_lines = 0;
    std::uint64_t tolerated = 0;
    bool ok = false;  // at the end
};

inline reading read_on(std::string_view text, wlfmt::options how = {}) {
    reading got;
    how.on_problem = [](void* errors, const wlfmt::error& e) {
        static_cast<std::vector<wlfmt::error>*>(errors)->push_back(e);
    };
    how.context = &got.errors;
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
inline bool same_attributes(const wlfmt::oplog::attribute_list& a, const wlfmt::oplog::attribute_list& b) {
    static constexpr std::string_view known[] = {"stage_id",  "batch_id",       "mg_state",   "stage",
                                                 "duration",  "description",    "group_kind", "input__shape",
                                                 "timestamp", "input__dtype",   "time_stamp", "sub_operations",
                                                 "func_name", "trace_src_func", "group",      "comm_func"};
    auto other = b.begin();
    for (const auto& one : a) {
        if (other == b.end() || one.key != other->key) return false;
        const bool further = std::find(std::begin(known), std::end(known), one.key) == std::end(known);
        if (further && one.value != other->value) return false;
        ++other;
    }
    return other == b.end();
}

// The first member in which two records differ; "" where they are the same.
inline std::string difference(const wlfmt::oplog::sub_operation& a, const wlfmt::oplog::sub_operation& b) {
    if (!same_text(a.trace_src_func, b.trace_src_func)) return "trace_src_func";
    if (a.duration != b.duration) return "duration";
    if (a.timestamp != b.timestamp) return "timestamp";
    if (!same_shape(a.input_shape, b.input_shape)) return "input_shape";
    if (!same_text(a.input_dtype, b.input_dtype)) return "input_dtype";
    if (!same_text(a.func_name, b.func_name)) return "func_name";
    if (!same_text(a.group, b.group)) return "group";
    if (!same_text(a.comm_func, b.comm_func)) return "comm_func";
    if (!same_text(a.text, b.text)) return "text";
    if (!same_attributes(a.attributes, b.attributes)) return "attributes";
    if (a.quote != b.quote) return "quote";
    if (a.spaced != b.spaced) return "spaced";
    if (a.damaged != b.damaged) return "damaged";
    return {};
}

inline std::string difference(const wlfmt::oplog::operation& a, const wlfmt::oplog::operation& b) {
    if (a.origin != b.origin) return "origin";
    if (a.rank != b.rank) return "rank";
    if (!same_text(a.op, b.op)) return "op";
    if (a.stage_id != b.stage_id) return "stage_id";
    if (a.batch_id != b.batch_id) return "batch_id";
    if (!same_text(a.mg_state, b.mg_state)) return "mg_state";
    if (a.duration != b.duration) return "duration";
    if (!same_text(a.description, b.description)) return "description";
    if (!same_text(a.group_kind, b.group_kind)) return "group_kind";
    if (!same_shape(a.input_shape, b.input_shape)) return "input_shape";
    if (!same_text(a.input_dtype, b.input_dtype)) return "input_dtype";
    if (a.timestamp != b.timestamp) return "timestamp";
    if (!same_attributes(a.attributes, b.attributes)) return "attributes";
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
template <class Visitor>
void visit_views(const wlfmt::oplog::sub_operation& s, Visitor&& visit) {
    for (const std::string_view v : std::initializer_list<std::string_view>{
             s.trace_src_func, s.duration.text(), s.timestamp.text(), s.input_shape.text(), s.input_dtype, s.func_name,
             s.group, s.comm_func, s.text, s.source})
        visit(v);
    for (const auto& a : s.attributes) {
        visit(a.key);
        visit(a.value);
    }
}
template <class Visitor>
void visit_views(const wlfmt::oplog::operation& r, Visitor&& visit) {
    for (const std::string_view v : std::initializer_list<std::string_view>{
             r.op, r.stage_id.text(), r.batch_id.text(), r.mg_state, r.duration.text(), r.description, r.group_kind,
             r.input_shape.text(), r.input_dtype, r.timestamp.text(), r.sub_operations.text(), r.source})
        visit(v);
    for (const auto& a : r.attributes) {
        visit(a.key);
        visit(a.value);
    }
    for (const auto& sub : r.sub_operations) visit_views(sub, visit);
}

// What write_unchecked() writes. write() appends the same, unless problem_of() tells why not: then it returns that
// error and appends nothing. A stream, from which nothing can be taken back, is given the same as a string.
template <class Record>
std::string written(const Record& r) {
    std::string out;
    write_unchecked(out, r);
    const wlfmt::error problem = problem_of(r);
    const std::string before = "before, ";
    const auto check = [&](const wlfmt::error& e, const std::string& text) {
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
    const wlfmt::error streamed = write(stream, r);
    check(streamed, stream.str());
    return out;
}
inline std::string written(std::vector<wlfmt::oplog::operation> records) {
    return written(wlfmt::oplog::document{std::move(records)});
}

}  // namespace test

#endif
