// Reading workload files.
//
// A layer is read on one of two paths with the same answers. The plain path takes a line of twelve well-formed fields
// apart and types them in one pass; at anything else it gives up, and the general path reads the line field by field
// and says what is wrong with it.
#ifndef WLFMT_DETAIL_WORKLOAD_READ_HPP
#define WLFMT_DETAIL_WORKLOAD_READ_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "../../workload.hpp"
#include "../core/decimal.hpp"
#include "../core/scan.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Words: what stands between blanks.

struct word {
    const char* begin;
    const char* end;
    WLFMT_INLINE std::string_view text() const noexcept { return view(begin, end); }
};

inline const char* skip_blanks(const char* p, const char* end) noexcept {
    while (p != end && is_blank(*p)) ++p;
    return p;
}
inline const char* skip_blank_lines(const char* p, const char* end) noexcept {
    while (p != end && (is_blank(*p) || *p == '\n')) ++p;
    return p;
}
// The end of the word that begins at p.
inline const char* word_end(const char* p, const char* end) noexcept {
    return find_any<'\t', ' ', '\n', '\r', '\v', '\f'>(p, end);
}

// Numbers: a word in its whole length.

inline bool is_finite(double v) noexcept { return (bits_of(v) & infinity_bits) != infinity_bits; }

// Of all that is read of a number `end` is the end: that of the text is best, as read_number() looks at blocks of it.

// The word as an integer or decimal: error_kind::none, not_a_number or number_overflow.
inline error_kind number_in(word w, const char* end, number& value) noexcept {
    const char* p = w.begin;
    const number_status status = read_number(p, end, value);
    if (status == number_status::invalid || p != w.end) return error_kind::not_a_number;
    if (status == number_status::overflow) return error_kind::number_overflow;
    return is_finite(value) ? error_kind::none : error_kind::not_a_number;
}

// The word as an integer, for which Python's `2621440.0` stands too: error_kind::none, not_an_integer or number_overflow.
inline error_kind integer_in(word w, const char* end, std::int64_t& value) noexcept {
    constexpr double limit = 9223372036854775808.0;  // 2^63
    number n;
    const error_kind what = number_in(w, end, n);
    if (what != error_kind::none) return what == error_kind::not_a_number ? error_kind::not_an_integer : what;
    if (n.is_integer()) {
        value = n.integer();
        return error_kind::none;
    }
    const double decimal = n;
    if (decimal < -limit || decimal >= limit) return error_kind::number_overflow;
    value = static_cast<std::int64_t>(decimal);
    return static_cast<double>(value) == decimal ? error_kind::none : error_kind::not_an_integer;
}

// The word as digits with or without a sign.
inline number_status plain_integer(word w, std::int64_t& value) noexcept {
    const char* p = w.begin;
    const number_status status = read_integer(p, w.end, value);
    return p == w.end ? status : number_status::invalid;
}

inline bool is_number(word w) noexcept {
    number value;
    return number_in(w, w.end, value) != error_kind::not_a_number;
}

// The header line.

inline bool is_dlrm(std::string_view policy) noexcept {
    return policy == "HYBRID_DLRM" || policy == "HYBRID_DLRM_ENHANCED";
}
inline bool has_own_policies(std::string_view policy) noexcept { return policy == "HYBRID_CUSTOMIZED"; }
inline bool is_index_list(std::string_view key) noexcept {
    return key == "checkpoints" || key == "checkpoint_initiates";
}
inline constexpr std::string_view last_bottom_layer = "DLRM_LAST_BOTTOM_LAYER";
inline bool is_numeric_key(std::string_view key) noexcept {
    constexpr std::string_view keys[] = {
        "model_parallel_NPU_group", "expert_parallel_npu_group", "ep", "pp", "vpp", "ga", "all_gpus", "pp_comm",
        last_bottom_layer};
    for (const std::string_view k : keys)
        if (k == key) return true;
    return false;
}

// What is wrong with a header entry, and where.
struct entry_problem {
    error_kind what = error_kind::none;
    word where = {nullptr, nullptr};
    std::int64_t found = 0;
    std::int64_t expected = 0;
};

