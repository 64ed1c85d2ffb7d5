// The columns of a record batch while they grow.
#ifndef WLFMT_DETAIL_ARROW_COLUMN_HPP
#define WLFMT_DETAIL_ARROW_COLUMN_HPP

#include <cstddef>
#include <cstdint>
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
    void clear() {
        bytes_.clear();
        offsets_.assign(1, 0);
        slots_.clear();
    }

private:
    static constexpr std::size_t most_steps = 64;

    std::string_view word(std::int32_t n) const noexcept {
        const auto from = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(n)]);
        const auto to = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(n) + 1]);
        return std::string_view(bytes_.data() + from, to - from);
    }
    std::size_t slot_of(std::string_view text) const noexcept {
        return static_cast<std::size_t>(mix(seed_, hash_of(text, seed_))) & (slots_.size() - 1);
    }
    std::int32_t find(std::string_view text) const noexcept {
        if (slots_.empty()) return -1;
        std::size_t at = slot_of(text);
        for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1))
            if (word(slots_[at]) == text) return slots_[at];
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
    arrow_column(std::string name, arrow_type type) : name_(std::move(name)), type_(type) {
        if (type == arrow_type::integers) indices_.push_back(0);
    }

    const std::string& name() const noexcept { return name_; }
    arrow_type type() const noexcept { return type_; }
    std::int64_t rows() const noexcept { return rows_; }
    std::int64_t nulls() const noexcept { return nulls_; }
    const std::uint8_t* valid() const noexcept { return valid_.data(); }
    const std::vector<std::int64_t>& integers() const noexcept { return integers_; }
    const std::vector<double>& decimals() const noexcept { return decimals_; }
    // Of a word its number; of lists 0, and then the end of each.
    const std::vector<std::int32_t>& indices() const noexcept { return indices_; }
    const arrow_words& words() const noexcept { return words_; }
    // True if a further row may be too much for 32 bits.
    bool is_full() const noexcept {
        return words_.bytes() > most_arrow_bytes / 2 || integers_.size() > most_arrow_bytes / 2;
    }

    void add_null() {
        switch (type_) {
        case arrow_type::integer: integers_.push_back(0); break;
        case arrow_type::decimal: decimals_.push_back(0); break;
        case arrow_type::word: {
            // Null has a number, too, and some consumers look it up.
            bool replaced = false;
            if (words_.size() == 0) words_.index_of({}, replaced);
            indices_.push_back(0);
            break;
        }
        case arrow_type::integers: indices_.push_back(static_cast<std::int32_t>(integers_.size())); break;
        }
        end_row(false);
    }
    void add(std::int64_t value) {
        integers_.push_back(value);
        end_row(true);
    }
    void add(double value) {
        decimals_.push_back(value);
        end_row(true);
    }
    // False, and nothing is added, if the text is too long. `replaced` is set if it is not UTF-8.
    bool add(std::string_view text, bool& replaced) {
        // Logs repeat themselves: most often the text is that of the row before.
        if (last_ < 0 || text != last_text_) {
            const std::int32_t n = words_.index_of(text, replaced);
            if (n < 0) return false;
            last_ = n;
            last_text_.assign(text.data(), text.size());
        }
        indices_.push_back(last_);
        end_row(true);
        return true;
    }
    // The items of a list, then its end. False if there are too many items.
    bool add_item(std::int64_t value) {
        if (integers_.size() == most_arrow_bytes) return false;
        integers_.push_back(value);
        return true;
    }
    void end_list() {
        indices_.push_back(static_cast<std::int32_t>(integers_.size()));
        end_row(true);
    }

private:
    void end_row(bool valid) {
        const auto bit = static_cast<unsigned>(rows_ % 8);
        if (bit == 0) valid_.push_back(0);
        if (valid)
            valid_.back() = static_cast<std::uint8_t>(valid_.back() | 1U << bit);
        else
            ++nulls_;
        ++rows_;
    }

    std::string name_;
    arrow_type type_;
    std::int64_t rows_ = 0;
    std::int64_t nulls_ = 0;
    std::vector<std::uint8_t> valid_;
    std::vector<std::int64_t> integers_;
    std::vector<double> decimals_;
    std::vector<std::int32_t> indices_;
    arrow_words words_;
    std::int32_t last_ = -1;
    std::string last_text_;
};

// A record batch: columns of equal length.
struct arrow_batch {
    std::vector<arrow_column> columns;
    std::int64_t rows = 0;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
