// A reader that is moved, at any record of any text, goes on where it was: nothing is lost, read twice or torn.
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <wlfmt/oplog.hpp>
#include <wlfmt/table.hpp>
#include <wlfmt/workload.hpp>

#include "data_files.hpp"
#include "oplog_support.hpp"
#include "support.hpp"
#include "table_support.hpp"
#include "workload_support.hpp"

namespace oplog = wlfmt::oplog;
namespace table = wlfmt::table;
namespace workload = wlfmt::workload;

namespace {

std::string shown(const oplog::operation& op) {
    std::string all;
    oplog::write_unchecked(all, op);
    return all.append(op.source);
}
std::string shown(const workload::layer& layer) {
    std::string all;
    workload::write_unchecked(all, layer);
    return all.append(layer.source);
}
std::string shown(const table::row& row) {
    std::string all(row.source);
    for (const table::column& c : row.columns)
        all.append(c.name).append(":").append(row.find(c.name).text()).append(";");
    for (const std::string_view frame : row.frames) all.append(frame).append("/");
    return all;
}

// What a reader says apart from its records.
template <class Reader> std::string state_of(const Reader& reader) {
    std::string all(name_of(reader.error().kind));
    for (const std::uint64_t n : {reader.error().offset, reader.offset(), reader.tolerated()})
        all.append(" ").append(std::to_string(n));
    if constexpr (std::is_same_v<Reader, workload::reader>) workload::write_unchecked(all, reader.header());
    if constexpr (std::is_same_v<Reader, table::reader>) {
        for (const table::column& c : reader.columns()) all.append(" ").append(c.name);
        for (const std::string_view title : reader.titles()) all.append(" ").append(title);
        for (const table::total& t : reader.totals()) all.append(t.name).append("=").append(t.value.text());
        all.append(reader.prefix()).append(std::to_string(reader.table_offset()));
    }
    return all;
}

// Goes to the next record, past errors and to further tables. Returns false where nothing follows.
template <class Reader> bool go_on(Reader& reader, std::vector<std::string>& records) {
    if (const auto* record = reader.next()) {
        records.push_back(shown(*record));
        return true;
    }
    records.push_back(state_of(reader));
    if (!reader.ok()) return reader.skip();
    if constexpr (std::is_same_v<Reader, table::reader>) return reader.next_table();
    else return false;
}

template <class Reader> std::vector<std::string> read(std::string_view text, const wlfmt::options& options) {
    std::vector<std::string> records;
    Reader reader(text, options);
    while (go_on(reader, records)) continue;
    records.push_back(state_of(reader));
    return records;
}

// The same with a reader that is moved by construction after `n` records, and by assignment after one more.
template <class Reader>
std::vector<std::string> read_moved(std::string_view text, const wlfmt::options& options, std::size_t n) {
    std::vector<std::string> records;
    auto first = std::make_unique<Reader>(text, options);
    Reader last("Name  Calls\nx  1\n");
    bool more = true;
    while (more && records.size() < n) more = go_on(*first, records);
    const bool was_ok = first->ok();
    auto second = std::make_unique<Reader>(std::move(*first));
    CHECK(first->next() == nullptr);
    CHECK(first->ok() == was_ok);
    CHECK_FALSE(first->skip());
    first.reset();
    if (more) more = go_on(*second, records);
    last = std::move(*second);
    second.reset();
    while (more) more = go_on(last, records);
    records.push_back(state_of(last));
    return records;
}

template <class Reader> void check_moves(const std::vector<std::string>& files) {
    static_assert(std::is_nothrow_move_constructible_v<Reader> && std::is_nothrow_move_assignable_v<Reader>);
    static_assert(!std::is_copy_constructible_v<Reader> && !std::is_copy_assignable_v<Reader>);
    for (const std::string& file : files) {
        const std::string whole = test::data(file);
        for (const std::string_view text :
             {std::string_view(whole), std::string_view(whole).substr(0, whole.size() / 2)}) {
            for (const bool is_lenient : {false, true}) {
                wlfmt::options options;
                options.lenient = is_lenient;
                options.prefix = wlfmt::any_prefix;
                const std::vector<std::string> expected = read<Reader>(text, options);
                for (std::size_t n = 0; n < expected.size(); n += n < 8 ? 1 : n / 2) {
                    CAPTURE(file);
                    CAPTURE(n);
                    REQUIRE(read_moved<Reader>(text, options, n) == expected);
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("a moved reader goes on where it was") {
    check_moves<oplog::reader>(test::oplog_files());
    check_moves<workload::reader>(test::workload_files());
    check_moves<table::reader>(test::table_files());
}

TEST_CASE("what a moved reader leaves behind has no records, and its iterators end") {
    const std::string text = "rank:0:a(duration=1,sub_operations=['x=1', 'y=2'])\nrank:0:b()\n";
    oplog::reader log(text);
    auto op = log.begin();
    auto sub = op->sub_operations.begin();
    oplog::reader moved(std::move(log));
    CHECK(sub->find("x").text() == "1");
    CHECK(op != log.end());
    ++op;
    CHECK(op == log.end());
    CHECK(log.begin() == log.end());
    CHECK(log.ok());
    REQUIRE(moved.next() != nullptr);
    CHECK(moved.next() == nullptr);
    oplog::reader& same = moved;
    moved = std::move(same);
    CHECK(moved.ok());
}

TEST_CASE("an iterator ends when the reader that was moved from is gone") {
    auto log = std::make_unique<oplog::reader>("rank:0:a()\nrank:0:b()\n");
    const auto op = log->begin();
    oplog::reader moved(std::move(*log));
    CHECK(op != oplog::reader::iterator());
    log.reset();
    CHECK(op == oplog::reader::iterator());
    CHECK(moved.next()->op == "b");
}
