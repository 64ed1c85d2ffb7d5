// What the rows of each kind of stream hold.
#ifndef WLFMT_DETAIL_ARROW_ROWS_HPP
#define WLFMT_DETAIL_ARROW_ROWS_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../json.hpp"
#include "../../oplog.hpp"
#include "../../table.hpp"
#include "../../to_number.hpp"
#include "../../types/list.hpp"
#include "../../workload.hpp"
#include "../io/out.hpp"
#include "../oplog/bytes.hpp"
#include "../oplog/find.hpp"
#include "column.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

struct arrow_field {
    std::string_view name;
    arrow_type type;
};

// Fills the columns of a batch, row by row. A column is named by its place among all columns that the kind of stream
// has; one that was not asked for is not there, and what it would hold is passed over.
class arrow_rows {
public:
    // Before add_column(): how many columns the kind of stream has.
    void expect(std::size_t fields) { at_.assign(fields, nullptr); }
    // Appends a column that was asked for. `place` is its place among all columns.
    void add_column(std::size_t place, const arrow_field& field) {
        places_.push_back(place);
        batch_->columns.emplace_back(std::string(field.name), field.type);
        find_columns();
    }
    bool has(std::size_t place) const noexcept { return at_[place] != nullptr; }
    const std::vector<arrow_column>& columns() const noexcept { return batch_->columns; }

    // Before the first row of a batch. Its memory is that of the batch before, if the consumer has released that.
    void begin() {
        if (batch_->is_free.load(std::memory_order_acquire)) {
            for (arrow_column& c : batch_->columns) c.clear();
            batch_->rows = 0;
        } else {
            auto fresh = std::make_shared<arrow_batch>();
            fresh->columns.reserve(batch_->columns.size());
            for (const arrow_column& c : batch_->columns) {
                fresh->columns.emplace_back(c.name(), c.type());
                fresh->columns.back().reserve_as(c);
            }
            batch_ = std::move(fresh);
        }
        find_columns();
    }
    std::int64_t size() const noexcept { return batch_->rows; }
    bool is_full() const noexcept {
        return std::any_of(batch_->columns.begin(), batch_->columns.end(),
                           [](const arrow_column& c) { return c.is_full(); });
    }
    // After the last row: the batch for a consumer.
    std::shared_ptr<const arrow_batch> take() {
        for (arrow_column& c : batch_->columns) c.finish();
        std::shared_ptr<const arrow_batch> handed(
            batch_.get(), [own = batch_](const arrow_batch*) { own->is_free.store(true, std::memory_order_release); });
        batch_->is_free.store(false, std::memory_order_relaxed);
        return handed;
    }
    // Set by what was added last: a text was too long for its column, which has null in its place.
    const arrow_column* too_long() const noexcept { return too_long_; }
    // True, once, if bytes that are not UTF-8 were replaced since the last call.
    bool take_replaced() noexcept { return std::exchange(replaced_, false); }

    void null(std::size_t place) {
        if (arrow_column* c = column(place)) c->add_null();
    }
    void integer(std::size_t place, std::int64_t v) {
        if (arrow_column* c = column(place)) c->add(v);
    }
    void decimal(std::size_t place, double v) {
        if (arrow_column* c = column(place)) c->add(v);
    }
    void word(std::size_t place, std::string_view text, char quote = 0) {
        arrow_column* const c = column(place);
        if (c == nullptr) return;
        if (quote != 0 && text.find('\\') != std::string_view::npos) {
            buffer_.resize(text.size());
            text = oplog::unescape(text, &buffer_[0]);
        }
        if (c->add(text, replaced_)) return;
        too_long_ = c;
        c->add_null();
    }
    void end_row() { ++batch_->rows; }
    // The last row's value for that many rows more.
    void repeat(std::size_t place, std::size_t times) {
        if (arrow_column* c = column(place)) c->repeat(times);
    }

    // Before the text of the rows so far goes away.
    void forget() noexcept {
        for (known_tensor& known : tensors_) known.shape = std::string_view();
    }

