// edit.hpp: replacements that leave every other byte of a text as it is.
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/edit.hpp>

#include "support.hpp"

namespace {

using wlfmt::edits;
using wlfmt::error_kind;

// The text with the changes; a failure gives the name of its kind.
std::string applied(const edits& changes, std::string_view text) {
    std::string out;
    const wlfmt::problem e = changes.write(out, text);
    CHECK((!e || out.empty()));
    return e ? std::string(name_of(e.kind)) : out;
}

// A sink that is full after a number of bytes.
struct small_sink {
    std::string text;
    std::size_t room;
    bool failed = false;
    void write(const char* bytes, std::ptrdiff_t size) {
        const std::size_t taken = std::min(room - text.size(), static_cast<std::size_t>(size));
        text.append(bytes, taken);
        if (taken != static_cast<std::size_t>(size)) failed = true;
    }
    bool fail() const noexcept { return failed; }
};

// Two rows.
constexpr const char* table_text =
    "----------  ----------  \n"
    "      Name    Self CPU  \n"
    "----------  ----------  \n"
    " aten::add     1.000us  \n"
    "  aten::mm     2.000us  \n"
    "----------  ----------  \n";

}  // namespace

TEST_CASE("one value is replaced and every other byte stays") {
    const std::string text = "conv1\t \t-1  5\tNONE\r\nno line end";
    edits changes;
    changes.replace(std::string_view(text).substr(12, 1), "1234567");
    CHECK(changes.size() == 1);
    CHECK_FALSE(changes.empty());
    CHECK(applied(changes, text) == "conv1\t \t-1  1234567\tNONE\r\nno line end");
}

TEST_CASE("replacements may come in any order, beside each other, at both ends, and be empty") {
    const std::string text = "abcdefgh";
    const std::string_view view = text;
    struct change {
        std::size_t at;
        std::size_t size;
        const char* value;
    };
    std::vector<change> all = {{0, 1, "A1"}, {1, 2, ""}, {3, 0, "+"}, {3, 1, "D"}, {4, 0, "-"}, {6, 2, "the end"}};
    std::size_t orders = 0;
    do {
        edits changes;
        for (const change& c : all) changes.replace(view.substr(c.at, c.size), c.value);
        if (applied(changes, text) == "A1+D-efthe end") ++orders;
    } while (std::next_permutation(all.begin(), all.end(), [](const change& a, const change& b) {
        return a.at != b.at ? a.at < b.at : a.size < b.size;
    }));
    CHECK(orders == 720);
}

TEST_CASE("no replacement leaves the text, and the end of a text can be inserted at") {
    edits changes;
    CHECK(applied(changes, "as it is\n") == "as it is\n");
    CHECK(applied(changes, "") == "");
    const std::string_view text = "line";
    changes.replace(text.substr(4), "\n");
    CHECK(applied(changes, text) == "line\n");
    changes.clear();
    CHECK(changes.empty());
    CHECK(applied(changes, text) == "line");
}

TEST_CASE("replacements that overlap are refused, and nothing is written") {
    const std::string text = "0123456789";
    const std::string_view view = text;
    const struct {
        std::string_view first;
        std::string_view second;
        std::size_t offset;  // where the later replacement is
        bool first_is_later;
    } overlaps[] = {
        {view.substr(2, 3), view.substr(4, 2), 4, false}, {view.substr(4, 2), view.substr(2, 3), 4, true},
        {view.substr(2, 3), view.substr(2, 3), 2, false}, {view.substr(0, 10), view.substr(3, 1), 3, false},
        {view.substr(2, 3), view.substr(3, 0), 3, false}, {view.substr(5, 0), view.substr(5, 0), 5, false},
    };
    for (const auto& o : overlaps) {
        CAPTURE(o.offset);
        edits changes;
        changes.replace(view.substr(9), "nine");
        changes.replace(o.first, "x");
        changes.replace(o.second, "y");
        std::string out = "before";
        const wlfmt::problem e = changes.write(out, text);
        CHECK(out == "before");
        if (o.first.size() == 10) {
            // The whole text overlaps both.
            CHECK(e.kind == error_kind::bad_edit);
            continue;
        }
        CHECK(e.kind == error_kind::bad_edit);
        CHECK(e.offset == o.offset);
        CHECK(e.length == (o.first_is_later ? o.first : o.second).size());
        CHECK(e.found == (o.first_is_later ? 1 : 2));
        CHECK(e.expected == (o.first_is_later ? 2 : 1));
    }
}

TEST_CASE("a view that is not of the text is refused, and nothing is written") {
    const std::string text = "0123456789";
    const std::string other = text;
    for (const std::string_view place :
         {std::string_view(), std::string_view("34"), std::string_view(other).substr(3, 2)}) {
        edits changes;
        changes.replace(std::string_view(text).substr(1, 1), "one");
        changes.replace(place, "x");
        std::string out;
        const wlfmt::problem e = changes.write(out, text);
        CHECK(e.kind == error_kind::bad_edit);
        CHECK(e.found == 1);
        CHECK(e.expected == -1);
        CHECK(out.empty());
    }
    // A view that is partly outside.
    edits changes;
    changes.replace(std::string_view(text).substr(3, 4), "x");
    CHECK(applied(changes, std::string_view(text).substr(0, 6)) == "bad_edit");
    CHECK(applied(changes, std::string_view(text).substr(4)) == "bad_edit");
    CHECK(applied(changes, std::string_view(text).substr(3, 4)) == "x");
}

TEST_CASE("new values are kept: temporaries may be given") {
    const std::string text = "a=1";
    edits changes;
    {
        const std::string value = "a value that no short string holds, as it is too long for that";
        changes.replace(std::string_view(text).substr(2), value + "!");
    }
    const edits copy = changes;
    changes.clear();
    CHECK(applied(copy, text) == "a=a value that no short string holds, as it is too long for that!");
}

