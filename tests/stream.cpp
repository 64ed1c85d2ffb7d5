// Op logs that arrive in chunks: whatever the chunks, records, errors and offsets are those of the whole text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <wlfmt/oplog/stream.hpp>

#include "oplog_support.hpp"
#include "support.hpp"

namespace oplog = wlfmt::oplog;
using wlfmt::byte_range;

namespace {

struct streamed {
    oplog::kept_operations kept;
    std::vector<wlfmt::problem> errors;
    std::vector<std::string> told;  // what explain() says of them
    std::vector<std::string> fields;
    std::uint64_t foreign_lines = 0;
    std::uint64_t tolerated = 0;
    std::uint64_t lines = 0;
    bool ok = false;
};

// Reads a text in chunks of that size, each of which is freed once the stream has read it.
class streaming {
public:
    streaming(byte_range range, wlfmt::options how, std::uint64_t first_line = 1)
        : log_(range, with_problems(how), first_line) {}

    streamed& read(std::string_view text, std::size_t size) {
        for (; !text.empty() && !log_.done(); text.remove_prefix((std::min)(size, text.size()))) {
            const test::exact_buffer chunk(text.substr(0, size));
            log_.feed(chunk.view());
            pull();
        }
        log_.finish();
        pull();
        got_.foreign_lines = log_.foreign_lines();
        got_.tolerated = log_.tolerated();
        got_.lines = log_.lines();
        got_.ok = log_.ok();
        return got_;
    }

private:
    wlfmt::options with_problems(wlfmt::options how) {
        how.on_problem = [this](const wlfmt::problem& e) { tell(e); };
        return how;
    }
    void tell(const wlfmt::problem& e) {
        got_.errors.push_back(e);
        got_.fields.emplace_back(e.field);
        got_.told.push_back(wlfmt::explain(e, log_, wlfmt::in_file("log")));
    }
    void pull() {
        do {
            while (const auto op = log_.next()) {
                for (const auto& sub : op->sub_operations) static_cast<void>(sub);
                if (log_.ok()) got_.kept.add(op);
            }
            if (!log_.ok()) tell(log_.error());
        } while (log_.skip());
    }

