// Whole streams as columns in Python's memory, for libraries that do not take Arrow's structs.
#ifndef WLFMT_PYTHON_FRAME_HPP
#define WLFMT_PYTHON_FRAME_HPP

#include "object.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <wlfmt/arrow.hpp>

#include "convert.hpp"
#include "lock.hpp"
#include "stream.hpp"

namespace wlfmt_python {

// Memory of a bytearray, which arrays of other libraries can share. It grows with the interpreter's lock, and is filled
// without it. A thread that ends meanwhile must not touch Python's objects, so no destructor releases it: call take().
class python_bytes {
public:
    python_bytes() = default;
    // Makes room for `size` bytes in all. Returns false, with an exception, if there is none.
    bool grow(std::size_t size) {
        if (bytearray_ == nullptr) bytearray_ = PyByteArray_FromStringAndSize(nullptr, 0);
        if (bytearray_ == nullptr || PyByteArray_Resize(bytearray_, static_cast<Py_ssize_t>(size)) != 0) return false;
        data_ = PyByteArray_AsString(bytearray_);
        return true;
    }
    template <class T> T* at(std::int64_t row) const { return reinterpret_cast<T*>(data_) + row; }
    object take() { return object(std::exchange(bytearray_, nullptr)); }

private:
    PyObject* bytearray_ = nullptr;
    char* data_ = nullptr;
};

// Values that occur again and again, by their bytes, in the order in which they are met.
class known_values {
public:
    std::int32_t position(std::string_view bytes) {
        const auto found = known_.find(bytes);
        if (found != known_.end()) return found->second;
        const auto position = static_cast<std::int32_t>(all_.size());
        known_.emplace(all_.emplace_back(bytes), position);
        return position;
    }
    const std::deque<std::string>& all() const noexcept { return all_; }

private:
    std::deque<std::string> all_;
    std::unordered_map<std::string_view, std::int32_t> known_;
};

// A column of all batches. `values` has `width` bytes for each row: 8 for integers and decimals, and 1, 2 or 4 for the
// position of a text or list in `words`, which has each of them once, lists as tuples. New memory takes longer than
// anything else here, so that positions have no more bytes than they need. A null is NaN, 0, or the position -1;
// `valid`, a byte for each row, tells nulls from such numbers, and is None if no number is null.
class gathered_column {
public:
    explicit gathered_column(const ArrowSchema& about) : about_(about), width_(has_positions() ? 1 : 8) {}

