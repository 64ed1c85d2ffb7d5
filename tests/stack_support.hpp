// What the tests of bounded stack share: texts of any depth and width, a thread whose stack is painted to see how much
// of it is used, and the check that stack use does not depend on the input.
#ifndef WLFMT_TESTS_STACK_SUPPORT_HPP
#define WLFMT_TESTS_STACK_SUPPORT_HPP

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <wlfmt/table.hpp>

#include "support.hpp"

#ifdef WLFMT_TEST_HAS_GUARD_PAGES
#include <pthread.h>
#endif

namespace test {

// The most stack that any function may use, unoptimised and under sanitizers, too; the address sanitizer adds the most.
inline constexpr std::size_t most_stack = 256 * 1024;
inline constexpr std::size_t page = 4096;

// How much more stack than short texts the hostile ones may take, and how deep, wide and long these are: another branch
// of the code is another frame, which a sanitizer makes larger.
#if defined(WLFMT_TEST_SANITIZED)
inline constexpr std::size_t slack = 4 * page;
#else
inline constexpr std::size_t slack = page;
#endif
// More pieces take slow code far longer, and no more of the stack.
#if defined(WLFMT_TEST_SANITIZED) || !defined(__OPTIMIZE__)
inline constexpr std::size_t most_pieces = 9999 / stride;
#else
inline constexpr std::size_t most_pieces = 100000;
#endif

// Texts that are as deep, wide and long as n says.

inline std::string times(std::size_t n, std::string_view piece) {
    std::string out;
    for (; n != 0; --n) out += piece;
    return out;
}

inline std::string hostile_operations(std::size_t n) {
    const std::string head =
        "rank:0:f(stage_id=0,batch_id=0,mg_state=None,duration=1.5,description=None,group_kind=None,input__shape=";
    const std::string sub =
        "'trace_src_func=f,duration=1.5,timestamp=2.5,input__shape=[2, 4],input__dtype=t,group=tp,"
        "comm_func=allreduce'";
    std::string out = head + times(n, "[") + times(n, "]") + ",input__dtype=t,timestamp=1.5,sub_operations=[])\n";
    out += "rank:0:f(" + times(n, "key=value,") + "duration=0." + times(n, "1") + ",last=1)\n";
    out += "rank:0:f(sub_operations=[" + times(n, sub + ", ") + sub + "])\n";
    out += "rank:0:f(sub_operations=['" + times(n, "\\'\\x41") + "', " + times(n, "[") + "])\n";
    out += times(n, "rank:0:f(duration=x\n");
    out += "rank:" + times(n, "1") + ":f(sub_operations=['" + times(n, "(") + "\n";
    return out;
}

inline std::string hostile_layers(std::size_t n) {
    std::string out = "HYBRID " + times(n, "key: value ") + "checkpoints: 3 1 2 3 ga: 1\n1\n";
    out += "x" + times(n, "x") + "\t-1\t0." + times(n, "1") + "\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n";
    out += times(n, "x\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n");
    out += times(n, "x\t") + "\n" + times(n, "9") + "\n";
    return out;
}

inline std::string hostile_tables(std::size_t n) {
    const std::string rule = "----------------  ----------------  ----------------  \n";
    std::string out =
        "================\ntitle\n" + rule + "            Name        # of Calls   Source Location  \n" + rule;
    for (std::size_t row = 0; row != n + 1; ++row) out += "               x                 1   frame.py(1): f   \n";
    out += times(n, "                                      frame.py(2): g   \n");
    out += times(n, "word  ") + "\n" + times(n, "x") + "\n" + rule + times(n, "Self CPU time total: 1.000us\n");
    out += "\n" + times(n + wlfmt::table::max_columns, "---  ") + "\nName\n" +
           times(n + wlfmt::table::max_columns, "---  ") + "\n";
    out += "\n" + times(n + 3, "-") + "  ---\nName  x\n" + times(n + 3, "-") + "  ---\n" + times(n, "y") + "  1\n";
    return out;
}

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define WLFMT_TEST_NO_STACK 1  // valgrind takes what a call has left on the stack for memory that was never written
#endif
#endif

#if defined(WLFMT_TEST_HAS_GUARD_PAGES) && defined(__GNUC__) && !defined(WLFMT_TEST_NO_STACK)
inline constexpr bool measurable = true;

class painted_thread {
public:
    painted_thread(void (*run)(std::string_view), std::string_view text) : run_(run), text_(text) {
        void* map = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(map != MAP_FAILED);
        stack_ = static_cast<unsigned char*>(map);
        std::memset(stack_, paint, size);
        pthread_attr_t attributes;
        REQUIRE(pthread_attr_init(&attributes) == 0);
        REQUIRE(pthread_attr_setstack(&attributes, stack_, size) == 0);
        pthread_t thread;
        REQUIRE(pthread_create(&thread, &attributes, body, this) == 0);
        pthread_join(thread, nullptr);
        pthread_attr_destroy(&attributes);
        ::munmap(map, size);
    }
    painted_thread(const painted_thread&) = delete;
    painted_thread& operator=(const painted_thread&) = delete;

    // The bytes from the frame that calls `run` to the deepest byte that was written.
    std::size_t depth() const noexcept { return depth_; }

private:
    static constexpr std::size_t size = std::size_t{1} << 20;
    static constexpr unsigned char paint = 0xA5;

    static void* body(void* context) {
        auto& self = *static_cast<painted_thread*>(context);
        const auto* const here = static_cast<const unsigned char*>(__builtin_frame_address(0));
        self.run_(self.text_);
        const unsigned char* deepest = self.stack_;
        while (deepest != here && *deepest == paint) ++deepest;
        self.depth_ = static_cast<std::size_t>(here - deepest);
        return nullptr;
    }

    void (*run_)(std::string_view);
    std::string_view text_;
    unsigned char* stack_ = nullptr;
    std::size_t depth_ = 0;
};

inline std::size_t stack_of(void (*run)(std::string_view), const std::string& text) {
    run(text);  // the dynamic linker takes its own piece of the stack at the first call of a function
    return painted_thread(run, text).depth();
}
#else
inline constexpr bool measurable = false;

// Not measured: all that is checked is that the call returns.
inline std::size_t stack_of(void (*run)(std::string_view), const std::string& text) {
    run(text);
    return 0;
}
#endif

// A piece of work on texts of a kind.
struct stack_task {
    const char* what;
    void (*run)(std::string_view);
    std::string (*text)(std::size_t n);
};

template <std::size_t N> void check_stack(const stack_task (&tasks)[N]) {
    for (const stack_task& t : tasks) {
        const std::string what = t.what;
        CAPTURE(what);
        const std::size_t small = stack_of(t.run, t.text(4));
        const std::size_t hostile = stack_of(t.run, t.text(most_pieces));
        CHECK((hostile > 0) == measurable);
        CHECK(hostile < most_stack);
        CHECK(hostile < small + slack);
        if (measurable) MESSAGE(what << ": " << hostile << " bytes of stack");
    }
}

}  // namespace test

#endif
