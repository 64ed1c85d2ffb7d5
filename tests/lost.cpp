// What readers pass over although it looks like data, and files that are packed.
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/oplog/stream.hpp>
#include <wlfmt/table/lost.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

using wlfmt::error_kind;

namespace {

wlfmt::options any_prefix() {
    wlfmt::options how;
    how.prefix = wlfmt::any_prefix;
    return how;
}
wlfmt::problem lost_in(std::string_view text, const wlfmt::options& how = any_prefix()) {
    wlfmt::oplog::reader log(text, how);
    while (log.next() != nullptr || log.skip()) continue;
    return log.lost();
}
// 1 if the line, after a record, is a lost record; else 0.
std::int64_t lost(std::string line) { return lost_in("rank:0:f(a=1)\n" + line + "\n").found; }

std::string repeated(std::string_view piece, int times) {
    std::string out;
    for (int n = 0; n != times; ++n) out += piece;
    return out;
}

std::vector<error_kind> kinds_in(std::string_view text) {
    std::vector<error_kind> kinds;
    wlfmt::table::losses found(text);
    const auto read = wlfmt::table::read(text);
    for (const auto& one : read->tables) found.add(one);
    found.report([&](const wlfmt::problem& e) { kinds.push_back(e.kind); });
    // Rows that are read one by one, and tables that are read again, say the same.
    std::vector<error_kind> again;
    wlfmt::table::losses second(text);
    second.read("");
    second.report([&](const wlfmt::problem& e) { again.push_back(e.kind); });
    CHECK(kinds == again);
    return kinds;
}

}  // namespace

TEST_CASE("a record after other text is lost if all of it can be read") {
    CHECK(lost("loss: 3.2 rank:0:f(duration=1.5)") == 1);
    CHECK(lost("loss: 3.2 stage:0:f(duration=1.5)  \r") == 1);
    CHECK(lost("\"\"\"rank:0:f(a=1)") == 1);
    CHECK(lost(std::string(512, '\0') + "rank:0:f(a=1)") == 1);
    CHECK(lost("x rank:0:f(sub_operations=['duration=1,group=tp'])") == 1);
    CHECK(lost("x rank:0:f()") == 1);
    // These are read, or are no records.
    CHECK(lost("[rank0]: rank:0:f(a=1)") == 0);
    CHECK(lost("x rank:0:f(duration=y)") == 0);
    CHECK(lost("x rank:0:f(sub_operations=['duration=y'])") == 0);
    CHECK(lost("x rank:0:f(sub_operations=['a' 'b'])") == 0);
    CHECK(lost("x rank:0:f(stage_id=1,stage_id=2)") == 0);
    CHECK(lost("x rank:0:f(1)") == 0);
    CHECK(lost("x rank:0:f(a=1) and more") == 0);
    CHECK(lost("x rank:0:f(a=1") == 0);
    CHECK(lost("x rank: f(a=1)") == 0);
    CHECK(lost("x rank:99999999999999999999:f(a=1)") == 0);
    CHECK(lost("x") == 0);
    CHECK(lost("") == 0);
}

TEST_CASE("a lost record is found after whichever head of its line begins it") {
    const std::string bad = "rank:0:f(duration=x,";
    const std::string tail = "rank:0:f(a rank:1:g(";
    CHECK(lost("x " + bad + "rank:1:g(a=1)") == 1);
    CHECK(lost("x rank:1:g(description=" + repeated(tail, 2) + ")") == 1);
    CHECK(lost("x " + repeated(bad, 1000) + "rank:1:g(a=1)") == 1);
    CHECK(lost("x rank:1:g(description=" + repeated(tail, 1000) + ")") == 1);
    CHECK(lost("x " + repeated(bad, 10) + "rank:1:g(description=" + repeated(tail, 1000) + ")") == 1);
    CHECK(lost("x " + repeated(bad, 1000) + "y)") == 0);
}

TEST_CASE("lost records are told once, with their number and the first line") {
    const std::string_view text =
        "epoch 1\nx rank:0:f(a=1)\nrank:0:f(a=1)\ny rank:0:g(a=1)\nz\nrank:0:h(a=1)\nv rank:0:i(a=1)\n";
    const wlfmt::problem e = lost_in(text);
    CHECK(e.kind == error_kind::record_after_text);
    CHECK(e.found == 3);
    CHECK(e.expected == 2);
    CHECK(e.offset == 8);
    CHECK(message(e, text) == "3 lines hold a record after other text: the first is line 2");
    // A prefix that is given chooses among the lines, and strict reading reports each of them.
    CHECK_FALSE(lost_in(text, {}));
    wlfmt::options strict = any_prefix();
    strict.strict = true;
    CHECK_FALSE(lost_in(text, strict));
    // In chunks of each size, and in two parts that begin anywhere.
    for (std::size_t size = 1; size <= text.size(); ++size) {
        wlfmt::oplog::stream log(any_prefix());
        for (std::size_t at = 0; at < text.size(); at += size) {
            log.feed(text.substr(at, size));
            while (log.next()) continue;
        }
        log.finish();
        while (log.next()) continue;
        CHECK(log.lost().found == 3);
        CHECK(log.lost().expected == 2);
        CHECK(log.lost().offset == 8);
        wlfmt::problem sum;
        std::uint64_t lines = 0;
        for (const wlfmt::byte_range range : {wlfmt::byte_range{0, size}, wlfmt::byte_range{size}}) {
            wlfmt::oplog::stream part(range, any_prefix());
            part.feed(text.substr(static_cast<std::size_t>(wlfmt::oplog::stream::first_byte(range))));
            part.finish();
            while (part.next()) continue;
            sum = wlfmt::oplog::join_lost(sum, part.lost(), lines);
            lines += part.lines();
        }
        CHECK(sum.found == 3);
        CHECK(sum.expected == 2);
        CHECK(sum.offset == 8);
    }
}

