// Reads workload files: implements the reader's functions on its state. A layer is read on one of two paths with the
// same result. The fast path reads lines of twelve well-formed fields with one tab between them. The slow path reads
// all other lines, field by field, and reports what is wrong.
#ifndef WLFMT_DETAIL_WORKLOAD_READER_HPP
#define WLFMT_DETAIL_WORKLOAD_READER_HPP

#include "../error/problems.hpp"
#include "lists.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The separators that the fast path has found. It finds all those in 64 bytes at once, whatever lines they are in.
struct separators {
    const char* window = nullptr;       // a place in the text; null if the next line is not for the fast path
    std::uint64_t unseen = 0;           // bit n: byte n of the window is a separator that has not been passed yet
    const char* last_window = nullptr;  // the beginning of the text's last whole window
};

inline constexpr std::ptrdiff_t window_size = 64;
inline constexpr std::ptrdiff_t max_plain_digits = 16;

// One bit for each of the 64 bytes at p that may separate fields: blanks, line ends and other control characters, and,
// where it is cheaper, bytes beyond ASCII, whose lines take the slow path.
WLFMT_INLINE std::uint64_t separator_bits(const char* p) noexcept {
#if defined(WLFMT_SSE2)
    // The top bit of the difference is set for bytes up to the blank, and from 0xa1 on.
    const auto sixteen = [](const char* at) {
        return block::mask(sse2::sub_epi8(load_sixteen(at), sse2::set1_epi8(' ' + 1)));
    };
    return sixteen(p) | sixteen(p + 16) << 16 | sixteen(p + 32) << 32 | sixteen(p + 48) << 48;
#else
    std::uint64_t bits = 0;
    for (unsigned at = 0; at != window_size; at += 8) {
        const std::uint64_t bytes = load_eight(p + at);
        const std::uint64_t others = ((bytes & every_byte(0x7f)) + every_byte(0x7f - ' ')) | bytes;
        // The product gathers the top bits of eight bytes.
        bits |= ((~others & every_byte(0x80)) >> 7) * 0x0102040810204080u >> 56 << at;
    }
    return bits;
#endif
}

#if !defined(WLFMT_SSE2)
// Reads an integer of 1 to 16 digits.
WLFMT_INLINE bool digits_of(std::string_view w, std::int64_t& value) noexcept {
    constexpr std::uint64_t every_bit = ~std::uint64_t{0};
    const std::size_t size = w.size();
    std::uint64_t low = load_eight(end_of(w) - 8) ^ every_byte('0');
    std::uint64_t high = load_eight(end_of(w) - 16) ^ every_byte('0');
    low &= size < 8 ? every_bit << (64 - 8 * size) : every_bit;
    high &= size > 8 ? every_bit << (128 - 8 * size) : 0;
    if (WLFMT_UNLIKELY((not_digits(low) | not_digits(high)) != 0)) return false;
    value = static_cast<std::int64_t>(join_digits(high) * 100000000 + join_digits(low));
    return true;
}
#endif

// Reads two integers of 1 to 16 digits at once. Returns false for anything else. Loads the 16 bytes before the end of
// each: check first that they are in the text.
WLFMT_INLINE bool read_two(std::string_view a, std::string_view b, std::int64_t& a_value,
                           std::int64_t& b_value) noexcept {
    if (WLFMT_UNLIKELY(((a.size() - 1) | (b.size() - 1)) >= max_plain_digits)) return false;
#if defined(WLFMT_SSE2)
    const sse2::m128i digits_a = align_characters<true>(a.data(), a.size());
    const sse2::m128i digits_b = align_characters<true>(b.data(), b.size());
    // Above nine, the sum has its top bit set.
    const sse2::m128i greatest = sse2::adds_epu8(sse2::max_epu8(digits_a, digits_b), sse2::set1_epi8(0x7f - 9));
    if (WLFMT_UNLIKELY(sse2::movemask_epi8(greatest) != 0)) return false;
    const sse2::m128i fours =
        sse2::packs_epi32(sse2::madd_epi16(join_pairs(digits_a), sse2::set1_epi32(100 | 1 << 16)),
                          sse2::madd_epi16(join_pairs(digits_b), sse2::set1_epi32(100 | 1 << 16)));
    const sse2::m128i eights = sse2::madd_epi16(fours, sse2::set1_epi32(10000 | 1 << 16));
    const sse2::m128i both =
        sse2::add_epi64(sse2::mul_epu32(eights, sse2::set1_epi32(100000000)), sse2::srli_epi64(eights, 32));
    sse2::storel_epi64(&a_value, both);
    sse2::storel_epi64(&b_value, sse2::unpackhi_epi64(both, both));
    return true;
#else
    return digits_of(a, a_value) && digits_of(b, b_value);
#endif
}
WLFMT_INLINE bool read_one(std::string_view w, std::int64_t& value) noexcept {
    std::int64_t again = 0;
    return read_two(w, w, value, again);
}