// The count and the indices of a list, the first of which stands at p; the list ends where an integer is missing.
inline const char* read_indices(const char* p, const char* end, workload::entry& e, entry_problem& problem) noexcept {
    word w = {p, word_end(p, end)};
    std::int64_t count = 0;
    const number_status status = plain_integer(w, count);
    const char* last = w.end;
    if (status != number_status::ok || count < 0) {
        problem.what = status == number_status::overflow ? error_kind::number_overflow : error_kind::not_an_integer;
        problem.where = w;
        count = 0;
    }
    for (std::int64_t n = 0; n != count; ++n) {
        w.begin = skip_blanks(last, end);
        w.end = word_end(w.begin, end);
        std::int64_t index = 0;
        if (plain_integer(w, index) != number_status::ok) {
            if (w.begin == w.end) w = {last, last};
            problem = {error_kind::header_value, w, n, count};
            break;
        }
        last = w.end;
    }
    e.value = view(p, last);
    return last;
}

// Reads the entry that begins at p, in a header line that ends at `end`; returns its end.
inline const char* read_entry(const char* p, const char* end, bool number_first, workload::entry& e,
                              entry_problem& problem) noexcept {
    const word first = {p, word_end(p, end)};
    std::int64_t bare = 0;
    if (number_first) {
        const number_status status = plain_integer(first, bare);
        if (status != number_status::invalid) {
            e = {{}, first.text(), false};
            if (status == number_status::overflow) problem = {error_kind::number_overflow, first, 0, 0};
            return first.end;
        }
    }
    const char* key_end = first.end;
    while (key_end != first.begin && key_end[-1] == ':') --key_end;
    e = {view(first.begin, key_end), view(first.end, first.end), key_end != first.end};

    const word value = {skip_blanks(first.end, end), word_end(skip_blanks(first.end, end), end)};
    const bool list = is_index_list(e.key);
    const bool numeric = is_numeric_key(e.key);
    // A known key's value is never the next key.
    if (value.begin == value.end || ((list || numeric) && value.end[-1] == ':')) {
        problem = {error_kind::header_value, {first.end, first.end}, 0, 0};
        return first.end;
    }
    if (list) return read_indices(value.begin, end, e, problem);
    e.value = value.text();
    number n;
    if (numeric) problem = {number_in(value, end, n), value, 0, 0};
    return value.end;
}

}  // namespace detail

namespace workload {

class entry_list::iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const entry*;
    using reference = const entry&;

    iterator() noexcept = default;
    reference operator*() const noexcept { return current_; }
    pointer operator->() const noexcept { return &current_; }
    iterator& operator++() noexcept {
        if (item_ != nullptr) {
            take_item(item_ + 1);
        } else {
            take_text(behind_);
        }
        return *this;
    }
    iterator operator++(int) noexcept {
        iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept {
        return a.item_ == b.item_ && a.at_ == b.at_;
    }
    friend bool operator!=(const iterator& a, const iterator& b) noexcept { return !(a == b); }

private:
    friend class entry_list;
    friend struct access;
    iterator(const entry* item, const entry* items_end) noexcept : items_end_(items_end) { take_item(item); }
    iterator(const char* at, const char* end, bool number_first) noexcept : end_(end), number_first_(number_first) {
        take_text(at);
    }

    void take_item(const entry* item) noexcept {
        item_ = item;
        if (item != items_end_) current_ = *item;
    }
    void take_text(const char* p) noexcept {
        at_ = detail::skip_blank_lines(p, end_);
        problem_ = {};
        if (at_ != end_) behind_ = detail::read_entry(at_, end_, number_first_, current_, problem_);
        number_first_ = false;
    }

    entry current_ = {};
    detail::entry_problem problem_ = {};  // what is wrong with this entry
    const entry* item_ = nullptr;         // in the caller's array
    const entry* items_end_ = nullptr;
    const char* at_ = nullptr;      // in the text: where this entry begins
    const char* behind_ = nullptr;  // and where it ends
    const char* end_ = nullptr;
    bool number_first_ = false;
};

inline entry_list::iterator entry_list::begin() const noexcept {
    if (items_ != nullptr) return iterator(items_, items_ + count_);
    return iterator(text_.data(), text_.data() + text_.size(), detail::is_dlrm(policy_));
}
inline entry_list::iterator entry_list::end() const noexcept {
    if (items_ != nullptr) return iterator(items_ + count_, items_ + count_);
    const char* const end = text_.data() + text_.size();
    return iterator(end, end, false);
}
inline bool entry_list::empty() const noexcept { return begin() == end(); }
inline std::string_view entry_list::find(std::string_view key) const noexcept {
    for (const entry& e : *this)
        if (e.key == key) return e.value;
    return {};
}

class index_list::iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::int64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::int64_t*;
    using reference = const std::int64_t&;

