// wlfmt/types/oplog.hpp: the records of rank op logs. wlfmt/oplog.hpp reads and writes them.
//
//     rank:7:forward_step(stage_id=1,batch_id=0,mg_state=None,duration=8.3,...,sub_operations=['trace_src_func=...'])
//
// The format and its dialects: docs/formats.md, section 1; where their facts come from: 7.2.
#include "../version.hpp"

#ifndef WLFMT_TYPES_OPLOG_HPP
#define WLFMT_TYPES_OPLOG_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/base/walk.hpp"
#include "number.hpp"
#include "text.hpp"
#include "value.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {
struct oplog_access;
struct problems;
// std::int64_t if that holds every integer of the type; else no type. It depends on a template argument so that vectors
// of it are compiled only where they are used.
template <class Integer>
using dimension_of =
    std::enable_if_t<is_integer<Integer> && (sizeof(Integer) + std::is_unsigned_v<Integer> <= sizeof(std::int64_t)),
                     std::int64_t>;

// A list of sub-operations that owns nothing.
template <class Item> struct list_view {
    enum class content : std::uint8_t { missing, none, list };

    std::string_view text_ = {};
    const Item* items_ = nullptr;
    std::size_t count_ = 0;
    content content_ = content::missing;
    bool checked_ = false;  // read() found nothing wrong in the text
};
// The reader whose record a list belongs to. A copy of the list belongs to no reader.
struct list_reader {
    problems* reader = nullptr;

    list_reader() noexcept = default;
    list_reader(const list_reader&) noexcept {}
    list_reader& operator=(const list_reader& other) noexcept {
        if (this != &other) reader = nullptr;
        return *this;
    }
    list_reader& operator=(problems* p) noexcept {
        reader = p;
        return *this;
    }
    ~list_reader() = default;
};
}  // namespace detail

namespace oplog {

// The collectives that tracers write; `other` stands for every other word: the field's own text says which.
enum class collective : std::uint8_t { none, allreduce, all_to_all, allgather, reduce_scatter, broadcast, other };
// A missing text and None are collective::none.
[[nodiscard]] inline collective collective_of(std::string_view comm_func) noexcept;
template <class S, detail::if_null_literal<S> = 0> collective collective_of(S&&) = delete;
// The enumerator's own spelling, "allreduce". Static storage, as for all functions of this name.
[[nodiscard]] inline std::string_view name_of(collective c) noexcept;

// The communication groups, and what tracers call them. (In workload files `ep` is the expert parallel group.)
enum class group : std::uint8_t {
    none,
    data_parallel,            // dp
    tensor_parallel,          // tp
    pipeline_parallel,        // pp
    embedding,                // ep: the first and the last stage, which share the embedding
    expert_parallel,          // exp
    embedding_data_parallel,  // ep_dp
    expert_data_parallel,     // exp_dp
    other
};
[[nodiscard]] inline group group_of(std::string_view group_kind) noexcept;
template <class S, detail::if_null_literal<S> = 0> group group_of(S&&) = delete;
[[nodiscard]] inline std::string_view name_of(group g) noexcept;

// What the scheduler of the pipeline was doing.
enum class pipeline_state : std::uint8_t { none, warmup, steady, cooldown, finalize, help, forward, backward, other };
[[nodiscard]] inline pipeline_state pipeline_state_of(std::string_view mg_state) noexcept;
template <class S, detail::if_null_literal<S> = 0> pipeline_state pipeline_state_of(S&&) = delete;
[[nodiscard]] inline std::string_view name_of(pipeline_state s) noexcept;

// A tensor shape: `[2048, 2, 5120]`, `torch.Size([8])`, None, or missing. Decoded as it is iterated.
class shape {
public:
    class iterator;

    shape() noexcept = default;  // missing
    // A shape as it is written.
    explicit shape(text_view text WLFMT_LIFETIMEBOUND) noexcept : text_(text) {}
    // Integers that the shape owns and shares with its copies and iterators: `op.input_shape = {2048, 2, 5120}`, or a
    // vector.
    template <class Integer, class Dimension = detail::dimension_of<Integer>> shape(const std::vector<Integer>& dims) {
        const detail::shared_items<Dimension> own(std::vector<Dimension>(dims.begin(), dims.end()));
        *this = shape(own.data(), own.size());
        own_ = own;
    }
    template <class Dimension = std::int64_t>
    shape(std::initializer_list<std::int64_t> dims) : shape(std::vector<Dimension>(dims)) {}
    // The caller's own array, which must outlive the shape.
    shape(const std::int64_t* dims, std::size_t count) noexcept
        : dims_(dims != nullptr ? dims : &no_dims), count_(dims != nullptr ? count : 0) {}

