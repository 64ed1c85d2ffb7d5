// The columns of records in CSV and Arrow: their names, types and meanings, and the values of a record for them.
#ifndef WLFMT_DETAIL_CSV_COLUMNS_HPP
#define WLFMT_DETAIL_CSV_COLUMNS_HPP

#include "../../oplog.hpp"
#include "../../table.hpp"
#include "../../types/csv.hpp"
#include "../../workload.hpp"
#include "../oplog/schema.hpp"
#include "../workload/schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// What a column holds. (In Arrow: int64, float64, dictionary-encoded utf8, and list of int64.)
enum class column_type : std::uint8_t { integer, decimal, word, integers };

// The functions below pass each column of a record, in order, to the member function of `columns` that is named after
// what the column holds. Writers of rows use the values; column_list ignores them and calls each(column, type).
// To::is_csv tells CSV from Arrow, as each has a few columns of its own.
template <bool IsCsv, class Each> struct column_list {
    static constexpr bool is_csv = IsCsv;
    Each each;
    template <class... V> void integer(const column_info& c, const V&...) const { each(c, column_type::integer); }
    template <class... V> void decimal(const column_info& c, const V&...) const { each(c, column_type::decimal); }
    template <class... V> void integers(const column_info& c, const V&...) const { each(c, column_type::integers); }
    template <class... V> void bytes(const column_info& c, const V&...) const { each(c, column_type::integer); }
    template <class... V> void word(const column_info& c, const V&...) const { each(c, column_type::word); }
    template <class... V> void optional_word(const column_info& c, const V&...) const { each(c, column_type::word); }
    template <class... V> void value(const column_info& c, const V&...) const { each(c, column_type::word); }
    template <class... V> void json(const column_info& c, const V&...) const { each(c, column_type::word); }
    template <class... V> void nones(const column_info& c, const V&...) const { each(c, column_type::word); }
    template <class... V> void further(const column_info& c, const V&...) const { each(c, column_type::word); }
    template <class... V> void keys(const column_info& c, const V&...) const { each(c, column_type::word); }
};
template <bool IsCsv, class Each> column_list<IsCsv, Each> list_columns(Each each) { return {each}; }

inline constexpr column_info file_column = {"file", "", "the file that the row is from"};
inline constexpr column_info record_column = {"record", "", "the operation's position in its file"};
inline constexpr column_info index_column = {"index", "", "the position among the nested operations"};
inline constexpr column_info rank_column = {"rank", "", "the global rank, or the stage of a plan"};
inline constexpr column_info copy_column = {"copy", "", "1: its time is that of the operation before it, else 0"};
inline constexpr column_info further_column = {"further", "", "what has no column, as JSON"};

// Whether the column of this key is followed by that of the tensor's size, which is computed from shape and type.
template <class Record> constexpr bool is_last_of_tensor(const key_row<Record>& row) noexcept {
    return row.as_text == &Record::input_dtype;
}
template <class Record>
inline constexpr column_info tensor_column = {std::is_same_v<Record, oplog::operation> ? "bytes" : "sub_bytes", "bytes",
                                              "the size of the tensor, as its shape and type tell it"};
template <class Record> constexpr column_info column_of(const key_row<Record>& row) noexcept {
    return {row.heading, row.as_number != nullptr && row.holds != numeric::index ? "ms" : "", row.meaning};
}

template <class Record>
inline constexpr column_info dimensions_column = {
    std::is_same_v<Record, oplog::operation> ? "input_dimensions" : "sub_input_dimensions", "",
    "the number of the tensor's dimensions"};
inline number dimensions_of(const oplog::shape& s) noexcept { return s.is_list() ? number(s.size()) : number(); }

template <class To, class From> WLFMT_INLINE void file_columns(To& columns, const From& from) {
    if constexpr (!To::is_csv) {
        columns.word(file_column, from.file);
        columns.optional_word({"run", "", "the time in the file's name, which tells repeated runs apart"}, from.run);
    }
}
// The key is a template argument, as looking up its row for each record would take longer.
template <class Record, std::size_t Key, class To>
WLFMT_INLINE void key_column(To& columns, const Record& r, char quote) {
    constexpr const key_row<Record>& row = rows_of<Record>()[Key];
    constexpr column_info column = column_of(row);
    if constexpr (row.as_text != nullptr) columns.value(column, r.*row.as_text, quote);
    else if constexpr (row.as_shape != nullptr)
        columns.integers(column, r.*row.as_shape, r.input_dtype, row.name, quote);
    else if constexpr (row.as_number == nullptr) columns.integer(column, r.sub_operations);
    else if constexpr (row.holds == numeric::index) columns.integer(column, r.*row.as_number, row.name, quote);
    else columns.decimal(column, r.*row.as_number, row.name, quote);
    if constexpr (is_last_of_tensor(row)) {
        columns.bytes(tensor_column<Record>, r.input_shape, r.input_dtype);
        if constexpr (To::is_csv) columns.integer(dimensions_column<Record>, dimensions_of(r.input_shape));
    }
}
template <class Record, class To, std::size_t... Keys>
WLFMT_INLINE void key_columns(To& columns, const Record& r, char quote, std::index_sequence<Keys...>) {
    (key_column<Record, Keys>(columns, r, quote), ...);
}
template <class To, class Record> WLFMT_INLINE void key_columns(To& columns, const Record& r, char quote = 0) {
    key_columns(columns, r, quote, std::make_index_sequence<key_count<Record>>());
}
template <class To, class Record>
WLFMT_INLINE void further_columns(To& columns, const Record& r, key_of_record<Record> unknown, char quote = 0) {
    if constexpr (!To::is_csv) columns.nones({"none", "", "the columns that are None, and not missing"});
    columns.further(further_column, r, unknown, quote);
    if constexpr (!To::is_csv)
        columns.keys({"keys", "", "the keys, if their names or their order are not the tracer's"}, r, quote);
}

