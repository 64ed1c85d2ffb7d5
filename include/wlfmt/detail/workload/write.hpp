// Writing workload files.
#ifndef WLFMT_DETAIL_WORKLOAD_WRITE_HPP
#define WLFMT_DETAIL_WORKLOAD_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "../../workload.hpp"
#include "../base/out.hpp"
#include "../error/problems.hpp"
#include "../number/decimal.hpp"
#include "read.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// The words of a value, each after a separator.
template <class Sink>
void write_words(out<Sink>& to, std::string_view value, char separator) {
    for (const std::string_view w : workload::words(value)) {
        to.put(separator);
        to.text(w);
    }
}

template <class Sink>
void write_header(out<Sink>& to, const workload::header& head, const number& layers) {
    to.text(head.policy);
    for (const workload::entry& e : head.entries) {
        if (!e.key.empty() || e.colon) {
            to.put(' ');
            to.text(e.key);
            if (e.colon) to.put(':');
        }
        write_words(to, e.value, ' ');
    }
    to.put('\n');
    to.value(layers);
    to.put('\n');
}

// Most integers of a file are 0.
template <class Kernel = kernel>
WLFMT_INLINE char* write_field(char* to, std::int64_t v) noexcept {
    const auto bits = static_cast<std::uint64_t>(v);
    if (WLFMT_UNLIKELY(bits >= integer_powers_of_ten[8]))
        return v < 0 ? write_integer(to, v) : write_from_nine(to, bits);
    if (bits >= 10) return write_up_to_eight(to, bits);
    *to = static_cast<char>('0' + bits);
    return to + 1;
}
// `Common`: the layer is known to be one of is_common().
template <bool Common>
WLFMT_INLINE char* write_time(char* to, const number& v) noexcept {
    return Common ? write_field(to, number_access::integer(v)) : write_number(to, v);
}
template <bool Common>
WLFMT_INLINE char* write_phase(char* to, const workload::phase& p) noexcept {
    to = write_time<Common>(to, p.compute);
    *to++ = '\t';
    to = copy_text(to, p.comm);
    *to++ = '\t';
    to = write_field(to, p.bytes);
    *to++ = '\t';
    return to;
}

// The most room that the numbers and separators of a layer take.
inline constexpr std::size_t max_layer_numbers = 4 * max_repr_chars + 4 * max_integer_chars + layer_fields + 1;
inline constexpr std::size_t max_layer_room = 512;

// Whether the texts of a layer fit into one room of the buffer, with all that its numbers take.
WLFMT_INLINE bool is_short(const workload::layer& l) noexcept {
    const std::size_t texts =
        l.name.size() + l.forward.comm.size() + l.input_grad.comm.size() + l.weight_grad.comm.size() + l.policy.size();
    return texts <= max_layer_room - max_layer_numbers;
}
// Whether a short layer has twelve fields, with integers as times, as nearly all layers have.
WLFMT_INLINE bool is_common(const workload::layer& l) noexcept {
    return l.forward.compute.is_integer() && l.input_grad.compute.is_integer() && l.weight_grad.compute.is_integer() &&
           l.update.is_integer() && l.policy.data() == nullptr && l.further.data() == nullptr;
}
WLFMT_INLINE bool has_time_as_text(const workload::layer& l) noexcept {
    return l.forward.compute.is_text() || l.input_grad.compute.is_text() || l.weight_grad.compute.is_text() ||
           l.update.is_text();
}

template <class Sink>
WLFMT_COLD void write_long_layer(out<Sink>& to, const workload::layer& l) {
    to.text(l.name);
    to.put('\t');
    to.integer(l.dependency);
    for (const workload::phase* p : {&l.forward, &l.input_grad, &l.weight_grad}) {
        to.put('\t');
        to.value(p->compute);
        to.put('\t');
        to.text(p->comm);
        to.put('\t');
        to.integer(p->bytes);
    }
    to.put('\t');
    to.value(l.update);
    if (l.policy.data() != nullptr) {
        to.put('\t');
        to.text(l.policy);
    }
    write_words(to, l.further, '\t');
    to.put('\n');
}

