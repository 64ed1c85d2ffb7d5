// Profiler tables outlive what they came from: every type is copied, moved, assigned, swapped, stored and returned, its
// source is advanced or destroyed, and then it is iterated over and written. The address sanitizer sees a use of freed
// memory.
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <wlfmt/table.hpp>

#include "support.hpp"
#include "table_support.hpp"

namespace table = wlfmt::table;

namespace {

// A good table with stacks, and texts in which rows, cells, frames and totals are malformed.
std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (const std::string& name : test::table_files()) all.push_back(test::data(name));
    const std::string stack = test::data("table/stack.txt");
    for (std::size_t cut = stack.size() / 2; cut < stack.size(); cut += 37) all.push_back(stack.substr(0, cut));
    return all;
}

std::string shown(const table::row& r) {
    std::string to;
    for (const table::cell& c : r.cells) to.append(c.text()).append("|");
    for (const std::string_view frame : r.frames) to.append(frame).append("/");
    for (const table::column& c : r.columns) to.append(c.name).append(";");
    return to.append(r.source);
}

// What a row shows, and a copy of the row that has to show the same.
struct kept {
    std::string was;
    table::row row;
};

std::vector<kept> rows_of(std::string_view text, const wlfmt::options& how) {
    std::vector<kept> all;
    table::reader tables(text, how);
    do {
        while (tables.next_table() || tables.skip()) {
            do {
                while (const table::row* r = tables.next()) all.push_back({shown(*r), *r});
            } while (tables.skip());
        }
    } while (tables.skip());
    return all;
}

std::vector<table::document> documents() {
    std::vector<table::document> all;
    static const std::vector<std::string> lasting = texts();
    for (const std::string& text : lasting) {
        auto doc = table::read(text, test::lenient_tables());
        all.push_back(*std::move(doc));
    }
    return all;
}

}  // namespace

TEST_CASE("copies of a table's rows stay what they were when the reader advances and dies") {
    for (const std::string& text : texts()) {
        for (const bool lenient : {false, true}) {
            wlfmt::options how;
            how.lenient = lenient;
            std::vector<kept> all = rows_of(text, how);
            for (const kept& k : all) REQUIRE(shown(k.row) == k.was);
            for (std::size_t n = 1; n < all.size(); ++n) {
                std::swap(all[n - 1].row, all[n].row);
                std::swap(all[n - 1].was, all[n].was);
            }
            for (kept& k : all) {
                table::row moved = std::move(k.row);
                table::row assigned;
                assigned = moved;
                const table::row* const itself = &assigned;
                assigned = *itself;
                k.row = std::move(moved);
                REQUIRE(shown(assigned) == k.was);
                REQUIRE(shown(k.row) == k.was);
            }
        }
    }
}

TEST_CASE("copies of a table reader's lists and cells outlive it") {
    const std::string text = test::data("table/titles.txt");
    wlfmt::item_list<table::column> columns;
    wlfmt::item_list<wlfmt::text_view> titles;
    wlfmt::item_list<table::total> totals;
    std::vector<table::cell> cells;
    std::optional<table::frame_list::iterator> frame;
    {
        const auto tables = std::make_unique<table::reader>(text);
        REQUIRE(tables->next_table());
        columns = tables->columns();
        titles = tables->titles();
        while (const table::row* r = tables->next()) {
            cells.push_back((*r)[0]);
            cells.push_back(r->find("# of Calls"));
            cells.push_back((*r)[tables->find_column("no such column")]);
            frame = r->frames.begin();
        }
        totals = tables->totals();
    }
    const auto doc = table::read(text);
    const table::profile& one = doc->tables.at(0);
    REQUIRE(columns.size() == one.columns.size());
    CHECK(columns[0].name == one.columns[0].name);
    CHECK(columns[columns.size()].name.empty());
    REQUIRE(titles.size() == one.titles.size());
    CHECK(titles[0] == one.titles[0]);
    REQUIRE(totals.size() == one.totals.size());
    CHECK(totals[0].value.text() == one.totals[0].value.text());
    REQUIRE(cells.size() == 3 * one.size());
    CHECK(cells[0].text() == one.cell_at(0, 0).text());
    CHECK(cells[2].is_missing());
    REQUIRE(frame);
    CHECK(*frame == test::end_of_walk());
}

