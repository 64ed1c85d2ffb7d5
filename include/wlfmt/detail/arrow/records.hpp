// The columns of operations, nested operations, layers, headers and tables, and their rows.
#ifndef WLFMT_DETAIL_ARROW_RECORDS_HPP
#define WLFMT_DETAIL_ARROW_RECORDS_HPP

#include "../../json.hpp"
#include "../../oplog.hpp"
#include "../../table.hpp"
#include "../../types/list.hpp"
#include "../../workload.hpp"
#include "../csv/columns.hpp"
#include "../table/edit.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

static_assert(key_count<oplog::operation> <= 20 && key_count<oplog::sub_operation> <= 20,
              "arrow_rows has 32 bits for columns, of which a dozen are not those of keys");

// Writes the values of the columns of a record, each at its place.
struct arrow_values {
    static constexpr bool is_csv = false;
    arrow_rows& to;
    std::size_t place = 0;

    void integer(const column_info&, std::int64_t v) { to.integer(place++, v); }
    void integer(const column_info&, std::uint64_t v) { to.integer(place++, static_cast<std::int64_t>(v)); }
    void integer(const column_info&, const number& v, std::string_view key = {}, char = 0) {
        to.value(place++, key, v, column_type::integer);
    }
    void integer(const column_info&, const oplog::sub_operation_list& list) {
        if (list.is_missing() || list.is_none())
            to.value(place, list.is_none() ? std::string_view("None") : std::string_view());
        else if (to.has(place)) to.integer(place, count_of(list, to.is_lenient()));
        ++place;
    }
    void decimal(const column_info&, const number& v, std::string_view key = {}, char = 0) {
        to.value(place++, key, v, column_type::decimal);
    }
    // The bytes of a tensor, whose column follows those of its shape and dtype, are known from these.
    void integers(const column_info&, const oplog::shape& v, std::string_view dtype, std::string_view key, char) {
        to.tensor(place, place + 2, key, v, dtype);
        ++place;
    }
    void bytes(const column_info&, const oplog::shape&, std::string_view) { ++place; }
    void integers(const column_info&, const workload::index_list& v) {
        v.is_missing() ? to.null(place) : to.list(place, v);
        ++place;
    }
    void word(const column_info&, std::string_view v) { to.word(place++, v); }
    void optional_word(const column_info&, std::string_view v, char quote = 0) {
        is_missing(v) ? to.null(place) : to.word(place, v, quote);
        ++place;
    }
    void value(const column_info&, std::string_view v, char quote) { to.value(place++, v, quote); }
    void nones(const column_info&) { to.none_names(place++); }
    template <class Record, class Key> void further(const column_info&, const Record& r, Key unknown, char quote) {
        to.further(place++, r, unknown, quote);
    }
    void json(const column_info&, const workload::header& head) {
        std::string line;
        if (to.has(place) && !wlfmt::json::write(line, head)) line.pop_back();  // the line end
        to.word(place++, line);
    }
    // How many nested operations there are: what is left of a damaged list, which only lenient reading shows, is none.
    static std::int64_t count_of(const oplog::sub_operation_list& all, bool lenient) {
        if (!lenient) return static_cast<std::int64_t>(all.size());
        std::int64_t count = 0;
        for (const oplog::sub_operation& s : all.only<oplog::fields::duration>()) count += s.damaged ? 0 : 1;
        return count;
    }
};

// Where a row is from.
struct arrow_origin {
    std::string_view file;
    std::string_view run;  // missing if the file's name does not say it
    std::int64_t position = -1;
};

// The columns of a header: `from.position` is the number of layers that follow.
template <class To> void record_columns(To& to, const arrow_origin& from, const workload::header& head) {
    to.word(file_column, from.file);
    to.word({"policy", "", "the parallelism policy"}, head.policy);
    to.integer({"declared_layers", "", "the number of layers that the file declares"}, head.declared_layers);
    to.integer({"layers", "", "the number of layers that follow"}, from.position);
    to.integer({"tensor_parallel", "ranks", "model_parallel_NPU_group"}, head.tensor_parallel());
    to.integer({"expert_parallel", "ranks", "ep"}, head.expert_parallel());
    to.integer({"pipeline_parallel", "stages", "pp"}, head.pipeline_parallel());
    to.integer({"virtual_pipeline", "", "vpp"}, head.vpp());
    to.integer({"gradient_accumulation", "steps", "ga"}, head.gradient_accumulation());
    to.integer({"all_gpus", "ranks", "all_gpus"}, head.all_gpus());
    // AICB writes a decimal as pp_comm.
    to.decimal({"pipeline_bytes", "bytes", "pp_comm: what a stage sends to the next one"}, head.pipeline_bytes());
    to.integers({"checkpoints", "", "positions of layers"}, head.checkpoints());
    to.integers({"checkpoint_initiates", "", "positions of layers"}, head.checkpoint_initiates());
    to.json({"header", "", "the whole header as JSON"}, head);
}

template <class Record> void add_row(arrow_rows& to, const arrow_origin& from, const Record& one) {
    arrow_values values{to};
    to.begin_record();
    record_columns(values, from, one);
    to.end_row();
}

