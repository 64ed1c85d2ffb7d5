// The rows of a stream: which columns they have, and how records are added to the columns.
#ifndef WLFMT_DETAIL_ARROW_ROWS_HPP
#define WLFMT_DETAIL_ARROW_ROWS_HPP

#include "../../json.hpp"
#include "../../oplog/nested.hpp"
#include "../base/text_slots.hpp"
#include "../csv/columns.hpp"
#include "../table/edit.hpp"
#include "batch.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct arrow_field {
    column_info column;
    column_type type;
};

struct arrow_origin {
    std::string_view file;
    std::string_view run;  // the time in the file's name; missing if there is none
    std::int64_t position = -1;
    bool is_copy = false;
};

// The row of a nested operation begins with the columns of columns_of_parent(). The index among the operation's nested
// operations is at the first of these places; the first column after columns_of_parent() is at the second.
inline constexpr std::size_t arrow_index_place = 3;
inline constexpr std::size_t arrow_nested_place = 8;

// Fills the columns of a batch, row by row. The place of a column is its position among all columns that this kind of
// stream can have. Values for columns that were not asked for are skipped.
class arrow_rows {
public:
    static constexpr bool is_csv = false;

    // Call it before add_column(). `fields`: all columns that this kind of stream can have; they must outlive this
    // object. `rows`: the number of rows for which the first batch reserves memory.
    void expect(const std::vector<arrow_field>& fields, std::size_t rows, std::shared_ptr<arrow::batch_memory> memory) {
        fields_ = &fields;
        at_.assign(fields.size(), nullptr);
        has_.assign(fields.size(), false);
        reserved_rows_ = rows;
        memory_ = std::move(memory);
    }
    // Appends a column that was asked for. `place` is its place among all columns.
    void add_column(std::size_t place, const arrow_field& field) {
        places_.push_back(place);
        columns_.emplace_back(std::string(field.column.name), field.type);
        has_[place] = true;
    }
    bool has(std::size_t place) const noexcept { return has_[place]; }
    // The columns that were asked for, without rows.
    const std::vector<arrow_column>& columns() const noexcept { return columns_; }

    // Call it before the first row of a batch.
    void begin() {
        if (batch_ == nullptr) batch_ = memory_->take(columns_);
        if (batch_ == nullptr) batch_ = std::make_unique<arrow_batch>(arrow_batch{columns_});
        batch_->rows = 0;
        for (std::size_t n = 0; n != places_.size(); ++n) {
            arrow_column& c = batch_->columns[n];
            c.clear();
            c.reserve(reserved_rows_);
            at_[places_[n]] = &c;
        }
    }
    std::int64_t size() const noexcept { return batch_->rows; }
    bool is_full() const noexcept {
        return std::any_of(batch_->columns.begin(), batch_->columns.end(),
                           [](const arrow_column& c) { return c.is_full(); });
    }
    // Call it after the last row of a batch. Returns the batch, which the consumer may release in another thread.
    std::shared_ptr<const arrow_batch> take() {
        for (arrow_column& c : batch_->columns) c.finish();
        reserved_rows_ = static_cast<std::size_t>(batch_->rows);
        return std::shared_ptr<arrow_batch>(batch_.release(), [memory = memory_](arrow_batch* own) {
            memory->give(std::unique_ptr<arrow_batch>(own));
        });
    }
    // The column that was given null in place of a text or list that was too long; nullptr if there is none.
    const arrow_column* too_long() const noexcept { return too_long_; }
    // Whether bytes that are not UTF-8 have been replaced since the last call.
    bool take_replaced() noexcept { return std::exchange(replaced_, false); }
    // Call it before the text from which the previous rows were read goes away.
    void forget() noexcept {
        for (known_tensor& known : tensors_) known.shape = std::string_view();
    }

