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
#include "read.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// A value of several words, with one blank between them.
template <class Sink>
void write_words(out<Sink>& to, std::string_view value) {
    const char* p = value.data();
    const char* const end = p + value.size();
    while ((p = skip_blank_lines(p, end)) != end) {
        const char* const stop = word_end(p, end);
        to.put(' ');
        to.text(view(p, stop));
        p = stop;
    }
}

template <class Sink>
void write_header(out<Sink>& to, const workload::header& head) {
    to.text(head.policy);
    for (const workload::entry& e : head.entries) {
        if (!e.key.empty() || e.colon) {
            to.put(' ');
            to.text(e.key);
            if (e.colon) to.put(':');
        }
        write_words(to, e.value);
    }
    to.put('\n');
    to.integer(head.declared_layers);
    to.put('\n');
}

// Most integers of a file are 0.
WLFMT_INLINE char* write_field(char* to, std::int64_t v) noexcept {
    if (static_cast<std::uint64_t>(v) >= 10) return write_integer(to, v);
    *to = static_cast<char>('0' + v);
    return to + 1;
}
WLFMT_INLINE char* write_field(char* to, const number& v) noexcept {
    return WLFMT_LIKELY(v.is_integer()) ? write_field(to, v.integer()) : write_number(to, v);
}
WLFMT_INLINE char* write_phase(char* to, const workload::phase& p) noexcept {
    to = write_field(to, p.compute);
    *to++ = '\t';
    to = copy_text(to, p.comm);
    *to++ = '\t';
    to = write_field(to, p.bytes);
    *to++ = '\t';
    return to;
}

// The most that the numbers and separators of a layer take.
inline constexpr std::size_t max_layer_numbers = 4 * max_repr_chars + 4 * max_integer_chars + layer_fields + 1;
inline constexpr std::size_t max_layer_room = 512;

// Whether all of a layer fits into that room.
WLFMT_INLINE bool is_short(const workload::layer& l) noexcept {
    const std::size_t texts =
        l.name.size() + l.forward.comm.size() + l.input_grad.comm.size() + l.weight_grad.comm.size() + l.policy.size();
    return texts <= max_layer_room - max_layer_numbers && !l.forward.compute.is_text() &&
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
    to.put('\n');
}

template <class Sink>
WLFMT_INLINE void write_layer(out<Sink>& to, const workload::layer& l) {
    if (WLFMT_UNLIKELY(!is_short(l))) return write_long_layer(to, l);
    char* p = copy_text(to.room(max_layer_room), l.name);
    if (WLFMT_LIKELY(l.dependency == -1)) {
        std::memcpy(p, "\t-1\t", 4);
        p += 4;
    } else {
        *p = '\t';
        p = write_integer(p + 1, l.dependency);
        *p++ = '\t';
    }
    p = write_phase(p, l.forward);
    p = write_phase(p, l.input_grad);
    p = write_phase(p, l.weight_grad);
    p = write_field(p, l.update);
    if (WLFMT_UNLIKELY(l.policy.data() != nullptr)) {
        *p++ = '\t';
        p = copy_text(p, l.policy);
    }
    *p++ = '\n';
    to.take(p);
}

// What reads back as it is.

inline bool is_word(std::string_view v) noexcept {
    return !v.empty() && word_end(v.data(), v.data() + v.size()) == v.data() + v.size();
}
inline error unwritable(std::string_view field) noexcept {
    error e;
    e.what = error_kind::unwritable;
    e.field = field;
    return e;
}

// A bare number, which only HYBRID_DLRM has, and only first.
inline bool is_bare_number(std::string_view token, bool number_first) noexcept {
    std::int64_t value = 0;
    const word w = {token.data(), token.data() + token.size()};
    return number_first && !token.empty() && plain_integer(w, value) == number_status::ok;
}

inline bool reads_back(const workload::entry& e, bool number_first) noexcept {
    const word value = {e.value.data(), e.value.data() + e.value.size()};
    if (e.key.empty() && !e.colon) return is_bare_number(e.value, number_first);
    if (!e.key.empty() && (!is_word(e.key) || e.key.back() == ':')) return false;
    if (!e.colon && is_bare_number(e.key, number_first)) return false;
    if (is_index_list(e.key)) {
        workload::entry again;
        entry_problem wrong;
        const bool whole = read_indices(value.begin, value.end, again, wrong) == value.end;
        return whole && wrong.what == error_kind::none;
    }
    number n;
    return is_word(e.value) && (!is_numeric_key(e.key) || number_in(value, value.end, n) == error_kind::none);
}
inline bool reads_back(const number& n) noexcept { return n.has_value() && is_finite(n); }
inline bool is_collective(std::string_view v) noexcept {
    return is_word(v) && !is_number({v.data(), v.data() + v.size()});
}

}  // namespace detail

namespace workload {

template <class Sink>
void write(Sink& sink, const header& head) {
    detail::out<Sink> to(sink);
    detail::write_header(to, head);
    to.finish();
}

template <class Sink>
void write(Sink& sink, const layer& one) {
    detail::out<Sink> to(sink);
    detail::write_layer(to, one);
    to.finish();
}

template <class Sink>
void write(Sink& sink, const document& doc) {
    detail::out<Sink> to(sink);
    header head = doc.header();
    head.declared_layers = static_cast<std::int64_t>(doc.layers.size());
    detail::write_header(to, head);
    for (const layer& one : doc.layers) detail::write_layer(to, one);
    to.finish();
}

inline error problem_of(const header& head) noexcept {
    const detail::word policy = {head.policy.data(), head.policy.data() + head.policy.size()};
    const bool keeps_its_start = detail::without_bom(head.policy).size() == head.policy.size();
    if (!detail::is_word(head.policy) || !keeps_its_start || detail::is_number(policy)) {
        return detail::unwritable("policy");
    }
    bool number_first = detail::is_dlrm(head.policy);
    for (const entry& e : head.entries) {
        const bool bare = e.key.empty() && !e.colon;
        if (!detail::reads_back(e, number_first)) return detail::unwritable(bare ? detail::last_bottom_layer : e.key);
        number_first = false;
    }
    return {};
}

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
    const bool policy = one.policy.data() != nullptr;
    return policy && !detail::is_word(one.policy) ? detail::unwritable(names[detail::policy_field]) : error();
}

inline error problem_of(const document& doc) noexcept {
    const error head = problem_of(doc.header());
    if (head) return head;
    const bool customized = detail::has_own_policies(doc.policy);
    for (const layer& one : doc.layers) {
        const error wrong = problem_of(one);
        if (wrong) return wrong;
        const bool policy = one.policy.data() != nullptr;
        if (policy != customized) return detail::unwritable(detail::layer_field_names[detail::policy_field]);
    }
    return {};
}

}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"
#endif
