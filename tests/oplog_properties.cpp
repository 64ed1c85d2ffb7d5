// What holds for every op log: reading and writing agree, pieces have the same records as the whole, and a problem in
// one line changes no other line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/oplog.hpp>

#include "oplog_support.hpp"
#include "support.hpp"

namespace oplog = wlfmt::oplog;
using oplog::operation;
using oplog::sub_operation;
using test::difference;
using test::lenient;
using test::read_on;
using test::reading;
using test::written;

namespace {

// The small files: each is so short that every position in it can be tried.
std::vector<std::string> small_files() {
    std::vector<std::string> names = test::oplog_files();
    names.erase(std::remove_if(names.begin(), names.end(),
                               [](const std::string& name) { return name.substr(0, 6) != "oplog/"; }),
                names.end());
    CHECK(names.size() > 25);
    return names;
}

// The records of each line, read alone.
std::vector<reading> by_line(std::string_view text) {
    std::vector<reading> lines;
    for (const std::string_view line : test::lines_of(text)) lines.push_back(read_on(line));
    return lines;
}
std::vector<operation> joined(const std::vector<reading>& lines, std::size_t first, std::size_t last) {
    std::vector<operation> records;
    for (std::size_t n = first; n < last; ++n)
        records.insert(records.end(), lines[n].records.begin(), lines[n].records.end());
    return records;
}

// Every problem has its place in the text and can be printed.
void check_errors(const reading& got, std::string_view text) {
    for (const wlfmt::problem& e : got.errors) {
        if (e.offset > text.size() || e.length > text.size() - e.offset) {
            FAIL_CHECK("an error lies outside the text: ", name_of(e.kind), " ", text);
            continue;
        }
        const std::string printed = explain(e, text, wlfmt::in_file("f"));
        if (printed.substr(0, 2) != "f:" || printed.back() != '\n') FAIL_CHECK(printed);
    }
}

bool begins_with(const std::vector<operation>& records, const std::vector<operation>& first) {
    if (records.size() < first.size()) return false;
    const auto end = records.begin() + static_cast<std::ptrdiff_t>(first.size());
    return difference(std::vector<operation>(records.begin(), end), first).empty();
}
bool ends_with(const std::vector<operation>& records, const std::vector<operation>& last) {
    if (records.size() < last.size()) return false;
    const auto begin = records.end() - static_cast<std::ptrdiff_t>(last.size());
    return difference(std::vector<operation>(begin, records.end()), last).empty();
}

// The same record without its lists of attributes, which only say in which order the keys were.
class unordered {
public:
    explicit unordered(const operation& op) : op_(op) {
        for (sub_operation sub : op.sub_operations) {
            sub.attributes = {};
            subs_.push_back(sub);
        }
        op_.attributes = {};
        if (!op.sub_operations.is_missing() && !op.sub_operations.is_none())
            op_.sub_operations = {subs_.data(), subs_.size()};
    }
    unordered(const unordered&) = delete;
    unordered& operator=(const unordered&) = delete;
    const operation& record() const { return op_; }

private:
    operation op_;
    std::vector<sub_operation> subs_;
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

// A small random number generator written here, so that a failure is the same on every machine.
class dice {
public:
    std::size_t below(std::size_t n) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state_ >> 33) % n;
    }

private:
    std::uint64_t state_ = 20;
};

}  // namespace

TEST_CASE("what is written reads back equal, and writing twice is writing once") {
    for (const std::string& name : test::oplog_files()) {
        for (const bool tolerant : {false, true}) {
            CAPTURE(name);
            CAPTURE(tolerant);
            const wlfmt::options how = tolerant ? lenient() : wlfmt::options();
            const std::string text = test::data(name);
            reading first = read_on(text, how);
            // The unreadable rest of a list is written after a separator, which may make it readable.
            const auto damaged = [](const operation& op) {
                bool any = false;
                for (const sub_operation& s : op.sub_operations) any = any || s.damaged;
                return any;
            };
            first.records.erase(std::remove_if(first.records.begin(), first.records.end(), damaged),
                                first.records.end());
            const std::string once = written(first.records);
            const reading second = read_on(once, how);
            CHECK(difference(second.records, first.records) == "");
            CHECK(written(second.records) == once);
            CHECK(second.foreign_lines == 0);
            if (!tolerant && !first.records.empty()) CHECK(second.errors.empty());
        }
    }
}

