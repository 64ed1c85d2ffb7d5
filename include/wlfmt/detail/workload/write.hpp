// Writing workload files.
#ifndef WLFMT_DETAIL_WORKLOAD_WRITE_HPP
#define WLFMT_DETAIL_WORKLOAD_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../workload.hpp"
#include "../core/decimal.hpp"
#include "../core/out.hpp"
#include "../core/problems.hpp"
#include "read.hpp"

#include "../core/begin.hpp"

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
    if (static_cast<std::uint64_t>(v) >= 10) return write_integer(to, v);
    *to = static_cast<char>('0' + v);
    return to + 1;
}
template <class Kernel = kernel>
WLFMT_INLINE char* write_field(char* to, const number& v) noexcept {
    return WLFMT_LIKELY(v.is_integer()) ? write_field(to, number_access::integer(v)) : write_number(to, v);
}

// Checking while writing: the bytes of a word are looked at while they are copied. `good` keeps the top bit of each of
// its bytes while all that was copied is above the blank, as the bytes of words are; it loses them too where a word is
// none of the common lengths, and has to be looked at more closely.
inline constexpr std::uint64_t all_good = every_byte(0x80);
WLFMT_INLINE std::uint64_t above_blanks(std::uint64_t bytes) noexcept {
    return ((bytes & every_byte(0x7f)) + every_byte(0x7f - ' ')) | bytes;
}
template <bool Checked>
WLFMT_INLINE char* copy_word(char* to, std::string_view s, std::uint64_t& good) noexcept {
    if constexpr (Checked) {
        const std::size_t size = s.size();
        const char* const from = s.data();
        if (WLFMT_LIKELY(size - 8 <= 8)) {
            std::uint64_t head = 0;
            std::uint64_t tail = 0;
            std::memcpy(&head, from, sizeof head);
            std::memcpy(&tail, from + size - sizeof tail, sizeof tail);
            std::memcpy(to, &head, sizeof head);
            std::memcpy(to + size - sizeof tail, &tail, sizeof tail);
            good &= above_blanks(head) & above_blanks(tail);
            return to + size;
        }
        if (WLFMT_LIKELY(size - 4 < 4)) {
            std::uint32_t head = 0;
            std::uint32_t tail = 0;
            std::memcpy(&head, from, sizeof head);
            std::memcpy(&tail, from + size - sizeof tail, sizeof tail);
            std::memcpy(to, &head, sizeof head);
            std::memcpy(to + size - sizeof tail, &tail, sizeof tail);
            good &= above_blanks(std::uint64_t{head} << 32 | tail);
            return to + size;
        }
        good = 0;
    }
    return copy_text(to, s);
}
// A collective is no number either: what begins with a letter is none.
template <bool Checked>
WLFMT_INLINE char* write_phase(char* to, const workload::phase& p, std::uint64_t& good) noexcept {
    to = write_field(to, p.compute);
    *to++ = '\t';
    to = copy_word<Checked>(to, p.comm, good);
    if (Checked && WLFMT_UNLIKELY(p.comm.empty() || static_cast<unsigned char>(p.comm.front()) < 'A')) good = 0;
    *to++ = '\t';
    to = write_field(to, p.bytes);
    *to++ = '\t';
    return to;
}

// The most that the numbers and separators of a layer take.
inline constexpr std::size_t max_layer_numbers = 4 * max_repr_chars + 4 * max_integer_chars + layer_fields + 1;
inline constexpr std::size_t max_layer_room = 512;

