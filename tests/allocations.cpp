// The pull readers allocate nothing. Replaces operator new for the whole test program, to count.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <wlfmt/oplog.hpp>

#include "support.hpp"

namespace {

std::atomic<std::size_t> made{0};

void* allocate(std::size_t size) noexcept {
    ++made;
    return std::malloc(size == 0 ? 1 : size);
}
void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    ++made;
    const auto step = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(step, (size / step + 1) * step);
}
// Not inlined: GCC would take free() for the wrong end of operator new.
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }
// No test runs out of memory; without exceptions there is nothing to throw.
void* or_end(void* memory) {
    if (memory == nullptr) std::abort();
    return memory;
}

}  // namespace

std::size_t test::allocations() noexcept { return made; }

void* operator new(std::size_t size) { return or_end(allocate(size)); }
void* operator new[](std::size_t size) { return or_end(allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t to) { return or_end(allocate(size, to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return or_end(allocate(size, to)); }
void* operator new(std::size_t size, std::align_val_t to, const std::nothrow_t&) noexcept { return allocate(size, to); }
void* operator new[](std::size_t size, std::align_val_t to, const std::nothrow_t&) noexcept {
    return allocate(size, to);
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }

TEST_CASE("the counter counts every form of operator new") {
    // Called by name: a new-expression whose object nobody looks at may be left out.
    const std::size_t before = test::allocations();
    ::operator delete(::operator new(1));
    ::operator delete[](::operator new[](1));
    ::operator delete(::operator new(1, std::nothrow));
    ::operator delete (::operator new (1, std::align_val_t{64}), std::align_val_t{64});
    CHECK(test::allocations() == before + 4);
}

TEST_CASE("pulling an op log with all its nested operations allocates nothing") {
    std::string text;
    for (const std::string_view name : test::oplog_samples) text += test::data(name);
    // The slow paths too: other orders, further keys, escapes, foreign text, tolerated and untolerated problems.
    for (const char* name : {"further_keys", "escapes", "old_tracer", "lists", "shapes", "console", "error_bad_list",
                             "error_unterminated_string", "error_not_a_number"})
        text += test::data(std::string("oplog/") + name + ".txt");
    const std::string plain = test::data("oplog_rank7_pipeline_last_stage.txt");

    for (const bool lenient : {false, true}) {
        wlfmt::options how;
        how.lenient = lenient;
        std::size_t seen = 0;
        const std::size_t before = test::allocations();
        wlfmt::oplog::reader log(text, how);
        do {
            static_cast<void>(log.skip());
            while (const auto* op = log.next()) {
                for (const auto& a : op->attributes) seen += a.key.size();
                for (const auto dim : op->input_shape) seen += dim > 0 ? 1U : 0U;
                for (const auto& sub : op->sub_operations) {
                    char buffer[256];
                    if (sub.text.size() <= sizeof buffer) seen += wlfmt::oplog::unescape(sub.text, buffer).size();
                    for (const auto dim : sub.input_shape) seen += dim > 0 ? 1U : 0U;
                    for (const auto& a : sub.attributes) seen += a.value.size();
                }
                for (const auto& sub : op->sub_operations.only<wlfmt::oplog::field::duration>())
                    seen += sub.duration.has_value() ? 1U : 0U;
                seen += wlfmt::oplog::problem_of(*op).field.size();
                if (!log.ok()) break;
            }
        } while (!log.ok());
        CHECK(test::allocations() == before);
        CHECK(seen > 500);
        CHECK((log.tolerated() > 0) == lenient);
    }

    // A document allocates for its operations alone, not for each record.
    const std::size_t before = test::allocations();
    const auto document = wlfmt::oplog::read(plain);
    CHECK(document.ok());
    CHECK(test::allocations() - before <= 3);
}