TEST_CASE("a document holds what the pull reader yields up to its first error") {
    for (const std::string& name : test::oplog_files()) {
        for (const bool tolerant : {false, true}) {
            CAPTURE(name);
            CAPTURE(tolerant);
            const wlfmt::options how = tolerant ? lenient() : wlfmt::options();
            const std::string text = test::data(name);
            const reading pulled = read_on(text, how);
            const auto document = oplog::read(text, how);
            if (document.ok()) {
                CHECK((pulled.errors.empty() || tolerant));
                CHECK(difference(document->operations, pulled.records) == "");
                CHECK(written(*document) == written(pulled.records));
            } else {
                CHECK(begins_with(pulled.records, document->operations));
                REQUIRE_FALSE(pulled.errors.empty());
                CHECK(document.error().kind == pulled.errors[0].kind);
                CHECK(document.error().offset == pulled.errors[0].offset);
            }
        }
    }
}

TEST_CASE("pieces that end with their lines are the whole") {
    for (const std::string& name : test::oplog_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const reading whole = read_on(text);
        const std::vector<reading> lines = by_line(text);
        CHECK(difference(joined(lines, 0, lines.size()), whole.records) == "");
        std::size_t at = 0;
        for (const std::string_view line : test::lines_of(text)) {
            at += line.size();
            const reading first = read_on(std::string_view(text).substr(0, at));
            const reading rest = read_on(std::string_view(text).substr(at));
            std::vector<operation> records = first.records;
            records.insert(records.end(), rest.records.begin(), rest.records.end());
            CHECK(difference(records, whole.records) == "");
        }
    }
}

TEST_CASE("every view of a record lies in the text") {
    for (const std::string& name : test::oplog_files()) {
        CAPTURE(name);
        const test::exact_buffer exact(test::data(name));
        const std::string_view text = exact.view();
        const auto begin = reinterpret_cast<std::uintptr_t>(text.data());
        std::size_t views = 0;
        bool inside = true;
        oplog::reader log(text, lenient());
        while (const operation* op = log.next()) {
            test::visit_views(*op, [&](std::string_view v) {
                if (wlfmt::is_missing(v)) return;
                ++views;
                const auto at = reinterpret_cast<std::uintptr_t>(v.data());
                inside = inside && at >= begin && at - begin <= text.size() && v.size() <= text.size() - (at - begin);
            });
        }
        CHECK(inside);
        CHECK((views > 0 || name == "oplog/error_no_records.txt"));
    }
}

TEST_CASE("the sources of nested operations are the strings of their list") {
    for (const std::string_view name : test::oplog_samples) {
        CAPTURE(name);
        const std::string text = test::data(name);
        std::size_t lists = 0;
        const auto check = [&](std::string_view list, const auto& nested) {
            std::string joined;
            for (const oplog::sub_operation& s : nested) {
                joined += joined.empty() ? "'" : ", '";
                joined.append(s.source.data(), s.source.size()) += '\'';
            }
            CHECK(joined == list);
            lists += joined.empty() ? 0U : 1U;
        };
        oplog::reader log(text);
        while (const operation* op = log.next()) {
            const auto& nested = op->sub_operations;
            check(nested.text(), nested);
            check(nested.text(), nested.only<oplog::fields::duration>());
            check(nested.text(), nested.only<oplog::fields::duration | oplog::fields::group>());
            check(nested.text(), nested.only<oplog::fields::comm_func>());
        }
        CHECK(log.ok());
        CHECK(lists > 0);
    }
}

TEST_CASE("a text cut off anywhere loses no line before the cut") {
    for (const std::string& name : small_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const std::vector<reading> lines = by_line(text);
        std::size_t whole_lines = 0;
        for (std::size_t size = 0; size <= text.size(); ++size) {
            if (size > 0 && text[size - 1] == '\n') ++whole_lines;
            if (size % test::stride != 0) continue;
            const test::exact_buffer cut(std::string_view(text).substr(0, size));
            const reading got = read_on(cut.view());
            const std::vector<operation> before = joined(lines, 0, whole_lines);
            if (!begins_with(got.records, before) || got.records.size() > before.size() + 1) {
                CAPTURE(size);
                FAIL_CHECK("a line before the cut was lost or invented");
            }
            check_errors(got, cut.view());
            const reading tolerant = read_on(cut.view(), lenient());
            if (tolerant.records.size() < got.records.size()) FAIL_CHECK("the lenient reader reads less");
            check_errors(tolerant, cut.view());
        }
    }
}

