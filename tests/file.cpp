// file.hpp and text_file.hpp: files as documents, and as texts.
#include "support.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <wlfmt/detail/file/source.hpp>
#include <wlfmt/file.hpp>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace {

// A file that this test makes, removed at its end.
class temporary {
public:
    explicit temporary(std::string_view content) : path_(std::string("wlfmt_file_test_") + std::to_string(++count)) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~temporary() { std::remove(path_.c_str()); }
    temporary(const temporary&) = delete;
    temporary& operator=(const temporary&) = delete;
    const std::string& path() const noexcept { return path_; }

private:
    static int count;
    std::string path_;
};
int temporary::count = 0;

// Whether text() can be called on a File as it is: const or not, a temporary or not.
template <class File, class = void> inline constexpr bool gives_text = false;
template <class File> inline constexpr bool gives_text<File, std::void_t<decltype(std::declval<File>().text())>> = true;

}  // namespace

TEST_CASE("a file can be moved, not copied, and a temporary one gives out no text") {
    using file = wlfmt::text_file;
    CHECK_FALSE(std::is_copy_constructible_v<file>);
    CHECK_FALSE(std::is_copy_assignable_v<file>);
    CHECK(std::is_nothrow_move_constructible_v<file>);
    CHECK(std::is_nothrow_move_assignable_v<file>);
    CHECK_FALSE(std::is_convertible_v<std::string, file>);
    CHECK(gives_text<file&>);
    CHECK(gives_text<const file&>);
    CHECK_FALSE(gives_text<file>);
    CHECK_FALSE(gives_text<const file>);
}

TEST_CASE("the names of this header survive a using directive") {
    using namespace wlfmt;
    using namespace std;
    const text_file one("no/such/file");
    CHECK(one.error().kind == error_kind::cannot_open);
}

TEST_CASE("a file's text is its bytes, whatever they are") {
    const std::string content("line\r\n\0\xFF tail", 13);
    const temporary at(content);
    const wlfmt::text_file file(at.path());
    CHECK(file.ok());
    CHECK(file.text() == content);
#if (defined(__unix__) || defined(__APPLE__)) && !defined(WLFMT_NO_MMAP)
    CHECK(file.mapped());
#else
    CHECK_FALSE(file.mapped());
#endif
}

TEST_CASE("a sample file reads as the standard library reads it") {
    const std::string path = test::data_path(test::table_samples[0]);
    const wlfmt::text_file file(path.c_str());
    CHECK(file.ok());
    CHECK(file.text() == test::data(test::table_samples[0]));
}

TEST_CASE("an empty file is an empty text") {
    const temporary at("");
    const wlfmt::text_file file(at.path());
    CHECK(file.ok());
    CHECK(file.text().empty());
    CHECK_FALSE(file.mapped());
}

TEST_CASE("a file that is not there cannot be opened") {
    const wlfmt::text_file file("no/such/file");
    CHECK_FALSE(file.ok());
    CHECK(file.error().kind == wlfmt::error_kind::cannot_open);
    CHECK(file.text().empty());
    CHECK_FALSE(file.mapped());
    CHECK(wlfmt::explain(file.error(), {}, wlfmt::in_file("no/such/file")) ==
          "no/such/file: error: cannot_open: the file cannot be opened: No such file or directory\n");
}

TEST_CASE("a document keeps the string that it was read from, however it is moved") {
    const auto load = [] {
        auto first = wlfmt::oplog::read_string("rank:7:f(description=a text)\n");
        auto log = std::move(first);
        CHECK(first->operations.empty());
        return log;
    };
    const auto log = load();
    REQUIRE(log);
    CHECK(log.has_value());
    CHECK(log.partial().operations.size() == 1);
    CHECK(log->operations[0].description == "a text");
    CHECK(log.text() == "rank:7:f(description=a text)\n");
    const auto file = wlfmt::workload::read_string(std::string("MICRO\n1\n"));
    CHECK(file.error().kind == wlfmt::error_kind::layer_count_mismatch);
    CHECK_FALSE(file.has_value());
    CHECK(file->header.policy == "MICRO");
    CHECK(wlfmt::table::read_string("").error().kind == wlfmt::error_kind::no_records);
    wlfmt::options piece;
    piece.piece_at = 0;
    CHECK(wlfmt::table::read_string("none", piece).ok());
}

TEST_CASE("a null pointer is no file") {
    const char* const nothing = nullptr;
    CHECK(wlfmt::text_file(nothing).error().kind == wlfmt::error_kind::cannot_open);
    CHECK(wlfmt::text_file(nothing).error().found == EINVAL);
    std::string text = "kept";
    CHECK(wlfmt::read_file(nothing, text).kind == wlfmt::error_kind::cannot_open);
    CHECK(wlfmt::oplog::read_file(nothing).error().kind == wlfmt::error_kind::cannot_open);
    CHECK(wlfmt::workload::read_file(nothing).error().kind == wlfmt::error_kind::cannot_open);
    CHECK(wlfmt::table::read_file(nothing).error().kind == wlfmt::error_kind::cannot_open);
}