    // Call grow() with the interpreter's lock and then add() without it, for the first `rows` rows of a batch.
    bool grow(const ArrowArray& a, std::int64_t rows) {
        has_null_ = has_null_ || (a.null_count != 0 && !has_positions());
        const auto all = static_cast<std::size_t>(rows_ + rows);
        return (!has_positions() || widen(a, rows)) && values_.grow(all * width_) && (!has_null_ || valid_.grow(all));
    }
    void add(const ArrowArray& a, std::int64_t rows) {
        if (has_null_) add_valid(a, rows);
        if (a.null_count == a.length && a.length != 0) add_nulls(rows);
        else if (is_word()) at_positions(rows_, [&](auto* to) { add_words(a, rows, to); });
        else if (is_list()) at_positions(rows_, [&](auto* to) { add_lists(a, rows, to); });
        else add_numbers(a, rows);
        rows_ += rows;
    }
    // Returns (name, format, width, values, valid, words), and ends the column.
    object take() {
        const object values = grow_to_end(values_);
        const object valid = has_null_ ? valid_.take() : none();
        const object words = has_positions() ? words_of() : none();
        if (!values || !valid || !words) return object();
        return object(Py_BuildValue("(ssnOOO)", about_.name, about_.format, static_cast<Py_ssize_t>(width_),
                                    values.get(), valid.get(), words.get()));
    }
    void drop() {
        static_cast<void>(values_.take());
        static_cast<void>(valid_.take());
    }

private:
    bool is_word() const noexcept { return about_.format[0] == 'i'; }
    bool is_list() const noexcept { return about_.format[0] == '+'; }
    bool has_positions() const noexcept { return is_word() || is_list(); }
    bool is_decimal() const noexcept { return about_.format[0] == 'g'; }
    static bool is_valid(const ArrowArray& a, std::int64_t row) noexcept {
        const auto* const bits = static_cast<const std::uint8_t*>(a.buffers[0]);
        return bits == nullptr || (bits[row / 8] >> (row % 8) & 1) != 0;
    }
    // Gives positions more bytes if there may be too many texts or lists with these rows.
    bool widen(const ArrowArray& a, std::int64_t rows) {
        const auto more = a.null_count == a.length ? 0 : is_word() ? a.dictionary->length : rows;
        const auto most = static_cast<std::int64_t>(words_.all().size()) + more;
        const std::size_t width = most <= (std::numeric_limits<std::int8_t>::max)()    ? 1
                                  : most <= (std::numeric_limits<std::int16_t>::max)() ? 2
                                                                                       : 4;
        if (width <= width_) return true;
        python_bytes wider;
        if (rows_ != 0) {
            if (!wider.grow(static_cast<std::size_t>(rows_) * width)) {
                static_cast<void>(wider.take());
                return false;
            }
            at_positions(0, [&](const auto* from) {
                if (width == 2) std::copy_n(from, rows_, wider.at<std::int16_t>(0));
                else std::copy_n(from, rows_, wider.at<std::int32_t>(0));
            });
            static_cast<void>(values_.take());
            values_ = wider;
        }
        width_ = width;
        return true;
    }
    // Calls fill(address) with the address of the position in this row.
    template <class Fill> void at_positions(std::int64_t row, Fill&& fill) {
        switch (width_) {
        case 1: return fill(values_.at<std::int8_t>(row));
        case 2: return fill(values_.at<std::int16_t>(row));
        default: return fill(values_.at<std::int32_t>(row));
        }
    }
    void add_valid(const ArrowArray& a, std::int64_t rows) {
        // The rows before the first null are valid.
        if (!any_valid_) std::memset(valid_.at<char>(0), 1, static_cast<std::size_t>(rows_));
        any_valid_ = true;
        char* const to = valid_.at<char>(rows_);
        if (a.null_count == 0 || a.null_count == a.length)
            std::memset(to, a.null_count == 0 ? 1 : 0, static_cast<std::size_t>(rows));
        else
            for (std::int64_t r = 0; r != rows; ++r) to[r] = is_valid(a, r) ? '\1' : '\0';
    }
    void add_nulls(std::int64_t rows) {
        if (has_positions())
            at_positions(rows_, [&](auto* to) { std::memset(to, 0xFF, static_cast<std::size_t>(rows) * sizeof *to); });
        else if (is_decimal()) std::fill_n(values_.at<double>(rows_), rows, std::numeric_limits<double>::quiet_NaN());
        else std::fill_n(values_.at<std::int64_t>(rows_), rows, 0);
    }
    void add_numbers(const ArrowArray& a, std::int64_t rows) {
        if (rows != 0) std::memcpy(values_.at<double>(rows_), a.buffers[1], static_cast<std::size_t>(rows) * 8);
        if (a.null_count == 0) return;
        for (std::int64_t r = 0; r != rows; ++r) {
            if (is_valid(a, r)) continue;
            if (is_decimal()) *values_.at<double>(rows_ + r) = std::numeric_limits<double>::quiet_NaN();
            else *values_.at<std::int64_t>(rows_ + r) = 0;
        }
    }
    // Each batch has a dictionary of its own. If not all of its rows are added, not all of its words need occur.
    template <class Position> void add_words(const ArrowArray& a, std::int64_t rows, Position* to) {
        const auto* const ends = static_cast<const std::int32_t*>(a.dictionary->buffers[1]);
        const auto* const text = static_cast<const char*>(a.dictionary->buffers[2]);
        const auto* const from = static_cast<const std::int32_t*>(a.buffers[1]);
        const auto position = [&](std::int32_t n) {
            return words_.position({text + ends[n], static_cast<std::size_t>(ends[n + 1] - ends[n])});
        };
        places_.assign(static_cast<std::size_t>(a.dictionary->length), -1);
        if (rows == a.length && a.null_count == 0) {
            for (std::size_t n = 0; n != places_.size(); ++n) places_[n] = position(static_cast<std::int32_t>(n));
            for (std::int64_t r = 0; r != rows; ++r)
                to[r] = static_cast<Position>(places_[static_cast<std::size_t>(from[r])]);
            return;
        }
        for (std::int64_t r = 0; r != rows; ++r) {
            to[r] = -1;
            if (!is_valid(a, r)) continue;
            std::int32_t& place = places_[static_cast<std::size_t>(from[r])];
            if (place < 0) place = position(from[r]);
            to[r] = static_cast<Position>(place);
        }
    }
    template <class Position> void add_lists(const ArrowArray& a, std::int64_t rows, Position* to) {
        const auto* const ends = static_cast<const std::int32_t*>(a.buffers[1]);
        const auto* const items = static_cast<const std::int64_t*>(a.children[0]->buffers[1]);
        // Logs repeat themselves: remembers the positions of some lists of the batch, by a hash of their items.
        struct known {
            std::string_view bytes;
            std::int32_t position = -1;
        };
        std::array<known, 64> last = {};
        for (std::int64_t r = 0; r != rows; ++r) {
            to[r] = -1;
            if (!is_valid(a, r)) continue;
            const auto size = static_cast<std::size_t>(ends[r + 1] - ends[r]);
            const std::int64_t* const first = items + ends[r];
            const std::string_view bytes(reinterpret_cast<const char*>(first), size * sizeof *first);
            std::uint64_t hash = size;
            for (std::size_t n = 0; n != size; ++n)
                hash = (hash ^ static_cast<std::uint64_t>(first[n])) * 0x9e3779b97f4a7c15U;
            known& met = last[hash >> 58];
            if (met.position < 0 || met.bytes != bytes) met = {bytes, words_.position(bytes)};
            to[r] = static_cast<Position>(met.position);
        }
    }
    object grow_to_end(python_bytes& bytes) const { return rows_ != 0 || bytes.grow(0) ? bytes.take() : object(); }
    object words_of() const {
        return list_of(words_.all(),
                       [&](const std::string& word) { return is_word() ? text_of(word) : integers_of(word); });
    }
    static object integers_of(std::string_view bytes) {
        const std::size_t size = bytes.size() / sizeof(std::int64_t);
        object all(PyTuple_New(static_cast<Py_ssize_t>(size)));
        for (std::size_t n = 0; all && n != size; ++n) {
            std::int64_t value = 0;
            std::memcpy(&value, bytes.data() + n * sizeof value, sizeof value);
            PyObject* const item = PyLong_FromLongLong(value);
            if (item == nullptr || PyTuple_SetItem(all.get(), static_cast<Py_ssize_t>(n), item) != 0) return object();
        }
        return all;
    }
    static object none() {
        Py_IncRef(Py_None);
        return object(Py_None);
    }

