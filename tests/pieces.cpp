// Texts cut into pieces: whatever the cuts, the pieces' records and errors are those of the whole text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/oplog/pieces.hpp>

#include "oplog_support.hpp"
#include "support.hpp"
#include "table_support.hpp"

namespace oplog = wlfmt::oplog;
namespace table = wlfmt::table;
using wlfmt::piece;

namespace {

wlfmt::options how_to_read(const piece& p, wlfmt::options how) {
    how.piece_at = p.offset;
    return how;
}

void check_errors(const std::vector<wlfmt::problem>& got, std::vector<wlfmt::problem> of_whole) {
    // An empty piece is no error; an empty text is.
    of_whole.erase(std::remove_if(of_whole.begin(), of_whole.end(),
                                  [](const auto& e) { return e.kind == wlfmt::error_kind::no_records; }),
                   of_whole.end());
    REQUIRE(got.size() == of_whole.size());
    for (std::size_t n = 0; n != got.size(); ++n) {
        CAPTURE(n);
        CHECK(got[n].kind == of_whole[n].kind);
        CHECK(got[n].offset == of_whole[n].offset);
        CHECK(got[n].length == of_whole[n].length);
        CHECK(got[n].field == of_whole[n].field);
        CHECK(got[n].found == of_whole[n].found);
        CHECK(got[n].expected == of_whole[n].expected);
    }
}

// Each of them is a part of the text, and the next one begins where it ends.
void check_cover(const std::vector<piece>& pieces, std::string_view text) {
    std::uint64_t at = 0;
    for (const piece& p : pieces) {
        CHECK(p.offset == at);
        CHECK(p.text.data() == text.data() + at);
        at += p.text.size();
    }
    CHECK(at == text.size());
}

void check_operations(const std::vector<piece>& pieces, std::string_view text, const wlfmt::options& how) {
    check_cover(pieces, text);
    test::reading all;
    for (const piece& p : pieces) {
        test::reading one = test::read_on(p.text, how_to_read(p, how));
        std::move(one.records.begin(), one.records.end(), std::back_inserter(all.records));
        all.errors.insert(all.errors.end(), one.errors.begin(), one.errors.end());
        all.foreign_lines += one.foreign_lines;
        all.tolerated += one.tolerated;
    }
    const test::reading whole = test::read_on(text, how);
    CHECK(test::difference(all.records, whole.records) == "");
    CHECK(all.foreign_lines == whole.foreign_lines);
    CHECK(all.tolerated == whole.tolerated);
    check_errors(all.errors, whole.errors);
}

void check_tables(const std::vector<piece>& pieces, std::string_view text, const wlfmt::options& how) {
    check_cover(pieces, text);
    test::table_reading all;
    for (const piece& p : pieces) {
        test::table_reading one = test::read_tables(p.text, how_to_read(p, how));
        std::move(one.doc.tables.begin(), one.doc.tables.end(), std::back_inserter(all.doc.tables));
        all.errors.insert(all.errors.end(), one.errors.begin(), one.errors.end());
        all.tolerated += one.tolerated;
    }
    const test::table_reading whole = test::read_tables(text, how);
    CHECK(test::difference(all.doc, whole.doc) == "");
    CHECK(all.tolerated == whole.tolerated);
    check_errors(all.errors, whole.errors);
}

// The ranges between the cuts, which are in order.
template <class PieceOf> std::vector<piece> pieces_between(std::vector<std::uint64_t> cuts, const PieceOf& piece_of) {
    cuts.push_back(wlfmt::byte_range().end);
    std::vector<piece> all;
    std::uint64_t begin = 0;
    for (const std::uint64_t cut : cuts) {
        all.push_back(piece_of(wlfmt::byte_range{begin, cut}));
        begin = cut;
    }
    return all;
}

}  // namespace

TEST_CASE("op logs: any number of pieces has the records and errors of the whole") {
    for (const std::string& name : test::oplog_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        for (const wlfmt::options& how : test::ways_to_read())
            for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7},
                                        text.size() / 5, text.size() + 1}) {
                CAPTURE(n);
                const std::vector<piece> pieces = oplog::pieces(text, n);
                CHECK(pieces.size() <= (n == 0 ? 1 : n));
                for (const piece& p : pieces) CHECK_FALSE(p.text.empty());
                check_operations(pieces, text, how);
            }
    }
}