// The next separator or other control character; null if no whole window is left to search.
WLFMT_INLINE const char* next_separator(separators& at) noexcept {
    while (WLFMT_UNLIKELY(at.unseen == 0)) {
        if (WLFMT_UNLIKELY(at.last_window - at.window < window_size)) return nullptr;
        at.window += window_size;
        at.unseen = separator_bits(at.window);
    }
    const char* const found = at.window + lowest_bit(at.unseen);
    at.unseen &= at.unseen - 1;
    return found;
}
// As above, but also returns null if the byte there is not the wanted one.
WLFMT_INLINE const char* next_separator(separators& at, char wanted) noexcept {
    const char* const found = next_separator(at);
    return WLFMT_LIKELY(found != nullptr) && WLFMT_LIKELY(*found == wanted) ? found : nullptr;
}

struct workload_fast {
    // Reads the layer whose line begins at p, at least 16 bytes after the start of the text. Returns the line's end, or
    // null if the slow path has to read the line; `layer` is not valid then.
    WLFMT_INLINE static const char* read_layer(const char* p, separators& ahead, workload::layer& layer) noexcept {
        separators at = ahead;
        const char* const name = next_separator(at);
        const char* tab = next_separator(at);
        // If the second tab is three bytes after the first, four bytes follow the name.
        if (WLFMT_UNLIKELY(tab == nullptr || tab - name != 3)) return nullptr;
        if (WLFMT_UNLIKELY(differs<4>(name, "\t-1\t") || name == p)) return nullptr;
        tab = read_phase(tab, at, layer.forward);
        if (WLFMT_UNLIKELY(tab == nullptr)) return nullptr;
        tab = read_phase(tab, at, layer.input_grad);
        if (WLFMT_UNLIKELY(tab == nullptr)) return nullptr;
        tab = read_phase(tab, at, layer.weight_grad);
        if (WLFMT_UNLIKELY(tab == nullptr)) return nullptr;
        const char* const last = next_separator(at);
        if (WLFMT_UNLIKELY(last == nullptr)) return nullptr;
        const char* line_end = last;
        if (WLFMT_UNLIKELY(*last != '\n')) {
            if (*last == '\r') line_end = next_separator(at, '\n');
            if (line_end != last + 1) return nullptr;
        }
        std::int64_t update = 0;
        if (WLFMT_UNLIKELY(!read_one(view(tab + 1, last), update))) return nullptr;
        layer.update = number(update);
        layer.name = view(p, name);
        layer.dependency = -1;
        layer.policy = {};
        layer.further = {};
        layer.source = view(p, last);
        ahead.window = at.window;
        ahead.unseen = at.unseen;
        return line_end;
    }

private:
    // Reads the three fields after the tab at `before`; returns the tab after them, or null.
    WLFMT_INLINE static const char* read_phase(const char* before, separators& at, workload::phase& phase) noexcept {
        const char* const compute = next_separator(at, '\t');
        if (WLFMT_UNLIKELY(compute == nullptr)) return nullptr;
        const char* const comm = next_separator(at, '\t');
        if (WLFMT_UNLIKELY(comm == nullptr)) return nullptr;
        const char* const bytes = next_separator(at, '\t');
        // No number begins with a byte above the digits, and such a byte shows that the word is not empty.
        if (WLFMT_UNLIKELY(bytes == nullptr || static_cast<unsigned char>(compute[1]) <= '9')) return nullptr;
        std::int64_t ticks = 0;
        std::int64_t moved = 0;
        if (WLFMT_UNLIKELY(!read_two(view(before + 1, compute), view(comm + 1, bytes), ticks, moved))) return nullptr;
        phase.compute = number(ticks);
        phase.bytes = number(moved);
        phase.comm = view(compute + 1, comm);
        return bytes;
    }
};