TEST_CASE("a byte that is lost damages no other line") {
    for (const std::string& name : small_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        const std::vector<reading> lines = by_line(text);
        std::size_t line = 0;
        for (std::size_t at = 0; at < text.size(); line += text[at] == '\n', ++at) {
            if (at % test::stride != 0) continue;
            std::string damaged = text;
            damaged.erase(at, 1);
            const test::exact_buffer exact(damaged);
            const reading got = read_on(exact.view());
            const std::size_t next = line + (text[at] == '\n' ? 2 : 1);
            const auto before = joined(lines, 0, line);
            const auto after = joined(lines, (std::min)(next, lines.size()), lines.size());
            if (!begins_with(got.records, before) || !ends_with(got.records, after) ||
                got.records.size() < before.size() + after.size() ||
                got.records.size() > before.size() + after.size() + 1) {
                CAPTURE(at);
                FAIL_CHECK("a line that was not touched reads otherwise");
            }
            check_errors(got, exact.view());
            check_errors(read_on(exact.view(), lenient()), exact.view());
        }
    }
}

TEST_CASE("a byte that is added damages no other line") {
    constexpr std::string_view added("'\"[](),= \t\r\n\\\0\xFFN9", 18);
    const std::string text = test::data("oplog/further_keys.txt");
    const std::vector<reading> lines = by_line(text);
    std::size_t line = 0;
    for (std::size_t at = 0; at < text.size(); line += text[at] == '\n', ++at) {
        if (at % test::stride != 0) continue;
        const auto before = joined(lines, 0, line);
        const auto after = joined(lines, line + 1, lines.size());
        for (const char c : added) {
            std::string damaged = text;
            damaged.insert(at, 1, c);
            const test::exact_buffer exact(damaged);
            const reading got = read_on(exact.view());
            if (!begins_with(got.records, before) || !ends_with(got.records, after)) {
                CAPTURE(at);
                CAPTURE(c);
                FAIL_CHECK("a line that was not touched reads otherwise");
            }
            check_errors(got, exact.view());
        }
    }
}

TEST_CASE("no byte outside the text is read") {
    // Reading such a byte ends the program. Tried with texts of every length, beside either guard page, and with the
    // rest of the text from the start of every line.
    for (const std::string_view name :
         {"oplog/plain.txt", "oplog/escapes.txt", "oplog/old_tracer.txt", "oplog/comma_space.txt", "oplog/lists.txt",
          "oplog/numbers.txt", "oplog/shapes.txt", "oplog/console.txt", "oplog/bom.txt"}) {
        CAPTURE(name);
        const std::string text = test::data(name);
        for (std::size_t size = 0; size <= text.size(); ++size) {
            for (const test::guard side : {test::guard::before, test::guard::after}) {
                const test::guarded_text head(std::string_view(text).substr(0, size), side);
                check_errors(read_on(head.view()), head.view());
                static_cast<void>(read_on(head.view(), lenient()));
            }
        }
    }
    const std::string text = "rank:12:x(stage_id=1,duration=0.25,sub_operations=['timestamp=12345678.5'])";
    for (std::size_t begin = 0; begin <= text.size(); ++begin) {
        const test::guarded_text tail(std::string_view(text).substr(begin), test::guard::before);
        static_cast<void>(read_on(tail.view()));
    }
    // The parts of a record that are iterated over without a reader.
    for (const std::string_view piece :
         {"[1, 2, 345678901234567890]", "torch.Size([1,2])", "[ 1 ", "a=1, b=2,c=[',", "\\x41\\U0001F600\\"}) {
        for (std::size_t size = 0; size <= piece.size(); ++size) {
            for (const test::guard side : {test::guard::before, test::guard::after}) {
                const test::guarded_text text_of(piece.substr(0, size), side);
                const oplog::shape shape(text_of.view());
                CHECK((shape.is_list() || shape.size() < 4));
                for (const bool spaced : {false, true}) {
                    std::size_t attributes = 0;
                    for (const auto& a : oplog::attribute_list::from_text(text_of.view(), spaced))
                        attributes += a.key.size();
                    CHECK(attributes <= piece.size());
                }
                char buffer[64];
                CHECK(oplog::unescape(text_of.view(), buffer).size() <= size);
            }
        }
    }
}

