// The columns of a record batch while they grow.
#ifndef WLFMT_DETAIL_ARROW_COLUMN_HPP
#define WLFMT_DETAIL_ARROW_COLUMN_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../base/characters.hpp"
#include "../base/hash.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Offsets into texts and lists have 32 bits. A batch ends when a column has half of that.
inline constexpr std::size_t most_arrow_bytes = static_cast<std::size_t>((std::numeric_limits<std::int32_t>::max)());

// The text with U+FFFD for each byte that is not UTF-8.
inline std::string repaired_utf8(std::string_view s) {
    std::string valid;
    for (std::size_t at = 0; at < s.size();) {
        const std::size_t size = utf8_size(s, at);
        if (size == 0)
            valid += "\xEF\xBF\xBD";
        else
            valid.append(s.data() + at, size);
        at += size == 0 ? 1 : size;
    }
    return valid;
}

// a == b. Most texts of a log are short, and a call of memcmp would take longer than the comparison.
inline bool same_text(std::string_view a, std::string_view b) noexcept {
    const std::size_t size = a.size();
    if (size != b.size()) return false;
    if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
    const auto differ = [&](auto word, std::size_t at) {
        auto other = word;
        std::memcpy(&word, a.data() + at, sizeof word);
        std::memcpy(&other, b.data() + at, sizeof other);
        return word != other;
    };
    // The two pieces of a text overlap.
    if (size >= 8) return !differ(std::uint64_t{}, 0) && !differ(std::uint64_t{}, size - 8);
    if (size >= 4) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, size - 4);
    for (std::size_t n = 0; n != size; ++n)
        if (a[n] != b[n]) return false;
    return true;
}

// The distinct texts of a column, numbered in the order in which they are met: the dictionary that Arrow wants.
//
// The search is seeded with an address, which texts that are made to collide cannot know, and is limited: where many
// texts do collide, they get another seed.
class arrow_words {
public:
    // The number of a text; -1 if it is too long for a column. Bytes that are not UTF-8 become U+FFFD, as Arrow's texts
    // are UTF-8; `replaced` is set then.
    std::int32_t index_of(std::string_view text, bool& replaced) {
        const std::int32_t found = find(text);
        if (found >= 0) return found;
        if (is_utf8(text)) return add(text);
        replaced = true;
        repaired_ = repaired_utf8(text);
        const std::int32_t known = find(repaired_);
        return known >= 0 ? known : add(repaired_);
    }
    std::size_t size() const noexcept { return offsets_.size() - 1; }
    std::size_t bytes() const noexcept { return bytes_.size(); }
    const std::int32_t* offsets() const noexcept { return offsets_.data(); }
    const char* data() const noexcept { return bytes_.data(); }
    std::string_view word(std::int32_t n) const noexcept {
        const auto from = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(n)]);
        const auto to = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(n) + 1]);
        return std::string_view(bytes_.data() + from, to - from);
    }
    void clear() {
        bytes_.clear();
        offsets_.assign(1, 0);
        slots_.clear();
    }

private:
    static constexpr std::size_t most_steps = 64;

    std::size_t slot_of(std::string_view text) const noexcept {
        return static_cast<std::size_t>(mix(seed_, hash_of(text, seed_))) & (slots_.size() - 1);
    }
    std::int32_t find(std::string_view text) const noexcept {
        if (slots_.empty()) return -1;
        std::size_t at = slot_of(text);
        for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1))
            if (same_text(word(slots_[at]), text)) return slots_[at];
        return -1;
    }
    std::int32_t add(std::string_view text) {
        if (text.size() > most_arrow_bytes - bytes_.size() || size() == most_arrow_bytes) return -1;
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
        const auto n = static_cast<std::int32_t>(size() - 1);
        if (slots_.size() < 2 * size())
            place_all(slots_.empty() ? 64 : 2 * slots_.size());
        else
            while (!place(n)) place_all(slots_.size());
        return n;
    }
    // False if the way to a free slot is too long.
    bool place(std::int32_t n) noexcept {
        std::size_t at = slot_of(word(n));
        std::size_t steps = 0;
        for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1))
            if (++steps == most_steps) return false;
        slots_[at] = n;
        return true;
    }
    // Every text in a table of that size, which doubles where texts crowd in spite of another seed.
    void place_all(std::size_t slots) {
        for (;; slots *= 2) {
            seed_ = mix(seed_ + 1, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this)));
            slots_.assign(slots, -1);
            std::int32_t n = 0;
            while (n != static_cast<std::int32_t>(size()) && place(n)) ++n;
            if (n == static_cast<std::int32_t>(size())) return;
        }
    }

    std::vector<char> bytes_;
    std::vector<std::int32_t> offsets_ = {0};
    std::vector<std::int32_t> slots_;  // a power of two of them; -1 is free
    std::uint64_t seed_ = 0;
    std::string repaired_;
};

enum class arrow_type : std::uint8_t {
    integer,  // int64
    decimal,  // float64
    word,     // utf8 in a dictionary
    integers  // a list of int64
};

// One growing column: one call for each row. What a call gets is copied.
class arrow_column {
public:
    arrow_column(std::string name, arrow_type type) : name_(std::move(name)), type_(type) { clear(); }