// What a reader keeps between two layers.
struct workload_state {
    // The part of the file that begins at at_.
    enum class part : std::uint8_t { count, layers, nothing };
    const char* at_;
    const char* end_;
    workload::header header_;
    workload::layer record_;
    problems problems_;
    std::string_view count_ = {};  // the declared number in the text; data() is null if layers are not counted
    std::int64_t declared_ = 0;    // the number in the second line
    std::int64_t layers_ = 0;      // the number of lines that are layers, with or without an error
    target target_;
    separators separators_;
    part part_ = part::count;
    bool customized_ = false;         // layers have a policy of their own
    bool target_bound_ = false;       // layers repeat the five texts of target_
    bool text_after_layers_ = false;  // text after the layers was reported, which is done only once

    workload_state(std::string_view text, const options& options) noexcept
        : at_(text.data()), end_(text.data() + text.size()), problems_(text, options) {}
};

struct workload_reading {
    using words = workload_words;
    using header = workload_header;
    using lines = workload_line;
    using layer_line = lines::layer_line;
    using part = workload_state::part;

    // Reads the two header lines.
    static void start(workload_state& r) noexcept {
        if (!read_header(r)) return;
        read_count(r);
        if (r.problems_.ok() && r.part_ == part::layers) start_fast_path(r);
    }

    // Reads the first line. Returns true if the line with the count may follow.
    static bool read_header(workload_state& r) noexcept {
        constexpr std::string_view mark = byte_order_mark;
        if (view(r.at_, r.end_).substr(0, mark.size()) == mark) r.at_ += mark.size();
        const char* const p = words::skip_blank_lines(r.at_, r.end_);
        if (p == r.end_) {
            r.part_ = part::nothing;
            r.problems_.refuse(error_kind::no_records, view(p, p), "layer");
            return false;
        }
        const char* const line_end = find_far(p, r.end_, '\n');
        const std::string_view policy = words::word_at(p, line_end);
        const std::string_view entries = trimmed(view(end_of(policy), line_end));
        const char* const last = end_of(entries.empty() ? policy : entries);
        r.at_ = line_end == r.end_ ? line_end : line_end + 1;
        r.header_.policy = policy;
        r.header_.entries = workload::entry_list::from_text(entries, r.header_.policy);
        r.header_.source = view(p, last);
        r.customized_ = workload::policies::of(r.header_.policy).has(workload::policies::own_policies);
        // Reports every problem; unless the reader is lenient, it keeps the first one.
        if (policy.substr(0, mark.size()) == mark)
            r.problems_.report(error_kind::header_value, policy.substr(0, mark.size()), "policy");
        else if (words::is_number(policy)) r.problems_.report(error_kind::header_value, policy, "policy");
        bool number_first = workload::policies::of(r.header_.policy).has(workload::policies::number_follows);
        const char* next = end_of(policy);
        const char* detached = nullptr;  // a colon that was reported with the key before it
        while ((next = words::skip_blanks(next, last)) != last) {
            workload::entry e;
            entry_problem wrong;
            next = header::read_entry(next, last, number_first, e, wrong);
            if (wrong.kind == error_kind::none) wrong = {header::value_problem(e, last), e.value, 0, 0};
            number_first = false;
            header::record_target_key(r.target_, e);
            const std::string_view key = e.key.empty() && !e.colon ? last_bottom_layer : e.key;
            if (wrong.kind == error_kind::negative_value)
                r.problems_.warn(error_kind::negative_value, wrong.place, key);
            else if (wrong.kind != error_kind::none && wrong.place.data() != detached)
                r.problems_.report(wrong.kind, wrong.place, key, wrong.found, wrong.expected);
            detached = wrong.kind != error_kind::none && wrong.place == ":" ? wrong.place.data() : nullptr;
        }
        const std::string_view missing = header::missing_key(r.target_);
        if (!missing.empty()) r.problems_.report(error_kind::header_value, view(last, last), missing, 0, -1);
        r.target_bound_ = header::binds_layers(r.target_);
        return r.problems_.ok();
    }