template <class To, class From>
WLFMT_INLINE void record_columns(To& columns, const From& from, const oplog::operation& op) {
    file_columns(columns, from);
    columns.integer(record_column, from.position);
    columns.word({"origin", "", "rank, or stage in a scheduling plan"}, name_of(op.origin));
    columns.integer(rank_column, op.rank);
    columns.word({"op", "", "the operation's name"}, op.op);
    key_columns(columns, op);
    further_columns(columns, op, op_key::extra);
    columns.integer(copy_column, std::uint64_t{from.is_copy});
}
// The columns that an operation's nested operations have in common, and the position of one of them.
template <class To, class From>
WLFMT_INLINE void columns_of_parent(To& columns, const From& from, const oplog::operation& op, std::uint64_t index) {
    file_columns(columns, from);
    columns.integer(record_column, from.position);
    if constexpr (!To::is_csv) columns.integer(index_column, index);
    columns.integer(rank_column, op.rank);
    columns.word({"op", "", "the operation around it"}, op.op);
    columns.integer({"stage_id", "", "the pipeline stage"}, op.stage_id, "stage_id");
    columns.integer({"batch_id", "", "the micro-batch"}, op.batch_id, "batch_id");
    if constexpr (To::is_csv) columns.integer(index_column, index);
}
// `quote` is 0 if no value has an escape.
template <class To> WLFMT_INLINE void nested_columns(To& columns, const oplog::sub_operation& s, char quote) {
    key_columns(columns, s, quote);
    columns.optional_word({"text", "", "a nested operation that has no keys"}, s.text, quote);
    further_columns(columns, s, sub_key::extra, s.quote);
}
template <class To, class From>
void record_columns(To& columns, const From& from, const oplog::sub_operation& s, const oplog::operation& around = {},
                    std::uint64_t index = 0) {
    columns_of_parent(columns, from, around, index);
    nested_columns(columns, s, s.quote);
}

template <class To>
WLFMT_INLINE void phase_columns(To& columns, const workload::phase& p, std::string_view compute, std::string_view comm,
                                std::string_view bytes, std::string_view meaning) {
    columns.decimal({compute, "ticks", meaning}, p.compute);
    // A text even if it is None, which AICB writes for a collective that has no token. (NONE is a token.)
    columns.word({comm, "", "its collective"}, p.comm);
    columns.integer({bytes, "bytes", "what the collective moves"}, p.bytes);
}
template <class To, class From>
WLFMT_INLINE void record_columns(To& columns, const From& from, const workload::layer& layer) {
    if constexpr (!To::is_csv) columns.word(file_column, from.file);
    columns.integer({"layer", "", "the layer's position in its file"}, from.position);
    columns.word({"name", "", "the layer's name"}, layer.name);
    columns.integer({"dependency", "", "-1: none"}, layer.dependency);
    phase_columns(columns, layer.forward, "forward_compute", "forward_comm", "forward_bytes",
                  "computation of the forward phase");
    phase_columns(columns, layer.input_grad, "input_grad_compute", "input_grad_comm", "input_grad_bytes",
                  "computation of the gradients of the inputs");
    phase_columns(columns, layer.weight_grad, "weight_grad_compute", "weight_grad_comm", "weight_grad_bytes",
                  "computation of the gradients of the weights");
    columns.decimal({"update", "ticks", "the delay after the last collective"}, layer.update);
    columns.optional_word({"policy", "", "the layer's own parallelism policy"}, layer.policy);
    columns.optional_word({"further", "", "the words after the policy"}, layer.further);
}

// Returns, for each of `columns_of_all` (the columns of several tables), the position of the same column in `columns`,
// or no_column. key(column) is the name that a column of `columns` has in `columns_of_all`; the n-th column of a name
// matches the n-th one there. Calls other(column) for each column without a match; other() may add it there.
inline constexpr std::size_t no_column = static_cast<std::size_t>(-1);
template <class Columns, class All, class Key, class Other>
std::vector<std::size_t> match_columns(const All& columns_of_all, const Columns& columns, const Key& key,
                                       const Other& other) {
    std::vector<std::size_t> matches(columns_of_all.size(), no_column);
    std::size_t n = 0;
    for (const table::column& c : columns) {
        const std::string_view name = key(c);
        std::size_t place = 0;
        while (place != matches.size() && (matches[place] != no_column || columns_of_all[place].name != name)) ++place;
        if (place != matches.size()) matches[place] = n;
        else other(c);
        ++n;
    }
    return matches;
}
inline std::string_view printed_name(const table::column& c) noexcept { return c.name; }
// A text followed by the row's frames, one per line.
inline std::string text_with_frames(std::string_view first, const table::row& r) {
    std::string title(first);
    for (const std::string_view frame : r.frames) title.append("\n").append(frame);
    return title;
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