    // The values that a record holds under its known keys. What a column cannot show is noted: None, for the column
    // `none`, and texts in the place of numbers, for the column `further`.
    void begin_record() noexcept {
        nones_ = 0;
        misfits_.clear();
    }
    // Several records can share their first values: what was noted of these is kept.
    void end_shared() noexcept {
        shared_nones_ = nones_;
        shared_misfits_ = misfits_.size();
    }
    void begin_shared_record() noexcept {
        nones_ = shared_nones_;
        misfits_.resize(shared_misfits_);
    }
    void value(std::size_t place, std::string_view text, char quote = 0) {
        if (is_missing(text)) return null(place);
        if (is_none(text)) return note_none(place);
        word(place, text, quote);
    }
    void value(std::size_t place, std::string_view key, const number& n, arrow_type type) {
        if (n.is_missing()) return null(place);
        if (n.is_none()) return note_none(place);
        if (n.has_value()) {
            if (type == arrow_type::decimal) return decimal(place, n.value_or(0));
            if (const auto whole = n.as<std::int64_t>()) return integer(place, *whole);
        }
        null(place);
        misfits_.push_back({key, n});
    }
    // A shape, and the bytes of a tensor of that shape and dtype.
    void tensor(std::size_t shape_place, std::size_t bytes_place, const oplog::shape& s, std::string_view dtype) {
        if (s.is_missing() || s.is_none()) {
            null(bytes_place);
            return s.is_none() ? note_none(shape_place) : null(shape_place);
        }
        const known_tensor& known = find_tensor(s, dtype);
        if (known.bytes)
            integer(bytes_place, *known.bytes);
        else
            null(bytes_place);
        if (known.is_list) return integers(shape_place, known.sizes);
        null(shape_place);
        misfits_.push_back({"input__shape", number(s.text())});
    }
    // The names of the columns whose keys are None, joined with commas; null if there are none.
    template <std::size_t N>
    void none_names(std::size_t place, const std::array<arrow_field, N>& fields) {
        arrow_column* const c = column(place);
        if (c == nullptr) return;
        if (nones_ == 0) return c->add_null();
        if (nones_ != named_nones_) {
            named_nones_ = nones_;
            names_.clear();
            for (std::size_t n = 0; n != N; ++n)
                if ((nones_ >> n & 1U) != 0) names_.append(names_.empty() ? "" : ",").append(fields[n].name);
        }
        c->add(names_, replaced_);
    }
    // Noted texts, and the attributes that `each(line)` adds, as a JSON object; null if there is nothing of that kind.
    // `each` returns true if it has added something.
    template <class Each>
    void object(std::size_t place, char quote, Each&& each) {
        if (!has(place)) return;
        json_.clear();
        bool any = !misfits_.empty();
        {
            out<std::string> to(json_);
            json_line<std::string> line(to);
            line.open('{');
            for (const misfit& m : misfits_) {
                line.key(m.key);
                if (m.value.is_text())
                    line.value(m.value.text(), quote);
                else
                    line.value(m.value);
            }
            any = each(line) || any;
            line.close('}');
            to.finish();
        }
        if (!any) return null(place);
        word(place, json_);
    }
    void misfits(std::size_t place) {
        if (misfits_.empty()) return null(place);
        object(place, 0, [](json_line<std::string>&) { return false; });
    }
    // With the keys of a record that have no column.
    template <class Record, class Key>
    void further(std::size_t place, const Record& r, Key unknown, char quote = 0) {
        if (r.attributes.empty()) return misfits(place);
        object(place, quote, [&](json_line<std::string>& line) {
            bool any = false;
            for (const oplog::attribute& a : r.attributes) {
                if (key_of(r, a.key) != unknown) continue;
                line.key(a.key, quote);
                line.value(a.value, quote);
                any = true;
            }
            return any;
        });
    }
    template <class List>
    void list(std::size_t place, const List& items) {
        items_.assign(items.begin(), items.end());
        integers(place, items_);
    }

private:
    struct misfit {
        std::string_view key;
        number value;
    };
    struct known_tensor {
        std::string_view shape;
        std::string_view dtype;
        bool is_list = false;
        std::vector<std::int64_t> sizes;
        std::optional<std::int64_t> bytes;
    };