    iterator() noexcept = default;
    reference operator*() const noexcept { return current_; }
    pointer operator->() const noexcept { return &current_; }
    iterator& operator++() noexcept {
        const detail::word w = {detail::skip_blanks(at_, end_), detail::word_end(detail::skip_blanks(at_, end_), end_)};
        at_ = detail::plain_integer(w, current_) == detail::number_status::ok ? w.end : nullptr;
        return *this;
    }
    iterator operator++(int) noexcept {
        iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }
    friend bool operator!=(const iterator& a, const iterator& b) noexcept { return a.at_ != b.at_; }

private:
    friend class index_list;
    iterator(const char* at, const char* end) noexcept : at_(at), end_(end) {}

    std::int64_t current_ = 0;
    const char* at_ = nullptr;  // behind this index; null behind the last
    const char* end_ = nullptr;
};

inline index_list::iterator index_list::begin() const noexcept {
    iterator count(value_.data(), value_.data() + value_.size());
    ++count;
    return count == iterator() ? count : ++count;
}
inline index_list::iterator index_list::end() const noexcept { return iterator(); }
inline std::size_t index_list::size() const noexcept {
    std::size_t n = 0;
    for (iterator i = begin(); i != end(); ++i) ++n;
    return n;
}

}  // namespace workload

namespace detail {

// A header value as a number; what is none stays text.
inline number header_number(std::string_view value) noexcept {
    if (value.data() == nullptr) return {};
    number n;
    const word whole = {value.data(), value.data() + value.size()};
    return number_in(whole, whole.end, n) == error_kind::none ? n : number(value);
}

}  // namespace detail

namespace workload {

inline number header::model_parallel_npu_group() const noexcept {
    return detail::header_number(entries.find("model_parallel_NPU_group"));
}
inline number header::expert_parallel() const noexcept {
    const std::string_view ep = entries.find("ep");
    return detail::header_number(ep.data() != nullptr ? ep : entries.find("expert_parallel_npu_group"));
}
inline number header::pipeline_parallel() const noexcept { return detail::header_number(entries.find("pp")); }
inline number header::virtual_pipeline() const noexcept { return detail::header_number(entries.find("vpp")); }
inline number header::gradient_accumulation() const noexcept { return detail::header_number(entries.find("ga")); }
inline number header::all_gpus() const noexcept { return detail::header_number(entries.find("all_gpus")); }
inline number header::pipeline_bytes() const noexcept { return detail::header_number(entries.find("pp_comm")); }
inline number header::dlrm_last_bottom_layer() const noexcept {
    const std::string_view bare = entries.find({});
    return detail::header_number(bare.data() != nullptr ? bare : entries.find(detail::last_bottom_layer));
}
inline index_list header::checkpoints() const noexcept { return index_list(entries.find("checkpoints")); }
inline index_list header::checkpoint_initiates() const noexcept {
    return index_list(entries.find("checkpoint_initiates"));
}

inline communication communication_of(std::string_view comm) noexcept {
    const auto strip = [&comm](std::string_view suffix) {
        if (comm.size() < suffix.size() || comm.substr(comm.size() - suffix.size()) != suffix) return false;
        comm.remove_suffix(suffix.size());
        return true;
    };
    communication what;
    if (strip("_DP_EP")) {
        what.group = group::dp_ep;
    } else if (strip("_EP")) {
        what.group = group::ep;
    } else if (strip("_DP")) {
        what.group = group::dp;
    }
    // Whole names: ALLREDUCEALLTOALL is no ALLREDUCE.
    constexpr std::pair<std::string_view, collective> names[] = {
        {"NONE", collective::none},           {"ALLREDUCE", collective::allreduce},
        {"ALLGATHER", collective::allgather}, {"REDUCESCATTER", collective::reduce_scatter},
        {"ALLTOALL", collective::all_to_all}, {"ALLREDUCEALLTOALL", collective::allreduce_all_to_all},
        {"BROADCAST", collective::broadcast}};
    what.collective = collective::other;
    for (const auto& [name, value] : names)
        if (name == comm) what.collective = value;
    return what;
}

}  // namespace workload

