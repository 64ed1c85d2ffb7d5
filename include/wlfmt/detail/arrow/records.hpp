// The columns of operations, nested operations, layers, headers and tables, and their rows.
#ifndef WLFMT_DETAIL_ARROW_RECORDS_HPP
#define WLFMT_DETAIL_ARROW_RECORDS_HPP

#include "../../json.hpp"
#include "../../oplog.hpp"
#include "../../table.hpp"
#include "../../types/list.hpp"
#include "../../workload.hpp"
#include "../oplog/schema.hpp"
#include "../table/edit.hpp"
#include "../workload/columns.hpp"
#include "../workload/schema.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Op logs: the columns of a record are fixed ones at both ends, and between these one for each key, as its row says.

inline constexpr arrow_field arrow_operation_head[] = {
    arrow_file_field,
    {{"run", "", "the time in the file's name, which tells repeated runs apart"}, arrow_type::word},
    {{"record", "", "the operation's position in its file"}, arrow_type::integer},
    {{"origin", "", "rank, or stage in a scheduling plan"}, arrow_type::word},
    {{"rank", "", "the global rank, or the stage of a plan"}, arrow_type::integer},
    {{"op", "", "the operation's name"}, arrow_type::word}};
inline constexpr arrow_field arrow_none_field = {{"none", "", "the columns that are None, and not missing"},
                                                 arrow_type::word};
inline constexpr arrow_field arrow_operation_tail[] = {arrow_none_field, arrow_further_field};
inline constexpr arrow_field arrow_sub_operation_head[] = {
    arrow_file_field,
    arrow_operation_head[1],
    arrow_operation_head[2],
    {{"index", "", "the position among the nested operations"}, arrow_type::integer},
    arrow_operation_head[4],
    {{"op", "", "the operation around it"}, arrow_type::word},
    {{"stage_id", "", "the pipeline stage"}, arrow_type::integer},
    {{"batch_id", "", "the micro-batch"}, arrow_type::integer}};
inline constexpr arrow_field arrow_sub_operation_tail[] = {
    {{"text", "", "a nested operation that has no keys"}, arrow_type::word}, arrow_none_field, arrow_further_field};

template <class Record> constexpr arrow_field arrow_field_of(const key_row<Record>& row) noexcept {
    const bool is_index = row.as_number != nullptr && row.holds == numeric::index;
    const bool is_list = row.as_text == nullptr && row.as_number == nullptr && row.as_shape == nullptr;
    return {column_of(row), row.as_text != nullptr    ? arrow_type::word
                            : row.as_shape != nullptr ? arrow_type::integers
                            : is_index || is_list     ? arrow_type::integer
                                                      : arrow_type::decimal};
}
template <class Record, std::size_t Head, std::size_t Tail>
constexpr auto arrow_fields(const arrow_field (&head)[Head], const arrow_field (&tail)[Tail]) noexcept {
    std::array<arrow_field, Head + key_count<Record> + 1 + Tail> all{};
    static_assert(all.size() <= 32, "arrow_rows has a bit for each column");
    std::size_t n = 0;
    for (const arrow_field& f : head) all[n++] = f;
    for (const key_row<Record>& row : rows_of<Record>()) {
        all[n++] = arrow_field_of(row);
        if (is_last_of_tensor(row)) all[n++] = {tensor_column<Record>, arrow_type::integer};
    }
    for (const arrow_field& f : tail) all[n++] = f;
    return all;
}
inline constexpr auto arrow_operation_fields =
    arrow_fields<oplog::operation>(arrow_operation_head, arrow_operation_tail);
inline constexpr auto arrow_sub_operation_fields =
    arrow_fields<oplog::sub_operation>(arrow_sub_operation_head, arrow_sub_operation_tail);

// What the rows of a log have in common. The texts live as long as the stream.
struct arrow_log {
    std::string_view file;
    std::string_view run;  // empty if the file's name does not say it
};

