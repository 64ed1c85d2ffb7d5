// wlfmt/oplog.hpp: rank op logs, one line an operation of one rank.
//
//     rank:7:forward_step(stage_id=1,batch_id=0,mg_state=None,duration=8.3,...,sub_operations=['trace_src_func=...'])
//
// The format, its dialects and where their facts come from: docs/formats.md, section 1.
#ifndef WLFMT_OPLOG_HPP
#define WLFMT_OPLOG_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "number.hpp"

#include "detail/core/problems.hpp"
#include "detail/core/scan.hpp"

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace oplog {

// Texts of a record. A missing key has a view without data (`data() == nullptr`), None is the text "None", and an empty
// value is an empty view with data. Each view points into the text that was read, or wherever the caller's own do.
inline bool missing(std::string_view v) noexcept { return v.data() == nullptr; }
inline bool is_none(std::string_view v) noexcept { return v == "None"; }

// The collectives that tracers write; `other` is any further word, which the field's own text tells.
enum class collective : std::uint8_t { none, allreduce, all_to_all, allgather, reduce_scatter, broadcast, other };
// Missing and None are collective::none.
collective collective_of(std::string_view comm_func) noexcept;

// The communication groups: data, tensor, pipeline, embedding and expert parallel; data parallel among the holders of
// embeddings and of experts.
enum class group : std::uint8_t { none, dp, tp, pp, ep, exp, ep_dp, exp_dp, other };
group group_of(std::string_view group_kind) noexcept;

// What the scheduler of the pipeline was doing.
enum class pipeline_state : std::uint8_t { none, warmup, steady, cooldown, finalize, help, forward, backward, other };
pipeline_state pipeline_state_of(std::string_view mg_state) noexcept;

// A tensor shape: `[2048, 2, 5120]`, `torch.Size([8])`, None, or missing. Decoded as it is walked.
class shape {
public:
    class iterator;
    constexpr shape() noexcept = default;                                      // missing
    constexpr explicit shape(std::string_view text) noexcept : text_(text) {}  // as it is written
    constexpr shape(const std::int64_t* dims, std::size_t count) noexcept : dims_(dims), count_(count) {}

    bool missing() const noexcept { return text_.data() == nullptr && dims_ == nullptr; }
    bool is_none() const noexcept { return oplog::is_none(text_); }
    // A list of integers in its whole length. Anything else is kept as text(); a walk ends at what is no integer.
    bool is_list() const noexcept;
    // Walks a text to count.
    std::size_t size() const noexcept { return dims_ != nullptr ? count_ : walked_size(); }
    iterator begin() const noexcept;
    sentinel end() const noexcept { return {}; }
    // As it is written; without data where the dimensions were given as integers.
    std::string_view text() const noexcept { return text_; }
    // The caller's own integers, or null.
    const std::int64_t* dims() const noexcept { return dims_; }

private:
    friend struct access;
    std::size_t walked_size() const noexcept;
    std::string_view text_ = {};
    const std::int64_t* dims_ = nullptr;
    std::size_t count_ = 0;  // of dims_; of a text whether it stands in one with eight bytes more behind it
};

// One `key=value` as it is written.
struct attribute {
    std::string_view key = {};
    std::string_view value = {};
};

// The attributes of a record in their order, known ones and further ones: a text that is split as it is walked, or the
// caller's own array. Writing follows it: a known key takes its value from the record's member, a further key the
// value that stands here. Empty for a record that is built by hand and has no further keys.
class attribute_list {
public:
    class iterator;
    constexpr attribute_list() noexcept = default;
    constexpr attribute_list(const attribute* items, std::size_t count) noexcept : items_(items), count_(count) {}
    // `spaced`: the separator is ", " instead of ",".
    constexpr attribute_list(std::string_view text, bool spaced) noexcept : text_(text), spaced_(spaced) {}

    bool empty() const noexcept { return text_.empty() && count_ == 0; }
    iterator begin() const noexcept;
    sentinel end() const noexcept { return {}; }
    // The value of the first attribute of that key; missing where there is none. Linear in the text.
    std::string_view find(std::string_view key) const noexcept;

private:
    std::string_view text_ = {};
    const attribute* items_ = nullptr;
    std::size_t count_ = 0;
    bool spaced_ = false;
};

// A nested operation, a quoted string of the list: `key=value` pairs, or any other text.
struct sub_operation {
    std::string_view trace_src_func = {};  // the traced function
    number duration = {};                  // milliseconds
    number timestamp = {};                 // milliseconds of a monotonic clock
    shape input_shape = {};                // input__shape
    std::string_view input_dtype = {};     // input__dtype, "torch.float32"
    std::string_view func_name = {};       // what the tensor is; often missing
    std::string_view group = {};           // communication group, "tp"
    std::string_view comm_func = {};       // collective, "allreduce"

    // Where the string is not key=value: all of it, and no other member is set.
    std::string_view text = {};
    // All keys in order where that order is not the one above, or where there are further keys.
    attribute_list attributes = {};
    // Set where the string holds Python escapes: the views then show the escapes as they are written between quotes of
    // this kind, and unescape() reads them. 0: the views are plain text.
    char quote = 0;
    // The separator is ", " instead of ",".
    bool spaced = false;

    bool is_text() const noexcept { return text.data() != nullptr; }
};

// What a walk of sub_operations decodes. The other members hold nothing to rely on; their bytes are passed over
// unchecked.
enum class field : std::uint8_t {
    none = 0,
    trace_src_func = 1,
    duration = 2,
    timestamp = 4,
    input_shape = 8,
    input_dtype = 16,
    func_name = 32,
    group = 64,
    comm_func = 128,
    all = 255
};
constexpr bool has(field all, field one) noexcept {
    return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}
constexpr field operator|(field a, field b) noexcept {
    return static_cast<field>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

// The nested operations of a record: missing, None, or a list that is decoded as it is walked (from the text), or the
// caller's own array. Walking a pull reader's list reports what is wrong in it to the reader: the walk ends there and
// reader::ok() is false.
template <field Fields>
class basic_sub_operations {
public:
    class iterator;
    basic_sub_operations() noexcept = default;  // missing
    basic_sub_operations(const sub_operation* items, std::size_t count) noexcept
        : items_(items), count_(count), has_(content::list) {}

    bool missing() const noexcept { return has_ == content::missing; }
    bool is_none() const noexcept { return has_ == content::none; }
    // No nested operation (or none at all).
    bool empty() const noexcept { return items_ != nullptr ? count_ == 0 : text_.empty(); }
    iterator begin() const noexcept;
    sentinel end() const noexcept { return {}; }
    // Walks the list to count.
    std::size_t size() const noexcept;
    // The list between its brackets as it is written; without data for the caller's own array.
    std::string_view text() const noexcept { return text_; }

    // The same list, decoding nothing but the fields named: list.only<field::duration | field::comm_func>(). What is
    // not decoded is not checked either: of comm_func twice in one string, which a whole walk reports, the last counts,
    // as does one in a list within the string.
    template <field Chosen>
    basic_sub_operations<Chosen> only() const noexcept {
        return basic_sub_operations<Chosen>(*this);
    }

private:
    template <field>
    friend class basic_sub_operations;
    friend struct access;
    enum class content : std::uint8_t { missing, none, list };

    template <field Other>
    explicit basic_sub_operations(const basic_sub_operations<Other>& o) noexcept
        : text_(o.text_),
          items_(o.items_),
          count_(o.count_),
          problems_(o.problems_),
          has_(static_cast<content>(o.has_)) {}

    std::string_view text_ = {};
    const sub_operation* items_ = nullptr;
    std::size_t count_ = 0;
    detail::problems* problems_ = nullptr;
    content has_ = content::missing;
};
using sub_operation_list = basic_sub_operations<field::all>;

// Whose operation a line tells.
enum class origin : std::uint8_t {
    rank,  // rank:N:, what a rank did
    stage  // stage:N:, what the scheduling plan has for a pipeline stage
};

// One operation. A plain struct of views and numbers: cheap to copy, easy to build by hand. Members that are missing
// are not written; operation::traced() begins with all of the tracer's keys.
struct operation {
    oplog::origin origin = origin::rank;
    std::int64_t rank = 0;              // the global rank, or the stage of a plan
    std::string_view op = {};           // "forward_step": an open set
    number stage_id = {};               // pipeline stage
    number batch_id = {};               // micro-batch
    std::string_view mg_state = {};     // "warmup": pipeline_state_of()
    number duration = {};               // milliseconds
    std::string_view description = {};  // free text
    std::string_view group_kind = {};   // communication group: group_of()
    shape input_shape = {};             // input__shape
    std::string_view input_dtype = {};  // input__dtype
    number timestamp = {};              // milliseconds of a monotonic clock when the operation ended; 0: not measured
    sub_operation_list sub_operations = {};

    // All keys in order where that order is not the one above, or where there are further keys.
    attribute_list attributes = {};
    // The separator is ", " instead of ",".
    bool spaced = false;

    // A record with all of the tracer's keys: each None but for an empty list of sub-operations.
    static operation traced(std::int64_t rank, std::string_view op) noexcept;
};

// Pulls operations out of a text, one by one, and allocates nothing. Linear in the text in all.
//
//     wlfmt::oplog::reader log(text);
//     while (const auto* op = log.next()) use(*op);
//     if (!log.ok()) std::cerr << wlfmt::explain(log.error(), text, "rank7.txt");
//
// The text must outlive the reader and every view that came out of it; a record itself is valid until the next call.
// A line that does not begin with `rank:N:name(` or `stage:N:name(` is foreign text. Numbers of sub-operations are
// checked when they are walked.
class reader {
public:
    explicit reader(std::string_view text, const options& how = {}) noexcept;
    // The text would be gone before the first record is read.
    template <class S, detail::if_temporary_text<S> = 0>
    explicit reader(S&& text, const options& how = {}) = delete;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    // The next operation; null at the end of the text and after an error.
    const operation* next() noexcept;

    bool ok() const noexcept { return !problems_.first; }
    const struct error& error() const noexcept { return problems_.first; }
    // After an error: forgets it and goes on with the line behind it. False where there is none.
    bool skip() noexcept;

    // Where the next line begins, in bytes from the start of the text.
    std::uint64_t offset() const noexcept;
    // Problems that options::lenient tolerated so far.
    std::uint64_t tolerated() const noexcept { return problems_.tolerated; }
    // Lines that are not empty and hold no record, so far.
    std::uint64_t foreign_lines() const noexcept { return foreign_lines_; }

private:
    friend struct access;
    const char* at_;
    const char* end_;
    operation record_;
    detail::problems problems_;
    std::uint64_t foreign_lines_ = 0;
    bool any_ = false;  // a record was seen, good or bad
    bool odd_ = false;  // record_ holds what the plain path does not overwrite
};

// All operations of a text.
struct document {
    std::vector<operation> operations;

    // The sub-operations of an operation of this document as structs to edit in place. They are kept in the document
    // from then on; the operation shows them.
    struct editable {
        sub_operation* items;
        std::size_t count;
        sub_operation* begin() const noexcept { return items; }
        sub_operation* end() const noexcept { return items + count; }
    };
    editable edit(operation& op);

    std::vector<std::vector<sub_operation>> edited;  // what edit() keeps
};

// Reads all operations, and walks all their sub-operations. The document's views live as long as the text. Throws
// nothing but what std::vector throws when there is no memory.
result<document> read(std::string_view text, const options& how = {});
template <class S, detail::if_temporary_text<S> = 0>
result<document> read(S&& text, const options& how = {}) = delete;

// Appends the line of an operation, its end with it, or all lines of a document, to a std::string or to anything with
// append(const char*, std::size_t). The bytes are the tracer's: Python's repr of decimals and of strings. Nothing is
// checked: problem_of() tells whether a record that was built by hand reads back as it is.
template <class Sink>
void write(Sink& sink, const operation& op);
template <class Sink>
void write(Sink& sink, const document& doc);

// The first thing that keeps a record from reading back as it is (a comma followed by a key in a value, a line end, a
// name that is none), or error_kind::none. `error::field` names it.
error problem_of(const operation& op) noexcept;

// What a Python string of the log says: reads the escapes between quotes (\\ \' \" \n \xNN \uNNNN \UNNNNNNNN, octal,
// ...) into `buffer` and returns a view of it; the text itself where it holds no backslash. The buffer needs
// text.size() bytes. An unknown escape stays as it is, as in Python; a lone surrogate becomes its three bytes.
std::string_view unescape(std::string_view text, char* buffer) noexcept;
// Appends text as Python's repr(str) quotes and escapes it. Bytes from 0x80 on are left as they are.
template <class Sink>
void write_quoted(Sink& sink, std::string_view text);

}  // namespace oplog
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/core/end.hpp"

#include "detail/oplog/read.hpp"
#include "detail/oplog/write.hpp"
#endif