TEST_CASE("op logs: any byte range is the lines that begin in it") {
    // Short lines, so that each of them can be cut everywhere; a byte order mark begins the text, and a line.
    const std::string text =
        "\xEF\xBB\xBFrank:1:a(duration=1)\n\nrank:2:b()\r\n\xEF\xBB\xBFrank:3:c()\nnone\n"
        "rank:4:d(duration=x)\nrank:5:e(batch_id=1,batch_id=2)\nrank:6:f()";
    for (std::size_t a = 0; a <= text.size() + 1; ++a)
        for (std::size_t b = a; b <= text.size() + 1; b += test::stride) {
            CAPTURE(a);
            CAPTURE(b);
            const auto pieces = pieces_between({a, b}, [&](wlfmt::byte_range r) { return oplog::piece_of(text, r); });
            for (const wlfmt::options& how : test::ways_to_read()) check_operations(pieces, text, how);
        }
    CHECK(oplog::piece_of(text, {4, 26}).text == "\nrank:2:b()\r\n");  // lines begin at 24, the blank one, and 25
    CHECK(oplog::piece_of(text, {4, 25}).text == "\n");
    CHECK(oplog::piece_of(text, {4, 24}).text.empty());
    CHECK(oplog::piece_of(text, {24, 24}).text.empty());
    CHECK(oplog::piece_of(text, {25, 24}).text.empty());
    CHECK(oplog::piece_of(text, {36, 38}).text == "\xEF\xBB\xBFrank:3:c()\n");
    CHECK(oplog::piece_of(text, {text.size(), text.size() + 9}).text.empty());
}

TEST_CASE("op logs: an error in a piece is explained as it is in the whole text") {
    const std::string text = "rank:1:a()\nrank:2:b()\nrank:3:c(duration=x)\n";
    const piece last = oplog::pieces(text, 3).back();
    CHECK(last.offset == 22);
    oplog::reader log(last.text, how_to_read(last, {}));
    CHECK(log.next() == nullptr);
    CHECK(log.error().offset == 40);
    CHECK(log.offset() == text.size());
    CHECK(wlfmt::explain(log.error(), text, wlfmt::in_file("rank3.txt")) ==
          wlfmt::explain(oplog::read(text).error(), text, wlfmt::in_file("rank3.txt")));
}

TEST_CASE("a piece without a record is no error, a text without one is") {
    for (const std::string_view text : {"", "nothing\n"}) {
        wlfmt::options how;
        CHECK(oplog::read(text, how).error().kind == wlfmt::error_kind::no_records);
        CHECK(table::read(text, how).error().kind == wlfmt::error_kind::no_records);
        how.piece_at = 0;
        CHECK(oplog::read(text, how).ok());
        CHECK(table::read(text, how).ok());
    }
    CHECK(oplog::pieces(std::string_view(), 4).empty());
    CHECK(table::pieces(std::string_view(), 4).empty());
}

TEST_CASE("tables: any number of pieces has the tables and errors of the whole") {
    std::string all;
    for (const std::string& name : test::table_files()) {
        CAPTURE(name);
        const std::string text = test::data(name);
        all += text;
        for (const wlfmt::options& how : test::ways_to_read())
            for (const std::size_t n : {1U, 2U, 3U, 1000U}) {
                CAPTURE(n);
                check_tables(table::pieces(text, n, how), text, how);
            }
    }
    // All files as one text: of a hundred tables and more.
    for (const wlfmt::options& how : test::ways_to_read())
        for (const std::size_t n : {1U, 2U, 5U, 64U, 10000U}) {
            CAPTURE(n);
            const std::vector<piece> pieces = table::pieces(all, n, how);
            CHECK(pieces.size() <= n);
            // Some of the files have rules after a launcher's prefix.
            const bool one_unit = how.prefix == wlfmt::any_prefix;
            CHECK(pieces.size() >= (one_unit ? 1 : (std::min)(n, std::size_t{20})));
            check_tables(pieces, all, how);
        }
}