namespace detail {

// A layer's line.

inline constexpr std::size_t layer_fields = 12;  // and a policy as the thirteenth
inline constexpr std::size_t policy_field = 12;
inline constexpr std::string_view layer_field_names[] = {"name",
                                                         "dependency",
                                                         "forward.compute",
                                                         "forward.comm",
                                                         "forward.bytes",
                                                         "input_grad.compute",
                                                         "input_grad.comm",
                                                         "input_grad.bytes",
                                                         "weight_grad.compute",
                                                         "weight_grad.comm",
                                                         "weight_grad.bytes",
                                                         "update",
                                                         "policy"};

inline constexpr std::string_view numeric_comm_names[] = {"a number as forward.comm", "a number as input_grad.comm",
                                                          "a number as weight_grad.comm"};

// What a field of a layer has to be.
enum class field_type : std::uint8_t { name, integer, number, collective };
inline field_type type_of_field(std::size_t field) noexcept {
    if (field == 0) return field_type::name;
    constexpr field_type types[] = {field_type::number, field_type::collective, field_type::integer};
    return types[(field + 1) % 3];
}

// A line taken apart. Of its words the first thirteen are kept, all are counted.
struct layer_line {
    word fields[layer_fields + 1];
    std::size_t count = 0;
    const char* last = nullptr;  // the end of the last word
    const char* next = nullptr;  // where the next line begins

    // p stands at the first word.
    layer_line(const char* p, const char* end) noexcept {
        while (p != end && *p != '\n') {
            last = word_end(p, end);
            if (count < layer_fields + 1) fields[count] = {p, last};
            ++count;
            p = skip_blanks(last, end);
        }
        next = p == end ? end : p + 1;
    }
};

inline workload::phase& phase_of_field(workload::layer& l, std::size_t field) noexcept {
    return field < 5 ? l.forward : field < 8 ? l.input_grad : l.weight_grad;
}

// Reads one of the twelve fields. error_kind::related_format: a number where a collective stands; it is read all the same.
inline error_kind read_field(std::size_t field, word w, const char* end, workload::layer& to) noexcept {
    workload::phase& p = phase_of_field(to, field);
    switch (type_of_field(field)) {
    case field_type::name: to.name = w.text(); return error_kind::none;
    case field_type::number: return number_in(w, end, field + 1 == layer_fields ? to.update : p.compute);
    case field_type::integer: return integer_in(w, end, field == 1 ? to.dependency : p.bytes);
    default: p.comm = w.text(); return is_number(w) ? error_kind::related_format : error_kind::none;
    }
}

// Which field a line of the wrong length lacks, as far as words and numbers tell: the first place where one stands for
// the other, or where the line ends. Numbers stand side by side: the first of them may be the one that is missing.
inline std::string_view missing_field(const layer_line& line) noexcept {
    for (std::size_t field = 1; field < layer_fields; ++field) {
        if (field >= line.count) return layer_field_names[field];
        const bool number_wanted = type_of_field(field) != field_type::collective;
        if (is_number(line.fields[field]) == number_wanted) continue;
        const bool second = number_wanted && type_of_field(field) == field_type::number;
        return layer_field_names[second ? field - 1 : field];
    }
    return layer_field_names[policy_field];
}

// The plain path.
//
// A field costs a few instructions and no branch that depends on its length: blanks are found for 64 bytes at once, and
// an integer of up to sixteen digits is read from the sixteen bytes that end with it.

inline constexpr std::ptrdiff_t window = 64;
inline constexpr std::size_t max_plain_digits = 16;

// Which of the 64 bytes at p are blanks, line ends or other control characters: bit n for byte n.
WLFMT_INLINE std::uint64_t blank_bits(const char* p) noexcept {
#if defined(WLFMT_SSE2)
    return block::mask(block(p).up_to(' ')) | block::mask(block(p + 16).up_to(' ')) << 16 |
           block::mask(block(p + 32).up_to(' ')) << 32 | block::mask(block(p + 48).up_to(' ')) << 48;
#else
    std::uint64_t bits = 0;
    for (unsigned at = 0; at != window; at += 8) {
        const std::uint64_t bytes = load_eight(p + at);
        const std::uint64_t others = ((bytes & every_byte(0x7f)) + every_byte(0x7f - ' ')) | bytes;
        // The product gathers the top bits of eight bytes.
        bits |= ((~others & every_byte(0x80)) >> 7) * 0x0102040810204080u >> 56 << at;
    }
    return bits;
#endif
}

// The integer whose `size` digits end at `end`. False where it is none, or a longer one. Reads the sixteen bytes before
// `end`.
WLFMT_INLINE bool digits_before(const char* end, std::size_t size, std::int64_t& value) noexcept {
    if (WLFMT_UNLIKELY(size > max_plain_digits)) return false;
#if defined(WLFMT_SSE2)
    alignas(32) static constexpr signed char kept[32] = {
        // the last `size` bytes
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - max_plain_digits));
    const __m128i own = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kept + size));
    const __m128i digits = _mm_and_si128(_mm_sub_epi8(text, _mm_set1_epi8('0')), own);
    // Above nine, the sum has its top bit set.
    if (WLFMT_UNLIKELY(_mm_movemask_epi8(_mm_adds_epu8(digits, _mm_set1_epi8(0x7f - 9))) != 0)) return false;
    const __m128i pairs = join_pairs(digits);
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));    // 100, 1
    const __m128i packed = _mm_packs_epi32(fours, fours);                       // below 10000: the sign is no matter
    const __m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));  // 10000, 1
    std::uint64_t halves;
    _mm_storel_epi64(reinterpret_cast<__m128i*>(&halves), eights);
    value = static_cast<std::int64_t>((halves & 0xffffffffu) * 100000000 + (halves >> 32));