template <bool Common>
WLFMT_INLINE char* write_short_layer(char* p, const workload::layer& l) noexcept {
    p = copy_text(p, l.name);
    if (WLFMT_LIKELY(l.dependency == -1)) {
        std::memcpy(p, "\t-1\t", 4);
        p += 4;
    } else {
        *p = '\t';
        p = write_integer(p + 1, l.dependency);
        *p++ = '\t';
    }
    p = write_phase<Common>(p, l.forward);
    p = write_phase<Common>(p, l.input_grad);
    p = write_phase<Common>(p, l.weight_grad);
    p = write_time<Common>(p, l.update);
    if (!Common && l.policy.data() != nullptr) {
        *p++ = '\t';
        p = copy_text(p, l.policy);
    }
    *p++ = '\n';
    return p;
}
template <class Sink>
WLFMT_NOINLINE void write_other_layer(out<Sink>& to, const workload::layer& l) {
    if (!is_short(l) || !is_missing(l.further) || has_time_as_text(l)) return write_long_layer(to, l);
    to.take(write_short_layer<false>(to.room(max_layer_room), l));
}
// `Plain`: the layer is one of are_plain_layers(), which are all short and common.
template <bool Plain, class Sink>
WLFMT_INLINE void write_layer(out<Sink>& to, const workload::layer& l) {
    if (!Plain && WLFMT_UNLIKELY(!is_short(l) || !is_common(l))) return write_other_layer(to, l);
    to.take(write_short_layer<true>(to.room(max_layer_room), l));
}

// These write without a check. They return error_kind::none or cannot_write.

template <class Sink>
error put(Sink& sink, const workload::header& head) {
    out<Sink> to(sink);
    write_header(to, head, head.declared_layers);
    return to.finish() ? error() : sink_error();
}
template <class Sink>
error put(Sink& sink, const workload::layer& one) {
    out<Sink> to(sink);
    write_layer<false>(to, one);
    return to.finish() ? error() : sink_error();
}
template <bool Plain, class Sink>
error put(Sink& sink, const workload::document& doc) {
    out<Sink> to(sink);
    write_header(to, doc.header(), static_cast<std::int64_t>(doc.layers.size()));
    for (const workload::layer& one : doc.layers) write_layer<Plain>(to, one);
    return to.finish() ? error() : sink_error();
}

// Checking that a document reads back as it is.

template <class Kernel = kernel>
inline bool is_word(std::string_view v) noexcept {
    return !v.empty() && word_end(v.data(), v.data() + v.size()) == v.data() + v.size();
}

// A bare number, which only HYBRID_DLRM has, and only first.
template <class Kernel = kernel>
inline bool is_bare_number(std::string_view token, bool number_first) noexcept {
    std::int64_t value = 0;
    const word w = {token.data(), token.data() + token.size()};
    return number_first && !token.empty() && plain_integer(w, value) == number_status::ok;
}

template <class Kernel = kernel>
inline bool reads_back(const workload::entry& e, bool number_first) noexcept {
    if (e.key.empty()) return !e.colon && is_bare_number(e.value, number_first);
    if (!is_word(e.key) || e.key.back() == ':') return false;
    // A number beyond 64 bits counts too: it would read as a bare number with an error.
    const word key = {e.key.data(), e.key.data() + e.key.size()};
    std::int64_t bare = 0;
    if (!e.colon && number_first && plain_integer(key, bare) != number_status::invalid) return false;

    const word value = {e.value.data(), e.value.data() + e.value.size()};
    const entry_type type = type_of_entry(e.key);
    if (type == entry_type::index_list) {
        workload::entry again;
        entry_problem wrong;
        const bool whole = !e.value.empty() && read_indices(value.begin, value.end, again, wrong) == value.end;
        return whole && wrong.what == error_kind::none;
    }
    number n;
    if (type == entry_type::word) return is_word(e.value);
    return !e.value.empty() && number_in(value, value.end, n) == error_kind::none;
}
template <class Kernel = kernel>
inline bool reads_back(const number& n) noexcept {
    return n.is_integer() || (n.is_decimal() && is_finite(number_access::decimal(n)));
}
template <class Kernel = kernel>
inline bool is_collective(std::string_view v) noexcept {
    return is_word(v) && !is_number({v.data(), v.data() + v.size()});
}
// The five sha256 texts with blanks between them.
template <class Kernel = kernel>
inline bool is_target(std::string_view further, target& t) noexcept {
    const char* p = further.data();
    const char* const end = p + further.size();
    for (std::string_view& value : t.values) {
        p = skip_blanks(p, end);
        value = view(p, word_end(p, end));
        p += value.size();
    }
    return skip_blanks(p, end) == end && binds_layers(t);
}