    [[nodiscard]] bool is_missing() const noexcept { return text_.data() == nullptr && dims_ == nullptr; }
    [[nodiscard]] bool is_none() const noexcept { return wlfmt::is_none(text_); }
    // Whether all of it is a list of integers. If not, iteration ends before the first thing that is not an integer,
    // and text() has all of it.
    [[nodiscard]] bool is_list() const noexcept;
    // Linear for a text.
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] WLFMT_INLINE iterator begin() const noexcept;
    [[nodiscard]] WLFMT_INLINE iterator end() const noexcept;
    // The n-th dimension, from 0; missing if there is none. Linear in n.
    [[nodiscard]] number operator[](std::size_t n) const noexcept;
    // The text as it is written; without data if the dimensions were given as integers.
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    // The integers if the dimensions were given as integers, else null.
    [[nodiscard]] const std::int64_t* dims() const& noexcept WLFMT_LIFETIMEBOUND { return dims_; }
    const std::int64_t* dims() const&& = delete;

private:
    friend struct detail::oplog_access;
    // An empty array may have no address, like that of an empty vector. It is not missing: dims_ then points here.
    static constexpr std::int64_t no_dims = 0;
    std::string_view text_ = {};
    const std::int64_t* dims_ = nullptr;
    // With dims_, the number of dimensions. With a text, 1 if it is in brackets and is followed by at least sixteen
    // bytes of the text that it was read from, so that iteration may load a whole block; else 0.
    std::size_t count_ = 0;
    detail::lasting_share own_;  // where dims_ points, if the shape owns it
};

// One `key=value` as it is written.
struct attribute {
    text_view key = {};
    text_view value = {};
};

// The attributes of a record, known and further, in their order: a text that is split as it is iterated over, the
// caller's own array, which must outlive the list, or attributes that the list owns and that its copies copy. Writing
// follows the list: a known key takes its value from the record's member, and a further key the value given here. Empty
// for a record that has the tracer's own keys in the tracer's order: oplog::visit_keys() visits the keys of any record.
class attribute_list {
public:
    class iterator;

    attribute_list() noexcept = default;
    attribute_list(const attribute* items, std::size_t count) noexcept
        : items_(count != 0 ? items : nullptr), count_(items == nullptr ? 0 : count) {}
    attribute_list(std::vector<attribute> items) : own_(std::move(items)) {}
    // A template, so that a source without such a list does not compile the vector that it makes.
    template <class Item = attribute>
    attribute_list(std::initializer_list<attribute> items) : own_(std::vector<Item>(items)) {}
    // The attributes of a text, "cmd_uid=7,k=v". `spaced`: the separator is ", " instead of ",".
    static attribute_list from_text(text_view text WLFMT_LIFETIMEBOUND, bool spaced = false) noexcept {
        attribute_list list;
        list.text_ = text;
        list.count_ = spaced ? 1 : 0;  // there are no items that it would count
        return list;
    }

    [[nodiscard]] bool empty() const noexcept {
        return text_.empty() && items_ == nullptr && (!own_ || own_.size() == 0);
    }
    [[nodiscard]] iterator begin() const noexcept;
    [[nodiscard]] iterator end() const noexcept;
    // The attributes as a vector that the list owns, to change. Valid until the list is assigned to or destroyed.
    std::vector<attribute>& edit() & WLFMT_LIFETIMEBOUND;

private:
    std::string_view text_ = {};
    const attribute* items_ = nullptr;
    std::size_t count_ = 0;  // the number of items_; with a text, 1 if it is spaced
    detail::own_items<attribute> own_;
};

// A nested operation, a quoted string of the list: `key=value` pairs, or any other text.
struct sub_operation {
    wlfmt::text_view trace_src_func = {};  // the traced function
    number duration = {};                  // milliseconds
    number timestamp = {};                 // milliseconds of a monotonic clock
    shape input_shape = {};                // input__shape
    wlfmt::text_view input_dtype = {};     // input__dtype, "torch.float32"
    wlfmt::text_view func_name = {};       // what the tensor is; often missing
    wlfmt::text_view group = {};           // communication group, "tp": group_of()
    wlfmt::text_view comm_func = {};       // collective, "allreduce": collective_of()