    static void read_count(workload_state& r) noexcept {
        constexpr std::string_view field = layer_count;
        r.part_ = part::layers;
        const char* const p = words::skip_blank_lines(r.at_, r.end_);
        const layer_line line(p, r.end_);
        const bool is_bound = r.target_bound_ && line.count == layer_fields + r.customized_ + target_keys_count;
        if (line.count == 0 || is_bound || line.is_layer_sized()) {
            r.problems_.report(error_kind::missing_layer_count, view(p, p), field);
            if (line.count == 0) r.part_ = part::nothing;
            r.at_ = p;
            return;
        }
        r.at_ = line.next;
        const std::string_view count = line.fields[0];
        r.header_.source = view(r.header_.source.data(), end_of(count));
        const error_kind problem = words::integer_in(count, r.end_, r.declared_);
        if (problem != error_kind::none || r.declared_ < 0) {
            r.problems_.report(problem != error_kind::none ? problem : error_kind::negative_value, count, field);
        } else {
            r.header_.declared_layers = r.declared_;
            r.count_ = count;
        }
        if (line.count > 1)
            r.problems_.report(error_kind::text_after_count, view(line.fields[1].data(), line.last), field);
    }

    static bool is_miscounted(const workload_state& r) noexcept {
        return !is_missing(r.count_) && r.layers_ != r.declared_;
    }

    // At the end of the text, compares the number of layers with the declared one: fewer are an error, more a warning.
    static const workload::layer* finish(workload_state& r) noexcept {
        r.part_ = part::nothing;
        constexpr error_kind kind = error_kind::layer_count_mismatch;
        if (!is_miscounted(r)) return nullptr;
        if (r.layers_ < r.declared_) r.problems_.report(kind, r.count_, layer_count, r.layers_, r.declared_);
        else r.problems_.warn(kind, r.count_, layer_count, r.layers_, r.declared_);
        return nullptr;
    }

    // Compares the last five fields with the header's. Returns true if the reader may go on.
    static bool check_target(workload_state& r, const layer_line& line) noexcept {
        const std::string_view* const fields = line.target_fields();
        for (std::size_t n = 0; n != target_keys_count; ++n) {
            if (fields[n] == r.target_.values[n]) continue;
            if (!r.problems_.report(error_kind::header_mismatch, fields[n], target_keys[n])) return false;
        }
        return true;
    }

    // Reads any line. If it is not a layer, reports that and returns false; the reader goes on if that was tolerated.
    static bool read_line(workload_state& r, layer_line& line) noexcept {
        error_kind odd[layer_fields] = {};      // the error of each field that can be read
        error_kind problem = error_kind::none;  // the error of the first field that cannot be read
        std::size_t guilty = 0;                 // the number of the last field that was looked at
        for (std::size_t n = 0; n != layer_fields && n != line.count && problem == error_kind::none; ++n) {
            guilty = n;
            odd[n] = lines::read_field(n, line.fields[n], r.end_, r.record_);
            if (odd[n] != error_kind::related_format && odd[n] != error_kind::negative_value) problem = odd[n];
        }
        const bool typed = line.count >= layer_fields && problem == error_kind::none;
        const std::size_t own_fields = layer_fields + r.customized_;
        if (r.target_bound_ && line.count == own_fields + target_keys_count) line.has_target = true;
        const auto found = static_cast<std::int64_t>(line.count);
        const bool targeted = line.has_target || r.target_bound_;
        const auto expected = static_cast<std::int64_t>(own_fields + (targeted ? target_keys_count : 0));

        const bool past = !is_missing(r.count_) && r.layers_ >= r.declared_;
        if (past && !typed && !(line.is_layer_sized() && guilty > 1)) {
            if (r.text_after_layers_) return false;
            r.text_after_layers_ = true;
            r.problems_.report(error_kind::text_after_layers, line.whole(), layer_count, r.layers_, r.declared_);
            return false;
        }
        if (r.layers_ == 0 && !past && !targeted) {
            const std::string_view relative = lines::related_format(line, typed);
            if (!relative.empty()) {
                r.part_ = part::nothing;
                r.problems_.refuse(error_kind::related_format, line.whole(), relative, found, expected);
                return false;
            }
        }
        ++r.layers_;
        r.record_.policy = line.policy();
        r.record_.further = line.further();
        r.record_.source = line.whole();
        if (found != expected) {
            const std::string_view field = line.count < layer_fields ? lines::missing_field(line) : "policy";
            if (!r.problems_.report(error_kind::field_count, line.whole(), field, found, expected) || !typed)
                return false;
        }
        if (!typed) {
            r.problems_.report(problem, line.fields[guilty], layer_field_names[guilty]);
            return false;
        }
        for (std::size_t n = 0; n != layer_fields; ++n) {
            const std::string_view w = line.fields[n];
            if (odd[n] == error_kind::negative_value)
                r.problems_.warn(error_kind::negative_value, w, layer_field_names[n]);
            else if (odd[n] == error_kind::related_format &&
                     !r.problems_.report(odd[n], w, numeric_comm[n / 3 - 1], found, expected))
                return false;
        }
        return !line.has_target || check_target(r, line);
    }

