// Reading and writing use a bounded amount of stack, whatever the text says: measured on a thread whose stack was
// filled with a pattern before.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

#ifdef WLFMT_TEST_HAS_GUARD_PAGES
#    include <pthread.h>
#endif

namespace {

// How much stack any call may use, also unoptimised and under sanitizers, of which the address sanitizer uses most.
constexpr std::size_t most_stack = 256 * 1024;
constexpr std::size_t page = 4096;

// GCC and Clang say in different ways that a sanitizer is at work.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define WLFMT_TEST_SANITIZED 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define WLFMT_TEST_SANITIZED 1
#    endif
#endif

// How deep, wide and long the hostile texts are, and how much more stack than short texts they may use: they run
// through other branches of the code, whose frames a sanitizer makes larger.
#if defined(WLFMT_TEST_SANITIZED)
constexpr std::size_t most_pieces = 10000;  // reading more takes far longer, and no more stack
constexpr std::size_t slack = 4 * page;
#else
constexpr std::size_t most_pieces = 100000;
constexpr std::size_t slack = page;
#endif

struct counter {
    std::size_t bytes = 0;
    void append(const char*, std::size_t size) { bytes += size; }
};

wlfmt::options lenient() {
    wlfmt::options how;
    how.lenient = true;
    return how;
}

// The calls that are measured.

void pull_operations(std::string_view text) {
    for (const bool tolerant : {false, true}) {
        wlfmt::oplog::reader log(text, tolerant ? lenient() : wlfmt::options());
        do {
            while (const auto* op = log.next()) {
                std::size_t seen = op->input_shape.size();
                for (const auto& a : op->attributes) seen += a.key.size();
                for (const auto& sub : op->sub_operations) seen += sub.input_shape.size();
                if (seen == 0 || !log.ok()) break;
            }
        } while (log.skip());
    }
}
void pull_layers(std::string_view text) {
    for (const bool tolerant : {false, true}) {
        wlfmt::workload::reader file(text, tolerant ? lenient() : wlfmt::options());
        do {
            std::size_t seen = file.header().checkpoints().size();
            for (const auto& entry : file.header().entries) seen += entry.key.size();
            while (const auto* layer = file.next()) seen += layer->name.size();
            if (seen == 0) break;
        } while (file.skip());
    }
}
void pull_rows(std::string_view text) {
    for (const bool tolerant : {false, true}) {
        wlfmt::table::reader tables(text, tolerant ? lenient() : wlfmt::options());
        do {
            while (tables.next_table())
                while (const auto* row = tables.next())
                    if (row->frames.size() == 1) break;
        } while (tables.skip());
    }
}
template <class Document>
void write_everywhere(const Document& doc) {
    counter count;
    static_cast<void>(write(count, doc));
    write_unchecked(count, doc);
    static_cast<void>(wlfmt::json::write(count, doc));
}
void read_operations(std::string_view text) { static_cast<void>(wlfmt::oplog::read(text, lenient())); }
void read_layers(std::string_view text) { static_cast<void>(wlfmt::workload::read(text, lenient())); }
void read_tables(std::string_view text) { static_cast<void>(wlfmt::table::read(text, lenient())); }
void write_operations(std::string_view text) { write_everywhere(*wlfmt::oplog::read(text, lenient())); }
void write_layers(std::string_view text) { write_everywhere(*wlfmt::workload::read(text, lenient())); }
void write_tables(std::string_view text) {
    const auto doc = wlfmt::table::read(text, lenient());
    write_everywhere(*doc);
    static_cast<void>(wlfmt::table::problem_of(*doc));
}
void detect_format(std::string_view text) { static_cast<void>(wlfmt::detect(text)); }
void explain_end(std::string_view text) {
    wlfmt::error e;
    e.kind = wlfmt::error_kind::foreign_text;
    e.offset = text.size() / 2;
    e.length = text.size();
    static_cast<void>(wlfmt::explain(e, text, "text"));
    static_cast<void>(wlfmt::explain(text.substr(text.size() / 2), "is odd", text, "text"));
}

// Texts that are as deep, wide and long as n says.

std::string times(std::size_t n, std::string_view piece) {
    std::string out;
    for (; n != 0; --n) out += piece;
    return out;
}

std::string operations(std::size_t n) {
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

std::string layers(std::size_t n) {
    std::string out = "HYBRID " + times(n, "key: value ") + "checkpoints: 3 1 2 3 ga: 1\n1\n";
    out += "x" + times(n, "x") + "\t-1\t0." + times(n, "1") + "\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n";
    out += times(n, "x\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n");
    out += times(n, "x\t") + "\n" + times(n, "9") + "\n";
    return out;
}

std::string tables(std::size_t n) {
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

// The stack that was filled with a pattern.

#if defined(__has_feature)
#    if __has_feature(memory_sanitizer)
#        define WLFMT_TEST_NO_STACK 1  // to it, the bytes below the stack pointer were never written
#    endif
#endif

#if defined(WLFMT_TEST_HAS_GUARD_PAGES) && defined(__GNUC__) && !defined(WLFMT_TEST_NO_STACK)
constexpr bool measurable = true;

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

    // From the frame that calls it to the deepest byte that was written.
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

std::size_t stack_of(void (*run)(std::string_view), const std::string& text) {
    run(text);  // the dynamic linker uses stack of its own at the first call of a function
    return painted_thread(run, text).depth();
}
#else
constexpr bool measurable = false;

// Not measured: the test is that the call returns at all.
std::size_t stack_of(void (*run)(std::string_view), const std::string& text) {
    run(text);
    return 0;
}
#endif

}  // namespace

TEST_CASE("the stack that reading uses does not depend on the text") {
    struct task {
        const char* what;
        void (*run)(std::string_view);
        std::string (*text)(std::size_t n);
    };
    constexpr task tasks[] = {
        {"oplog::reader", pull_operations, operations},
        {"oplog::read", read_operations, operations},
        {"oplog::write, json::write", write_operations, operations},
        {"workload::reader", pull_layers, layers},
        {"workload::read", read_layers, layers},
        {"workload::write, json::write", write_layers, layers},
        {"table::reader", pull_rows, tables},
        {"table::read", read_tables, tables},
        {"table::write, json::write, problem_of", write_tables, tables},
        {"detect", detect_format, tables},
        {"explain", explain_end, operations},
    };
    for (const task& t : tasks) {
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