    streamed got_;
    oplog::stream log_;
};

void check_errors(const streamed& got, const std::vector<wlfmt::problem>& whole, std::string_view text) {
    REQUIRE(got.errors.size() == whole.size());
    for (std::size_t n = 0; n != whole.size(); ++n) {
        CAPTURE(n);
        CHECK(got.errors[n].kind == whole[n].kind);
        CHECK(got.errors[n].offset == whole[n].offset);
        CHECK(got.errors[n].length == whole[n].length);
        CHECK(got.fields[n] == whole[n].field);
        CHECK(got.errors[n].found == whole[n].found);
        CHECK(got.errors[n].expected == whole[n].expected);
        CHECK(got.told[n] == wlfmt::explain(whole[n], text, wlfmt::in_file("log")));
    }
}

std::uint64_t line_ends(std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

bool shows_none(oplog::stream& log) { return !log.next(); }

constexpr std::string_view good = "rank:1:a(duration=1)\nrank:2:b(duration=2,sub_operations=['x=1', 'y=2'])\n";

}  // namespace

TEST_CASE("a stream that is moved goes on where it was") {
    const std::string text = "text\nrank:0:a(duration=1)\nrank:1:b(\nrank:2:c(duration=2,description=x)\nrank:3:d(k=v)";
    const auto read = [&](std::size_t size, bool moves) {
        std::string all;
        auto log = std::make_unique<oplog::stream>();
        for (std::size_t at = 0; at <= text.size(); at += size) {
            const std::string chunk = text.substr(at, size);
            log->feed(chunk);
            if (at + size > text.size()) log->finish();
            bool more = true;
            while (more) {
                while (const auto op = log->next()) {
                    all += op->op;
                    if (!moves) continue;
                    auto next = std::make_unique<oplog::stream>(std::move(*log));
                    // What was lent stays where it was, and its views come with the new stream.
                    all += op->rank == 2 && op->description != "x" ? "?" : "";
                    CHECK(log->ok());
                    log->finish();
                    CHECK_FALSE(static_cast<bool>(log->next()));
                    log->feed("rank:9:z()\n");
                    CHECK_FALSE(static_cast<bool>(log->next()));
                    CHECK(log->line_at(0).text.empty());
                    log = std::move(next);
                }
                if (log->ok()) break;
                if (moves) {
                    oplog::stream other;
                    other.feed("rank:8:y()\n");
                    other = std::move(*log);
                    CHECK(log->ok());
                    *log = std::move(other);
                }
                all += std::to_string(log->error().offset) + std::string(log->line_at(log->error().offset).text);
                more = log->skip();
            }
        }
        return all + std::to_string(log->offset()) + " " + std::to_string(log->foreign_lines());
    };
    for (std::size_t size = 1; size <= text.size() + 1; ++size) CHECK(read(size, true) == read(size, false));
    CHECK(read(100, false).substr(0, 1) == "a");
}

TEST_CASE("any chunks have the records, errors, offsets and lines of the whole text") {
    for (const std::string& name : test::oplog_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        for (const wlfmt::options& how : test::ways_to_read()) {
            const test::reading whole = test::read_on(text, how);
            // Long files are not read byte by byte, which would take long.
            for (const std::size_t size : {text.size() < 4000 ? std::size_t{1} : std::size_t{97}, std::size_t{7},
                                           std::size_t{100}, std::size_t{4096}, std::size_t{65536}}) {
                CAPTURE(size);
                streaming stream({}, how);
                const streamed& got = stream.read(text, size);
                CHECK(test::difference(got.kept.operations().operations, whole.records) == "");
                check_errors(got, whole.errors, text);
                CHECK(got.foreign_lines == whole.foreign_lines);
                CHECK(got.tolerated == whole.tolerated);
                CHECK(got.lines == line_ends(text));
            }
        }
    }
}

TEST_CASE("any ranges have the records and errors of the whole text") {
    const std::string text =
        "\xEF\xBB\xBFrank:1:a(duration=1)\n\nrank:2:b()\r\n\xEF\xBB\xBFrank:3:c()\nnone\n"
        "rank:4:d(duration=x)\nrank:5:e(batch_id=1,batch_id=2)\nrank:6:f()";
    for (const wlfmt::options& how : test::ways_to_read()) {
        const test::reading whole = test::read_on(text, how);
        for (std::uint64_t a = 0; a <= text.size() + 1; ++a)
            for (std::uint64_t b = a; b <= text.size() + 1; b += 5) {
                CAPTURE(a);
                CAPTURE(b);
                std::vector<oplog::operation> records;
                std::vector<std::unique_ptr<streaming>> streams;
                streamed all;
                for (const byte_range range : {byte_range{0, a}, byte_range{a, b}, byte_range{b, byte_range().end}}) {
                    // The number of a range's first line is known where those before it were read.
                    streams.push_back(std::make_unique<streaming>(range, how, all.lines + 1));
                    const auto from = (std::min<std::size_t>)(oplog::stream::first_byte(range), text.size());
                    const streamed& one = streams.back()->read(std::string_view(text).substr(from), 9);
                    const auto& operations = one.kept.operations().operations;
                    records.insert(records.end(), operations.begin(), operations.end());
                    all.errors.insert(all.errors.end(), one.errors.begin(), one.errors.end());
                    all.told.insert(all.told.end(), one.told.begin(), one.told.end());
                    all.fields.insert(all.fields.end(), one.fields.begin(), one.fields.end());
                    all.foreign_lines += one.foreign_lines;
                    all.lines += one.lines;
                }
                CHECK(test::difference(records, whole.records) == "");
                check_errors(all, whole.errors, text);
                CHECK(all.foreign_lines == whole.foreign_lines);
                CHECK(all.lines == line_ends(text));
            }
    }
}

TEST_CASE("a record that lies whole in one chunk is not copied") {
    const std::string text = test::data("oplog_rank7_moe_simulation.txt");
    const auto whole = oplog::read(text);
    std::size_t records = 0;
    std::size_t inside = 0;
    const std::size_t before = test::allocations();
    oplog::stream log;
    log.feed(text);
    while (const auto op = log.next()) {
        ++records;
        inside += op->source.data() == whole->operations[records - 1].source.data();
    }
    log.finish();
    const bool at_end = !log.next();
    const std::size_t after = test::allocations();
    CHECK(at_end);
    CHECK(log.ok());
    CHECK(records == whole->operations.size());
    CHECK(inside == records);
    CHECK(after == before);
}

TEST_CASE("memory is constant in the longest line") {
    // Ten thousand lines of a hundred bytes, one of ten thousand, in chunks whose ends fall everywhere.
    std::string line = "rank:1:a(description=" + std::string(77, 'x') + ")\n";
    const std::string longest = "rank:1:b(description=" + std::string(10000, 'y') + ")\n";
    std::string text;
    for (int n = 0; n < 10000; ++n) text += n == 5000 ? longest : line;
    for (const std::size_t size : {37U, 1000U, 4099U}) {
        CAPTURE(size);
        const std::size_t before = test::allocated_bytes();
        oplog::stream log;
        std::size_t records = 0;
        for (std::string_view rest = text; !rest.empty(); rest.remove_prefix((std::min)(size, rest.size()))) {
            log.feed(rest.substr(0, size));
            while (log.next()) ++records;
        }
        CHECK(records == 10000);
        CHECK(test::allocated_bytes() - before < 8 * longest.size());
    }
}

TEST_CASE("a chunk is the program's again once next() is null, also after an error") {
    std::string chunk = "rank:1:a()\nrank:2:b(batch_id=1,batch_id=2)\nrank:3:c()\nrank:4:";
    oplog::stream log;
    log.feed(chunk);
    while (log.next()) continue;
    REQUIRE_FALSE(log.ok());
    const std::string whole = chunk;
    std::fill(chunk.begin(), chunk.end(), '#');
    CHECK(log.error().kind == wlfmt::error_kind::duplicate_key);
    CHECK(log.error().field == "batch_id");
    CHECK(log.error().offset == 31);
    CHECK(log.offset() == 43);
    CHECK(log.lines() == 2);
    CHECK(wlfmt::explain(log.error(), log, wlfmt::in_file("f")) ==
          wlfmt::explain(oplog::read(whole).error(), whole, wlfmt::in_file("f")));
    // A chunk that is fed after an error waits until the error is skipped.
    log.feed("d()\n");
    CHECK(shows_none(log));
    CHECK(log.error().field == "batch_id");
    CHECK(log.skip());
    CHECK(log.next()->op == "c");
    CHECK(log.next()->op == "d");
    CHECK(shows_none(log));
    CHECK(log.ok());
}

TEST_CASE("the part of a chunk that is not read yet is not lost") {
    oplog::stream log;
    for (std::size_t at = 0; at < good.size(); at += 11) log.feed(good.substr(at, 11));
    const auto first = log.next();
    REQUIRE(static_cast<bool>(first));
    CHECK(first->op == "a");
    log.feed("rank:3:c()");
    CHECK(log.next()->op == "b");
    CHECK(shows_none(log));
    log.finish();
    CHECK(log.next()->op == "c");
    // After finish() a text goes on with a line of its own.
    log.feed("rank:4:d()\n");
    CHECK(log.next()->op == "d");
    CHECK(log.offset() == good.size() + 21);
}

TEST_CASE("a text without a record is an error at its end, a range without one is none") {
    for (const std::string_view text : {"", "no\n", "no"}) {
        CAPTURE(text);
        oplog::stream log;
        log.feed(text);
        CHECK(shows_none(log));
        CHECK(log.ok());
        log.finish();
        CHECK(shows_none(log));
        CHECK(log.error().kind == wlfmt::error_kind::no_records);
        CHECK(log.error().offset == text.size());
        CHECK_FALSE(log.skip());
        CHECK_FALSE(log.ok());
    }
    oplog::stream range(byte_range{0, 2});
    range.feed("no\nrank:1:a()\n");
    CHECK(shows_none(range));
    CHECK(range.done());
    range.finish();
    CHECK(shows_none(range));
    CHECK(range.ok());
    CHECK(oplog::stream(byte_range{5, 5}).done());
}

TEST_CASE("a range needs the byte before it, and none after its last line") {
    const std::string_view text = "rank:1:a()\nrank:2:b()\nrank:3:c()\n";
    CHECK(oplog::stream::first_byte({}) == 0);
    CHECK(oplog::stream::first_byte({11, 12}) == 10);
    oplog::stream log(byte_range{11, 12});
    log.feed(text.substr(10, 4));
    CHECK(shows_none(log));
    CHECK_FALSE(log.done());
    log.feed(text.substr(14, 9));
    CHECK(log.next()->op == "b");
    CHECK(shows_none(log));
    CHECK(log.done());
    CHECK(log.offset() == 22);
    log.feed(text.substr(23));
    CHECK(shows_none(log));
}

TEST_CASE("the lines of records and errors are found while they are in memory") {
    oplog::stream log({}, {}, 41);
    log.feed("rank:1:a()\nrank:2:b(");
    const auto first = log.next();
    CHECK(log.line_of(first->op).number == 41);
    CHECK(shows_none(log));
    log.feed("duration=2)\n");
    const auto op = log.next();
    REQUIRE(static_cast<bool>(op));
    CHECK(log.line_of(op->source).text == "rank:2:b(duration=2)");
    CHECK(log.line_of(op->source).number == 42);
    CHECK(log.line_of(op->source).offset == 11);
    CHECK(wlfmt::explain(wlfmt::at_place(where(*op, "duration")), wlfmt::with_message("too long"), log,
                         wlfmt::in_file("f")) ==
          "f:42:19: error: too long\n  rank:2:b(duration=2)\n                    ^\n");
    CHECK(log.line_at(0).number == 0);
    CHECK(log.line_of("elsewhere").number == 0);
    CHECK(log.line_of(std::string_view()).number == 0);
}

TEST_CASE("records that are kept outlive chunk and stream") {
    auto kept = std::make_unique<oplog::kept_operations>();
    {
        oplog::stream log;
        const test::exact_buffer chunk(good);
        log.feed(chunk.view());
        while (const auto op = log.next()) kept->add(op);
        kept->add(oplog::lent_operation());
    }
    const oplog::kept_operations moved = std::move(*kept);
    kept.reset();
    const auto& all = moved.operations().operations;
    REQUIRE(all.size() == 2);
    const auto of_whole = oplog::read(good);
    CHECK(test::difference(all, of_whole->operations) == "");
    std::string out;
    CHECK_FALSE(oplog::write(out, moved.operations()));
    CHECK(out == good);
}

TEST_CASE("what is copied out of a lent operation may be read as long as the stream and the chunks live") {
    // Every record lies in several chunks: its views lie in the stream's memory, which grows with the lines. Whatever
    // they show then, the address sanitizer sees a use of memory that is gone.
    std::string text;
    for (std::size_t n = 1; n != 60; ++n)
        text += "rank:0:f(sub_operations=['group=tp,comm_func=" + std::string(n * n, 'x') + "'])\n";
    oplog::stream log;
    std::vector<oplog::sub_operation> nested;
    std::vector<oplog::sub_operation_list> lists;
    const auto pull = [&] {
        while (const auto op = log.next()) {
            lists.push_back(op->sub_operations);
            for (const auto& sub : op->sub_operations) nested.push_back(sub);
        }
    };
    for (std::size_t at = 0; at < text.size(); at += 20) {
        log.feed(std::string_view(text).substr(at, 20));
        pull();
    }
    log.finish();
    pull();
    CHECK(log.ok());
    REQUIRE(nested.size() == 59);
    std::size_t bytes = 0;
    for (const auto& sub : nested) bytes += std::string(sub.comm_func).size() + std::string(sub.source).size();
    for (const auto& list : lists) bytes += std::string(list.text()).size();
    CHECK(bytes > 59 * 60 * 119 / 6);
}

TEST_CASE("a lent operation is a const operation& and nothing that can be stored") {
    CHECK(std::is_convertible_v<const oplog::lent_operation&, const oplog::operation&>);
    CHECK_FALSE(std::is_constructible_v<oplog::operation, oplog::lent_operation>);
    CHECK_FALSE(std::is_convertible_v<oplog::lent_operation, oplog::operation>);
    CHECK_FALSE(std::is_assignable_v<oplog::operation&, const oplog::lent_operation&>);
    CHECK_FALSE(std::is_copy_constructible_v<oplog::lent_operation>);
    CHECK_FALSE(std::is_move_constructible_v<oplog::lent_operation>);
    CHECK_FALSE(std::is_copy_constructible_v<oplog::stream>);
    CHECK(std::is_nothrow_move_constructible_v<oplog::stream>);
}

#ifdef __cpp_exceptions
TEST_CASE("a call that ran out of memory can be repeated") {
    const std::string text = test::data("oplog_rank7_moe_simulation.txt").substr(0, 20000) +
                             "\nrank:9:z(batch_id=1,batch_id=2)\n" + std::string(good);
    const test::reading whole = test::read_on(text);
    std::vector<std::string> expected;
    for (const auto& op : whole.records) expected.emplace_back(op.source);
    bool failed_once = false;
    for (std::size_t n = 0; n < 12; ++n)
        for (const std::size_t size : {100U, 3000U, 100000U}) {
            std::vector<std::string> got;
            std::vector<wlfmt::problem> errors;
            oplog::stream log;
            std::size_t attempt = n;
            // Makes a call of the stream, in which the n-th allocation of all fails.
            const auto with_failure = [&](const auto& call) {
                bool failed = false;
                try {
                    const test::failing_allocations failing(attempt);
                    call();
                } catch (const std::bad_alloc&) {
                    failed = true;
                }
                if (!failed) return;
                failed_once = true;
                attempt = 1000;
                call();
            };
            const auto pull = [&] {
                for (bool more = true; more;) {
                    for (bool any = true; any;) {
                        std::string_view source;
                        with_failure([&] {
                            const auto op = log.next();
                            source = op ? op->source : wlfmt::text_view();
                        });
                        any = source.data() != nullptr;
                        if (any) got.emplace_back(source);
                    }
                    if (!log.ok()) errors.push_back(log.error());
                    with_failure([&] { more = log.skip(); });
                }
            };
            for (std::string_view rest = text; !rest.empty(); rest.remove_prefix((std::min)(size, rest.size()))) {
                with_failure([&] { log.feed(rest.substr(0, size)); });
                pull();
            }
            log.finish();
            pull();
            CHECK(got == expected);
            REQUIRE(errors.size() == whole.errors.size());
            for (std::size_t e = 0; e != errors.size(); ++e) CHECK(errors[e].offset == whole.errors[e].offset);
        }
    CHECK(failed_once);
}
#endif
