// Record batches: their growing columns, the reuse of their memory, and the structs of the Arrow C data interface.
#ifndef WLFMT_DETAIL_ARROW_BATCH_HPP
#define WLFMT_DETAIL_ARROW_BATCH_HPP

#include <algorithm>
#include <array>
#include <atomic>

#include "../../characters.hpp"
#include "../../types/arrow.hpp"
#include "../base/text_slots.hpp"
#include "../csv/columns.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// An offset into texts or lists has 32 bits. A batch ends once a column has used half of that range.
inline constexpr std::size_t max_arrow_bytes = static_cast<std::size_t>((std::numeric_limits<std::int32_t>::max)());

// Returns the text with U+FFFD in place of each byte that is not UTF-8.
inline std::string repaired_utf8(std::string_view s) {
    std::string valid;
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t size = utf8_size(s, at);
        if (size == 0) valid += "\xEF\xBF\xBD";
        else valid.append(s.data() + at, size);
        at += size == 0 ? 1 : size;
    }
    return valid;
}

// The distinct texts of a column, numbered in the order in which they first occur: Arrow's dictionary.
class arrow_words {
public:
    // Returns the number of a text, which is added if it is new; -1 if it is too long. Replaces bytes that are not
    // UTF-8 with U+FFFD, and sets `replaced` if there are any.
    std::int32_t index_of(std::string_view text, bool& replaced) {
        const std::int32_t found = find(text);
        if (found >= 0) return found;
        if (is_utf8(text)) return add(text);
        replaced = true;
        repaired_ = repaired_utf8(text);
        const std::int32_t known = find(repaired_);
        return known >= 0 ? known : add(repaired_);
    }
    // Like index_of(), for a text that follows text number `before`: tries first what followed that one last time.
    std::int32_t index_after(std::int32_t before, std::string_view text, bool& replaced) {
        std::int32_t& expected = expected_[static_cast<std::size_t>(before) + 1];
        if (expected >= 0 && same_text(text, word(expected))) return expected;
        const std::int32_t n = index_of(text, replaced);
        if (n >= 0) expected_[static_cast<std::size_t>(before) + 1] = n;
        return n;
    }
    std::size_t size() const noexcept { return offsets_.size() - 1; }
    std::size_t bytes() const noexcept { return bytes_.size(); }
    const std::int32_t* offsets() const noexcept { return offsets_.data(); }
    const char* data() const noexcept { return bytes_.data(); }
    std::string_view word(std::int32_t n) const noexcept {
        const auto from = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(n)]);
        const auto end = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(n) + 1]);
        return std::string_view(bytes_.data() + from, end - from);
    }
    void clear() {
        bytes_.clear();
        offsets_.assign(1, 0);
        expected_.assign(1, -1);
        slots_.clear();
    }

private:
    std::int32_t find(std::string_view text) const noexcept {
        return slots_.find(text, [this](std::int32_t n) { return word(n); });
    }
    std::int32_t add(std::string_view text) {
        if (text.size() > max_arrow_bytes - bytes_.size() || size() == max_arrow_bytes) return -1;
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
        const auto n = static_cast<std::int32_t>(size() - 1);
        expected_.push_back(n);
        slots_.find_or_add(word(n), [this](std::int32_t at) { return word(at); });
        return n;
    }

    std::vector<char> bytes_;
    std::vector<std::int32_t> offsets_ = {0};
    // At n + 1: the number of the text that followed text n last time, as logs repeat themselves; initially n itself.
    // At 0: the number of the column's first text.
    std::vector<std::int32_t> expected_ = {-1};
    text_slots slots_;
    std::string repaired_;
};

// A growing column. Each of the functions add(), add_null() and add_list() adds a row, and copies its value.
class arrow_column {
public:
    arrow_column(std::string name, column_type type) : name_(std::move(name)), type_(type) { clear(); }