// What the nested operations of an operation have in common: added before its first one, and repeated for the others
// after its last one, but for the index.
inline constexpr std::size_t arrow_index_place = 3;
inline constexpr std::size_t arrow_nested_place = 8;
inline void begin_sub_operations(arrow_rows& to, const arrow_origin& from, const oplog::operation& op) {
    arrow_values values{to};
    to.begin_record();
    around_columns(values, from, op, 0);
    to.end_shared();
}
inline void end_sub_operations(arrow_rows& to, std::int64_t count) {
    for (std::size_t place = 0; place != arrow_nested_place; ++place)
        if (place != arrow_index_place) to.repeat(place, static_cast<std::size_t>(count - 1));
}
inline void add_row(arrow_rows& to, std::int64_t index, const oplog::sub_operation& s) {
    arrow_values values{to, arrow_nested_place};
    to.begin_shared_record();
    if (index != 0) to.integer(arrow_index_place, index);
    // Few records have escapes, and looking for these once takes less time than in each value.
    nested_columns(values, s, s.source.find('\\') != std::string_view::npos ? s.quote : '\0');
    to.end_row();
}

inline constexpr arrow_field arrow_table_head[] = {
    {file_column, column_type::word},
    {{"table", "", "the table's position in its file"}, column_type::integer},
    {{"row", "", "the row's position in its table"}, column_type::integer}};

// Where the cells of a table go: the columns of a stream are those of all tables that it reads. If a table has
// several columns of the same name, its n-th goes to the stream's n-th column of that name.
class arrow_table_columns {
public:
    explicit arrow_table_columns(bool canonical = false) noexcept : canonical_(canonical) {}

    // Adds the columns of a table. A column's name in the stream includes the unit of its values.
    void add(const item_list<table::column>& columns) {
        const std::vector<std::size_t> places = places_of_columns(columns);
        auto place = places.begin();
        for (const table::column& c : columns)
            if (*place++ == no_place) columns_.push_back({std::string(key(c)), c.unit, title(c), type(c.unit)});
    }
    // Prepares add_row() for the rows of a table whose columns were added.
    void choose(const item_list<table::column>& columns) {
        const std::vector<std::size_t> places = places_of_columns(columns);
        from_.assign(columns_.size(), no_place);
        std::size_t n = 0;
        scales_.assign(columns_.size(), 1);
        device_ = {};
        for (const table::column& c : columns) {
            const table::column_meaning m = table::meaning_of(c.name);
            if (const std::size_t place = places[n]; place != no_place) {
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
            all.push_back({{meanings::device_heading, "", "whose times these are; empty: none's"}, column_type::word});
        all.push_back({further_column, column_type::word});
        return all;
    }

    void add_row(arrow_rows& to, std::string_view file_name, std::int64_t table_position, std::int64_t row_position,
                 const table::row& r) {
        to.begin_record();
        to.word(0, file_name);
        to.integer(1, table_position);
        to.integer(2, row_position);
        std::size_t place = std::size(arrow_table_head);
        for (std::size_t n = 0; n != columns_.size(); ++n, ++place) {
            if (from_[n] == no_place) to.null(place);
            else add_cell(to, place, columns_[n], r, from_[n], scales_[n]);
        }
        if (canonical_) to.word(place++, device_);
        to.misfits(place);
        to.end_row();
    }

private:
    using meanings = table_columns<build>;
    struct column {
        std::string name;
        table::unit unit;
        std::string title;
        column_type type;
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
    static column_type type(table::unit u) noexcept {
        switch (u) {
        case table::unit::percent:
        case table::unit::microseconds:
        case table::unit::bytes:
        case table::unit::flops: return column_type::decimal;
        case table::unit::count: return column_type::integer;
        default: return column_type::word;
        }
    }
    std::vector<std::size_t> places_of_columns(const item_list<table::column>& columns) const {
        return places_of(columns, columns_.size(),
                         [&](std::size_t n, const table::column& c) { return columns_[n].name == key(c); });
    }
    void add_cell(arrow_rows& to, std::size_t place, const column& c, const table::row& r, std::size_t from,
                  double scale) {
        const table::cell& one = r[from];
        if (c.type != column_type::word) {
            // NaN stays NaN; an empty cell and `--` become null.
            if (one.value().is_missing() && is_nan_cell(one.text()))
                return c.type == column_type::decimal ? to.decimal(place, std::numeric_limits<double>::quiet_NaN())
                                                      : to.null(place);
            if (scale != 1 && one.value().has_value()) return to.decimal(place, one.value().value_or(0.0) * scale);
            return to.value(place, c.title, one.value(), c.type);
        }
        if (one.text().empty()) return to.null(place);
        if (c.unit != table::unit::source || r.frames.empty()) return to.word(place, one.text());
        to.word(place, text_with_frames(one.text(), r));
    }

    bool canonical_;
    std::vector<column> columns_;
    std::vector<double> scales_;
    std::string_view device_;
    std::vector<std::size_t> from_;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