TEST_CASE("edits are written to every kind of sink, and a full one is reported") {
    const std::string text = "0123456789";
    edits changes;
    changes.replace(std::string_view(text).substr(5, 1), "five");
    std::ostringstream stream;
    CHECK_FALSE(changes.write(stream, text));
    CHECK(stream.str() == "01234five6789");
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    CHECK_FALSE(changes.write(file, text));
    CHECK(std::ftell(file) == 13);
    std::fclose(file);
    CHECK_FALSE(changes.write(small_sink{{}, 13}, text));
    CHECK(changes.write(small_sink{{}, 12}, text).kind == error_kind::cannot_write);
    CHECK(changes.write(small_sink{{}, 0}, text).kind == error_kind::cannot_write);
    std::FILE* const missing = nullptr;
    CHECK(changes.write(missing, text).kind == error_kind::cannot_write);
    CHECK(edits().write(missing, "").kind == error_kind::cannot_write);
}

TEST_CASE("the string that holds the text is no sink for it") {
    std::string text = "DATA\n1\n" + std::string(100, 'n') + "\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n";
    const std::string kept = text;
    edits changes;
    const auto file = wlfmt::workload::read(text);
    changes.replace(wlfmt::workload::where(file->layers.at(0), "update"), "7");
    CHECK(changes.write(text, text).kind == error_kind::cannot_write);
    CHECK(text == kept);
    std::string out = "before\n";
    CHECK_FALSE(changes.write(out, text));
    CHECK(out == "before\n" + kept.substr(0, kept.size() - 2) + "7\n");
}

TEST_CASE("a path leads to a value, or says which part of it does not exist and what is nearest") {
    using wlfmt::place_of;
    const auto log = wlfmt::oplog::read(
        "rank:3:forward_step(stage_id=1,duration=8.25,sub_operations=['duration=2.5,comm_func=allreduce', "
        "'duration=0.75'])\nrank:4:loss(k=v)\n");
    REQUIRE(log.ok());
    CHECK(place_of(*log, "operations.0.duration").place == "8.25");
    CHECK(place_of(*log, "operations.0.rank").place == "3");
    CHECK(place_of(*log, "operations.1.k").place == "v");
    CHECK(place_of(*log, "operations.0.sub_operations.0.comm_func").place == "allreduce");
    CHECK(place_of(*log, "operations.0.sub_operations.1.duration").place == "0.75");
    CHECK(place_of(*log, "operations.1.k").message.empty());
    CHECK(place_of(*log, "operation.0.duration").message ==
          "there is no `operation.0.duration`; the path begins with `operations`");
    CHECK(place_of(*log, "operations.2.duration").message == "`operations` has no `2`: it has 2, counted from 0");
    CHECK(place_of(*log, "operations.x.duration").message == "`operations` has no `x`: it has 2, counted from 0");
    for (const char* const other : {"1e0", "+1", "01", "1.0", "-0", ""}) {
        const std::string path = "operations." + std::string(other) + (*other == '\0' ? "" : ".rank");
        const auto found = place_of(*log, path);
        CHECK(found.place.data() == nullptr);
        if (std::string_view(other) != "1.0" && *other != '\0')
            CHECK(found.message == "`operations` has no `" + std::string(other) + "`: it has 2, counted from 0");
    }
    CHECK(place_of(*log, "operations.0.duratoin").message ==
          "`operations.0` has no `duratoin`; did you mean `duration`?");
    CHECK(place_of(*log, "operations.1.sub_operations.0.duration").message ==
          "`operations.1.sub_operations` has no `0`: it is empty");
    CHECK(place_of(*log, "operations.0.sub_operations.1.comm_func").message ==
          "`operations.0.sub_operations.1` has no `comm_func`");
    CHECK(place_of(*log, "operations.0.sub_operations.0.comm_fun").message ==
          "`operations.0.sub_operations.0` has no `comm_fun`; did you mean `comm_func`?");

    const auto file = wlfmt::workload::read("DATA pp: 4\n1\na -1 5 NONE 0 6 NONE 0 7 ALLREDUCE 80 9\n");
    REQUIRE(file.ok());
    CHECK(place_of(*file, "header.pp").place == "4");
    CHECK(place_of(*file, "layers.0.weight_grad.bytes").place == "80");
    CHECK(place_of(*file, "header.ppp").message == "`header` has no `ppp`; did you mean `pp`?");
    CHECK(place_of(*file, "header.vpp").message == "`header` has no `vpp`; did you mean `pp`?");
    CHECK(place_of(*file, "layers.0.weight_grad.byts").message ==
          "`layers.0` has no `weight_grad.byts`; did you mean `weight_grad.bytes`?");
    CHECK(place_of(*file, "layers.0.policy").message == "`layers.0` has no `policy`");
    CHECK(place_of(*file, "layers.1.update").message == "`layers` has no `1`: it has 1, counted from 0");
    CHECK(place_of(*file, "layer.0.update").message ==
          "there is no `layer.0.update`; the path begins with `header` or `layers`");

    const auto tables = wlfmt::table::read(table_text);
    REQUIRE(tables.ok());
    CHECK(place_of(*tables, "tables.0.1.Name").place == "aten::mm");
    CHECK(place_of(*tables, "tables.0.1.Self CPUU").message ==
          "`tables.0.1` has no `Self CPUU`; did you mean `Self CPU`?");
    CHECK(place_of(*tables, "tables.0.9.Name").message == "`tables.0` has no `9`: it has 2, counted from 0");
    CHECK(place_of(*tables, "tables").message == "`tables` is no single value: it has 1, counted from 0");
}