#else
    constexpr std::uint64_t all = ~std::uint64_t{0};
    std::uint64_t low = load_eight(end - 8) ^ every_byte('0');
    std::uint64_t high = load_eight(end - 16) ^ every_byte('0');
    low &= size < 8 ? all << (64 - 8 * size) : all;
    high &= size > 8 ? all << (128 - 8 * size) : 0;
    if (WLFMT_UNLIKELY((not_digits(low) | not_digits(high)) != 0)) return false;
    value = static_cast<std::int64_t>(join_digits(high) * 100000000 + join_digits(low));
#endif
    return true;
}
WLFMT_INLINE bool digits_of(word w, std::int64_t& value) noexcept {
    return digits_before(w.end, static_cast<std::size_t>(w.end - w.begin), value);
}

// A negative integer, or one of seventeen or eighteen digits: what digits_of() has no answer for.
WLFMT_INLINE bool other_digits_of(word w, std::int64_t& value) noexcept {
    constexpr std::ptrdiff_t plain = max_plain_digits;
    const bool negative = *w.begin == '-';
    const word digits = {w.begin + negative, w.end};
    const std::ptrdiff_t further = digits.end - digits.begin - plain;
    if (further > 2) return false;
    if (further > 0) {
        std::int64_t head = 0;
        if (!digits_of({digits.begin, digits.begin + further}, head)) return false;
        if (!digits_of({digits.begin + further, digits.end}, value)) return false;
        value += head * 10000000000000000;
    } else if (!negative || further == -plain || !digits_of(digits, value)) {
        return false;
    }
    if (negative) value = -value;
    return true;
}
WLFMT_NOINLINE inline bool read_other_number(word w, const char* end, number& to) noexcept {
    std::int64_t value = 0;
    if (!other_digits_of(w, value)) return number_in(w, end, to) == error_kind::none;
    to = number(value);
    return true;
}
WLFMT_NOINLINE inline bool read_other_integer(word w, const char* end, std::int64_t& to) noexcept {
    return other_digits_of(w, to) || integer_in(w, end, to) == error_kind::none;
}

// The words of a line, one by one. `end` is the end of the text, at least 64 bytes behind p.
class line_words {
public:
    WLFMT_INLINE line_words(const char* p, const char* end) noexcept
        : at_(p), window_(p), end_(end), blanks_(blank_bits(p)) {}

    // The next word; what ends it is not looked at. False where no word follows, or where the text ends too soon to be
    // looked at in windows.
    WLFMT_INLINE bool next(word& w) noexcept {
        do {
            w.begin = at_;
            while (WLFMT_UNLIKELY(blanks_ == 0)) {
                if (WLFMT_UNLIKELY(end_ - window_ < 2 * window)) return false;
                window_ += window;
                blanks_ = blank_bits(window_);
            }
            w.end = window_ + trailing_zeros(blanks_);
            blanks_ &= blanks_ - 1;
            at_ = w.end + 1;
        } while (WLFMT_UNLIKELY(w.begin == w.end && is_separator(*w.end)));
        return w.begin != w.end;
    }
    // The next word, if a separator stands behind it.
    WLFMT_INLINE bool next_but_last(word& w) noexcept { return next(w) && is_separator(*w.end); }