// The place of the size of the tensor among the keys.
template <class Record> constexpr std::size_t arrow_tensor_place() noexcept {
    std::size_t n = 0;
    for (const key_row<Record>& row : rows_of<Record>())
        if (++n; is_last_of_tensor(row)) break;
    return n;
}
// The place of a key among the keys.
template <class Record> constexpr std::size_t arrow_place(std::size_t key) noexcept {
    return key + (key >= arrow_tensor_place<Record>() ? 1 : 0);
}
// How many nested operations there are: what is left of a damaged list, which only lenient reading shows, is none.
inline std::int64_t count_of(const oplog::sub_operation_list& all, bool lenient) {
    if (!lenient) return static_cast<std::int64_t>(all.size());
    std::int64_t count = 0;
    for (const oplog::sub_operation& s : all.only<oplog::fields::duration>()) count += s.damaged ? 0 : 1;
    return count;
}
// The value of a key. The row is known when this is compiled: looking at it for each record would take longer.
template <class Record, std::size_t Key>
WLFMT_INLINE void arrow_value(arrow_rows& to, std::size_t head, const Record& r, [[maybe_unused]] char quote) {
    constexpr const key_row<Record>& row = rows_of<Record>()[Key];
    const std::size_t place = head + arrow_place<Record>(Key);
    if constexpr (row.as_text != nullptr) {
        to.value(place, r.*row.as_text, quote);
    } else if constexpr (row.as_number != nullptr) {
        to.value(place, row.name, r.*row.as_number, arrow_field_of(row).type);
    } else if constexpr (row.as_shape != nullptr) {
        to.tensor(place, head + arrow_tensor_place<Record>(), row.name, r.*row.as_shape, r.input_dtype);
    } else {
        const oplog::sub_operation_list& list = r.sub_operations;
        if (list.is_missing() || list.is_none())
            to.value(place, list.is_none() ? std::string_view("None") : std::string_view());
        else if (to.has(place)) to.integer(place, count_of(list, to.is_lenient()));
    }
}
template <class Record, std::size_t... Keys>
WLFMT_INLINE void arrow_values(arrow_rows& to, std::size_t head, const Record& r, char quote,
                               std::index_sequence<Keys...>) {
    (arrow_value<Record, Keys>(to, head, r, quote), ...);
}

inline void add_row(arrow_rows& to, const arrow_log& log, std::int64_t record, const oplog::operation& op) {
    constexpr std::size_t head = std::size(arrow_operation_head);
    constexpr std::size_t tail = arrow_operation_fields.size() - std::size(arrow_operation_tail);
    to.begin_record();
    to.lasting_word(0, log.file);
    to.lasting_word_or_null(1, log.run);
    to.integer(2, record);
    to.lasting_word(3, name_of(op.origin));
    to.integer(4, op.rank);
    to.word(5, op.op);
    arrow_values(to, head, op, 0, std::make_index_sequence<key_count<oplog::operation>>());
    to.none_names(tail, arrow_operation_fields);
    to.further(tail + 1, op, op_key::extra);
    to.end_row();
}

// What the nested operations of an operation have in common: added before its first one, and repeated for the others
// after its last one.
inline void begin_sub_operations(arrow_rows& to, const arrow_log& log, std::int64_t record,
                                 const oplog::operation& op) {
    to.begin_record();
    to.lasting_word(0, log.file);
    to.lasting_word_or_null(1, log.run);
    to.integer(2, record);
    to.integer(4, op.rank);
    to.word(5, op.op);
    to.value(6, "stage_id", op.stage_id, arrow_type::integer);
    to.value(7, "batch_id", op.batch_id, arrow_type::integer);
    to.end_shared();
}
inline void end_sub_operations(arrow_rows& to, std::int64_t count) {
    for (std::size_t place = 0; place != std::size(arrow_sub_operation_head); ++place)
        if (place != 3) to.repeat(place, static_cast<std::size_t>(count - 1));
}
inline void add_row(arrow_rows& to, std::int64_t index, const oplog::sub_operation& s) {
    constexpr std::size_t head = std::size(arrow_sub_operation_head);
    constexpr std::size_t tail = arrow_sub_operation_fields.size() - std::size(arrow_sub_operation_tail);
    to.begin_shared_record();
    to.integer(3, index);
    // Few records have escapes, and looking for these once takes less time than in each value.
    const char quote = s.source.find('\\') != std::string_view::npos ? s.quote : '\0';
    arrow_values(to, head, s, quote, std::make_index_sequence<key_count<oplog::sub_operation>>());
    if (s.is_text()) to.word(tail, s.text, quote);
    else to.null(tail);
    to.none_names(tail + 1, arrow_sub_operation_fields);
    to.further(tail + 2, s, sub_key::extra, s.quote);
    to.end_row();
}

// Layers

