// wlfmt/types/arrow.hpp: the two structs of the Arrow C data interface, the one of the C stream interface, and what a
// program asks wlfmt/arrow.hpp for.
//
// The structs are those of the specification (https://arrow.apache.org/docs/format/CDataInterface.html and
// CStreamInterface.html), with its guards, so that other headers of a program may define them, too.
#include "../version.hpp"

#ifndef WLFMT_TYPES_ARROW_HPP
#define WLFMT_TYPES_ARROW_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "error.hpp"

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE

}  // extern "C"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace oplog {
struct operation;
}  // namespace oplog
namespace table {
struct mended;
}  // namespace table
namespace arrow {

// What the rows of a stream are.
enum class contents : std::uint8_t {
    operations,      // the operations of op logs
    sub_operations,  // the nested operations of op logs
    layers,          // the layers of workload files
    headers,         // the headers of workload files, one row for each file
    rows             // the rows of profiler tables
};

// A file, or a text in its place.
struct input {
    std::string name;  // the path of the file, or what the column `file` and messages call the text
    std::optional<std::string> text = std::nullopt;
    // If the text is a piece of an op log (pieces.hpp), where the piece begins. A piece need not hold a record. Its
    // records are counted from its own start, and problems have their places in its text.
    std::optional<std::uint64_t> piece_at = std::nullopt;
};

// One problem of one file. The views are valid during the call.
struct file_problem {
    const input& in;
    const wlfmt::problem& error;
    text_view text;                         // the text of the file, mended if it was
    const table::mended* mended = nullptr;  // the way back to the file's places; null if nothing was mended
};

class batch_memory;  // defined in arrow.hpp

struct request {
    arrow::contents contents = arrow::contents::operations;
    // The names of the columns, in the order in which they are wanted; all columns if it is empty.
    std::vector<std::string> columns = {};
    // The ranks whose operations are wanted; all ranks if it is empty. (The stages of a scheduling plan are not ranks,
    // and are left out if ranks are asked for.)
    std::vector<std::int64_t> ranks = {};
    // A batch ends with the row that reaches this number, or, if rows are nested operations, with the last one of that
    // row's operation.
    std::size_t rows_per_batch = 16384;
    // For the rows of tables: names the columns as table::canonical() does, and scales FLOPs. Tables of different
    // versions and devices then share their columns.
    bool canonical = false;
    // The same as options::lenient. An error that ends the reading of a file then counts as a problem, too, and the
    // next file follows. Warnings reach on_problem in any case.
    bool lenient = false;
    // The same as options::strict and options::prefix. Without a prefix each line of op logs and tables may have any.
    bool strict = false;
    std::optional<std::string> prefix = std::nullopt;
    // Whether files of more than 256 KB are mapped (text_file.hpp says what that risks) or read into memory.
    bool map_files = true;
    // Called once for each problem that `lenient` tolerates and for each warning, and without a prefix and `strict` for
    // what is lost in a text that was read to its end: reader::lost() of op logs, table::losses. Must not throw.
    callback<void(const file_problem& p)> on_problem = {};
    // Called for the error that ends the stream, before get_next returns. Must not throw.
    callback<void(const file_problem& p)> on_error = {};
    // Called before each file and after about every megabyte: if it returns false, the stream ends with ECANCELED.
    // Must not throw.
    callback<bool()> go_on = {};
    // Called at the end of each op log, with the number of its records. Must not throw.
    callback<void(const input& in, std::int64_t records)> on_end = {};
    // Called for each text of tables that was mended (table/mend.hpp), as it is without `strict`. Must not throw.
    callback<void(const input& in, const table::mended& mended)> on_mended = {};
    // Called for each operation that gets a row, in order: says whether it is a copy (csv::copies), for the column
    // `copy`. Needed for pieces, whose text alone does not show that; without it, the stream finds the copies in each
    // text. Must not throw.
    callback<bool(const oplog::operation& op)> is_copy = {};
    // Keeps the memory of released batches for later ones; if null, the stream has one of its own. The stream and its
    // batches keep it alive. Streams that share one save up to a quarter of the time of reading, as allocating is slow.
    std::shared_ptr<batch_memory> memory = nullptr;
};

}  // namespace arrow
}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