    // The blanks that files have between fields; what else is one is left to the general path.
    WLFMT_INLINE static bool is_separator(char c) noexcept { return WLFMT_LIKELY(c == '\t') || c == ' '; }

private:
    const char* at_;
    const char* window_;
    const char* end_;
    std::uint64_t blanks_;
};

WLFMT_INLINE bool read_plain_number(word w, const char* end, number& to) noexcept {
    std::int64_t value = 0;
    if (WLFMT_UNLIKELY(!digits_of(w, value))) return read_other_number(w, end, to);
    to = number(value);
    return true;
}
WLFMT_INLINE bool read_plain_integer(word w, const char* end, std::int64_t& to) noexcept {
    std::int64_t value = 0;
    if (WLFMT_UNLIKELY(!digits_of(w, value))) return read_other_integer(w, end, to);
    to = value;
    return true;
}
WLFMT_INLINE bool read_plain_phase(line_words& words, const char* end, workload::phase& to) noexcept {
    word w;
    if (!words.next_but_last(w) || !read_plain_number(w, end, to.compute)) return false;
    if (!words.next_but_last(w) || WLFMT_UNLIKELY(!is_name_start(*w.begin))) return false;
    to.comm = w.text();
    return words.next_but_last(w) && read_plain_integer(w, end, to.bytes);
}

// Reads the layer whose line begins at p, 64 bytes or more before `end`, sixteen or more behind the text's start.
// Returns where the next line begins; null where the line is for the general path.
WLFMT_INLINE const char* read_plain_layer(const char* p, const char* end, bool customized,
                                          workload::layer& to) noexcept {
    line_words words(p, end);
    word w;
    if (!words.next_but_last(w)) return nullptr;
    to.name = w.text();
    if (!words.next_but_last(w)) return nullptr;
    if (WLFMT_LIKELY(w.end - w.begin == 2 && std::memcmp(w.begin, "-1", 2) == 0)) {
        to.dependency = -1;
    } else if (!read_plain_integer(w, end, to.dependency)) {
        return nullptr;
    }
    if (!read_plain_phase(words, end, to.forward)) return nullptr;
    if (!read_plain_phase(words, end, to.input_grad)) return nullptr;
    if (!read_plain_phase(words, end, to.weight_grad)) return nullptr;
    if (!words.next(w) || !read_plain_number(w, end, to.update)) return nullptr;
    to.policy = {};
    if (WLFMT_UNLIKELY(customized)) {
        if (!line_words::is_separator(*w.end) || !words.next(w)) return nullptr;
        to.policy = w.text();
    }
    if (WLFMT_LIKELY(*w.end == '\n')) return w.end + 1;
    const char* const line_end = skip_blanks(w.end, end);
    return line_end != end && *line_end == '\n' ? line_end + 1 : nullptr;
}

// What tells a near relative of the format by its first layer line; empty for none. `typed`: the line reads as a layer,
// with further fields or without.
inline std::string_view related_format(const layer_line& line, bool typed) noexcept {
    switch (line.count) {
    case 17: return "roofline or multi-collective layers (17 fields)";
    case 21: return "roofline or multi-collective layers (21 fields)";
    case 24: return "roofline or multi-collective layers (24 fields)";
    default: break;
    }
    if (typed) return {};
    if (line.fields[0].text() == "Layername") return "LLMServingSim column titles";
    if (line.count < layer_fields - 1) return {};
    for (std::size_t field = 0; field < (std::min)(line.count, layer_fields); ++field)
        if (is_number(line.fields[field])) return {};
    return "column titles";
}

}  // namespace detail

namespace workload {

// What the reader does beyond its contract.
struct access {
    // What even a lenient reader cannot read: the end of it.
    static void refuse(reader& r, error_kind what, detail::word where, std::string_view field, std::int64_t found = 0,
                       std::int64_t expected = 0) noexcept {
        r.part_ = reader::part::nothing;
        r.problems_.refuse(what, where.begin, static_cast<std::size_t>(where.end - where.begin), field, found,
                           expected);
    }
    static bool report(reader& r, error_kind what, detail::word where, std::string_view field, std::int64_t found = 0,
                       std::int64_t expected = 0) noexcept {
        return r.problems_.report(what, where.begin, static_cast<std::size_t>(where.end - where.begin), field, found,
                                  expected);
    }