    template <class Record> void add_row(const arrow_origin& from, const Record& record) {
        begin_row();
        record_columns(*this, from, record);
        end_row();
    }
    // Adds, for the first nested operation of an operation, the values that all of them share. end_sub_operations()
    // repeats these values for the others.
    void begin_sub_operations(const arrow_origin& from, const oplog::operation& op) {
        begin_row();
        columns_of_parent(*this, from, op, 0);
        shared_nones_ = nones_;
        shared_misfits_ = misfits_.size();
    }
    void add_row(std::int64_t index, const oplog::sub_operation& s) {
        next_ = at_.data() + arrow_nested_place;
        nones_ = shared_nones_;
        misfits_.resize(shared_misfits_);
        arrow_column* const indices = at_[arrow_index_place];
        if (index != 0 && indices != nullptr) indices->add(index);
        // Few records have escapes, and searching the whole record for one is faster than searching each value.
        nested_columns(*this, s, s.source.find('\\') != std::string_view::npos ? s.quote : '\0');
        end_row();
    }
    void end_sub_operations(std::int64_t count) {
        for (std::size_t place = 0; place != arrow_nested_place; ++place)
            if (place != arrow_index_place && at_[place] != nullptr)
                at_[place]->repeat(static_cast<std::size_t>(count - 1));
    }

    // Between begin_row() and end_row(), each value goes to the next column. A None is noted for the column `none`, and
    // a value that does not fit its column's type for the column `further`.
    void begin_row() noexcept {
        next_ = at_.data();
        nones_ = 0;
        misfits_.clear();
    }
    void end_row() { ++batch_->rows; }
    void null() {
        if (arrow_column* const c = next()) c->add_null();
    }
    WLFMT_INLINE void integer(const column_info&, std::int64_t v) {
        if (arrow_column* const c = next()) c->add(v);
    }
    void integer(const column_info& column, std::uint64_t v) { integer(column, static_cast<std::int64_t>(v)); }
    void integer(const column_info&, const number& v, std::string_view key = {}, char = 0) {
        add(v, key, column_type::integer);
    }
    void integer(const column_info& column, const oplog::sub_operation_list& list) {
        if (list.is_missing()) return null();
        if (list.is_none()) return none();
        integer(column, *next_ != nullptr ? std::uint64_t{oplog::count_nested_operations(list)} : 0);
    }
    void decimal(const column_info&, const number& v, std::string_view key = {}, char = 0) {
        // The column `further` also gets integers, to keep all their digits and to distinguish them from decimals, and
        // NaN, which data frames take for a missing value.
        const double value = v.value_or(0.0);
        const bool is_nan = v.is_decimal() && value != value;
        if ((v.is_integer() || is_nan) && !key.empty()) misfits_.push_back({key, v});
        add(v, key, column_type::decimal);
    }
    void word(const column_info&, std::string_view v) { add(v, 0); }
    void optional_word(const column_info&, std::string_view v, char quote = 0) {
        is_missing(v) ? null() : add(v, quote);
    }
    void value(const column_info& column, std::string_view v, char quote) {
        is_none(v) ? none() : optional_word(column, v, quote);
    }
    void json(const column_info&, const workload::header& head) {
        std::string line;
        if (*next_ != nullptr && !wlfmt::json::write(line, head)) line.pop_back();  // removes the line end
        add(line, 0);
    }
    void integers(const column_info&, const workload::index_list& v) { v.is_missing() ? null() : add_list(v); }
    // Adds a shape and, two columns further on, the number of bytes of a tensor of that shape and dtype.
    void integers(const column_info&, const oplog::shape& s, std::string_view dtype, std::string_view key, char) {
        const bool is_known = !s.is_missing() && !s.is_none();
        const known_tensor* const known = is_known ? &find_tensor(s, dtype) : nullptr;
        if (arrow_column* const bytes = next_[2])
            is_known && known->bytes ? bytes->add(*known->bytes) : bytes->add_null();
        if (!is_known) return s.is_none() ? none() : null();
        if (known->is_list) return add_list(known->sizes);
        null();
        misfits_.push_back({key, number(s.text())});
    }
    void bytes(const column_info&, const oplog::shape&, std::string_view) { ++next_; }
    // Adds the names of the columns whose values are None, joined with commas; null if there are none.
    void nones(const column_info&) {
        if (nones_ == 0 || *next_ == nullptr) return null();
        named_nones& known = named_[mix(0, nones_) % named_.size()];
        if (known.nones != nones_) {
            known = {nones_, {}};
            std::string& names = known.names;
            for (std::size_t n = 0; n != fields_->size(); ++n)
                if ((nones_ >> n & 1U) != 0) names.append(names.empty() ? "" : ",").append((*fields_)[n].column.name);
        }
        add(known.names, 0);
    }
    // Adds a JSON object of the noted values and of the record's keys that have no column; null if there are neither.
    template <class Record, class Key> void further(const column_info&, const Record& r, Key unknown, char quote = 0) {
        if (r.attributes.empty()) return misfits();
        object(quote, [&](json::line& line) { json_further(line, r, unknown, quote); });
    }
    // Adds the names of a record's keys as they are written; null if the record has no list of them, as its keys are
    // then the tracer's, in the tracer's order.
    template <class Record> void keys(const column_info&, const Record& r, char quote) {
        if (r.attributes.empty() || *next_ == nullptr) return null();
        json_.clear();
        for (const oplog::attribute& a : r.attributes) json_.append(json_.empty() ? "" : ",").append(a.key);
        add(json_, quote);
    }
    void misfits() {
        if (misfits_.empty()) return null();
        object(0, [](json::line&) {});
    }

