// The pull readers allocate nothing, and no allocation has a size that the text merely declares. Replaces operator new
// for the whole test program, so that allocations are counted and fail on request.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#if defined(_WIN32)
#include <malloc.h>
#endif
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <wlfmt/wlfmt.hpp>

#include "support.hpp"

namespace {

std::atomic<std::size_t> made{0};
std::atomic<std::size_t> bytes{0};
std::atomic<std::size_t> live{0};

constexpr std::size_t never = static_cast<std::size_t>(-1);
thread_local std::size_t until_failure = never;
thread_local bool refused = false;

bool fails() noexcept {
    if (until_failure == never) return false;
    if (until_failure == 0) return refused = true;
    --until_failure;
    return false;
}
void* counted(void* memory, std::size_t size) noexcept {
    if (memory == nullptr) return nullptr;
    ++made;
    ++live;
    bytes += size;
    return memory;
}
void* allocate(std::size_t size) noexcept {
    return fails() ? nullptr : counted(std::malloc(size == 0 ? 1 : size), size);
}
void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    const auto step = static_cast<std::size_t>(alignment);
    if (fails()) return nullptr;
#if defined(_WIN32)
    return counted(_aligned_malloc(size, step), size);
#else
    return counted(std::aligned_alloc(step, (size / step + 1) * step), size);
#endif
}
// Not inlined: GCC would take free() for the wrong end of operator new.
[[gnu::noinline]] void release(void* memory) noexcept {
    if (memory != nullptr) --live;
    std::free(memory);
}
[[gnu::noinline]] void release_aligned(void* memory) noexcept {
#if defined(_WIN32)
    if (memory != nullptr) --live;
    _aligned_free(memory);
#else
    release(memory);
#endif
}
// Without exceptions there is nothing to throw, and no test that lets allocations fail.
void* or_throw(void* memory) {
    if (memory != nullptr) return memory;
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    std::abort();
#endif
}

}  // namespace

std::size_t test::allocations() noexcept { return made; }
std::size_t test::allocated_bytes() noexcept { return bytes; }
std::size_t test::live_allocations() noexcept { return live; }

test::failing_allocations::failing_allocations(std::size_t n) noexcept {
    until_failure = n;
    refused = false;
}
test::failing_allocations::~failing_allocations() { until_failure = never; }
bool test::failing_allocations::failed() const noexcept { return refused; }