    // The header line. True where the count line may follow.
    static bool read_header(reader& r) noexcept {
        const char* p = detail::skip_blank_lines(r.at_, r.end_);
        // Byte order marks, one before the other or behind blanks: a policy that is written first never has one.
        while (detail::starts(p, r.end_, "\xEF\xBB\xBF")) p = detail::skip_blank_lines(p + 3, r.end_);
        if (p == r.end_) {
            refuse(r, error_kind::no_records, {p, p}, "layer");
            return false;
        }
        const char* const line_end = detail::find_far(p, r.end_, '\n');
        const detail::word policy = {p, detail::word_end(p, line_end)};
        r.at_ = line_end == r.end_ ? line_end : line_end + 1;
        r.header_.policy = policy.text();
        r.header_.entries = entry_list(detail::trimmed(detail::view(policy.end, line_end)), r.header_.policy);
        r.customized_ = detail::has_own_policies(r.header_.policy);
        if (detail::is_number(policy) && !report(r, error_kind::header_value, policy, "policy")) return false;
        for (auto e = r.header_.entries.begin(); e != r.header_.entries.end(); ++e) {
            const detail::entry_problem& wrong = e.problem_;
            if (wrong.what == error_kind::none) continue;
            const std::string_view key = e->key.empty() && !e->colon ? detail::last_bottom_layer : e->key;
            if (!report(r, wrong.what, wrong.where, key, wrong.found, wrong.expected)) return false;
        }
        return true;
    }

    // The line with the number of layers.
    static void read_count(reader& r) noexcept {
        constexpr std::string_view field = "layer count";
        r.part_ = reader::part::layers;
        const char* const p = detail::skip_blank_lines(r.at_, r.end_);
        const detail::layer_line line(p, r.end_);
        if (line.count == 0 || line.count == detail::layer_fields || line.count == detail::layer_fields + 1) {
            report(r, error_kind::missing_layer_count, {p, p}, field);
            if (line.count == 0) r.part_ = reader::part::nothing;
            r.at_ = p;
            return;
        }
        r.at_ = line.next;
        const detail::word count = line.fields[0];
        const error_kind what = detail::integer_in(count, r.end_, r.header_.declared_layers);
        if (what != error_kind::none) {
            r.header_.declared_layers = 0;
            report(r, what, count, field);
            return;
        }
        r.count_ = count.text();
        if (line.count > 1) report(r, error_kind::text_after_count, {line.fields[1].begin, line.last}, field);
    }

    // The end of the text: are there as many layers as declared?
    static const layer* finish(reader& r) noexcept {
        r.part_ = reader::part::nothing;
        if (r.count_.data() != nullptr && r.layers_ != r.header_.declared_layers) {
            r.problems_.report(error_kind::layer_count_mismatch, r.count_.data(), r.count_.size(), "layer count", r.layers_,
                               r.header_.declared_layers);
        }
        return nullptr;
    }

    // Types what fields a line has, twelve at most.
    struct typing {
        error_kind what = error_kind::none;        // what is wrong with the first field that is not of its type
        std::size_t guilty = 0;        // which one that is
        std::size_t numeric_comm = 0;  // the first collective that is a number, which can be read nevertheless
    };
    static typing type_fields(const detail::layer_line& line, const char* end, layer& to) noexcept {
        typing t;
        const std::size_t fields = (std::min)(line.count, detail::layer_fields);
        for (std::size_t field = 0; field != fields && t.what == error_kind::none; ++field) {
            t.guilty = field;
            t.what = detail::read_field(field, line.fields[field], end, to);
            if (t.what != error_kind::related_format) continue;
            t.what = error_kind::none;
            if (t.numeric_comm == 0) t.numeric_comm = field;
        }
        return t;
    }

