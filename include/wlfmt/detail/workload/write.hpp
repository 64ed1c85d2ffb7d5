// Writing workload files.
#ifndef WLFMT_DETAIL_WORKLOAD_WRITE_HPP
#define WLFMT_DETAIL_WORKLOAD_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../types/workload.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "../number/read.hpp"
#include "../number/write.hpp"
#include "lists.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Writes the words of a value, each after a separator.
template <class Sink> void write_words(out<Sink>& to, std::string_view value, char separator) {
    for (const std::string_view w : workload::words(value)) {
        to.put(separator);
        to.text(w);
    }
}

template <class Sink> void write_header(out<Sink>& to, const workload::header& head, const number& layers) {
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
WLFMT_INLINE char* write_field(char* to, std::int64_t v) noexcept {
    const auto bits = static_cast<std::uint64_t>(v);
    if (WLFMT_UNLIKELY(bits >= integer_powers_of_ten[8]))
        return v < 0 ? write_integer(to, v) : write_from_nine(to, bits);
    if (bits >= 10) return write_up_to_eight(to, bits);
    *to = static_cast<char>('0' + bits);
    return to + 1;
}
// A size as it is written: a decimal that is whole is an integer, as the reader takes it.
inline number written_size(const number& v) noexcept {
    std::int64_t whole = 0;
    return number_access::as_integer(v, whole) ? number(whole) : v;
}

// The bytes of the buffer that a common layer takes at most.
inline constexpr std::size_t max_layer_room = 512;

// Whether a layer has twelve fields, with texts that fit into the room for it and integers as times and sizes, as
// nearly all layers have.
WLFMT_INLINE bool is_common(const workload::phase& p) noexcept {
    return p.compute.is_integer() && p.bytes.is_integer();
}
WLFMT_INLINE bool is_common(const workload::layer& l) noexcept {
    constexpr std::size_t max_numbers = 8 * max_integer_chars + layer_fields;
    const std::size_t texts =
        l.name.size() + l.forward.comm.size() + l.input_grad.comm.size() + l.weight_grad.comm.size();
    return texts <= max_layer_room - max_numbers && is_common(l.forward) && is_common(l.input_grad) &&
           is_common(l.weight_grad) && l.update.is_integer() && l.policy.data() == nullptr &&
           l.further.data() == nullptr;
}

WLFMT_INLINE char* write_common_phase(char* to, const workload::phase& p) noexcept {
    to = write_field(to, number_access::integer(p.compute));
    *to++ = '\t';
    to = copy_text(to, p.comm);
    *to++ = '\t';
    to = write_field(to, number_access::integer(p.bytes));
    *to++ = '\t';
    return to;
}
WLFMT_INLINE char* write_common_layer(char* p, const workload::layer& l) noexcept {
    p = copy_text(p, l.name);
    if (WLFMT_LIKELY(l.dependency == -1)) {
        std::memcpy(p, "\t-1\t", 4);
        p += 4;
    } else {
        *p = '\t';
        p = write_integer(p + 1, l.dependency);
        *p++ = '\t';
    }
    p = write_common_phase(p, l.forward);
    p = write_common_phase(p, l.input_grad);
    p = write_common_phase(p, l.weight_grad);
    p = write_field(p, number_access::integer(l.update));
    *p++ = '\n';
    return p;
}
template <class Sink> WLFMT_NOINLINE void write_other_layer(out<Sink>& to, const workload::layer& l) {
    to.text(l.name);
    to.put('\t');
    to.integer(l.dependency);
    for (const phase_row& row : phase_rows) {
        const workload::phase& p = l.*row.of;
        to.put('\t');
        to.value(p.compute);
        to.put('\t');
        to.text(p.comm);
        to.put('\t');
        to.value(written_size(p.bytes));
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
// `Plain`: the layer is one of are_plain_layers(), which are all common.
template <bool Plain, class Sink> WLFMT_INLINE void write_layer(out<Sink>& to, const workload::layer& l) {
    if (!Plain && WLFMT_UNLIKELY(!is_common(l))) return write_other_layer(to, l);
    to.take(write_common_layer(to.room(max_layer_room), l));
}

// These write without a check. They return error_kind::none or cannot_write.

template <class Sink> error put(Sink& sink, const workload::header& head) {
    out<Sink> to(sink);
    write_header(to, head, head.declared_layers);
    return to.finish() ? error() : sink_error();
}
template <class Sink> error put(Sink& sink, const workload::layer& one) {
    out<Sink> to(sink);
    write_layer<false>(to, one);
    return to.finish() ? error() : sink_error();
}
template <bool Plain, class Sink> error put(Sink& sink, const workload::document& doc) {
    out<Sink> to(sink);
    write_header(to, doc.header(), static_cast<std::int64_t>(doc.layers.size()));
    for (const workload::layer& one : doc.layers) write_layer<Plain>(to, one);
    return to.finish() ? error() : sink_error();
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