// Checks the header except for the number of layers. `t`: what its layers must repeat.
template <class Kernel = kernel>
inline error problem_of_line(const workload::header& head, target& t) noexcept {
    const word policy = {head.policy.data(), head.policy.data() + head.policy.size()};
    const bool keeps_its_start = head.policy.substr(0, byte_order_mark.size()) != byte_order_mark;
    if (!is_word(head.policy) || !keeps_its_start || is_number(policy)) return unwritable("policy");
    bool number_first = is_dlrm(head.policy);
    for (auto e = head.entries.begin(), last = head.entries.end(); e != last; ++e) {
        const bool bare = e->key.empty() && !e->colon;
        if (!reads_back(*e, number_first)) return unwritable(bare ? last_bottom_layer : e->key);
        number_first = false;
        see(t, *e);
    }
    const std::string_view missing = missing_key(t);
    return missing.empty() ? error() : unwritable(missing);
}

// The check of common layers in few instructions: it gathers the bytes of all texts and looks at them once.

template <class Kernel>
class basic_plain_texts {
public:
    // Gathers a text of four to 32 bytes. Returns false for other texts, which are not plain.
    WLFMT_INLINE bool add(std::string_view v) noexcept {
        const char* const p = v.data();
        const std::size_t size = v.size();
        if (WLFMT_LIKELY(size - 8 <= 8)) {
            add_eights(p, p + size - 8);
        } else if (WLFMT_LIKELY(size - 16 <= 16)) {
            add_eights(p, p + 8);
            add_eights(p + size - 16, p + size - 8);
        } else if (size - 4 < 4) {
            char eight[8];
            std::memcpy(eight, p, 4);
            std::memcpy(eight + 4, p + size - 4, 4);
            add_eights(eight, eight);
        } else {
            return false;
        }
        return true;
    }
    // Are all bytes above the blank?
    WLFMT_INLINE bool are_words() const noexcept {
#if defined(WLFMT_SSE2)
        return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(least_, _mm_set1_epi8(' ')), least_)) == 0;
#else
        return (above_ & every_byte(0x80)) == every_byte(0x80);
#endif
    }

private:
#if defined(WLFMT_SSE2)
    WLFMT_INLINE void add_eights(const char* a, const char* b) noexcept {
        least_ = _mm_min_epu8(least_, load_eights(a, b));
    }

    __m128i least_ = _mm_set1_epi8('~');
#else
    // Top bits: which of eight bytes are above the blank.
    WLFMT_INLINE static std::uint64_t above(std::uint64_t bytes) noexcept {
        return ((bytes & every_byte(0x7f)) + every_byte(0x7f - ' ')) | bytes;
    }
    WLFMT_INLINE void add_eights(const char* a, const char* b) noexcept {
        above_ &= above(load_eight(a)) & above(load_eight(b));
    }

    std::uint64_t above_ = ~std::uint64_t{0};
#endif
};

using plain_texts = basic_plain_texts<kernel>;

template <class Kernel = kernel>
WLFMT_INLINE bool add_collective(plain_texts& texts, std::string_view v) noexcept {
    if (WLFMT_LIKELY(v.size() == 4 && word_difference<std::uint32_t>(v.data(), "NONE") == 0)) return true;
    return texts.add(v) && is_name_start(v.front());
}
// Returns false if the layer needs the exact check. Otherwise it reads back if its texts hold only bytes of words.
template <class Kernel = kernel>
WLFMT_INLINE bool add_layer(plain_texts& texts, const workload::layer& l) noexcept {
    return l.forward.compute.is_integer() && l.input_grad.compute.is_integer() && l.weight_grad.compute.is_integer() &&
           l.update.is_integer() && l.policy.data() == nullptr && l.further.data() == nullptr && texts.add(l.name) &&
           add_collective(texts, l.forward.comm) && add_collective(texts, l.input_grad.comm) &&
           add_collective(texts, l.weight_grad.comm);
}
template <class Kernel = kernel>
inline bool is_plain_layer(const workload::layer& l) noexcept {
    plain_texts texts;
    return add_layer(texts, l) && texts.are_words();
}
// Do all layers have only their twelve fields, with nothing in them that keeps them from reading back?
template <class Kernel = kernel>
inline bool are_plain_layers(const std::vector<workload::layer>& layers) noexcept {
    plain_texts texts;
    for (const workload::layer& one : layers)
        if (WLFMT_UNLIKELY(!add_layer(texts, one))) return false;
    return texts.are_words();
}

