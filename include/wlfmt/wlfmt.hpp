// wlfmt: reads and writes the three text formats of distributed-training simulation. Header-only, C++17.
//
//   wlfmt::oplog     rank op logs: one line an operation of one rank, with its nested operations (Echo, Megatron)
//   wlfmt::workload  workload files: policy, header, layers (ASTRA-sim 1.0, SimAI, AICB, Chakra)
//   wlfmt::table     profiler summary tables: key_averages().table() of PyTorch
//
// Who knows one knows all:
//
//   reader           pulls records out of a std::string_view one by one; allocates nothing
//   read(text)       the whole document, to look at, edit and write: result<document>
//   write(sink, x)   a record or document, in the original writer's own layout, to a std::string or any other sink
//
//     wlfmt::oplog::reader log(text);                     // text: any view that outlives the records
//     while (const auto* op = log.next())                 // valid until the next call, its views as long as text
//         for (const auto& sub : op->sub_operations)      // decoded as you walk
//             if (sub.comm_func == "allreduce") ms += sub.duration;
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), text, "rank7.txt");
//
//     auto file = wlfmt::workload::read(text);
//     if (!file) return fail(file.error());
//     for (auto& layer : file->layers) layer.weight_grad.bytes *= 2;
//     std::string out;
//     wlfmt::workload::write(out, *file);
//
//     wlfmt::table::reader tables(text);
//     while (tables.next_table()) {
//         const auto calls = wlfmt::table::find(tables.columns(), "# of Calls");
//         while (const auto* row = tables.next()) total += row->cells[calls].value;
//     }
//
// Views point into the caller's bytes: no terminator or padding is needed, no byte outside the view is read. Errors are
// values (error.hpp), the same with exceptions on and off; nothing here throws but what the caller's sink and
// std::vector throw. Nothing prints, aborts, or asks the locale. Different readers may be used by different threads.
//
// Not included here: wlfmt/file.hpp (a file as a text), wlfmt/json.hpp (the interchange form).
// Configuration, the same in all of a program's sources that share wlfmt's types:
//   WLFMT_NO_SIMD        read with portable code only
//   WLFMT_NO_FAST_FLOAT  take std::from_chars even where fast_float is on the include path
//   WLFMT_NO_MMAP        file.hpp reads files into memory instead of mapping them
#ifndef WLFMT_WLFMT_HPP
#define WLFMT_WLFMT_HPP

#include <cstdint>
#include <string_view>

#include "error.hpp"
#include "number.hpp"
#include "oplog.hpp"
#include "table.hpp"
#include "workload.hpp"

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

inline constexpr int version_major = WLFMT_VERSION_MAJOR;
inline constexpr int version_minor = WLFMT_VERSION_MINOR;
inline constexpr int version_patch = WLFMT_VERSION_PATCH;

enum class format : std::uint8_t { unknown, oplog, workload, table };

// "oplog", "workload", "table", "unknown". Static storage.
std::string_view name(format f) noexcept;

// Which format a text is, from its first 64 KiB: what a file begins with is enough. A log with foreign text around its
// records or tables is what its first record or table is.
format detect(std::string_view text) noexcept;

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/core/end.hpp"

#include "detail/detect.hpp"
#endif