    const std::string& name() const noexcept { return name_; }
    column_type type() const noexcept { return type_; }
    std::int64_t rows() const noexcept { return rows_; }
    std::int64_t nulls() const noexcept { return nulls_; }
    // Arrow's validity bitmap, complete after finish(); nullptr if no row is null.
    const std::uint8_t* valid() const noexcept { return nulls_ != 0 ? valid_.data() : nullptr; }
    // The values of the rows. For words: their numbers. For lists: 0, and then the end of each list in items().
    const void* values() const noexcept {
        switch (type_) {
        case column_type::integer: return integers_.data();
        case column_type::decimal: return decimals_.data();
        default: return indices_.data();
        }
    }
    // The items of all lists.
    const std::vector<std::int64_t>& items() const noexcept { return integers_; }
    const arrow_words& words() const noexcept { return words_; }
    // Whether more than half of the range of the 32-bit offsets is used up, so that the batch should end.
    bool is_full() const noexcept {
        return words_.bytes() > max_arrow_bytes / 2 || integers_.size() > max_arrow_bytes / 2;
    }
    void reserve(std::size_t rows) {
        with_values([&](auto& values) { values.reserve(rows + begins()); });
    }
    // Removes all rows but keeps the memory.
    void clear() {
        rows_ = nulls_ = 0;
        valid_.clear();
        integers_.clear();
        decimals_.clear();
        indices_.clear();
        if (type_ == column_type::integers) indices_.push_back(0);
        words_.clear();
        last_ = -1;
    }

    WLFMT_INLINE void add_null() {
        if (nulls_ == rows_) {
            ++nulls_;
            ++rows_;
        } else {
            add_null_after_values();
        }
    }
    WLFMT_INLINE void add(std::int64_t value) {
        if (nulls_ != 0) add_valid();
        integers_.push_back(value);
        ++rows_;
    }
    WLFMT_INLINE void add(double value) {
        if (nulls_ != 0) add_valid();
        decimals_.push_back(value);
        ++rows_;
    }
    // Returns false and adds nothing if the text is too long. Sets `replaced` if the text is not UTF-8.
    WLFMT_INLINE bool add(std::string_view text, bool& replaced) {
        const std::int32_t n = words_.index_after(last_, text, replaced);
        if (n < 0) return false;
        if (nulls_ != 0) add_valid();
        last_ = n;
        indices_.push_back(n);
        ++rows_;
        return true;
    }
    // Adds a whole list. Returns false and adds nothing if the column would then have too many items.
    template <class List> bool add_list(const List& items) {
        if (items.size() > max_arrow_bytes - integers_.size()) return false;
        if (nulls_ != 0) add_valid();
        integers_.insert(integers_.end(), items.begin(), items.end());
        indices_.push_back(static_cast<std::int32_t>(integers_.size()));
        ++rows_;
        return true;
    }
    // Repeats the last row. Do not call it for a column of lists.
    void repeat(std::size_t times) {
        const bool has_values = nulls_ != rows_;
        if (has_values) with_values([&](auto& values) { values.resize(values.size() + times, values.back()); });
        if (has_values && nulls_ != 0) {
            const bool valid = (unsigned{valid_.back()} >> ((rows_ - 1) % 8) & 1U) != 0;
            for (; times != 0; --times, ++rows_) add_bit(valid);
        } else {
            rows_ += static_cast<std::int64_t>(times);
            if (!has_values) nulls_ = rows_;
        }
    }
    // Call it after the last row.
    void finish() {
        if (rows_ == 0) return;
        if (nulls_ == rows_) make_null_rows();
        // A null row has the number 0, which some consumers look up regardless.
        bool replaced = false;
        if (type_ == column_type::word && words_.size() == 0) words_.index_of({}, replaced);
    }

private:
    template <class Function> WLFMT_INLINE void with_values(const Function& f) {
        switch (type_) {
        case column_type::integer: return f(integers_);
        case column_type::decimal: return f(decimals_);
        default: return f(indices_);
        }
    }
    std::size_t begins() const noexcept { return type_ == column_type::integers ? 1 : 0; }
    // Stores values and validity bits for rows that are all null, which had neither so far.
    void make_null_rows() {
        const auto rows = static_cast<std::size_t>(rows_);
        with_values([&](auto& values) { values.assign(rows + begins(), 0); });
        valid_.assign((rows + 7) / 8, 0);
    }
    // Call it before adding a value to a column that has null rows.
    void add_valid() {
        if (nulls_ == rows_) make_null_rows();
        add_bit(true);
    }
    void add_null_after_values() {
        if (nulls_ == 0) {
            valid_.assign(static_cast<std::size_t>((rows_ + 7) / 8), 0xFF);
            if (rows_ % 8 != 0) valid_.back() = static_cast<std::uint8_t>((1U << static_cast<unsigned>(rows_ % 8)) - 1);
        }
        with_values([&](auto& values) { values.push_back(begins() == 0 ? 0 : values.back()); });
        add_bit(false);
        ++rows_;
    }
    // Adds the validity bit of the next row.
    WLFMT_INLINE void add_bit(bool valid) {
        const auto at = static_cast<unsigned>(rows_ % 8);
        if (at == 0) valid_.push_back(valid ? 1 : 0);
        else valid_.back() = static_cast<std::uint8_t>(valid_.back() | (valid ? 1U : 0U) << at);
        if (!valid) ++nulls_;
    }