    void add(double v) {
        if (arrow_column* const c = next()) c->add(v);
    }
    void add(const number& n, std::string_view key, column_type type) {
        if (n.has_value()) {
            if (type == column_type::decimal) return add(n.value_or(0.0));
            if (const auto whole = n.as<std::int64_t>()) return integer({}, *whole);
        }
        if (n.is_missing()) return null();
        if (n.is_none()) return none();
        null();
        misfits_.push_back({key, n});
    }
    void add(std::string_view text, char quote) {
        arrow_column* const c = next();
        if (c == nullptr) return;
        if (quote != 0 && text.find('\\') != std::string_view::npos) {
            buffer_.resize(text.size());
            text = oplog::unescape(text, &buffer_[0]);
        }
        if (!c->add(text, replaced_)) refuse(*c);
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
    struct named_nones {
        std::uint32_t nones = 0;
        std::string names;
    };

    arrow_column* next() noexcept { return *next_++; }
    void none() {
        nones_ |= std::uint32_t{1} << (next_ - at_.data());
        null();
    }
    template <class List> void add_list(const List& items) {
        arrow_column* const c = next();
        if (c != nullptr && !c->add_list(items)) refuse(*c);
    }
    // Adds an object of the noted values and of the members that fill(line) writes; null if it has no members.
    template <class Each> void object(char quote, const Each& fill) {
        if (*next_ == nullptr) return null();
        make_json_object(json_, [&](json::line& line) {
            for (const misfit& m : misfits_) line.key(m.key).value(m.value, quote);
            fill(line);
        });
        json_.empty() ? null() : add(json_, 0);
    }
    WLFMT_COLD void refuse(arrow_column& c) {
        too_long_ = &c;
        c.add_null();
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
            known.bytes =
                known.is_list ? oplog::tensor_bytes_of(known.sizes, oplog::element_bytes(dtype)) : std::nullopt;
        }
        return known;
    }

    const std::vector<arrow_field>* fields_ = nullptr;
    std::shared_ptr<arrow::batch_memory> memory_;
    std::vector<arrow_column> columns_;
    std::unique_ptr<arrow_batch> batch_;  // null before begin()
    std::size_t reserved_rows_ = 0;
    std::vector<std::size_t> places_;  // the place of each column
    std::vector<bool> has_;            // whether there is a column at each place
    std::vector<arrow_column*> at_;    // the column at each place in this batch, or null
    // Points into at_, at the column of the next value.
    arrow_column** next_ = nullptr;
    std::vector<misfit> misfits_;
    std::size_t shared_misfits_ = 0;
    std::uint32_t nones_ = 0;  // a bit for each place whose value is None
    std::uint32_t shared_nones_ = 0;
    // Caches, as logs repeat themselves: the texts for nones_ by the hash of its bits, and tensors by that of the
    // shape.
    std::array<named_nones, 16> named_;
    std::array<known_tensor, 16> tensors_;
    std::string json_;
    std::string buffer_;
    const arrow_column* too_long_ = nullptr;
    bool replaced_ = false;
};