TEST_CASE("a record that begins in the name of another one's operation is told") {
    const std::string_view text =
        "rank:0:c10d::allreduce_(a=1)\nrank:0:send_backrank:1:recv_forward(a=1)\nrank:0:f(a=1)\n"
        "rank:0:get_stage:2:g(a=1)\n";
    for (const wlfmt::options& how : {any_prefix(), wlfmt::options()}) {
        const wlfmt::problem e = lost_in(text, how);
        CHECK(e.kind == error_kind::record_after_text);
        CHECK(e.found == 2);
        CHECK(e.expected == 2);
        CHECK(e.offset == 29);
    }
    for (const std::string_view plain : {"rank:0:f::rank(a=1)\n", "rank:0:backrank:x:g(a=1)\n", "rank:0:rank:(a=1)\n"})
        CHECK_FALSE(lost_in(plain));
}

TEST_CASE("lines that look like a table's and are in none are found") {
    const std::string rule = "--------  --------  ----------\n";
    const std::string head = "Name      Self CPU  # of Calls\n";
    const std::string row = "aten::mm   1.000us           1\n";
    const std::string table = rule + head + rule + row + rule;
    using kinds = std::vector<error_kind>;
    CHECK(kinds_in(table) == kinds());
    CHECK(kinds_in(table + "text\n" + row) == kinds{error_kind::lost_lines});
    CHECK(kinds_in(table + "text\n" + row.substr(0, row.size() - 1)) == kinds{error_kind::lost_lines});
    CHECK(kinds_in(table + "text\nSelf CPU time total: 1.000us") == kinds{error_kind::lost_lines});
    CHECK(kinds_in(table + "text\nName  Self CPU  CPU total  # of Calls\n") == kinds{error_kind::lost_lines});
    CHECK(kinds_in(table + "text\nloss  3.2\n") == kinds());
    CHECK(kinds_in(table + "Self CPU time total: 1.000us\n") == kinds());
    CHECK(kinds_in(row + row) == kinds());  // without a table nothing is known of rows
    CHECK(kinds_in("") == kinds());
    CHECK(kinds_in("----\nname\n----\nx\n----\n") == kinds());
}

TEST_CASE("a packed file is known by its first bytes") {
    using namespace std::string_view_literals;
    CHECK(wlfmt::packed_by("\x1F\x8B\x08"sv) == "gzip");
    CHECK(wlfmt::packed_by("BZh91AY&SY"sv) == "bzip2");
    CHECK(wlfmt::packed_by("\xFD\x37zXZ\0"sv) == "xz");
    CHECK(wlfmt::packed_by("\x28\xB5\x2F\xFD"sv) == "Zstandard");
    CHECK(wlfmt::packed_by("\x04\x22\x4D\x18"sv) == "LZ4");
    CHECK(wlfmt::packed_by("PK\x03\x04"sv) == "zip");
    CHECK(wlfmt::packed_by("").empty());
    CHECK(wlfmt::packed_by("BZhere is a log\nrank:0:f(a=1)\n").empty());
    // The header of a tar archive, as the first tar wrote it: a name, and the sum of the bytes.
    std::string tar(512, '\0');
    tar.replace(0, 5, "a.txt");
    unsigned sum = 8 * ' ';
    for (const char c : tar) sum += static_cast<unsigned char>(c);
    std::string digits;
    for (unsigned left = sum; left != 0; left /= 8) digits.insert(digits.begin(), static_cast<char>('0' + left % 8));
    tar.replace(148, digits.size(), digits);
    const std::string text = tar + "rank:0:f(a=1)\nrank:0:f(a=1)\n";
    CHECK(wlfmt::packed_by(text) == "tar");
    CHECK(wlfmt::detect(text) == wlfmt::file_format::unknown);
    CHECK(wlfmt::packed_by(text.substr(0, 511)).empty());
    tar[0] = 'b';
    CHECK(wlfmt::packed_by(tar).empty());
}

TEST_CASE("a table in an op log is found") {
    const std::string table = "----  --------\nName  Self CPU\n----  --------\nmm    1.000us\n----  --------\n";
    const std::string wide =
        "--------  --------\nName      Self CPU\n--------  --------\nmm         1.000us\n--------  --------\n";
    CHECK(wlfmt::holds_table("rank:0:f(a=1)\n" + wide));
    CHECK_FALSE(wlfmt::holds_table(table.substr(0, 15)));
    CHECK_FALSE(wlfmt::holds_table("rank:0:f(a=1)\n-----  -----\n"));
}