TEST_CASE("the order of the keys and further keys make no difference to what they say") {
    dice roll;
    for (const std::string_view name : {"oplog_rank7_moe_simulation.txt", "oplog_rank7_pipeline_last_stage.txt",
                                        "oplog/plain.txt", "oplog/time_stamp.txt"}) {
        const std::string text = test::data(name);
        for (const std::string_view line : test::lines_of(text)) {
            CAPTURE(line);
            const reading plain = read_on(line);
            REQUIRE(plain.records.size() == 1);
            const unordered expected(plain.records[0]);

            // A further key before all others, one in the middle, one in each nested operation.
            std::string further = replaced(std::string(line), "(stage_id=", "(zz=1,stage_id=");
            for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"zz=1", "zz=1"},
                                           {",description=", ",zz=[2, 3],description="},
                                           {",sub_operations=", ",zz=,sub_operations="},
                                           {"'trace_src_func=", "'zz=4,trace_src_func="},
                                           {",comm_func=", ",zz=5,comm_func="},
                                           {"', '", "', \"zz=6\" , '"}}) {
                further = replaced(further, from, to);
                const reading got = read_on(further);
                CHECK(got.errors.empty());
                REQUIRE(got.records.size() == 1);
                if (from == "', '") break;
                CHECK(difference(unordered(got.records[0]).record(), expected.record()) == "");
            }

            // The known keys in any order, in the record and in its nested operations.
            std::vector<oplog::attribute> keys = {{"stage_id", {}},      {"batch_id", {}},     {"mg_state", {}},
                                                  {"duration", {}},      {"description", {}},  {"group_kind", {}},
                                                  {"timestamp", {}},     {"input__shape", {}}, {"input__dtype", {}},
                                                  {"sub_operations", {}}};
            std::vector<oplog::attribute> sub_keys = {{"trace_src_func", {}}, {"duration", {}},     {"timestamp", {}},
                                                      {"input__shape", {}},   {"input__dtype", {}}, {"func_name", {}},
                                                      {"group", {}},          {"comm_func", {}}};
            for (int round = 0; round < 20; ++round) {
                const auto shuffle = [&](std::vector<oplog::attribute>& list) {
                    for (std::size_t n = list.size(); n > 1; --n) std::swap(list[n - 1], list[roll.below(n)]);
                };
                shuffle(keys);
                shuffle(sub_keys);
                operation op = expected.record();
                std::vector<sub_operation> subs;
                for (sub_operation sub : op.sub_operations) {
                    sub.attributes = {sub_keys.data(), sub_keys.size()};
                    subs.push_back(sub);
                }
                op.sub_operations = {subs.data(), subs.size()};
                op.attributes = {keys.data(), keys.size()};
                const std::string other = written(op);
                const reading got = read_on(other);
                CHECK(got.errors.empty());
                REQUIRE(got.records.size() == 1);
                CHECK(difference(unordered(got.records[0]).record(), expected.record()) == "");
                CHECK(written(got.records[0]) == other);
            }
        }
    }
}