static_assert(key_count<oplog::operation> <= 20 && key_count<oplog::sub_operation> <= 20,
              "arrow_rows has 32 bits for columns, of which a dozen are not those of keys");

// The columns of a header. Here, `from.position` is not a position but the number of layers that follow.
template <class To> void record_columns(To& columns, const arrow_origin& from, const workload::header& head) {
    columns.word(file_column, from.file);
    columns.word({"policy", "", "the parallelism policy"}, head.policy);
    columns.integer({"declared_layers", "", "the number of layers that the file declares"}, head.declared_layers);
    columns.integer({"layers", "", "the number of layers that follow"}, from.position);
    columns.integer({"tensor_parallel", "ranks", "model_parallel_NPU_group"}, head.tensor_parallel());
    columns.integer({"expert_parallel", "ranks", "ep"}, head.expert_parallel());
    columns.integer({"pipeline_parallel", "stages", "pp"}, head.pipeline_parallel());
    columns.integer({"virtual_pipeline", "", "vpp"}, head.vpp());
    columns.integer({"gradient_accumulation", "steps", "ga"}, head.gradient_accumulation());
    columns.integer({"all_gpus", "ranks", "all_gpus"}, head.all_gpus());
    // AICB writes pp_comm as a decimal.
    columns.decimal({"pipeline_bytes", "bytes", "pp_comm: what a stage sends to the next one"}, head.pipeline_bytes());
    columns.integers({"checkpoints", "", "positions of layers"}, head.checkpoints());
    columns.integers({"checkpoint_initiates", "", "positions of layers"}, head.checkpoint_initiates());
    columns.json({"header", "", "the whole header as JSON"}, head);
}

inline constexpr arrow_field arrow_table_head[] = {
    {file_column, column_type::word},
    {{"table", "", "the table's position in its file"}, column_type::integer},
    {{"row", "", "the row's position in its table"}, column_type::integer}};

// Maps the columns of a table to those of the stream, which has the columns of all its tables. Columns with the same
// name are distinguished by their order.
class arrow_table_columns {
public:
    explicit arrow_table_columns(bool canonical = false) noexcept
        : canonical_(canonical), key_(canonical ? canonical_name : printed_name) {}

    // Adds the columns of a table. A column's name in the stream includes the unit of its values.
    void add(const item_list<table::column>& columns) {
        match_columns(columns_, columns, key_, [&](const table::column& c) {
            columns_.push_back({std::string(key_(c)), c.unit, title(c), type(c.unit)});
        });
    }
    // Whether any column has an unknown unit, so that its cells have to decide what it holds.
    bool any_unknown() const noexcept {
        return std::any_of(columns_.begin(), columns_.end(),
                           [](const column& c) { return c.unit == table::unit::other; });
    }
    // Lets the row's cells decide what columns of unknown unit hold: numbers if all of a column's cells that have a
    // value are numbers, else texts. Call it after choose() for the row's table.
    void look_at(const table::row& r) {
        for (std::size_t n = 0; n != columns_.size(); ++n) {
            column& c = columns_[n];
            if (c.unit != table::unit::other || matches_[n] == no_column || c.has_texts) continue;
            const table::cell& cell = r[matches_[n]];
            const number& v = cell.value();
            if (v.is_missing() && is_missing_cell(cell.text())) continue;
            c.has_texts = !v.has_value();
            if (c.has_texts) c.type = column_type::word;
            else if (c.type != column_type::decimal)
                c.type = v.as<std::int64_t>() && !v.is_decimal() ? column_type::integer : column_type::decimal;
        }
    }
    // Prepares add_row() for the rows of a table. Its columns must have been added.
    void choose(const item_list<table::column>& columns) {
        matches_ = match_columns(columns_, columns, key_, [](const table::column&) {});
        scales_.assign(columns_.size(), 1);
        if (!canonical_) return;
        for (std::size_t place = 0; place != columns_.size(); ++place)
            if (matches_[place] != no_column) scales_[place] = table::meaning_of(columns[matches_[place]].name).scale;
        device_ = table_canonical::device_of(columns);
    }
    // All columns of the stream; those of its tables are before `further`.
    std::vector<arrow_field> fields() const {
        std::vector<arrow_field> fields(std::begin(arrow_table_head), std::end(arrow_table_head));
        for (const column& c : columns_) fields.push_back({{c.title, {}, {}}, c.type});
        if (canonical_)
            fields.push_back(
                {{meanings::device_heading, "", "whose times these are; empty: none's"}, column_type::word});
        fields.push_back({further_column, column_type::word});
        return fields;
    }