    // The whole string if it is not key=value; the members above are then missing.
    wlfmt::text_view text = {};
    // All keys in their order, if that is not the order above or there are further keys; else empty.
    attribute_list attributes = {};
    // The bytes that it was read from: the string between its quotes, with its escapes. Writing ignores it.
    wlfmt::text_view source = {};
    // The kind of quotes around the string if it holds Python escapes: the views then show the escapes as they are
    // written, and unescape() decodes them. 0 if the views are plain text.
    char quote = 0;
    // Whether the separator is ", " instead of ",".
    bool spaced = false;
    // True for the last item of a list that cannot be read to its end (a string is not closed, or there is other text
    // between the strings): not an operation, but the rest of the list, which `text` holds as it is.
    bool damaged = false;

    [[nodiscard]] bool is_text() const noexcept { return text.data() != nullptr; }
    // The value of a key, known or further; missing if there is no such key. Linear in the further keys.
    [[nodiscard]] value find(std::string_view key) const noexcept;
    value find(std::nullptr_t) const = delete;
    // Like operation::set().
    bool set(text_view key, text_view printed);
    [[nodiscard]] bool set(text_view key, const number& n) noexcept;
};

// Which members of nested operations are decoded. Do not rely on the others: their bytes are not checked.
enum class fields : std::uint8_t {
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
// The key of a single field, "input__shape", or "several".
[[nodiscard]] inline std::string_view name_of(fields f) noexcept;
[[nodiscard]] constexpr bool has(fields set, fields field) noexcept {
    return (static_cast<unsigned>(set) & static_cast<unsigned>(field)) != 0;
}
[[nodiscard]] constexpr fields operator|(fields a, fields b) noexcept {
    return static_cast<fields>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

template <fields Fields> class sub_operation_iterator;
template <fields Fields> class chosen_sub_operations;

// The nested operations of a record: missing, None, or a list. A list is a text that is decoded as it is iterated, the
// caller's own array, or operations that it owns: those of a list that was edited or made from a vector. A copy of a
// list owns copies of what the list owns.
//
// Iteration shows every string of the list, and what is wrong with a string can be seen in its operation: a duration
// that is not a number is a text, a key that occurs twice is in `attributes`, and if the list cannot be read from some
// place on, the last sub_operation is `damaged`. If a reader shows the record, iteration also reports the problem to
// the reader, whose ok() is false from then on. problem_of() checks any list.
class sub_operation_list : private detail::list_view<sub_operation> {
public:
    sub_operation_list() noexcept = default;  // missing
    // The caller's own array, which must outlive the list and its copies; without an array, an empty list.
    sub_operation_list(const sub_operation* items, std::size_t count) noexcept {
        items_ = items;
        count_ = items == nullptr ? 0 : count;
        content_ = content::list;
    }
    sub_operation_list(std::vector<sub_operation> items) {
        owned_ = detail::own_items<sub_operation>(std::move(items));
        content_ = content::list;
    }
    // A template, so that a source without such a list does not compile the vector that it makes.
    template <class Item = sub_operation>
    sub_operation_list(std::initializer_list<sub_operation> items) : sub_operation_list(std::vector<Item>(items)) {}

    [[nodiscard]] bool is_missing() const noexcept { return content_ == content::missing; }
    [[nodiscard]] bool is_none() const noexcept { return content_ == content::none; }
    // True if there is no nested operation: an empty list, None, or missing.
    [[nodiscard]] bool empty() const noexcept {
        return owned_ ? owned_.size() == 0 : items_ != nullptr ? count_ == 0 : text_.empty();
    }
    // Linear for a text, which is iterated over; only<fields::none>().size() counts without looking at values.
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] sub_operation_iterator<fields::all> begin() const noexcept;
    [[nodiscard]] sub_operation_iterator<fields::all> end() const noexcept;
    // The list between its brackets, as it is written; without data for an array and for operations that the list owns.
    [[nodiscard]] std::string_view text() const noexcept { return text_; }

    // The same list, decoding nothing but the fields named: list.only<fields::duration | fields::comm_func>(). What is
    // not decoded is not checked either: if comm_func occurs twice in one string, which decoding all fields reports,
    // the last occurrence counts, even one inside a list within the string.
    template <fields Chosen> [[nodiscard]] chosen_sub_operations<Chosen> only() const noexcept {
        return chosen_sub_operations<Chosen>(*this);
    }

    // The operations as a vector that the list owns, to change: the first call decodes the text or copies the array. A
    // missing list, or None, becomes an empty one. Valid until the list is assigned to or destroyed.
    std::vector<sub_operation>& edit() & WLFMT_LIFETIMEBOUND;

private:
    template <fields> friend class chosen_sub_operations;
    friend struct detail::oplog_access;
    detail::own_items<sub_operation> owned_;
    detail::list_reader reader_;
};

// Whether a line describes an operation of a rank or of a pipeline stage.
enum class origin : std::uint8_t {
    rank,  // rank:N:, an operation of a rank
    stage  // stage:N:, an operation that a scheduling plan has for a pipeline stage
};
[[nodiscard]] std::string_view name_of(origin o) noexcept;

// One operation. A struct of views and numbers: easy to build by hand. Members that are missing are not written;
// operation::traced() begins with all of the tracer's keys.
struct operation {
    oplog::origin origin = origin::rank;
    std::int64_t rank = 0;       // the global rank, or the stage of a plan
    text_view op = {};           // "forward_step"; any name is possible
    number stage_id = {};        // pipeline stage
    number batch_id = {};        // micro-batch
    text_view mg_state = {};     // "warmup": pipeline_state_of()
    number duration = {};        // milliseconds
    text_view description = {};  // free text
    text_view group_kind = {};   // communication group: group_of()
    shape input_shape = {};      // input__shape
    text_view input_dtype = {};  // input__dtype
    number timestamp = {};       // milliseconds of a monotonic clock when the operation ended; 0: not measured
    sub_operation_list sub_operations = {};