    const ArrowSchema& about_;
    std::size_t width_;
    python_bytes values_;
    python_bytes valid_;
    bool has_null_ = false;
    bool any_valid_ = false;
    known_values words_;
    std::vector<std::int32_t> places_;
    std::int64_t rows_ = 0;
};

constexpr std::int64_t all_rows = (std::numeric_limits<std::int64_t>::max)();

// Reads a stream to its end, batch by batch, so that the memory of one batch serves for the next.
class read_stream {
public:
    explicit read_stream(ArrowArrayStream& from) : from_(from) {}
    read_stream(const read_stream&) = delete;
    read_stream& operator=(const read_stream&) = delete;
    ~read_stream() {
        release();
        if (schema_.release != nullptr) schema_.release(&schema_);
    }

    // Returns the code of the error, or -1 with an exception; `most`: the number of rows that are enough.
    int read(std::int64_t most) {
        int code = 0;
        {
            const unlocked without_lock;
            code = from_.get_schema(&from_, &schema_);
        }
        if (code != 0) return code;
        columns_.reserve(static_cast<std::size_t>(schema_.n_children));
        for (std::int64_t n = 0; n != schema_.n_children; ++n) columns_.emplace_back(*schema_.children[n]);
        std::int64_t rows = 0;
        for (std::int64_t left = most; left > 0; left -= rows) {
            {
                const unlocked without_lock;
                add(rows);
                code = from_.get_next(&from_, &batch_);
            }
            if (code != 0 || batch_.release == nullptr) return code;
            rows = (std::min)(batch_.length, left);
            for (std::size_t n = 0; n != columns_.size(); ++n)
                if (!columns_[n].grow(*batch_.children[n], rows)) return -1;
        }
        const unlocked without_lock;
        add(rows);
        return code;
    }
    object columns() {
        object all(PyList_New(0));
        for (gathered_column& column : columns_) {
            const object taken = column.take();
            if (!all || !taken || PyList_Append(all.get(), taken.get()) != 0) return object();
        }
        return all;
    }
    // Call it with the interpreter's lock: releases what columns() has not taken.
    void drop() {
        for (gathered_column& column : columns_) column.drop();
    }

private:
    void add(std::int64_t rows) {
        if (batch_.release == nullptr) return;
        for (std::size_t n = 0; n != columns_.size(); ++n) columns_[n].add(*batch_.children[n], rows);
        release();
    }
    void release() {
        if (batch_.release != nullptr) batch_.release(&batch_);
        batch_ = ArrowArray();
    }