    arrow_column* column(std::size_t place) noexcept { return at_[place]; }
    void find_columns() noexcept {
        for (std::size_t n = 0; n != places_.size(); ++n) at_[places_[n]] = &batch_->columns[n];
    }
    void integers(std::size_t place, const std::vector<std::int64_t>& items) {
        arrow_column* const c = column(place);
        if (c == nullptr || c->add(items)) return;
        too_long_ = c;
        c->add_null();
    }
    const known_tensor& find_tensor(const oplog::shape& s, std::string_view dtype) {
        known_tensor& known = tensors_[hash_of(s.text()) % tensors_.size()];
        if (known.shape.data() == nullptr || !same_text(known.shape, s.text())) {
            known.shape = s.text();
            known.is_list = s.is_list();
            known.sizes.assign(s.begin(), s.end());
            known.dtype = std::string_view();
        }
        if (known.dtype.data() == nullptr || !same_text(known.dtype, dtype)) {
            known.dtype = dtype;
            known.bytes = known.is_list ? tensor_bytes_of(known.sizes, element_bytes(dtype)) : std::nullopt;
        }
        return known;
    }
    void note_none(std::size_t place) {
        nones_ |= std::uint32_t{1} << place;
        null(place);
    }

    std::shared_ptr<arrow_batch> batch_ = std::make_shared<arrow_batch>();
    std::vector<std::size_t> places_;  // of each column
    std::vector<arrow_column*> at_;    // the column at each place, or null
    std::vector<misfit> misfits_;
    std::size_t shared_misfits_ = 0;
    std::uint32_t nones_ = 0;
    std::uint32_t shared_nones_ = 0;
    std::uint32_t named_nones_ = 0;
    std::array<known_tensor, 16> tensors_;  // logs repeat themselves: tensors that were met, by the hash of the shape
    std::vector<std::int64_t> items_;
    std::string names_;
    std::string json_;
    std::string buffer_;
    const arrow_column* too_long_ = nullptr;
    bool replaced_ = false;
};

// Operations

enum arrow_operation : std::size_t {
    op_file,
    op_record,
    op_origin,
    op_rank,
    op_op,
    op_stage_id,
    op_batch_id,
    op_mg_state,
    op_duration,
    op_description,
    op_group_kind,
    op_input_shape,
    op_input_dtype,
    op_bytes,
    op_timestamp,
    op_sub_operations,
    op_none,
    op_further
};
inline constexpr std::array<arrow_field, 18> arrow_operation_fields = {{{"file", arrow_type::word},
                                                                        {"record", arrow_type::integer},
                                                                        {"origin", arrow_type::word},
                                                                        {"rank", arrow_type::integer},
                                                                        {"op", arrow_type::word},
                                                                        {"stage_id", arrow_type::integer},
                                                                        {"batch_id", arrow_type::integer},
                                                                        {"mg_state", arrow_type::word},
                                                                        {"duration_ms", arrow_type::decimal},
                                                                        {"description", arrow_type::word},
                                                                        {"group_kind", arrow_type::word},
                                                                        {"input__shape", arrow_type::integers},
                                                                        {"input__dtype", arrow_type::word},
                                                                        {"bytes", arrow_type::integer},
                                                                        {"timestamp_ms", arrow_type::decimal},
                                                                        {"sub_operations", arrow_type::integer},
                                                                        {"none", arrow_type::word},
                                                                        {"further", arrow_type::word}}};