    // Lets the fast path read the next line, if a window of text is left and sixteen bytes come before the line.
    static void start_fast_path(workload_state& r) noexcept {
        const bool fits = r.end_ - r.at_ >= window_size && r.at_ - r.problems_.text >= 16;
        if (has_fast_paths && fits && !r.customized_ && !r.target_bound_)
            r.separators_ = {r.at_, separator_bits(r.at_), r.end_ - window_size};
    }

    // Small, and calls the slow path last, so that the fast path need not save registers.
    static const workload::layer* next(workload_state& r) noexcept {
        if (WLFMT_LIKELY(r.separators_.window != nullptr)) {
            const char* const line_end = workload_fast::read_layer(r.at_, r.separators_, r.record_);
            if (WLFMT_LIKELY(line_end != nullptr)) {
                r.at_ = line_end + 1;
                ++r.layers_;
                return &r.record_;
            }
        }
        return next_of_slow_path(r);
    }
    WLFMT_NOINLINE static const workload::layer* next_of_slow_path(workload_state& r) noexcept {
        r.separators_ = {};
        if (r.part_ != part::layers) return nullptr;
        while (r.problems_.ok()) {
            const char* const p = words::skip_blank_lines(r.at_, r.end_);
            if (p == r.end_) return finish(r);
            layer_line line(p, r.end_);
            r.at_ = line.next;
            if (!read_line(r, line)) continue;
            start_fast_path(r);
            return &r.record_;
        }
        return nullptr;
    }

    // Leaves nothing to read in the state that was moved from.
    static void take_over(workload_state&, workload_state& left) noexcept {
        left.separators_ = {};
        left.part_ = part::nothing;
        left.at_ = left.end_;
    }

    static bool skip(workload_state& r) noexcept {
        if (r.problems_.ok() || r.part_ == part::nothing) return false;
        // At the end, a wrong number of layers may still have to be reported.
        const bool at_end = r.part_ == part::layers && words::skip_blank_lines(r.at_, r.end_) == r.end_;
        if (at_end && !is_miscounted(r)) return false;
        r.problems_.first = {};
        if (r.part_ == part::count) read_count(r);
        return true;
    }

    // How many layers to reserve memory for: as many as declared, but no more than fit if all are like the first line.
    static std::size_t estimate(const workload_state& r) noexcept {
        constexpr std::size_t shortest_line = 2 * layer_fields;  // fields of one byte, each with its separator
        const char* const p = words::skip_blank_lines(r.at_, r.end_);
        const char* const line_end = find_far(p, r.end_, '\n');
        const std::size_t line = static_cast<std::size_t>(line_end - p) + 1;
        if (line < shortest_line) return 0;
        const std::size_t lines = static_cast<std::size_t>(r.end_ - p) / line + 1;
        const bool fewer = r.declared_ > 0 && static_cast<std::uint64_t>(r.declared_) < lines;
        return fewer ? static_cast<std::size_t>(r.declared_) : lines;
    }

    static result<workload::document> read_all(std::string_view text, const options& options) {
        workload_state r(text, options);
        start(r);
        workload::document doc;
        if (r.problems_.ok()) doc.layers.reserve(estimate(r));
        while (const workload::layer* l = next(r)) doc.layers.push_back(*l);
        doc.header = r.header_;
        return {std::move(doc), r.problems_.first};
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