    std::string name_;
    column_type type_;
    std::int64_t rows_ = 0;
    std::int64_t nulls_ = 0;
    std::vector<std::uint8_t> valid_;
    std::vector<std::int64_t> integers_;
    std::vector<double> decimals_;
    std::vector<std::int32_t> indices_;
    arrow_words words_;
    std::int32_t last_ = -1;  // the number of the word added last
};

// Columns of equal length.
struct arrow_batch {
    std::vector<arrow_column> columns;
    std::int64_t rows = 0;
};

class arrow_rows;

}}}  // namespace wlfmt::WLFMT_ABI::detail

namespace wlfmt { inline namespace WLFMT_ABI { namespace arrow {

// Keeps up to 16 batches that consumers have released, so that later batches can reuse their memory. Streams can share
// it (request::memory), at the same time or one after another: any number of threads can use it, and none waits.
class batch_memory {
public:
    batch_memory() noexcept = default;
    batch_memory(const batch_memory&) = delete;
    batch_memory& operator=(const batch_memory&) = delete;
    ~batch_memory() {
        for (auto& place : free_) delete place.load(std::memory_order_acquire);
    }

private:
    friend detail::arrow_rows;

    // Takes out a released batch with these columns, not cleared yet, or null. Deletes others that it meets.
    std::unique_ptr<detail::arrow_batch> take(const std::vector<detail::arrow_column>& columns) {
        for (auto& place : free_) {
            if (place.load(std::memory_order_relaxed) == nullptr) continue;
            std::unique_ptr<detail::arrow_batch> batch(place.exchange(nullptr, std::memory_order_acquire));
            if (batch != nullptr && has_columns(*batch, columns)) return batch;
        }
        return nullptr;
    }
    void give(std::unique_ptr<detail::arrow_batch> batch) noexcept {
        for (auto& place : free_) {
            detail::arrow_batch* nothing = nullptr;
            if (place.compare_exchange_strong(nothing, batch.get(), std::memory_order_release,
                                              std::memory_order_relaxed))
                return static_cast<void>(batch.release());
        }
    }
    static bool has_columns(const detail::arrow_batch& batch, const std::vector<detail::arrow_column>& columns) {
        using detail::arrow_column;
        return std::equal(
            batch.columns.begin(), batch.columns.end(), columns.begin(), columns.end(),
            [](const arrow_column& a, const arrow_column& b) { return a.type() == b.type() && a.name() == b.name(); });
    }

    std::array<std::atomic<detail::arrow_batch*>, 16> free_ = {};
};

}}}  // namespace wlfmt::WLFMT_ABI::arrow

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Owns what a schema or an array points to, except for children and a dictionary that the consumer has moved away.
template <class Struct> struct arrow_owner {
    std::vector<Struct> children;
    std::vector<Struct*> places;
    Struct dictionary = {};
    std::string name;
    std::shared_ptr<const arrow_batch> batch;
    const void* buffers[3] = {};

    arrow_owner() = default;
    arrow_owner(const arrow_owner&) = delete;
    arrow_owner& operator=(const arrow_owner&) = delete;
    ~arrow_owner() {
        for (Struct& child : children) release(child);
        release(dictionary);
    }
    static void release(Struct& structure) {
        if (structure.release != nullptr) structure.release(&structure);
    }
    static void give(std::unique_ptr<arrow_owner> own, Struct& structure) {
        for (Struct& child : own->children) own->places.push_back(&child);
        structure.n_children = static_cast<std::int64_t>(own->places.size());
        structure.children = own->places.empty() ? nullptr : own->places.data();
        structure.dictionary = own->dictionary.release != nullptr ? &own->dictionary : nullptr;
        structure.private_data = own.release();
        structure.release = [](Struct* released) {
            delete static_cast<arrow_owner*>(released->private_data);
            released->release = nullptr;
        };
    }
};
// What a schema or an array describes: a batch, a column, or the words (a dictionary) or list items of a column.
enum class arrow_part : std::uint8_t { batch, column, words, items };

