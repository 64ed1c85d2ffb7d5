// The rows of a stream while they grow: one column after the other.
#ifndef WLFMT_DETAIL_ARROW_ROWS_HPP
#define WLFMT_DETAIL_ARROW_ROWS_HPP

#include "../../json.hpp"
#include "../../oplog.hpp"
#include "../../to_number.hpp"
#include "../../types/format.hpp"
#include "../base/text_slots.hpp"
#include "../io/out.hpp"
#include "../oplog/find.hpp"
#include "../oplog/operations.hpp"
#include "batch.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

struct arrow_field {
    column_info column;
    column_type type;
};

// Fills the columns of a batch, row by row. A column is named by its place among all columns that the kind of stream
// has; one that was not asked for is not there, and what it would hold is passed over.
class arrow_rows {
public:
    // Before add_column(): the columns that the kind of stream has, which outlive this, for how many rows the first
    // batch has room, and the memory that batches come from and go back to.
    void expect(const std::vector<arrow_field>& fields, std::size_t rows, std::shared_ptr<arrow::batch_memory> memory) {
        fields_ = &fields;
        at_.assign(fields.size(), nullptr);
        has_.assign(fields.size(), false);
        room_ = rows;
        memory_ = std::move(memory);
    }
    // Appends a column that was asked for. `place` is its place among all columns.
    void add_column(std::size_t place, const arrow_field& field) {
        places_.push_back(place);
        columns_.emplace_back(std::string(field.column.name), field.type);
        has_[place] = true;
    }
    void set_lenient(bool lenient) noexcept { lenient_ = lenient; }
    bool is_lenient() const noexcept { return lenient_; }
    bool has(std::size_t place) const noexcept { return has_[place]; }
    // Without rows.
    const std::vector<arrow_column>& columns() const noexcept { return columns_; }

    // Before the first row of a batch.
    void begin() {
        if (batch_ == nullptr) batch_ = memory_->take(columns_);
        if (batch_ != nullptr) {
            for (arrow_column& c : batch_->columns) c.clear();
            batch_->rows = 0;
        } else {
            batch_ = std::make_unique<arrow_batch>();
            batch_->columns = columns_;
            for (arrow_column& c : batch_->columns) c.reserve(room_);
        }
        named_.fill({});
        for (std::size_t n = 0; n != places_.size(); ++n) at_[places_[n]] = &batch_->columns[n];
    }
    std::int64_t size() const noexcept { return batch_->rows; }
    bool is_full() const noexcept {
        return std::any_of(batch_->columns.begin(), batch_->columns.end(),
                           [](const arrow_column& c) { return c.is_full(); });
    }
    // After the last row: the batch for a consumer, who can let go of it in another thread.
    std::shared_ptr<const arrow_batch> take() {
        for (arrow_column& c : batch_->columns) c.finish();
        room_ = static_cast<std::size_t>(batch_->rows);
        return std::shared_ptr<arrow_batch>(batch_.release(), [memory = memory_](arrow_batch* own) {
            memory->give(std::unique_ptr<arrow_batch>(own));
        });
    }
    // Set by what was added last: a text was too long for its column, which has null in its place.
    const arrow_column* too_long() const noexcept { return too_long_; }
    // True, once, if bytes that are not UTF-8 were replaced since the last call.
    bool take_replaced() noexcept { return std::exchange(replaced_, false); }

    void null(std::size_t place) {
        if (arrow_column* c = column(place)) c->add_null();
    }
    WLFMT_INLINE void integer(std::size_t place, std::int64_t v) {
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
        if (!c->add(text, replaced_)) refuse(*c);
    }
    void end_row() { ++batch_->rows; }
    // Repeats the last row's value for that many further rows.
    void repeat(std::size_t place, std::size_t times) {
        if (arrow_column* c = column(place)) c->repeat(times);
    }

