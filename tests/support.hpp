// What several test files share: test data, texts at the edge of readable memory, a decimal-comma locale,
// allocations counted and made to fail.
#ifndef WLFMT_TESTS_SUPPORT_HPP
#define WLFMT_TESTS_SUPPORT_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <clocale>
#include <cstddef>
#include <cstdio>
#include <locale>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "texts.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#define WLFMT_TEST_HAS_GUARD_PAGES 1
#endif

// GCC and Clang say in different ways that a sanitizer is at work.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WLFMT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WLFMT_TEST_SANITIZED 1
#endif
#endif

namespace test {

// Tests that go through thousands of places or cases go through every third of them under a sanitizer, which takes
// several times as long for each.
#if defined(WLFMT_TEST_SANITIZED)
inline constexpr int stride = 3;
#else
inline constexpr int stride = 1;
#endif

// A text of the given size in which each byte differs from its neighbours.
inline std::string letters(std::size_t size) {
    std::string text(size, 'a');
    for (std::size_t n = 0; n != size; ++n) text[n] = static_cast<char>('a' + n % 26);
    return text;
}

// The path of a file of tests/data.
inline std::string data_path(std::string_view name) { return std::string(WLFMT_TEST_DATA "/").append(name); }

// The whole content of a file of tests/data, byte for byte; a file that is not there fails the test.
inline std::string data(std::string_view name) {
    const std::string path = data_path(name);
    std::string content;
    std::FILE* file = std::fopen(path.c_str(), "rb");
    REQUIRE_MESSAGE(file != nullptr, path);
    char piece[4096];
    while (const std::size_t size = std::fread(piece, 1, sizeof piece, file)) content.append(piece, size);
    std::fclose(file);
    return content;
}

// The five real files that every test may rely on.
inline constexpr std::string_view oplog_samples[] = {"oplog_rank7_moe_simulation.txt",
                                                     "oplog_rank7_pipeline_last_stage.txt"};
inline constexpr std::string_view workload_samples[] = {"workload_dense_1024gpus.txt", "workload_moe_128gpus.txt"};
inline constexpr std::string_view table_samples[] = {"profiler_table_moe_train_step.txt"};

// A text that begins right after, or ends right before, a page that cannot be read, so that reading a single byte
// outside it ends the program. Where there are no such pages it is an exact_buffer.
enum class guard { before, after };

#ifdef WLFMT_TEST_HAS_GUARD_PAGES
class guarded_text {
public:
    guarded_text(std::string_view text, guard side) : size_(text.size()) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t room = (text.size() / page + 1) * page;
        mapped_ = room + 2 * page;
        void* map = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(map != MAP_FAILED);
        base_ = static_cast<char*>(map);
        char* const readable = base_ + page;
        REQUIRE(::mprotect(readable, room, PROT_READ | PROT_WRITE) == 0);
        text_ = side == guard::before ? readable : readable + (room - size_);
        std::copy(text.begin(), text.end(), text_);
    }
    guarded_text(const guarded_text&) = delete;
    guarded_text& operator=(const guarded_text&) = delete;
    ~guarded_text() { ::munmap(base_, mapped_); }

    std::string_view view() const noexcept { return {text_, size_}; }

private:
    char* base_ = nullptr;
    char* text_ = nullptr;
    std::size_t size_;
    std::size_t mapped_ = 0;
};
#else
class guarded_text : public exact_buffer {
public:
    guarded_text(std::string_view text, guard) : exact_buffer(text) {}
};
#endif

// While it lives, decimals have a comma and thousands a point: for the C++ streams unless the program is built without
// run-time type information (a facet of one's own needs it), for the C library where the machine has such a locale
// (the build makes one and points LOCPATH at it where it can).
class comma_locale {
public:
    comma_locale() : c_before_(std::setlocale(LC_ALL, nullptr)), cpp_before_(std::locale()) {
#ifdef __cpp_rtti
        std::locale::global(std::locale(std::locale::classic(), new comma));
#endif
        for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"})
            if (std::setlocale(LC_ALL, name) != nullptr) break;
    }
    comma_locale(const comma_locale&) = delete;
    comma_locale& operator=(const comma_locale&) = delete;
    ~comma_locale() {
        std::locale::global(cpp_before_);
        std::setlocale(LC_ALL, c_before_.c_str());
    }