    // All keys in their order, if that is not the order above or there are further keys; else empty.
    attribute_list attributes = {};
    // The bytes that it was read from: its line without the prefix and the line end. Writing ignores it.
    text_view source = {};
    // Whether the separator is ", " instead of ",".
    bool spaced = false;

    // A record with all of the tracer's keys: all are None, and the list of sub-operations is empty.
    [[nodiscard]] static operation traced(std::int64_t rank, text_view op WLFMT_LIFETIMEBOUND) noexcept;

    // The value of a key, or of the head: "rank" or "stage", "op"; else missing. Linear in the further keys.
    [[nodiscard]] value find(std::string_view key) const noexcept;
    value find(std::nullptr_t) const = delete;
    // Gives a key a value as it is printed: set("cmd_uid", "7"). The member of a known key becomes what a reader would
    // read there, or missing if `printed` has no data; any other key is an attribute, the first one of that name or a
    // new one before sub_operations. Returns false and changes nothing for sub_operations or a rank that is no integer.
    bool set(text_view key, text_view printed);
    // Gives a number to "rank" or "stage", or to a key whose member is a number: set("stage_id", 4). Returns false and
    // changes nothing for any other key, whose text the caller keeps.
    [[nodiscard]] bool set(text_view key, const number& n) noexcept;
};

// All operations of a text, and a range of them.
struct document {
    std::vector<operation> operations;

    std::size_t size() const noexcept { return operations.size(); }
    bool empty() const noexcept { return operations.empty(); }
    auto begin() & noexcept WLFMT_LIFETIMEBOUND { return operations.begin(); }
    auto end() & noexcept WLFMT_LIFETIMEBOUND { return operations.end(); }
    auto begin() const& noexcept WLFMT_LIFETIMEBOUND { return operations.begin(); }
    auto end() const& noexcept WLFMT_LIFETIMEBOUND { return operations.end(); }
    void begin() const&& = delete;
    void end() const&& = delete;
};

}  // namespace oplog
}}  // namespace wlfmt::WLFMT_ABI

// An iterator holds what it iterates over, and may outlive its list. A list that owns nothing is a view.
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) > 201703L && defined(__cpp_lib_concepts)
template <> inline constexpr bool std::ranges::enable_view<wlfmt::oplog::shape> = true;
template <> inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::oplog::shape> = true;
template <> inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::oplog::attribute_list> = true;
template <> inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::oplog::sub_operation_list> = true;
template <wlfmt::oplog::fields Chosen>
inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::oplog::chosen_sub_operations<Chosen>> = true;
#endif

#include "../detail/base/config_end.hpp"
#endif