void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t to) { return or_throw(allocate(size, to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return or_throw(allocate(size, to)); }
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
void operator delete(void* p, std::align_val_t) noexcept { release_aligned(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release_aligned(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release_aligned(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release_aligned(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { release_aligned(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { release_aligned(p); }

TEST_CASE("the counter counts every form of operator new") {
    // Called by name, as a compiler may leave out a new-expression whose object is not used.
    const std::size_t before = test::allocations();
    ::operator delete(::operator new(1));
    ::operator delete[](::operator new[](1));
    ::operator delete(::operator new(1, std::nothrow));
    ::operator delete (::operator new (1, std::align_val_t{64}), std::align_val_t{64});
    CHECK(test::allocations() == before + 4);
}

TEST_CASE("reading an op log record by record with all nested operations allocates nothing") {
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
                for (const auto& sub : op->sub_operations.only<wlfmt::oplog::fields::duration>())
                    seen += sub.duration.has_value() ? 1U : 0U;
                seen += wlfmt::oplog::problem_of(*op).field.size() + wlfmt::oplog::where(*op, "timestamp").size();
                seen += op->find("cmd_uid").text().size();
                if (!log.ok()) break;
            }
        } while (!log.ok());
        CHECK(test::allocations() == before);
        CHECK(seen > 500);
        CHECK((log.tolerated() > 0) == lenient);
    }

    // A document allocates its list of operations, and nothing per record.
    const std::size_t before = test::allocations();
    const auto document = wlfmt::oplog::read(plain);
    CHECK(document.ok());
    CHECK(test::allocations() - before <= 3);
}

TEST_CASE("pulling layers, good and bad, allocates nothing") {
    std::string text = test::data("workload_moe_128gpus.txt");
    text += "cut off\nx\t-1\t1.5\tNONE\t1e2\t1\tALLGATHER_EP\t12345678901234567890\t1\tNONE\t0\t1\n";
    for (const bool lenient : {false, true}) {
        wlfmt::options how;
        how.lenient = lenient;
        std::size_t seen = 0;
        const std::size_t before = test::allocations();
        wlfmt::workload::reader file(text, how);
        for (const auto& entry : file.header().entries) seen += entry.key.size();
        for (const auto index : file.header().checkpoints()) seen += index > 0 ? 1U : 0U;
        seen += file.header().all_gpus().has_value() ? 1U : 0U;
        do {
            while (const auto* layer = file.next()) {
                seen += layer->name.size() + wlfmt::workload::problem_of(*layer).field.size();
                seen += wlfmt::workload::where(*layer, "weight_grad.bytes").size();
                if (wlfmt::workload::communication_of(layer->forward.comm).group ==
                    wlfmt::workload::group::expert_parallel)
                    ++seen;
            }
        } while (file.skip());
        CHECK(test::allocations() == before);
        CHECK(seen > 500);
        // More layers than declared are a warning, lenient or not.
        CHECK(file.tolerated() == (lenient ? 3 : 1));
    }
}

TEST_CASE("pulling tables with stacks, totals and bad rows allocates nothing") {
    std::string text = test::data("profiler_table_moe_train_step.txt");
    for (const char* name : {"stack_flops", "titles", "totals", "overflow", "utf8", "stripped", "error_row_mismatch",
                             "error_not_a_number", "error_column_mismatch", "error_too_many_columns"})
        text += "\n" + test::data(std::string("table/") + name + ".txt");
    for (const bool lenient : {false, true}) {
        wlfmt::options how;
        how.lenient = lenient;
        std::size_t seen = 0;
        const std::size_t before = test::allocations();
        wlfmt::table::reader tables(text, how);
        do {
            while (tables.next_table()) {
                seen += tables.find_column("# of Calls") + tables.titles().size();
                do {
                    while (const auto* row = tables.next()) {
                        seen += wlfmt::table::where(*row, "# of Calls").size();
                        for (const auto& cell : row->cells) seen += cell.text().size();
                        for (const auto frame : row->frames) seen += frame.size();
                    }
                } while (tables.skip());
                seen += tables.totals().size();
            }
        } while (tables.skip());
        CHECK(test::allocations() == before);
        CHECK(seen > 500);
        CHECK((tables.tolerated() > 0) == lenient);
    }
}

TEST_CASE("walking the rows of a table copies one row, not the table") {
    wlfmt::table::profile one;
    for (const char* const name : {"Name", "Self CPU", "# of Calls"}) one.columns.emplace_back(name);
    one.cells.assign(3 * 1000, wlfmt::table::cell(7));
    double sum = 0;
    const std::size_t before = test::allocated_bytes();
    for (const auto& row : one.rows()) sum += row[2].value_or(0.0);
    CHECK(test::allocated_bytes() - before < 3 * (sizeof(wlfmt::table::cell) + sizeof(wlfmt::table::column)) + 100);
    CHECK(sum == 7000);
}

TEST_CASE("detecting the format and locating an error allocate nothing") {
    for (const char* name : {"oplog_rank7_moe_simulation.txt", "workload_dense_1024gpus.txt",
                             "profiler_table_moe_train_step.txt", "oplog/console.txt"}) {
        const std::string text = test::data(name);
        const std::size_t before = test::allocations();
        const bool known = wlfmt::detect(text) != wlfmt::file_format::unknown;
        const std::uint64_t line = wlfmt::location_of(text, text.size()).line;
        const std::string_view prefix = wlfmt::find_prefix(text);
        const wlfmt::number line_number = wlfmt::to_number("12.5");
        CHECK(test::allocations() == before);
        CHECK(prefix.size() < text.size());
        CHECK(line_number == 12.5);
        CHECK(known);
        CHECK(line > 1);
    }
}

TEST_CASE("a number that a text declares reserves nothing") {
    const auto room_for = [](std::string_view layers, std::string_view checkpoints, bool lenient) {
        std::string text = "HYBRID_TRANSFORMER checkpoints: ";
        text.append(checkpoints).append(" 1 ga: 1\n").append(layers);
        text += "\nx\t-1\t1\tNONE\t0\t1\tNONE\t0\t1\tNONE\t0\t1\n";
        wlfmt::options how;
        how.lenient = lenient;
        const std::size_t before = test::allocated_bytes();
        const auto doc = wlfmt::workload::read(text, how);
        const std::size_t room = test::allocated_bytes() - before;
        CHECK(doc->layers.size() ==
              (doc.ok() || doc.error().kind == wlfmt::error_kind::layer_count_mismatch ? 1U : 0U));
        return room;
    };
    // Room is reserved for as many layers as the text can hold (here one more than it has), not for as many as it
    // declares.
    const std::size_t most = room_for("1", "1", false) + sizeof(wlfmt::workload::layer);
    CHECK(most < 2048);
    for (const std::string hostile : {"2147483647", "4294967296", "9223372036854775807", "9223372036854775808",
                                      "18446744073709551615", "1e300", "-9223372036854775808"}) {
        CAPTURE(hostile);
        for (const bool lenient : {false, true}) {
            CHECK(room_for(hostile, "1", lenient) <= most);
            CHECK(room_for("1", hostile, lenient) <= most);
        }
    }
}