inline void add_row(arrow_rows& to, std::string_view file, std::int64_t record, const oplog::operation& op) {
    to.begin_record();
    to.word(op_file, file);
    to.integer(op_record, record);
    to.word(op_origin, name_of(op.origin));
    to.integer(op_rank, op.rank);
    to.word(op_op, op.op);
    to.value(op_stage_id, "stage_id", op.stage_id, arrow_type::integer);
    to.value(op_batch_id, "batch_id", op.batch_id, arrow_type::integer);
    to.value(op_mg_state, op.mg_state);
    to.value(op_duration, "duration", op.duration, arrow_type::decimal);
    to.value(op_description, op.description);
    to.value(op_group_kind, op.group_kind);
    to.tensor(op_input_shape, op_bytes, op.input_shape, op.input_dtype);
    to.value(op_input_dtype, op.input_dtype);
    to.value(op_timestamp, "timestamp", op.timestamp, arrow_type::decimal);
    if (to.has(op_sub_operations)) {
        if (op.sub_operations.is_missing() || op.sub_operations.is_none())
            to.value(op_sub_operations, op.sub_operations.is_none() ? std::string_view("None") : std::string_view());
        else
            to.integer(op_sub_operations, static_cast<std::int64_t>(op.sub_operations.size()));
    }
    to.none_names(op_none, arrow_operation_fields);
    to.further(op_further, op, op_key::extra);
    to.end_row();
}

// Nested operations

enum arrow_sub_operation : std::size_t {
    sub_file,
    sub_record,
    sub_index,
    sub_rank,
    sub_op,
    sub_stage_id,
    sub_batch_id,
    sub_trace_src_func,
    sub_duration,
    sub_timestamp,
    sub_input_shape,
    sub_input_dtype,
    sub_bytes,
    sub_func_name,
    sub_group,
    sub_comm_func,
    sub_text,
    sub_none,
    sub_further
};
inline constexpr std::array<arrow_field, 19> arrow_sub_operation_fields = {{{"file", arrow_type::word},
                                                                            {"record", arrow_type::integer},
                                                                            {"index", arrow_type::integer},
                                                                            {"rank", arrow_type::integer},
                                                                            {"op", arrow_type::word},
                                                                            {"stage_id", arrow_type::integer},
                                                                            {"batch_id", arrow_type::integer},
                                                                            {"trace_src_func", arrow_type::word},
                                                                            {"sub_duration_ms", arrow_type::decimal},
                                                                            {"sub_timestamp_ms", arrow_type::decimal},
                                                                            {"sub_input__shape", arrow_type::integers},
                                                                            {"sub_input__dtype", arrow_type::word},
                                                                            {"sub_bytes", arrow_type::integer},
                                                                            {"func_name", arrow_type::word},
                                                                            {"group", arrow_type::word},
                                                                            {"comm_func", arrow_type::word},
                                                                            {"text", arrow_type::word},
                                                                            {"none", arrow_type::word},
                                                                            {"further", arrow_type::word}}};

// What the nested operations of an operation have in common: added before its first one, and repeated for the others
// after its last one.
inline void begin_sub_operations(arrow_rows& to, std::string_view file, std::int64_t record,
                                 const oplog::operation& op) {
    to.begin_record();
    to.word(sub_file, file);
    to.integer(sub_record, record);
    to.integer(sub_rank, op.rank);
    to.word(sub_op, op.op);
    to.value(sub_stage_id, "stage_id", op.stage_id, arrow_type::integer);
    to.value(sub_batch_id, "batch_id", op.batch_id, arrow_type::integer);
    to.end_shared();
}
inline void end_sub_operations(arrow_rows& to, std::int64_t count) {
    for (const std::size_t place : {sub_file, sub_record, sub_rank, sub_op, sub_stage_id, sub_batch_id})
        to.repeat(place, static_cast<std::size_t>(count - 1));
}
inline void add_row(arrow_rows& to, std::int64_t index, const oplog::sub_operation& s) {
    to.begin_shared_record();
    to.integer(sub_index, index);
    // Few records have escapes, and looking for these once takes less time than in each value.
    const char quote = s.source.find('\\') != std::string_view::npos ? s.quote : '\0';
    to.value(sub_trace_src_func, s.trace_src_func, quote);
    to.value(sub_duration, "duration", s.duration, arrow_type::decimal);
    to.value(sub_timestamp, "timestamp", s.timestamp, arrow_type::decimal);
    to.tensor(sub_input_shape, sub_bytes, s.input_shape, s.input_dtype);
    to.value(sub_input_dtype, s.input_dtype, quote);
    to.value(sub_func_name, s.func_name, quote);
    to.value(sub_group, s.group, quote);
    to.value(sub_comm_func, s.comm_func, quote);
    if (s.is_text())
        to.word(sub_text, s.text, quote);
    else
        to.null(sub_text);
    to.none_names(sub_none, arrow_sub_operation_fields);
    to.further(sub_further, s, sub_key::extra, s.quote);
    to.end_row();
}