TEST_CASE("a damaged line is judged alike in the tracer's order and in another") {
    // A further key before the others keeps the line off the fast path. What follows a damaged separator may then be
    // read differently.
    const std::string line =
        "rank:7:x(stage_id=1,batch_id=0,mg_state=None,duration=8.3,description=a, b,group_kind=dp,input__shape=[2, 3],"
        "input__dtype=torch.half,timestamp=12345678.25,sub_operations=['trace_src_func=f,duration=0.5,timestamp=99.5,"
        "input__shape=[8],input__dtype=d,func_name=n,group=tp,comm_func=c', 'trace_src_func=g,duration=5,timestamp=6,"
        "input__shape=None,input__dtype=e,group=pp,comm_func=h'])\n";
    constexpr std::string_view replacements("'\"[](),= \\\0\xFFN9a.-", 17);
    std::size_t compared = 0;
    for (std::size_t at = line.find('(') + 1; at < line.size(); ++at) {
        for (std::size_t n = 0; n < replacements.size() * 2; ++n) {
            std::string damaged = line;
            const char c = replacements[n / 2];
            if (n % 2 == 0) damaged[at] = c;
            else damaged.insert(at, 1, c);
            const std::string other =
                replaced(replaced(damaged, "'trace_src_func=", "'zz=1,trace_src_func="), ":x(", ":x(zz=1,");
            const reading got = read_on(damaged);
            const reading expected = read_on(other);
            bool decided = true;
            for (const std::string_view whole :
                 {":x(stage_id=1,b", ",sub_operations=['trace_src_func=f,d", ", 'trace_src_func=g,d"})
                decided = decided && damaged.find(whole) != std::string::npos;
            if (!decided) continue;
            CAPTURE(damaged);
            ++compared;
            if (got.errors.size() != expected.errors.size() || got.records.size() != expected.records.size()) {
                FAIL_CHECK("one is a record, the other is not");
                continue;
            }
            for (std::size_t e = 0; e < got.errors.size(); ++e) {
                const wlfmt::problem& one = got.errors[e];
                const wlfmt::problem& two = expected.errors[e];
                // What follows a broken quote contains the further key, too.
                const bool as_long = one.length == two.length || one.kind == wlfmt::error_kind::bad_list ||
                                     one.kind == wlfmt::error_kind::unterminated_string;
                if (one.kind != two.kind || one.field != two.field || !as_long)
                    FAIL_CHECK(explain(one, damaged, wlfmt::in_file("one")),
                               explain(two, other, wlfmt::in_file("other")));
            }
            for (std::size_t r = 0; r < got.records.size(); ++r) {
                const std::string member =
                    difference(unordered(got.records[r]).record(), unordered(expected.records[r]).record());
                if (!member.empty()) FAIL_CHECK(member);
            }
        }
    }
    CHECK(compared > 10000);
}

namespace {

// Records built by hand from parts that a line may not be able to hold, and what they hold, as text.
class record_maker {
public:
    explicit record_maker(std::uint32_t seed) : random_(seed) {}

    operation make() {
        operation op;
        op.origin = one_in(4) ? oplog::origin::stage : oplog::origin::rank;
        op.rank = static_cast<std::int64_t>(random_() % 1000);
        op.op = one_in(20) ? "not a name" : one_in(3) ? "c10d::allreduce_" : "forward_step";
        op.stage_id = a_number();
        op.batch_id = a_number();
        op.mg_state = a_text();
        op.duration = a_number();
        op.description = a_text();
        op.group_kind = a_text();
        op.input_shape = a_shape();
        op.input_dtype = a_text();
        op.timestamp = a_number();
        if (!one_in(4)) {
            std::vector<sub_operation> subs(random_() % 4);
            for (sub_operation& s : subs) s = a_sub_operation();
            op.sub_operations = std::move(subs);
        }
        return op;
    }

private:
    bool one_in(unsigned n) { return random_() % n == 0; }
    std::string_view a_text() {
        static constexpr std::string_view usual[] = {"torch.float32", "allreduce", "tp", "None", "", "a, b", "x"};
        static constexpr std::string_view others[] = {
            "it's",
            "\"q\"",
            "'\"",
            "back\\slash",
            "end\\",
            "line\nend",
            "tab\t",
            "del\x7f",
            "caf\xc3\xa9",
            "k=v",
            ",k=v",
            ", k=v",
            "a=",
            "=",
            "[1, 2]",
            "['a']",
            "f']",
            "sixteen bytes ,,,",
            "sixteen bytes, and more than thirty two=2",
            "sixteen bytes, and more than thirty two'2",
            "a text that is longer than four blocks of sixteen bytes, and x=1",
            ")",
            "(",
            " ",
            " a",
            "a "};
        if (one_in(3)) return {};
        if (one_in(8)) return others[random_() % std::size(others)];
        return usual[random_() % std::size(usual)];
    }
    wlfmt::number a_number() {
        switch (random_() % 12) {
        case 0: return {};
        case 1: return nullptr;
        case 2: return static_cast<std::int64_t>(random_());
        case 3: return -0.5;
        case 4: return one_in(4) ? wlfmt::number(a_text()) : 1e-7;
        case 5: return 4509233031.56;
        default: return static_cast<std::int64_t>(random_() % 64);
        }
    }
    oplog::shape a_shape() {
        static constexpr std::int64_t dims[] = {2048, 2, 5120, -1, 123456789012};
        if (one_in(3)) return oplog::shape(dims, random_() % 6);
        return oplog::shape(one_in(2) ? std::string_view("[3, 4]") : a_text());
    }
    sub_operation a_sub_operation() {
        sub_operation s;
        if (one_in(8)) {
            s.text = a_text();
            return s;
        }
        s.trace_src_func = a_text();
        s.duration = a_number();
        s.timestamp = a_number();
        s.input_shape = a_shape();
        s.input_dtype = a_text();
        s.func_name = a_text();
        s.group = a_text();
        s.comm_func = a_text();
        s.spaced = one_in(10);
        return s;
    }