    // Any line. True where it is a layer that can be read; else it was reported and, with ok(), is to be passed over.
    static bool read_line(reader& r, const detail::layer_line& line) noexcept {
        using detail::layer_fields;
        const typing t = type_fields(line, r.end_, r.record_);
        const bool typed = line.count >= layer_fields && t.what == error_kind::none;
        const detail::word whole = {line.fields[0].begin, line.last};
        const auto found = static_cast<std::int64_t>(line.count);
        const auto expected = static_cast<std::int64_t>(layer_fields) + r.customized_;

        const bool past = r.count_.data() != nullptr && r.layers_ >= r.header_.declared_layers;
        const bool layer_sized = line.count == layer_fields || line.count == layer_fields + 1;
        if (past && !typed && !(layer_sized && t.guilty > 1)) {
            if (r.text_after_layers_) return false;
            r.text_after_layers_ = true;
            report(r, error_kind::text_after_layers, whole, "layer count", r.layers_, r.header_.declared_layers);
            return false;
        }
        if (r.layers_ == 0 && !past) {
            const std::string_view relative = detail::related_format(line, typed);
            if (!relative.empty()) {
                refuse(r, error_kind::related_format, whole, relative, found, expected);
                return false;
            }
        }
        ++r.layers_;
        r.record_.policy = line.count > layer_fields ? line.fields[detail::policy_field].text() : std::string_view();
        if (found != expected) {
            const std::string_view field = line.count < layer_fields ? detail::missing_field(line) : "policy";
            return report(r, error_kind::field_count, whole, field, found, expected) && typed;
        }
        if (!typed) {
            report(r, t.what, line.fields[t.guilty], detail::layer_field_names[t.guilty]);
            return false;
        }
        return t.numeric_comm == 0 || report(r, error_kind::related_format, line.fields[t.numeric_comm],
                                             detail::numeric_comm_names[t.numeric_comm / 3 - 1], found, expected);
    }

    static const layer* next(reader& r) noexcept {
        if (r.part_ != reader::part::layers) return nullptr;
        while (r.ok()) {
            if (WLFMT_LIKELY(r.end_ - r.at_ >= detail::window && r.at_ - r.problems_.text >= 16)) {
                const char* const next = detail::read_plain_layer(r.at_, r.end_, r.customized_, r.record_);
                if (WLFMT_LIKELY(next != nullptr)) {
                    r.at_ = next;
                    ++r.layers_;
                    return &r.record_;
                }
            }
            const char* const p = detail::skip_blank_lines(r.at_, r.end_);
            if (p == r.end_) return finish(r);
            const detail::layer_line line(p, r.end_);
            r.at_ = line.next;
            if (read_line(r, line)) return &r.record_;
        }
        return nullptr;
    }

    // How many layers a document may hold: as many as declared, but no more than lines like the first one fill the
    // rest of the text.
    static std::size_t estimate(const reader& r) noexcept {
        const char* const p = detail::skip_blank_lines(r.at_, r.end_);
        const char* const line_end = detail::find_far(p, r.end_, '\n');
        const auto lines = static_cast<std::size_t>(r.end_ - p) / (static_cast<std::size_t>(line_end - p) + 1) + 1;
        const std::int64_t declared = r.header_.declared_layers;
        return declared > 0 && static_cast<std::uint64_t>(declared) < lines ? static_cast<std::size_t>(declared)
                                                                            : lines;
    }
};

inline reader::reader(std::string_view text, const options& how) noexcept {
    problems_.how = how;
    problems_.text = text.data();
    at_ = text.data();
    end_ = text.data() + text.size();
    if (access::read_header(*this)) access::read_count(*this);
}

inline const layer* reader::next() noexcept { return access::next(*this); }

inline bool reader::skip() noexcept {
    if (ok() || part_ == part::nothing) return false;
    problems_.first = {};
    if (part_ == part::count) access::read_count(*this);
    return true;
}

inline std::uint64_t reader::offset() const noexcept { return static_cast<std::uint64_t>(at_ - problems_.text); }

inline header document::header() const noexcept {
    return {policy, entry_list(entries.data(), entries.size()), declared_layers};
}

inline result<document> read(std::string_view text, const options& how) {
    reader file(text, how);
    document doc;
    doc.policy = file.header().policy;
    doc.declared_layers = file.header().declared_layers;
    doc.entries.reserve(16);  // a header has about ten
    for (const entry& e : file.header().entries) doc.entries.push_back(e);
    if (file.ok()) doc.layers.reserve(access::estimate(file));
    while (const layer* l = file.next()) doc.layers.push_back(*l);
    return {std::move(doc), file.error()};
}

}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"
#endif