    // To be called before the text of the rows so far goes away.
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
    void value(std::size_t place, std::string_view key, const number& n, column_type type) {
        if (n.is_missing()) return null(place);
        if (n.is_none()) return note_none(place);
        if (n.has_value()) {
            if (type == column_type::decimal) return decimal(place, n.value_or(0.0));
            if (const auto whole = n.as<std::int64_t>()) return integer(place, *whole);
        }
        null(place);
        misfits_.push_back({key, n});
    }
    // A shape, and the bytes of a tensor of that shape and dtype.
    void tensor(std::size_t shape_place, std::size_t bytes_place, std::string_view key, const oplog::shape& s,
                std::string_view dtype) {
        if (s.is_missing() || s.is_none()) {
            null(bytes_place);
            return s.is_none() ? note_none(shape_place) : null(shape_place);
        }
        const known_tensor& known = find_tensor(s, dtype);
        if (known.bytes) integer(bytes_place, *known.bytes);
        else null(bytes_place);
        if (known.is_list) return list(shape_place, known.sizes);
        null(shape_place);
        misfits_.push_back({key, number(s.text())});
    }
    // The names of the columns whose keys are None, joined with commas; null if there are none.
    void none_names(std::size_t place) {
        arrow_column* const c = column(place);
        if (c == nullptr) return;
        if (nones_ == 0) return c->add_null();
        named_nones& known = named_[mix(0, nones_) % named_.size()];
        if (known.nones != nones_) {
            names_.clear();
            for (std::size_t n = 0; n != fields_->size(); ++n)
                if ((nones_ >> n & 1U) != 0) names_.append(names_.empty() ? "" : ",").append((*fields_)[n].column.name);
            const std::int32_t index = c->index_of(names_, replaced_);
            if (index < 0) return refuse(*c);
            known = {nones_, index};
        }
        c->add_word(known.index);
    }
    // Noted texts, and the attributes that `each(line)` adds, as a JSON object; null if there is nothing of that kind.
    // `each` returns true if it has added something.
    template <class Each> void object(std::size_t place, char quote, Each&& each) {
        if (!has(place)) return;
        json_.clear();
        bool any = !misfits_.empty();
        append_json(json_, [&](json_line<std::string>& line) {
            line.open('{');
            for (const misfit& m : misfits_) line.key(m.key).value(m.value, quote);
            any = each(line) || any;
            line.close('}');
        });
        if (!any) return null(place);
        word(place, json_);
    }
    void misfits(std::size_t place) {
        if (misfits_.empty()) return null(place);
        object(place, 0, [](json_line<std::string>&) { return false; });
    }
    // With the keys of a record that have no column.
    template <class Record, class Key> void further(std::size_t place, const Record& r, Key unknown, char quote = 0) {
        if (r.attributes.empty()) return misfits(place);
        object(place, quote, [&](json_line<std::string>& line) { return json_further(line, r, unknown, quote); });
    }
    template <class List> void list(std::size_t place, const List& items) {
        arrow_column* const c = column(place);
        if (c != nullptr && !c->add_list(items)) refuse(*c);
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
        std::int32_t index = 0;
    };

    arrow_column* column(std::size_t place) noexcept { return at_[place]; }
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
            known.bytes = known.is_list ? tensor_bytes_of(known.sizes, element_bytes(dtype)) : std::nullopt;
        }
        return known;
    }
    void note_none(std::size_t place) {
        nones_ |= std::uint32_t{1} << place;
        null(place);
    }

    const std::vector<arrow_field>* fields_ = nullptr;
    std::shared_ptr<arrow::batch_memory> memory_;
    std::vector<arrow_column> columns_;
    std::unique_ptr<arrow_batch> batch_;  // null before begin()
    std::size_t room_ = 0;
    std::vector<std::size_t> places_;  // of each column
    std::vector<bool> has_;            // whether there is a column at each place
    std::vector<arrow_column*> at_;    // the column at each place in this batch, or null
    std::vector<misfit> misfits_;
    std::size_t shared_misfits_ = 0;
    std::uint32_t nones_ = 0;
    std::uint32_t shared_nones_ = 0;
    std::array<named_nones, 16> named_;     // of this batch, by the hash of what is None
    std::array<known_tensor, 16> tensors_;  // logs repeat themselves: tensors that were met, by the hash of the shape
    std::string names_;
    std::string json_;
    std::string buffer_;
    const arrow_column* too_long_ = nullptr;
    bool lenient_ = false;
    bool replaced_ = false;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