// A first table that is refused for a line after the second table: found by fuzzing.
TEST_CASE("tables: interleaved lines of several prefixes are one unit") {
    const std::string text = "[rank1]: --- ---\n[rank1]: a\n--- ---\nName x\n--- ---\n\n[rank1]: ---  ---\nafter\n";
    wlfmt::options how;
    how.prefix = wlfmt::any_prefix;
    const auto whole = table::pieces(text, 8, how);
    REQUIRE(whole.size() == 1);
    CHECK(whole[0].text == text);
    CHECK(table::piece_of(text, {0, 1}, how).text == text);
    CHECK(table::piece_of(text, {1, text.size()}, how).text.empty());
    for (wlfmt::options way : test::ways_to_read()) {
        way.prefix = wlfmt::any_prefix;
        check_tables(whole, text, way);
    }
    // So they are after a prefix of a single character.
    std::string marked;
    const std::string table_of_one = test::one_cell_table("Calls", "1");
    for (std::size_t at = 0; at != table_of_one.size(); at = table_of_one.find('\n', at) + 1)
        marked += "|" + table_of_one.substr(at, table_of_one.find('\n', at) + 1 - at);
    marked += marked;
    CHECK(table::pieces(marked, 2, how).size() == 1);
    // A prefix that is given tells the tables of one rank from each other: they are cut apart.
    const std::string one = test::one_cell_table("Calls", "1");
    std::string prefixed;
    for (std::size_t at = 0; at != one.size(); at = one.find('\n', at) + 1)
        prefixed += "[rank1]: " + one.substr(at, one.find('\n', at) + 1 - at);
    how.prefix = "[rank1]: ";
    const std::string two = prefixed + "between\n" + prefixed;
    const auto apart = table::pieces(two, 2, how);
    REQUIRE(apart.size() == 2);
    CHECK(apart[0].text == prefixed);
    CHECK(apart[1].text == "between\n" + prefixed);
    how.prefix = wlfmt::any_prefix;
    // Without prefixes any_prefix changes nothing.
    const std::string plain = test::one_cell_table("Calls", "1") + "\n" + test::one_cell_table("Calls", "2");
    CHECK(table::pieces(plain, 2, how).size() == 2);
}

// A piece ends where a table does: whether the last row of that table was cut does not depend on what follows. Found by
// fuzzing.
TEST_CASE("tables: a row that was cut is cut in a piece, too") {
    const std::string whole = test::one_cell_table("Calls", "1");
    const std::string cut = whole.substr(0, whole.rfind("  1 ")) + "\n";
    const std::string two = whole + cut;
    for (const std::string& text : {cut, cut + whole, two, cut + "\nother text\n" + whole + cut + "\n"}) {
        CAPTURE(text);
        for (const wlfmt::options& how : test::ways_to_read())
            for (std::size_t n = 1; n != 5; ++n) check_tables(table::pieces(text, n, how), text, how);
    }
    CHECK(table::pieces(two, 2).size() == 2);
}

// The blank line before the next table is not the cut one's, in whose piece it is not.
TEST_CASE("tables: a cut table ends before the blank line above another table") {
    const std::string cut =
        "----  --------  ----------\nName  Sel\n----  --------  ----------\n"
        "  mm   1.500us           2\n";
    const std::string header = "Name  Input Shapes  Kind\n----  ------------  ----\n   5             6     7\n";
    const std::string text = cut + "\n----  ------------  ----\n" + header + "----  ------------  ----\n";
    for (const std::string& two : {text, cut + "\n\n" + header, cut + "\nName  Self CPU  # of Calls\nx  y  z\n"})
        for (const wlfmt::options& how : test::ways_to_read())
            for (std::size_t n = 1; n != 4; ++n) check_tables(table::pieces(two, n, how), two, how);
    CHECK(table::pieces(text, 3).size() == 2);
    CHECK(table::read(text).error().offset == cut.size());
}

TEST_CASE("tables: any byte range is the tables that begin in it") {
    const std::string text = "before\n" + test::one_cell_table("Calls", "1") + "====\ntitle\n" +
                             test::one_cell_table("Calls", "2") + "Self CPU time total: 3.0us\n\n" +
                             test::one_cell_table("Calls", "x") + "after\n";
    const std::size_t one = 7;
    const std::size_t title = text.find("====");
    // Every place is a beginning and, in the empty range there, an end; every 97th place after it is an end, too
    // (every 291st under a sanitizer).
    for (std::size_t a = 0; a <= text.size() + 1; ++a)
        for (std::size_t b = a; b <= text.size() + 1; b += 97 * test::stride) {
            CAPTURE(a);
            CAPTURE(b);
            const auto pieces = pieces_between({a, b}, [&](wlfmt::byte_range r) { return table::piece_of(text, r); });
            for (const wlfmt::options& how : test::ways_to_read()) check_tables(pieces, text, how);
        }
    CHECK(table::piece_of(text, {0, one}).text.empty());
    CHECK(table::piece_of(text, {0, one + 1}).text == std::string_view(text).substr(0, title));
    CHECK(table::piece_of(text, {one + 1, title}).text.empty());
    CHECK(table::piece_of(text, {title, title + 1}).text.substr(0, 10) == "====\ntitle");
}