    const std::string& name() const noexcept { return name_; }
    arrow_type type() const noexcept { return type_; }
    std::int64_t rows() const noexcept { return rows_; }
    std::int64_t nulls() const noexcept { return nulls_; }
    // A bit for each row, after finish(); null if no row is null.
    const std::uint8_t* valid() const noexcept { return nulls_ != 0 ? valid_.data() : nullptr; }
    const std::vector<std::int64_t>& integers() const noexcept { return integers_; }
    const std::vector<double>& decimals() const noexcept { return decimals_; }
    // Of a word its number; of lists 0, and then the end of each.
    const std::vector<std::int32_t>& indices() const noexcept { return indices_; }
    const arrow_words& words() const noexcept { return words_; }
    // True if a further row may be too much for 32 bits.
    bool is_full() const noexcept {
        return words_.bytes() > most_arrow_bytes / 2 || integers_.size() > most_arrow_bytes / 2;
    }
    // Makes room for as many rows as the other column has.
    void reserve_as(const arrow_column& other) {
        integers_.reserve(other.integers_.size());
        decimals_.reserve(other.decimals_.size());
        indices_.reserve(other.indices_.size());
    }
    // No rows; the memory is kept.
    void clear() {
        rows_ = nulls_ = run_ = 0;
        valid_.clear();
        integers_.clear();
        decimals_.clear();
        indices_.clear();
        if (type_ == arrow_type::integers) indices_.push_back(0);
        words_.clear();
        last_ = -1;
    }

    WLFMT_INLINE void add_null() {
        switch (type_) {
        case arrow_type::integer: integers_.push_back(0); break;
        case arrow_type::decimal: decimals_.push_back(0); break;
        case arrow_type::word: break;
        case arrow_type::integers: indices_.push_back(static_cast<std::int32_t>(integers_.size())); break;
        }
        end_rows(false, 1);
    }
    WLFMT_INLINE void add(std::int64_t value) {
        integers_.push_back(value);
        end_rows(true, 1);
    }
    WLFMT_INLINE void add(double value) {
        decimals_.push_back(value);
        end_rows(true, 1);
    }
    // False, and nothing is added, if the text is too long. `replaced` is set if it is not UTF-8.
    bool add(std::string_view text, bool& replaced) {
        // Logs repeat themselves: most often the text is that of the row before.
        if (last_ < 0 || !same_text(text, words_.word(last_))) {
            const std::int32_t n = words_.index_of(text, replaced);
            if (n < 0) return false;
            if (n != last_) end_run();
            last_ = n;
        }
        end_rows(true, 1);
        return true;
    }
    // A whole list. False, and nothing is added, if its column would have too many items.
    bool add(const std::vector<std::int64_t>& items) {
        if (items.size() > most_arrow_bytes - integers_.size()) return false;
        integers_.insert(integers_.end(), items.begin(), items.end());
        indices_.push_back(static_cast<std::int32_t>(integers_.size()));
        end_rows(true, 1);
        return true;
    }
    // The last row that many times more; not of lists.
    void repeat(std::size_t times) {
        switch (type_) {
        case arrow_type::integer: integers_.resize(integers_.size() + times, integers_.back()); break;
        case arrow_type::decimal: decimals_.resize(decimals_.size() + times, decimals_.back()); break;
        case arrow_type::word: break;
        case arrow_type::integers: return;
        }
        end_rows(run_valid_, static_cast<std::int64_t>(times));
    }
    // After the last row.
    void finish() { end_run(); }

private:
    // The last rows are kept as a run, as most columns have long ones, until a row of another kind follows: null or
    // not, and of words another word.
    WLFMT_INLINE void end_rows(bool valid, std::int64_t count) {
        if (valid != run_valid_) {
            end_run();
            run_valid_ = valid;
        }
        run_ += count;
        rows_ += count;
    }
    // Bits for the rows of the run. As long as no row is null, there are none.
    void end_run() {
        if (run_ == 0) return;
        const std::int64_t from = rows_ - run_;
        if (type_ == arrow_type::word) {
            // Null has a number, too, and some consumers look it up.
            bool replaced = false;
            if (words_.size() == 0) words_.index_of({}, replaced);
            const std::int32_t index = run_valid_ ? last_ : 0;
            if (run_ == 1)
                indices_.push_back(index);
            else
                indices_.resize(indices_.size() + static_cast<std::size_t>(run_), index);
        }
        if (!run_valid_) {
            if (nulls_ == 0) set_bits(0, from);
            nulls_ += run_;
        }
        if (nulls_ != 0) {
            if (run_valid_) set_bits(from, rows_);
            valid_.resize(static_cast<std::size_t>((rows_ + 7) / 8), 0);
        }
        run_ = 0;
    }
    void set_bits(std::int64_t from, std::int64_t to) {
        const auto bytes = [](std::int64_t bits) { return static_cast<std::size_t>((bits + 7) / 8); };
        valid_.resize(bytes(from), 0);
        for (; from != to && from % 8 != 0; ++from)
            valid_.back() = static_cast<std::uint8_t>(valid_.back() | 1U << static_cast<unsigned>(from % 8));
        if (from == to) return;
        valid_.resize(bytes(to), 0xFF);
        if (to % 8 != 0) valid_.back() = static_cast<std::uint8_t>((1U << static_cast<unsigned>(to % 8)) - 1);
    }

    std::string name_;
    arrow_type type_;
    bool run_valid_ = true;
    std::int64_t rows_ = 0;
    std::int64_t nulls_ = 0;  // before the run
    std::int64_t run_ = 0;    // the length of the last run
    std::vector<std::uint8_t> valid_;
    std::vector<std::int64_t> integers_;
    std::vector<double> decimals_;
    std::vector<std::int32_t> indices_;
    arrow_words words_;
    std::int32_t last_ = -1;
};

// A record batch: columns of equal length.
struct arrow_batch {
    std::vector<arrow_column> columns;
    std::int64_t rows = 0;
    // False as long as a consumer holds the batch, which can let go of it in another thread.
    std::atomic<bool> is_free = true;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