TEST_CASE("a table reader's iterators are at their end when it is gone") {
    const std::string text = test::data("table/small.txt");
    table::reader::iterator none;
    CHECK(none == test::end_of_walk());
    table::reader::iterator kept;
    table::row copied;
    {
        table::reader tables(text);
        std::vector<std::string> names;
        for (const table::row& r : tables) names.emplace_back(r[0].text());
        CHECK(names == std::vector<std::string>{"aten::mm", "aten::relu_"});
        table::reader again(text);
        kept = again.begin();
        const table::reader::iterator other = kept;
        CHECK(other != test::end_of_walk());
        copied = *kept;
    }
    CHECK(kept == test::end_of_walk());
    ++kept;
    CHECK(kept == test::end_of_walk());
    CHECK(copied[0].text() == "aten::mm");
}

TEST_CASE("table documents are written the same after copies, moves, swaps and the death of their source") {
    std::vector<std::string> written;
    for (const table::document& doc : documents()) written.push_back(test::written(doc));
    std::vector<table::document> copies;
    {
        std::vector<table::document> sources = documents();
        for (const table::document& doc : sources) copies.push_back(doc);
        for (table::document& doc : sources)
            for (table::profile& one : doc.tables) {
                one.cells.clear();
                one.columns.clear();
            }
    }
    for (std::size_t n = 0; n != copies.size(); ++n) {
        table::document moved = std::move(copies[n]);
        table::document assigned;
        assigned = moved;
        std::swap(assigned, moved);
        REQUIRE(test::written(assigned) == written[n]);
        REQUIRE(test::written(moved) == written[n]);
        std::string out;
        if (!table::write(out, moved)) REQUIRE(out == written[n]);
    }
}

TEST_CASE("rows of a table document outlive it, and a walk goes on after a change of it") {
    const std::string text = test::data("table/stack.txt");
    std::vector<kept> all;
    table::profile::row_range::iterator none;
    CHECK(none == test::end_of_walk());
    {
        auto doc = table::read(text);
        table::profile& one = doc->tables.at(0);
        for (const table::row& r : one.rows()) all.push_back({shown(r), r});
        for (std::size_t n = 0; n != one.size(); ++n) CHECK(shown(one.row(n)) == all.at(n).was);
        CHECK(one.row(one.size()).cells.empty());
        table::profile::row_range::iterator copy = one.rows().begin();
        const table::row first = *copy;
        auto walk = one.rows().begin();
        CHECK(one.remove_row(0));
        ++walk;
        copy = walk;
        CHECK(shown(*copy) == all.at(2).was);
        one.cells.clear();
        CHECK(++walk == test::end_of_walk());
        CHECK(shown(*copy) == all.at(2).was);
        CHECK(shown(first) == all.at(0).was);
        // A row of the table's own, added while it grows.
        for (int n = 0; n != 20; ++n) {
            CHECK(one.add_row(first));
            for (const table::row& r : one.rows()) {
                if (one.size() < 50) CHECK(one.add_row(r));
                break;
            }
        }
        CHECK(shown(one.row(39)) == all.at(0).was);
    }
    for (const kept& k : all) CHECK(shown(k.row) == k.was);
}

TEST_CASE("rows() of a temporary takes the table") {
    const std::string text = test::data("table/small.txt");
    const auto read = wlfmt::table::read(text);
    std::vector<std::string> wanted;
    for (const table::row& r : read->tables.at(0).rows()) wanted.push_back(shown(r));
    REQUIRE(wanted.size() == 2);
    table::profile one = read->tables.at(0);
    std::vector<std::string> seen;
    for (const table::row& r : std::move(one).rows()) seen.push_back(shown(r));
    CHECK(seen == wanted);
    auto kept = table::profile(read->tables[0]).rows();
    auto walk = kept.begin();
    auto moved_to = std::move(kept);
    const auto moved_walk = std::move(walk);
    CHECK(moved_to.size() == 2);
    kept = moved_to;
    moved_to = table::profile().rows();
    seen.clear();
    for (const table::row& r : kept) seen.push_back(shown(r));
    CHECK(seen == wanted);
    walk = moved_walk;
    kept = moved_to;
    CHECK(shown(*++walk) == wanted[1]);
    CHECK(shown(*moved_walk) == wanted[0]);
    CHECK(table::profile().rows().begin() == table::profile().rows().end());
}

