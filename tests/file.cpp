// file.hpp: files as texts.
#include "support.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <wlfmt/file.hpp>

#if defined(__unix__) || defined(__APPLE__)
#    include <sys/stat.h>
#    include <unistd.h>
#endif

namespace {

// A file of this test, gone with it.
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

}  // namespace

TEST_CASE("a file is its bytes, with whatever stands in them") {
    const std::string content("line\r\n\0\xFF tail", 13);
    const temporary at(content);
    const wlfmt::file file(at.path());
    CHECK(file.ok());
    CHECK(file.text() == content);
}

TEST_CASE("a sample file reads as the standard library reads it") {
    const std::string path = test::data_path(test::table_samples[0]);
    const wlfmt::file file(path.c_str());
    CHECK(file.ok());
    CHECK(file.text() == test::data(test::table_samples[0]));
}

TEST_CASE("an empty file is an empty text") {
    const temporary at("");
    const wlfmt::file file(at.path());
    CHECK(file.ok());
    CHECK(file.text().empty());
    CHECK_FALSE(file.mapped());
}

TEST_CASE("a file that is not there cannot be opened") {
    const wlfmt::file file("no/such/file");
    CHECK_FALSE(file.ok());
    CHECK(file.error().what == wlfmt::code::cannot_open);
    CHECK(file.text().empty());
    CHECK(wlfmt::explain(file.error(), {}, "no/such/file") ==
          "no/such/file: error: cannot_open: the file cannot be opened\n");
}

TEST_CASE("a moved file keeps its text, and what it replaced is given back") {
    const temporary at_long(std::string(100000, 'x'));
    const temporary at_short("short");
    wlfmt::file one(at_long.path());
    wlfmt::file other(std::move(one));
    CHECK(other.text() == std::string(100000, 'x'));
    other = wlfmt::file(at_short.path());
    CHECK(other.text() == "short");
    wlfmt::file& self = other;
    other = std::move(self);
    CHECK(other.text() == "short");
}

TEST_CASE("read_file reads what a map shows, over what was there") {
    const temporary at(std::string(200000, 'y') + "end");
    std::string text = "before";
    CHECK(wlfmt::read_file(at.path().c_str(), text).what == wlfmt::code::none);
    const wlfmt::file mapped(at.path());
    CHECK(text == mapped.text());
}

#if defined(__unix__) || defined(__APPLE__)

TEST_CASE("a directory is none to read") {
    const wlfmt::file file(".");
    CHECK(file.error().what == wlfmt::code::is_directory);
    std::string text;
    CHECK(wlfmt::read_file(".", text).what == wlfmt::code::is_directory);
}

TEST_CASE("a pipe is read to its end") {
    const std::string path = "wlfmt_file_test_pipe";
    std::remove(path.c_str());
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const std::string content(300000, 'p');
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
    const wlfmt::file file(path);
    writer.join();
    std::remove(path.c_str());
    CHECK(file.ok());
    CHECK_FALSE(file.mapped());
    CHECK(file.text() == content);
}

TEST_CASE("a device is read, not mapped") {
    const wlfmt::file file("/dev/null");
    CHECK(file.ok());
    CHECK_FALSE(file.mapped());
    CHECK(file.text().empty());
}

#endif