constexpr auto arrow_fields_of_layers() noexcept {
    constexpr std::size_t count = std::size(layer_columns);
    static_assert(count == std::size(layer_field_names) + 1, "each field of a layer has a column, and so has the rest");
    std::array<arrow_field, count + 2> all{};
    all[0] = arrow_file_field;
    all[1] = {{"layer", "", "the layer's position in its file"}, arrow_type::integer};
    for (std::size_t n = 0; n != count; ++n) {
        const field_type type = type_of_field(n);
        all[n + 2] = {layer_columns[n], n + 1 == count                ? arrow_type::word
                                        : type == field_type::number  ? arrow_type::decimal
                                        : type == field_type::integer ? arrow_type::integer
                                                                      : arrow_type::word};
    }
    return all;
}
inline constexpr auto arrow_layer_fields = arrow_fields_of_layers();

inline void add_word(arrow_rows& to, std::size_t place, std::string_view text) {
    if (is_missing(text)) return to.null(place);
    to.word(place, text);
}

inline void add_row(arrow_rows& to, std::string_view file, std::int64_t position, const workload::layer& one) {
    to.begin_record();
    to.lasting_word(0, file);
    to.integer(1, position);
    to.word(2, one.name);
    to.integer(3, one.dependency);
    std::size_t place = 4;
    for (const phase_row& row : phase_rows) {
        const workload::phase& p = one.*row.of;
        to.value(place++, {}, p.compute, arrow_type::decimal);
        // NONE is a token of these files, and None is what AICB writes for a collective that it has no token for.
        to.word(place++, p.comm);
        to.value(place++, {}, p.bytes, arrow_type::integer);
    }
    to.value(place++, {}, one.update, arrow_type::decimal);
    add_word(to, place++, one.policy);
    add_word(to, place, one.further);
    to.end_row();
}

// Headers

constexpr auto arrow_fields_of_headers() noexcept {
    constexpr auto& numbers = header_columns<build>::rows;
    std::array<arrow_field, std::size(numbers) + 7> all{};
    all[0] = arrow_file_field;
    all[1] = {{"policy", "", "the parallelism policy"}, arrow_type::word};
    all[2] = {{"declared_layers", "", "the number of layers that the file declares"}, arrow_type::integer};
    all[3] = {{"layers", "", "the number of layers that follow"}, arrow_type::integer};
    std::size_t n = 4;
    // AICB writes a decimal as pp_comm.
    for (const header_column& c : numbers)
        all[n++] = {c.column, c.column.unit == "bytes" ? arrow_type::decimal : arrow_type::integer};
    all[n++] = {{"checkpoints", "", "positions of layers"}, arrow_type::integers};
    all[n++] = {{"checkpoint_initiates", "", "positions of layers"}, arrow_type::integers};
    all[n] = {{"header", "", "the whole header as JSON"}, arrow_type::word};
    return all;
}
inline constexpr auto arrow_header_fields = arrow_fields_of_headers();

inline void add_indices(arrow_rows& to, std::size_t place, const workload::index_list& list) {
    if (list.is_missing()) return to.null(place);
    to.list(place, list);
}

// `layers` is the number of layers that follow.
inline void add_row(arrow_rows& to, std::string_view file, const workload::header& head, std::int64_t layers) {
    to.begin_record();
    to.lasting_word(0, file);
    to.word(1, head.policy);
    to.value(2, {}, head.declared_layers, arrow_type::integer);
    to.integer(3, layers);
    std::size_t n = 4;
    for (const header_column& c : header_columns<build>::rows) {
        to.value(n, {}, (head.*c.value)(), arrow_header_fields[n].type);
        ++n;
    }
    add_indices(to, n++, head.checkpoints());
    add_indices(to, n++, head.checkpoint_initiates());
    if (to.has(n)) {
        std::string json;
        if (!json::write(json, head)) json.pop_back();  // the line end
        to.word(n, json);
    }
    to.end_row();
}

inline constexpr arrow_field arrow_table_head[] = {
    arrow_file_field,
    {{"table", "", "the table's position in its file"}, arrow_type::integer},
    {{"row", "", "the row's position in its table"}, arrow_type::integer}};

// Where the cells of a table go: the columns of a stream are those of all tables that it reads. If a table has
// several columns of the same name, its n-th goes to the stream's n-th column of that name.
class arrow_table_columns {
public:
    explicit arrow_table_columns(bool canonical = false) noexcept : canonical_(canonical) {}