TEST_CASE("a walk of rows shows those that were there when it began and still are, as they are") {
    const std::string text = test::data("table/stack.txt");
    auto doc = table::read(text);
    REQUIRE(doc.ok());
    table::profile& one = doc->tables.at(0);
    std::vector<std::string> all;
    for (const table::row& r : one.rows()) all.push_back(shown(r));
    REQUIRE(all.size() > 1);
    // Each row is added once more.
    std::size_t steps = 0;
    for (const table::row& r : one.rows()) {
        ++steps;
        CHECK(one.add_row(r));
    }
    CHECK(steps == all.size());
    CHECK(one.size() == 2 * all.size());
    for (std::size_t n = 0; n != one.size(); ++n) CHECK(shown(one.row(n)) == all[n % all.size()]);

    auto walk = one.rows().begin();
    const auto range = one.rows();
    *one.edit_cell_at(1, 0) = wlfmt::table::cell("changed");
    CHECK(shown(*walk) == all[0]);
    ++walk;
    CHECK((*walk)[0].text() == "changed");
    CHECK(one.remove_column(one.columns.size() - 1));
    ++walk;
    CHECK(walk->cells[walk->cells.size() - 1].is_missing());
    const table::row copy = *walk;
    one.columns.clear();
    one.cells.clear();
    one.frames.clear();
    CHECK(shown(*walk) == shown(copy));
    CHECK(++walk == test::end_of_walk());
    CHECK(range.size() == 0);
    CHECK(range.begin() == range.end());
    // The rows that a temporary table had outlive it.
    auto kept = (*table::read(text)).tables.at(0);
    auto late = std::move(kept).rows().begin();
    CHECK(shown(*late) == all[0]);
    CHECK(shown(*++late) == all[1]);
}

TEST_CASE("frame lists of their own outlive the array they were made of") {
    std::vector<table::frame_list> lists;
    {
        std::vector<std::string_view> frames = {"a.py(1): f", "b.py(2): g"};
        lists.emplace_back(frames);
        lists.push_back(lists.front());
        frames.assign(2, "gone");
    }
    table::frame_list moved = std::move(lists[0]);
    lists[0] = lists[1];
    std::swap(moved, lists[1]);
    for (const table::frame_list& l : {moved, lists[0], lists[1]})
        CHECK(test::frames_of(l) == std::vector<std::string>{"a.py(1): f", "b.py(2): g"});
}

TEST_CASE("an iterator of a frame list made from a vector outlives the list") {
    auto list = std::make_unique<table::frame_list>(std::vector<std::string_view>{"a.py(1): f", "b.py(2): g"});
    auto frame = list->begin();
    const auto second = std::next(frame);
    const auto beyond = list->end();
    *list = table::frame_list(std::vector<std::string_view>{"c.py(3): h"});
    CHECK(*list->begin() == "c.py(3): h");
    list.reset();
    CHECK(*frame == "a.py(1): f");
    CHECK(++frame == second);
    CHECK(*frame == "b.py(2): g");
    CHECK(++frame == beyond);
    CHECK(*second == "b.py(2): g");
}

TEST_CASE("a table's iterators and lists are those of the standard library") {
    using frame = table::frame_list::iterator;
    using row = table::profile::row_range::iterator;
    static_assert(std::is_same_v<std::iterator_traits<frame>::iterator_category, std::input_iterator_tag>);
    static_assert(std::is_same_v<std::iterator_traits<row>::reference, const table::row&>);
    static_assert(std::is_default_constructible_v<frame> && std::is_default_constructible_v<row>);
#if defined(__cpp_lib_ranges)
    static_assert(std::forward_iterator<frame>);
    static_assert(std::input_iterator<row>);
    static_assert(std::input_iterator<table::reader::iterator>);
    static_assert(std::ranges::forward_range<const table::frame_list>);
    static_assert(std::ranges::input_range<table::profile::row_range>);
    static_assert(std::ranges::input_range<table::reader>);
    static_assert(std::ranges::contiguous_range<const wlfmt::item_list<table::cell>>);
#endif
    static_assert(!std::is_copy_constructible_v<table::reader>);
    const table::frame_list list = table::frame_list::from_text("a\nb\n");
    frame i = list.begin();
    const frame first = i++;
    CHECK(*first == "a");
    CHECK(*i == "b");
    CHECK(first == list.begin());
    CHECK(first != i);
    CHECK(i->size() == 1);
    CHECK(++i == list.end());
    CHECK(list.end() == i);
}

TEST_CASE("what the first iterator of a reader shows may be looked at where there is no row") {
    wlfmt::table::reader tables("no table\n");
    const auto first = tables.begin();
    CHECK(first == tables.end());
    CHECK(first->cells.empty());
    CHECK((*first).find("Name").is_missing());
}
