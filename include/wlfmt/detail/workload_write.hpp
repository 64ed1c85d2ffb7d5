// Writing workload files.
#ifndef WLFMT_DETAIL_WORKLOAD_WRITE_HPP
#define WLFMT_DETAIL_WORKLOAD_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../workload.hpp"
#include "decimal.hpp"
#include "out.hpp"
#include "workload_read.hpp"

#include "begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// A value of several words, with one blank between them.
template <class Sink>
void write_words(out<Sink>& to, std::string_view value) {
    const char* p = value.data();
    const char* const end = p + value.size();
    while ((p = skip_blanks(p, end)) != end) {
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

template <class Sink>
void write_phase(out<Sink>& to, const workload::phase& p) {
    to.value(p.compute);
    to.put('\t');
    to.text(p.comm);
    to.put('\t');
    to.integer(p.bytes);
    to.put('\t');
}

template <class Sink>
void write_layer(out<Sink>& to, const workload::layer& l) {
    to.text(l.name);
    to.put('\t');
    to.integer(l.dependency);
    to.put('\t');
    write_phase(to, l.forward);
    write_phase(to, l.input_grad);
    write_phase(to, l.weight_grad);
    to.value(l.update);
    if (l.policy.data() != nullptr) {
        to.put('\t');
        to.text(l.policy);
    }
    to.put('\n');
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

}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "end.hpp"
#endif