// What keeps the layer from reading back in a document with this header. `repeated`: what each layer repeats of the
// header; null if they repeat nothing.
template <class Kernel = kernel>
inline error problem_in(const workload::layer& one, bool customized, const target* repeated) noexcept {
    const error wrong = workload::problem_of(one);
    if (wrong) return wrong;
    if (is_missing(one.policy) == customized) return unwritable(layer_field_names[policy_field]);
    if (is_missing(one.further) != (repeated == nullptr)) return unwritable(further_field);
    if (repeated == nullptr) return {};
    target own;
    if (!is_target(one.further, own)) return unwritable(further_field);
    for (std::size_t n = 0; n != target_keys_count; ++n)
        if (own.values[n] != repeated->values[n]) return unwritable(target_keys[n]);
    return {};
}

// What keeps the document from reading back. `plain`: whether its layers are those of are_plain_layers().
template <class Kernel = kernel>
inline error check(const workload::document& doc, bool& plain) noexcept {
    target t;
    const error head = problem_of_line(doc.header(), t);
    if (head) return head;
    const bool customized = has_own_policies(doc.header().policy);
    const target* const repeated = binds_layers(t) ? &t : nullptr;
    plain = !customized && repeated == nullptr && are_plain_layers(doc.layers);
    if (plain) return {};
    for (const workload::layer& one : doc.layers) {
        const error wrong = problem_in(one, customized, repeated);
        if (wrong) return in_document(wrong, static_cast<std::size_t>(&one - doc.layers.data()));
    }
    return {};
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace workload {
inline namespace WLFMT_IMPL {

template <class Kernel>
inline error problem_of(const header& head) noexcept {
    detail::target t;
    const error line = detail::problem_of_line(head, t);
    if (line) return line;
    const auto layers = head.declared_layers.as<std::int64_t>();
    const bool counts = head.declared_layers.is_integer() && layers && *layers >= 0;
    return counts ? error() : detail::unwritable(detail::layer_count);
}

template <class Kernel>
inline error problem_of(const layer& one) noexcept {
    constexpr auto& names = detail::layer_field_names;
    if (!detail::is_word(one.name)) return detail::unwritable(names[0]);
    std::size_t field = 2;
    for (const phase* p : {&one.forward, &one.input_grad, &one.weight_grad}) {
        if (!detail::reads_back(p->compute)) return detail::unwritable(names[field]);
        if (!detail::is_collective(p->comm)) return detail::unwritable(names[field + 1]);
        field += 3;
    }
    if (!detail::reads_back(one.update)) return detail::unwritable(names[field]);
    if (!is_missing(one.policy) && !detail::is_word(one.policy)) return detail::unwritable(names[detail::policy_field]);
    detail::target t;
    if (!is_missing(one.further) && !detail::is_target(one.further, t))
        return detail::unwritable(detail::further_field);
    return {};
}

template <class Kernel>
inline error problem_of(const document& doc) noexcept {
    bool plain = false;
    return detail::check(doc, plain);
}

template <class Sink>
void write_unchecked(Sink&& sink, const header& head) {
    static_cast<void>(detail::put(sink, head));
}
template <class Sink>
void write_unchecked(Sink&& sink, const layer& one) {
    static_cast<void>(detail::put(sink, one));
}
template <class Sink>
void write_unchecked(Sink&& sink, const document& doc) {
    static_cast<void>(detail::put<false>(sink, doc));
}

template <class Sink>
error write(Sink&& sink, const header& head) {
    const error wrong = problem_of(head);
    return wrong ? wrong : detail::put(sink, head);
}
template <class Sink>
error write(Sink&& sink, const layer& one) {
    const error wrong = detail::is_plain_layer(one) ? error() : problem_of(one);
    return wrong ? wrong : detail::put(sink, one);
}
template <class Sink>
error write(Sink&& sink, const document& doc) {
    bool plain = false;
    const error wrong = detail::check(doc, plain);
    if (wrong) return wrong;
    return plain ? detail::put<true>(sink, doc) : detail::put<false>(sink, doc);
}

}  // namespace WLFMT_IMPL
}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