// Whether all of a layer fits into that room.
template <class Kernel = kernel>
WLFMT_INLINE bool is_short(const workload::layer& l) noexcept {
    const std::size_t texts =
        l.name.size() + l.forward.comm.size() + l.input_grad.comm.size() + l.weight_grad.comm.size() + l.policy.size();
    return texts <= max_layer_room - max_layer_numbers && l.further.data() == nullptr && !l.forward.compute.is_text() &&
           !l.input_grad.compute.is_text() && !l.weight_grad.compute.is_text() && !l.update.is_text();
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

// True where the layer is known to read back, or is not to be checked.
template <bool Checked, class Sink>
WLFMT_INLINE bool write_layer(out<Sink>& to, const workload::layer& l) {
    if (WLFMT_UNLIKELY(!is_short(l))) {
        write_long_layer(to, l);
        return !Checked;
    }
    std::uint64_t good = all_good;
    char* p = copy_word<Checked>(to.room(max_layer_room), l.name, good);
    if (WLFMT_LIKELY(l.dependency == -1)) {
        std::memcpy(p, "\t-1\t", 4);
        p += 4;
    } else {
        *p = '\t';
        p = write_integer(p + 1, l.dependency);
        *p++ = '\t';
    }
    p = write_phase<Checked>(p, l.forward, good);
    p = write_phase<Checked>(p, l.input_grad, good);
    p = write_phase<Checked>(p, l.weight_grad, good);
    p = write_field(p, l.update);
    if (WLFMT_UNLIKELY(l.policy.data() != nullptr)) {
        *p++ = '\t';
        p = copy_text(p, l.policy);
        good = 0;
    }
    *p++ = '\n';
    to.take(p);
    if constexpr (!Checked) return true;
    return (good & all_good) == all_good && l.forward.compute.is_integer() && l.input_grad.compute.is_integer() &&
           l.weight_grad.compute.is_integer() && l.update.is_integer();
}

// Each writes without a check: none, or cannot_write.

template <class Kernel = kernel>
inline error written(bool good) noexcept {
    error e;
    if (!good) e.kind = error_kind::cannot_write;
    return e;
}
template <class Sink>
error put(Sink& sink, const workload::header& head) {
    out<Sink> to(sink);
    write_header(to, head, head.declared_layers);
    return written(to.finish());
}
template <class Sink>
error put(Sink& sink, const workload::layer& one) {
    out<Sink> to(sink);
    write_layer<false>(to, one);
    return written(to.finish());
}
template <class Sink>
error put(Sink& sink, const workload::document& doc) {
    out<Sink> to(sink);
    write_header(to, doc.header(), static_cast<std::int64_t>(doc.layers.size()));
    for (const workload::layer& one : doc.layers) write_layer<false>(to, one);
    return written(to.finish());
}

// What reads back as it is.

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
    // Also one beyond 64 bits, which would be a bare number with an error.
    const word key = {e.key.data(), e.key.data() + e.key.size()};
    std::int64_t bare = 0;
    if (!e.colon && number_first && plain_integer(key, bare) != number_status::invalid) return false;

    const word value = {e.value.data(), e.value.data() + e.value.size()};
    if (is_index_list(e.key)) {
        workload::entry again;
        entry_problem wrong;
        const bool whole = !e.value.empty() && read_indices(value.begin, value.end, again, wrong) == value.end;
        return whole && wrong.what == error_kind::none;
    }
    number n;
    const bool numeric = is_size_key(e.key) || e.key == last_bottom_layer;
    return is_word(e.value) && (!numeric || number_in(value, value.end, n) == error_kind::none);
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

// The header but for the number of layers. `t`: what its layers must repeat.
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

// What keeps the layer from reading back in a document with that header. `repeated`: what each layer repeats of it,
// null where there is no such thing.
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
    detail::target t;
    const error head = detail::problem_of_line(doc.header(), t);
    if (head) return head;
    const bool customized = detail::has_own_policies(doc.header().policy);
    const detail::target* const repeated = detail::binds_layers(t) ? &t : nullptr;
    for (const layer& one : doc.layers) {
        const error wrong = detail::problem_in(one, customized, repeated);
        if (wrong) return detail::in_document(wrong, static_cast<std::size_t>(&one - doc.layers.data()));
    }
    return {};
}

}  // namespace WLFMT_IMPL
}  // namespace workload

namespace detail {
inline namespace WLFMT_IMPL {

// Checks all, then writes all. What is appended to a string is checked as it is written, and taken back where something
// would not read back.
template <class Sink>
error put_checked(Sink& sink, const workload::document& doc) {
    if constexpr (can_take_back<Sink>) {
        target t;
        const error head = problem_of_line(doc.header(), t);
        if (head) return head;
        const bool customized = has_own_policies(doc.header().policy);
        const target* const repeated = binds_layers(t) ? &t : nullptr;
        const bool plain = !customized && repeated == nullptr;
        const std::size_t size = sink.size();
        out<Sink> to(sink);
        write_header(to, doc.header(), static_cast<std::int64_t>(doc.layers.size()));
        for (const workload::layer& one : doc.layers) {
            if (WLFMT_LIKELY((write_layer<true>(to, one)) && plain)) continue;
            const error wrong = problem_in(one, customized, repeated);
            if (!wrong) continue;
            to.finish();
            sink.resize(size);
            return in_document(wrong, static_cast<std::size_t>(&one - doc.layers.data()));
        }
        return written(to.finish());
    } else {
        const error wrong = problem_of(doc);
        return wrong ? wrong : put(sink, doc);
    }
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace workload {
inline namespace WLFMT_IMPL {

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
    static_cast<void>(detail::put(sink, doc));
}

template <class Sink>
error write(Sink&& sink, const header& head) {
    const error wrong = problem_of(head);
    return wrong ? wrong : detail::put(sink, head);
}
template <class Sink>
error write(Sink&& sink, const layer& one) {
    const error wrong = problem_of(one);
    return wrong ? wrong : detail::put(sink, one);
}
template <class Sink>
error write(Sink&& sink, const document& doc) {
    return detail::put_checked(sink, doc);
}

}  // namespace WLFMT_IMPL
}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"
#endif