    // Whether the C library's decimals have a comma, too.
    static bool c_library() noexcept { return *std::localeconv()->decimal_point == ','; }

private:
    struct comma : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    std::string c_before_;
    std::locale cpp_before_;
};

// The end of every range: equal to a default-constructed iterator of any kind.
struct end_of_walk {};
template <class Iterator> bool operator==(const Iterator& i, end_of_walk) { return i == Iterator(); }
template <class Iterator> bool operator!=(const Iterator& i, end_of_walk) { return i != Iterator(); }
template <class Iterator> bool operator==(end_of_walk, const Iterator& i) { return Iterator() == i; }
template <class Iterator> bool operator!=(end_of_walk, const Iterator& i) { return Iterator() != i; }

// Sinks of the program's own that say in what they return that they failed, after as many bytes as there is room for.
template <class Returned> struct short_sink {
    explicit short_sink(std::size_t bytes) : room(bytes) {}
    Returned write(const char* bytes, std::ptrdiff_t size) {
        const std::size_t taken = (std::min)(room - text.size(), static_cast<std::size_t>(size));
        text.append(bytes, taken);
        if constexpr (std::is_same_v<Returned, bool>) return taken == static_cast<std::size_t>(size);
        else return taken == 0 && size != 0 ? static_cast<Returned>(-1) : static_cast<Returned>(taken);
    }
    std::string text;
    std::size_t room;
};
struct refusing_sink {
    bool append(const char*, std::size_t) { return false; }
};
struct appending_sink {
    std::size_t append(const char* bytes, std::size_t size) {
        text.append(bytes, size);
        return size;
    }
    std::string text;
};

// A sink of the program's own, which needs nothing but append(const char*, std::size_t).
struct counting_sink {
    std::string text;
    std::size_t appends = 0;
    void append(const char* bytes, std::size_t size) {
        text.append(bytes, size);
        ++appends;
    }
};

// How often, and for how many bytes, operator new was called so far in any of its forms: tests/allocations.cpp replaces
// them for the whole program.
std::size_t allocations() noexcept;
std::size_t allocated_bytes() noexcept;
// The number of allocations that were not released yet.
std::size_t live_allocations() noexcept;

// While it lives, the allocations of this thread fail from the n-th one on, counted from 0.
class failing_allocations {
public:
    explicit failing_allocations(std::size_t n) noexcept;
    failing_allocations(const failing_allocations&) = delete;
    failing_allocations& operator=(const failing_allocations&) = delete;
    ~failing_allocations();
    // Whether any allocation was asked for and failed.
    bool failed() const noexcept;
};

// visit_all(visit) calls visit(name, action) for each action that allocates.

template <class VisitAll> void check_nothing_left(const VisitAll& visit_all) {
    visit_all([](const std::string& what, const auto& action) {
        CAPTURE(what);
        const std::size_t before = live_allocations();
        action();
        CHECK(live_allocations() == before);
    });
}

#ifdef __cpp_exceptions
template <class VisitAll> void check_failing_allocations(const VisitAll& visit_all) {
    visit_all([](const std::string& what, const auto& action) {
        CAPTURE(what);
        for (std::size_t n = 0;; ++n) {
            CAPTURE(n);
            const std::size_t before = live_allocations();
            bool failed = false;
            bool thrown = false;
            {
                const failing_allocations failing(n);
                try {
                    action();
                } catch (const std::bad_alloc&) {
                    thrown = true;
                }
                failed = failing.failed();
            }
            CHECK(thrown == failed);
            CHECK(live_allocations() == before);
            if (!failed) break;
        }
    });
}
#endif

}  // namespace test

#endif