// Layers

inline constexpr std::array<arrow_field, 16> arrow_layer_fields = {{{"file", arrow_type::word},
                                                                    {"layer", arrow_type::integer},
                                                                    {"name", arrow_type::word},
                                                                    {"dependency", arrow_type::integer},
                                                                    {"forward_compute", arrow_type::decimal},
                                                                    {"forward_comm", arrow_type::word},
                                                                    {"forward_bytes", arrow_type::integer},
                                                                    {"input_grad_compute", arrow_type::decimal},
                                                                    {"input_grad_comm", arrow_type::word},
                                                                    {"input_grad_bytes", arrow_type::integer},
                                                                    {"weight_grad_compute", arrow_type::decimal},
                                                                    {"weight_grad_comm", arrow_type::word},
                                                                    {"weight_grad_bytes", arrow_type::integer},
                                                                    {"update", arrow_type::decimal},
                                                                    {"policy", arrow_type::word},
                                                                    {"further", arrow_type::word}}};

inline void add_word(arrow_rows& to, std::size_t place, std::string_view text) {
    if (is_missing(text)) return to.null(place);
    to.word(place, text);
}

inline void add_row(arrow_rows& to, std::string_view file, std::int64_t position, const workload::layer& one) {
    to.begin_record();
    to.word(0, file);
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

inline constexpr std::array<arrow_field, 14> arrow_header_fields = {{{"file", arrow_type::word},
                                                                     {"policy", arrow_type::word},
                                                                     {"declared_layers", arrow_type::integer},
                                                                     {"layers", arrow_type::integer},
                                                                     {"tensor_parallel", arrow_type::integer},
                                                                     {"expert_parallel", arrow_type::integer},
                                                                     {"pipeline_parallel", arrow_type::integer},
                                                                     {"virtual_pipeline", arrow_type::integer},
                                                                     {"gradient_accumulation", arrow_type::integer},
                                                                     {"all_gpus", arrow_type::integer},
                                                                     {"pipeline_bytes", arrow_type::decimal},
                                                                     {"checkpoints", arrow_type::integers},
                                                                     {"checkpoint_initiates", arrow_type::integers},
                                                                     {"header", arrow_type::word}}};

inline void add_indices(arrow_rows& to, std::size_t place, const workload::index_list& list) {
    if (list.is_missing()) return to.null(place);
    to.list(place, list);
}

// `layers` is the number of layers that follow.
inline void add_row(arrow_rows& to, std::string_view file, const workload::header& head, std::int64_t layers) {
    to.begin_record();
    to.word(0, file);
    to.word(1, head.policy);
    to.value(2, {}, head.declared_layers, arrow_type::integer);
    to.integer(3, layers);
    to.value(4, {}, head.tensor_parallel(), arrow_type::integer);
    to.value(5, {}, head.expert_parallel(), arrow_type::integer);
    to.value(6, {}, head.pipeline_parallel(), arrow_type::integer);
    to.value(7, {}, head.virtual_pipeline(), arrow_type::integer);
    to.value(8, {}, head.gradient_accumulation(), arrow_type::integer);
    to.value(9, {}, head.all_gpus(), arrow_type::integer);
    to.value(10, {}, head.pipeline_bytes(), arrow_type::decimal);
    add_indices(to, 11, head.checkpoints());
    add_indices(to, 12, head.checkpoint_initiates());
    if (to.has(13)) {
        std::string json;
        if (!json::write(json, head)) json.pop_back();  // the line end
        to.word(13, json);
    }
    to.end_row();
}

// Rows of tables

// Where the cells of a table go: the columns of a stream are those of all tables that it reads. Of several columns with
// one name, the n-th is under the n-th.
class arrow_table_columns {
public:
    static constexpr std::size_t file = 0;
    static constexpr std::size_t table = 1;
    static constexpr std::size_t row = 2;
    static constexpr std::size_t first = 3;

    // The columns of a further table. Of a column's name, the unit in which its values are is a part.
    void add(const list<table::column>& columns) {
        place_all(columns, [this](const table::column& c) {
            columns_.push_back({std::string(c.name), c.unit, title(c), type(c.unit)});
            return columns_.size() - 1;
        });
    }
    // Prepares add_row() for the rows of a table whose columns were added.
    void choose(const list<table::column>& columns) {
        from_.assign(columns_.size(), none);
        std::size_t n = 0;
        place_all(columns, [](const table::column&) { return none; });
        for (const std::size_t place : placed_) {
            if (place != none) from_[place] = n;
            ++n;
        }
    }
    // The columns of a stream, `further` after those of the tables.
    std::vector<arrow_field> fields() const {
        std::vector<arrow_field> all = {
            {"file", arrow_type::word}, {"table", arrow_type::integer}, {"row", arrow_type::integer}};
        for (const column& c : columns_) all.push_back({c.title, c.type});
        all.push_back({"further", arrow_type::word});
        return all;
    }

    void add_row(arrow_rows& to, std::string_view file_name, std::int64_t table_position, std::int64_t row_position,
                 const table::row& r) {
        to.begin_record();
        to.word(file, file_name);
        to.integer(table, table_position);
        to.integer(row, row_position);
        for (std::size_t n = 0; n != columns_.size(); ++n) {
            if (from_[n] == none)
                to.null(first + n);
            else
                add_cell(to, first + n, columns_[n], r, from_[n]);
        }
        to.misfits(first + columns_.size());
        to.end_row();
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct column {
        std::string name;
        table::unit unit;
        std::string title;
        arrow_type type;
    };

    // In a schema names are C strings of UTF-8.
    static std::string title(const table::column& c) {
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
    // The place of each column of a table, in placed_; `otherwise` gives that of a column that is not known.
    template <class Otherwise>
    void place_all(const list<table::column>& columns, Otherwise&& otherwise) {
        placed_.clear();
        for (const table::column& c : columns) {
            std::size_t place = 0;
            while (place != columns_.size() && (columns_[place].name != c.name ||
                                                std::find(placed_.begin(), placed_.end(), place) != placed_.end()))
                ++place;
            placed_.push_back(place != columns_.size() ? place : otherwise(c));
        }
    }
    void add_cell(arrow_rows& to, std::size_t place, const column& c, const table::row& r, std::size_t from) {
        const table::cell& one = r[from];
        if (c.type != arrow_type::word) {
            // NaN is a value of its own; an empty cell and `--` are none.
            if (one.value().is_missing() && one.text() == "NaN")
                return c.type == arrow_type::decimal ? to.decimal(place, std::numeric_limits<double>::quiet_NaN())
                                                     : to.null(place);
            return to.value(place, c.title, one.value(), c.type);
        }
        if (one.text().empty()) return to.null(place);
        if (c.unit != table::unit::source || r.frames.empty()) return to.word(place, one.text());
        frames_.assign(one.text());
        for (const std::string_view frame : r.frames) frames_.append("\n").append(frame);
        to.word(place, frames_);
    }

    std::vector<column> columns_;
    std::vector<std::size_t> placed_;
    std::vector<std::size_t> from_;
    std::string frames_;
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