    ArrowArrayStream& from_;
    ArrowSchema schema_ = {};
    ArrowArray batch_ = {};
    std::vector<gathered_column> columns_;
};

// gather(stream, most_rows) -> columns. Releases the stream, whatever happens: an exception that reading it has raised
// keeps the frames of its callers alive, and with them the capsule, for as long as somebody keeps the exception.
inline PyObject* gather(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* capsule = nullptr;
        long long most = 0;
        if (PyArg_ParseTuple(args, "OL", &capsule, &most) == 0 || !is_between(most, 0, all_rows, "most_rows"))
            return nullptr;
        auto* const from =
            static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, capsule_name<ArrowArrayStream>));
        if (from == nullptr) return nullptr;
        if (from->release == nullptr) {
            PyErr_SetString(PyExc_ValueError, "the stream has been read");
            return nullptr;
        }
        static_cast<shared_stream*>(from->private_data)->is_gathered = true;
        int code = 0;
        object columns;
        {
            read_stream all(*from);
            try {
                code = all.read(most);
                if (code == 0) columns = all.columns();
            } catch (const std::bad_alloc&) {
                code = ENOMEM;
            }
            all.drop();
        }
        const object failed(code > 0 ? raise_end(*from, code) : nullptr);
        from->release(from);
        return columns.release();
    });
}

// columns_of(contents) -> (name, unit, meaning) of each column
inline PyObject* columns_of(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        int of = 0;
        if (PyArg_ParseTuple(args, "i", &of) == 0 || !is_between(of, 0, last_contents, "contents")) return nullptr;
        return list_of(wlfmt::arrow::columns_of(static_cast<wlfmt::arrow::contents>(of)),
                       [](const auto& column) {
                           return list_of(std::initializer_list{column.name, column.unit, column.meaning}, text_of);
                       })
            .release();
    });
}

}  // namespace wlfmt_python

#endif