    // Adds the columns of a table. A column's name in the stream includes the unit of its values.
    void add(const item_list<table::column>& columns) {
        const std::vector<std::size_t> places = places_of(columns);
        auto place = places.begin();
        for (const table::column& c : columns)
            if (*place++ == none) columns_.push_back({std::string(key(c)), c.unit, title(c), type(c.unit)});
    }
    // Prepares add_row() for the rows of a table whose columns were added.
    void choose(const item_list<table::column>& columns) {
        const std::vector<std::size_t> places = places_of(columns);
        from_.assign(columns_.size(), none);
        std::size_t n = 0;
        scales_.assign(columns_.size(), 1);
        device_ = {};
        for (const table::column& c : columns) {
            const table::column_meaning m = table::meaning_of(c.name);
            if (const std::size_t place = places[n]; place != none) {
                from_[place] = n;
                if (canonical_) scales_[place] = m.scale;
            }
            if (device_.empty() && m.device != "CPU") device_ = table_canonical<build>::name_of_device(m.device);
            ++n;
        }
    }
    // The columns of a stream, `further` after those of the tables.
    std::vector<arrow_field> fields() const {
        std::vector<arrow_field> all(std::begin(arrow_table_head), std::end(arrow_table_head));
        for (const column& c : columns_) all.push_back({{c.title, {}, {}}, c.type});
        if (canonical_)
            all.push_back({{meanings::device_heading, "", "whose times these are; empty: none's"}, arrow_type::word});
        all.push_back(arrow_further_field);
        return all;
    }

    void add_row(arrow_rows& to, std::string_view file_name, std::int64_t table_position, std::int64_t row_position,
                 const table::row& r) {
        to.begin_record();
        to.lasting_word(0, file_name);
        to.integer(1, table_position);
        to.integer(2, row_position);
        std::size_t place = std::size(arrow_table_head);
        for (std::size_t n = 0; n != columns_.size(); ++n, ++place) {
            if (from_[n] == none) to.null(place);
            else add_cell(to, place, columns_[n], r, from_[n], scales_[n]);
        }
        if (canonical_) to.word(place++, device_);
        to.misfits(place);
        to.end_row();
    }

private:
    using meanings = table_columns<build>;
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct column {
        std::string name;
        table::unit unit;
        std::string title;
        arrow_type type;
    };

    // What two columns have in common that go to one.
    std::string_view key(const table::column& c) const noexcept {
        return canonical_ ? table_canonical<build>::canonical(c).name : std::string_view(c.name);
    }
    // In a schema names are C strings of UTF-8.
    std::string title(const table::column& c) const {
        if (meanings::is_canonical(key(c))) return std::string(key(c));
        std::string name = repaired_utf8(c.name);
        std::replace(name.begin(), name.end(), '\0', '?');
        return name.append(row_of(c.unit).heading);
    }
    static arrow_type type(table::unit u) noexcept {
        switch (u) {
        case table::unit::percent:
        case table::unit::microseconds:
        case table::unit::bytes:
        case table::unit::flops: return arrow_type::decimal;
        case table::unit::count: return arrow_type::integer;
        default: return arrow_type::word;
        }
    }
    // The place of each column of a table, or `none`.
    std::vector<std::size_t> places_of(const item_list<table::column>& columns) const {
        std::vector<std::size_t> places;
        std::vector<bool> taken(columns_.size());
        for (const table::column& c : columns) {
            std::size_t place = 0;
            while (place != columns_.size() && (columns_[place].name != key(c) || taken[place])) ++place;
            places.push_back(place != columns_.size() ? place : none);
            if (place != columns_.size()) taken[place] = true;
        }
        return places;
    }
    void add_cell(arrow_rows& to, std::size_t place, const column& c, const table::row& r, std::size_t from,
                  double scale) {
        const table::cell& one = r[from];
        if (c.type != arrow_type::word) {
            // NaN stays NaN; an empty cell and `--` become null.
            if (one.value().is_missing() && is_nan_cell(one.text()))
                return c.type == arrow_type::decimal ? to.decimal(place, std::numeric_limits<double>::quiet_NaN())
                                                     : to.null(place);
            if (scale != 1 && one.value().has_value()) return to.decimal(place, one.value().value_or(0.0) * scale);
            return to.value(place, c.title, one.value(), c.type);
        }
        if (one.text().empty()) return to.null(place);
        if (c.unit != table::unit::source || r.frames.empty()) return to.word(place, one.text());
        frames_.assign(one.text());
        for (const std::string_view frame : r.frames) frames_.append("\n").append(frame);
        to.word(place, frames_);
    }

    bool canonical_;
    std::vector<column> columns_;
    std::vector<double> scales_;
    std::string_view device_;
    std::vector<std::size_t> from_;
    std::string frames_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
