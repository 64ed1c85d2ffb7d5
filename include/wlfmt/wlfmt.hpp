// wlfmt: reads and writes the three text formats of distributed-training simulation. Header-only, C++17.
//
//   wlfmt::oplog     rank op logs: one line per operation of one rank, with its nested operations (Echo, Megatron)
//   wlfmt::workload  workload files: policy, header, layers (ASTRA-sim 1.0, SimAI, AICB, Chakra)
//   wlfmt::table     profiler summary tables: key_averages().table() of PyTorch
//
// The verbs are the same in all three:
//
//   reader                 pulls records out of a text one by one, and allocates nothing
//   read(text)             the whole document, to look at, edit and write: result<document>
//   record.find(key)       the value of a key, whatever its type; missing where there is no such key
//   where(record, field)   the place of a field in the text, for messages (explain()) and edits (edit.hpp)
//   write(sink, x)         a record or document in its original writer's layout; refuses what would not read back
//   problem_of(x)          what write() would refuse
//
// An op log, record by record. `text` is any view that outlives the records:
//
//     double ms = 0;
//     wlfmt::oplog::reader log(text);
//     while (const auto* op = log.next())                 // shows each record in the same place: a copy keeps it
//         for (const auto& sub : op->sub_operations)      // decoded as you iterate
//             if (sub.comm_func == "allreduce") ms += sub.duration.value_or(0.0);
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), text, wlfmt::in_file("rank7.txt"));
//
// A workload file, changed and written:
//
//     auto file = wlfmt::workload::read(text);
//     if (!file) return fail(file.error());
//     for (auto& layer : file->layers) layer.weight_grad.bytes *= 2;
//     if (auto e = wlfmt::workload::write(std::cout, *file)) return fail(e);
//
// The tables of a console log:
//
//     wlfmt::table::reader tables(text);
//     while (tables.next_table())
//         while (const auto* row = tables.next()) calls += row->find("# of Calls").as<int>().value_or(0);
//     if (!tables.ok()) std::cerr << wlfmt::explain(tables.error(), text, wlfmt::in_file("console.txt"));
//
// Views point into the caller's bytes: no terminator or padding is needed, and no byte outside the view is read. Errors
// are values (error.hpp), the same with exceptions on and off; the only exceptions are those of the caller's sink and
// of std::vector. Nothing prints, aborts, or depends on the locale. Threads may use different readers at the same time.
//
// Opt-in headers, which this one does not include: wlfmt/file.hpp (files as documents; of one format:
// wlfmt/oplog/file.hpp, wlfmt/workload/file.hpp, wlfmt/table/file.hpp), wlfmt/text_file.hpp (a file as a text),
// wlfmt/edit.hpp (changes that leave every other byte as it is), wlfmt/json.hpp (the interchange form),
// wlfmt/json/read.hpp (and back, with simdjson), wlfmt/csv.hpp (rows for data frames and databases), wlfmt/arrow.hpp
// (columns, as Arrow streams), wlfmt/oplog/pieces.hpp (a text cut between records), wlfmt/oplog/stream.hpp (op logs
// read as their bytes arrive), wlfmt/oplog/run.hpp (the files of a run), wlfmt/oplog/operations.hpp (what their names
// say), wlfmt/oplog/nested.hpp (sums of nested operations), wlfmt/oplog/copies.hpp (records that repeat a time),
// wlfmt/workload/policies.hpp (what simulators do with policies and collectives), wlfmt/parallelism.hpp (groups, their
// ranks, what a workload moves), wlfmt/lint.hpp (well-formed values that make no sense to a simulator),
// wlfmt/table/mend.hpp (damaged tables mended), wlfmt/table/lost.hpp (lines in none of them),
// wlfmt/json/line.hpp (a program's own JSON), wlfmt/characters.hpp (the characters of a UTF-8 text).
// wlfmt/types.hpp has the records alone, for headers that only pass them on.
//
// Configuration macros, to be defined before the first header; sources with different ones can be linked together,
// but cannot pass records to each other:
//   WLFMT_NO_SIMD        reads with portable code only
//   WLFMT_NO_FAST_FLOAT  takes std::from_chars even where fast_float is on the include path
//   WLFMT_NO_MMAP        text_file.hpp reads files into memory instead of mapping them
// The version is in WLFMT_VERSION_MAJOR, WLFMT_VERSION_MINOR and WLFMT_VERSION_PATCH.
#include "version.hpp"

#ifndef WLFMT_WLFMT_HPP
#define WLFMT_WLFMT_HPP

#include "detect.hpp"
#include "error.hpp"
#include "number.hpp"
#include "oplog.hpp"
#include "table.hpp"
#include "types/sink.hpp"
#include "workload.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

inline constexpr int version_major = WLFMT_VERSION_MAJOR;
inline constexpr int version_minor = WLFMT_VERSION_MINOR;
inline constexpr int version_patch = WLFMT_VERSION_PATCH;

}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