// Makes the schema or array of a batch with these columns. Calls fill(part, column, own, structure) for each part.
template <class Struct, class Fill>
void make_arrow_parts(const std::vector<arrow_column>& columns, Struct& structure, const Fill& fill) {
    using owner = arrow_owner<Struct>;
    const auto make = [&](arrow_part part, const arrow_column* c, std::unique_ptr<owner> own, Struct& part_of_batch) {
        part_of_batch = Struct();
        fill(part, c, *own, part_of_batch);
        owner::give(std::move(own), part_of_batch);
    };
    auto owned = std::make_unique<owner>();
    owned->children.resize(columns.size());
    for (const arrow_column& c : columns) {
        auto own = std::make_unique<owner>();
        if (c.type() == column_type::word) make(arrow_part::words, &c, std::make_unique<owner>(), own->dictionary);
        if (c.type() == column_type::integers) {
            own->children.resize(1);
            make(arrow_part::items, &c, std::make_unique<owner>(), own->children[0]);
        }
        make(arrow_part::column, &c, std::move(own), owned->children[static_cast<std::size_t>(&c - columns.data())]);
    }
    make(arrow_part::batch, nullptr, std::move(owned), structure);
}

inline void make_arrow_schema(const std::vector<arrow_column>& columns, ArrowSchema& schema) {
    make_arrow_parts(
        columns, schema, [](arrow_part part, const arrow_column* c, auto& own, ArrowSchema& part_of_schema) {
            // The formats are in the order of column_type.
            constexpr const char* formats[] = {"l", "g", "i", "+l"};
            switch (part) {
            case arrow_part::batch: part_of_schema.format = "+s"; break;
            case arrow_part::column:
                part_of_schema.format = formats[static_cast<std::size_t>(c->type())];
                own.name = c->name();
                break;
            case arrow_part::words: part_of_schema.format = "u"; break;
            case arrow_part::items:
                part_of_schema.format = "l";
                own.name = "item";
                break;
            }
            part_of_schema.flags = part == arrow_part::column || part == arrow_part::words ? ARROW_FLAG_NULLABLE : 0;
            part_of_schema.name = own.name.c_str();
        });
}

inline void make_arrow_array(const std::shared_ptr<const arrow_batch>& batch, ArrowArray& array) {
    // Even an empty buffer gets an address, as some consumers expect one.
    static constexpr std::int64_t nothing = 0;
    make_arrow_parts(
        batch->columns, array, [&](arrow_part part, const arrow_column* c, auto& own, ArrowArray& part_of_array) {
            const auto hold = [&](std::int64_t length, std::initializer_list<const void*> values) {
                part_of_array.length = length;
                part_of_array.n_buffers = 1;
                for (const void* v : values) own.buffers[part_of_array.n_buffers++] = v != nullptr ? v : &nothing;
            };
            switch (part) {
            case arrow_part::batch: hold(batch->rows, {}); break;
            case arrow_part::column:
                hold(c->rows(), {c->values()});
                own.buffers[0] = c->valid();
                part_of_array.null_count = c->nulls();
                break;
            case arrow_part::words:
                hold(static_cast<std::int64_t>(c->words().size()), {c->words().offsets(), c->words().data()});
                break;
            case arrow_part::items: hold(static_cast<std::int64_t>(c->items().size()), {c->items().data()}); break;
            }
            part_of_array.buffers = own.buffers;
            own.batch = batch;
        });
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