    std::mt19937 random_;
};

// What a record holds, member by member: the same for a record that was built and for one that was read.
std::string told(std::string_view v, bool escaped) {
    if (wlfmt::is_missing(v)) return "- ";
    return '<' + (escaped ? oplog::unescape(v) : std::string(v)) + "> ";
}
std::string told(const wlfmt::number& n, bool escaped) {
    if (n.is_text()) return told(n.text(), escaped);
    char text[40];
    std::snprintf(text, sizeof text, "%d %.17g ", static_cast<int>(n.kind()), n.value_or(0.0));
    return text;
}
std::string told(const oplog::shape& s, bool escaped) {
    if (s.dims() == nullptr) return told(s.text(), escaped);
    std::string all;
    for (const std::int64_t dim : s) all += (all.empty() ? "" : ", ") + std::to_string(dim);
    return "<[" + all + "]> ";
}
std::string told(const sub_operation& s) {
    const bool escaped = s.quote != 0;
    if (s.is_text()) return "text " + told(s.text, escaped);
    return told(s.trace_src_func, escaped) + told(s.duration, escaped) + told(s.timestamp, escaped) +
           told(s.input_shape, escaped) + told(s.input_dtype, escaped) + told(s.func_name, escaped) +
           told(s.group, escaped) + told(s.comm_func, escaped);
}
std::string told(const operation& op) {
    std::string all = std::string(name_of(op.origin)) + std::to_string(op.rank) + told(op.op, false) +
                      told(op.stage_id, false) + told(op.batch_id, false) + told(op.mg_state, false) +
                      told(op.duration, false) + told(op.description, false) + told(op.group_kind, false) +
                      told(op.input_shape, false) + told(op.input_dtype, false) + told(op.timestamp, false);
    if (op.sub_operations.is_missing()) return all;
    for (const sub_operation& s : op.sub_operations) all += "\n  " + told(s);
    return all + "\n]";
}

}  // namespace

TEST_CASE("a record made of any parts is refused, or reads back with what it holds") {
    record_maker maker(20250301);
    std::size_t accepted = 0;
    std::size_t refused = 0;
    std::string document = "before\n";
    for (int n = 0; n < 40000; n += test::stride) {
        const operation op = maker.make();
        const std::string before = document;
        const wlfmt::problem e = oplog::write(document, op);
        CHECK(e.kind == oplog::problem_of(op).kind);
        CHECK(e.field == oplog::problem_of(op).field);
        if (e) {
            ++refused;
            CHECK(document == before);
            continue;
        }
        ++accepted;
        const std::string line = document.substr(before.size());
        document.resize(7);
        std::string unchecked;
        oplog::write_unchecked(unchecked, op);
        CHECK(line == unchecked);
        CAPTURE(line);
        oplog::reader log(line);
        const operation* read = log.next();
        REQUIRE(read != nullptr);
        CHECK(told(*read) == told(op));
        CHECK(log.next() == nullptr);
        CHECK(log.ok());
    }
    CHECK(accepted > 5000 / test::stride);
    CHECK(refused > 5000 / test::stride);
}