TEST_CASE("a moved file keeps its text, and the file that it replaces is released") {
    const temporary at_long(std::string(100000, 'x'));
    const temporary at_short("short");
    wlfmt::text_file one(at_long.path());
    wlfmt::text_file other(std::move(one));
    CHECK(other.text() == std::string(100000, 'x'));
    CHECK(one.text().empty());
    CHECK(one.ok());
    CHECK_FALSE(one.mapped());
    one = wlfmt::text_file("no/such/file");
    CHECK(one.error().kind == wlfmt::error_kind::cannot_open);
    std::swap(one, other);
    CHECK(one.text() == std::string(100000, 'x'));
    CHECK(other.error().kind == wlfmt::error_kind::cannot_open);
    std::swap(one, other);
    other = wlfmt::text_file(at_short.path());
    CHECK(other.text() == "short");
    wlfmt::text_file& self = other;
    other = std::move(self);
    CHECK(other.text() == "short");
}

TEST_CASE("read_file reads what a mapping shows, and replaces the old content of the string") {
    const temporary at(std::string(200000, 'y') + "end");
    std::string text = "before";
    CHECK(wlfmt::read_file(at.path().c_str(), text).kind == wlfmt::error_kind::none);
    const wlfmt::text_file mapped(at.path());
    CHECK(text == mapped.text());
}

#if defined(__unix__) || defined(__APPLE__)

TEST_CASE("a directory cannot be read") {
    const wlfmt::text_file file(".");
    CHECK(file.error().kind == wlfmt::error_kind::is_directory);
    std::string text;
    CHECK(wlfmt::read_file(".", text).kind == wlfmt::error_kind::is_directory);
}

TEST_CASE("a pipe is read to its end") {
    const std::string path = "wlfmt_file_test_pipe";
    std::remove(path.c_str());
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const std::string content(300000, 'p');
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
    const wlfmt::text_file file(path);
    writer.join();
    std::remove(path.c_str());
    CHECK(file.ok());
    CHECK_FALSE(file.mapped());
    CHECK(file.text() == content);
}

TEST_CASE("a device is read, not mapped") {
    const wlfmt::text_file file("/dev/null");
    CHECK(file.ok());
    CHECK_FALSE(file.mapped());
    CHECK(file.text().empty());
}

#endif

#if defined(__unix__) || defined(__APPLE__)
TEST_CASE("a file that is shorter than when it was opened has the bytes that are there") {
    const temporary file(std::string(9000, 'a'));
    wlfmt::detail::source opened(file.path().c_str());
    REQUIRE(truncate(file.path().c_str(), 500) == 0);
    wlfmt::detail::small_files small;
    std::string_view text;
    if (small.read(opened, text)) {
        CHECK(text == std::string(500, 'a'));
    } else {
        const auto whole = wlfmt::detail::file_access::text_of(std::move(opened));
        CHECK(whole.text() == std::string(500, 'a'));
    }
}
#endif

TEST_CASE("a document keeps the file that it was read from, however it is moved") {
    const temporary log("rank:7:a(duration=1)");  // short: a std::string would move its bytes
    const temporary file("HYBRID_X pp: 4\n1\nlayer -1 1 NONE 0 2 NONE 0 3 NONE 0 4\n");
    const temporary table("----  --------\nName  Self CPU\n----  --------\n   a   1.500us\n----  --------\n");
    auto first = std::make_unique<wlfmt::file_document<wlfmt::oplog::document>>(wlfmt::oplog::read_file(log.path()));
    REQUIRE(first->ok());
    auto moved = std::move(*first);
    CHECK(((*first)->operations.empty() && first->text().empty() && first->ok()));
    first.reset();
    CHECK(moved.text() == "rank:7:a(duration=1)");
    REQUIRE(moved->operations.size() == 1);
    CHECK(((*moved).operations[0].op == "a" && moved->operations[0].duration == 1));

    auto layers = wlfmt::workload::read_file(file.path());
    auto other = wlfmt::workload::read_file("no/such/file");
    CHECK(other.error().kind == wlfmt::error_kind::cannot_open);
    CHECK((other->layers.empty() && other.text().empty()));
    std::swap(layers, other);
    CHECK(layers.error().kind == wlfmt::error_kind::cannot_open);
    CHECK((other->header.policy == "HYBRID_X" && other->layers.at(0).name == "layer"));
    layers = std::move(other);
    CHECK(layers->header.find("pp") == 4);
    CHECK(other->header.policy.empty());

    const auto tables = wlfmt::table::read_file(table.path());
    REQUIRE(tables.ok());
    CHECK(tables->tables.at(0).find_cell(0, "Self CPU").value() == 1.5);
    wlfmt::options strict;
    strict.strict = true;
    CHECK(wlfmt::oplog::read_file(file.path(), strict).error().kind == wlfmt::error_kind::foreign_text);
    CHECK(wlfmt::table::read_file(".").error().kind == wlfmt::error_kind::is_directory);
}