    void add_row(arrow_rows& rows, std::string_view file_name, std::int64_t table_position, std::int64_t row_position,
                 const table::row& r) {
        rows.begin_row();
        rows.add(file_name, 0);
        rows.integer({}, table_position);
        rows.integer({}, row_position);
        for (std::size_t n = 0; n != columns_.size(); ++n) {
            if (matches_[n] == no_column) rows.null();
            else add_cell(rows, columns_[n], r, matches_[n], scales_[n]);
        }
        if (canonical_) rows.add(device_, 0);
        rows.misfits();
        rows.end_row();
    }

private:
    using meanings = table_columns;
    struct column {
        std::string name;
        table::unit unit;
        std::string title;
        column_type type;
        bool has_texts = false;
    };

    static std::string_view canonical_name(const table::column& c) noexcept {
        return table_canonical::canonical(c).name;
    }
    // The name of a column in a schema, which has to be a C string in UTF-8.
    std::string title(const table::column& c) const {
        if (meanings::is_canonical(key_(c))) return std::string(key_(c));
        std::string name = repaired_utf8(c.name);
        std::replace(name.begin(), name.end(), '\0', '?');
        return name.append(row_of(c.unit).heading);
    }
    static column_type type(table::unit u) noexcept {
        if (u == table::unit::count) return column_type::integer;
        const bool words = holds_texts(u) || u == table::unit::other;
        return words ? column_type::word : column_type::decimal;
    }
    static WLFMT_INLINE void add_cell(arrow_rows& rows, const column& c, const table::row& r, std::size_t from,
                                      double scale) {
        const table::cell& cell = r[from];
        if (c.type != column_type::word) {
            // NaN stays NaN; an empty cell and `--` become null.
            if (cell.value().is_missing() && is_nan_cell(cell.text()) && c.unit != table::unit::other)
                return c.type == column_type::decimal ? rows.add(std::numeric_limits<double>::quiet_NaN())
                                                      : rows.null();
            if (scale != 1 && cell.value().has_value()) return rows.add(cell.value().value_or(0.0) * scale);
            return rows.add(cell.value(), c.title, c.type);
        }
        if (cell.text().empty()) return rows.null();
        if (c.unit == table::unit::other) {  // as csv_cell() does
            if (cell.value().is_missing() && is_missing_cell(cell.text())) return rows.null();
            char text[max_repr_chars];
            if (cell.value().has_value()) return rows.add(view(text, write_number(text, cell.value())), 0);
        }
        if (c.unit != table::unit::source || r.frames.empty()) return rows.add(cell.text(), 0);
        rows.add(text_with_frames(cell.text(), r), 0);
    }

    bool canonical_;
    // Returns the key of a column. Columns of different tables that have the same key are one column of the stream.
    std::string_view (*key_)(const table::column&);
    std::vector<column> columns_;
    std::vector<double> scales_;
    std::string_view device_;
    std::vector<std::size_t> matches_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
