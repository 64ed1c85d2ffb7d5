// Writes workload files, and checks that records read back.
#ifndef WLFMT_DETAIL_WORKLOAD_WRITE_HPP
#define WLFMT_DETAIL_WORKLOAD_WRITE_HPP

#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "lists.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Whether a layer has twelve fields, with integers as times and sizes, as nearly all layers do.
WLFMT_INLINE bool is_common(const workload::phase& p) noexcept {
    return p.compute.is_integer() && p.bytes.is_integer();
}
WLFMT_INLINE bool is_common(const workload::layer& l) noexcept {
    return is_common(l.forward) && is_common(l.input_grad) && is_common(l.weight_grad) && l.update.is_integer() &&
           l.policy.data() == nullptr && l.further.data() == nullptr;
}

// Checks the texts of common layers in few instructions: gathers their least bytes, and looks at these at the end.
#if defined(WLFMT_SSE2) || defined(WLFMT_NEON)
class plain_texts {
public:
    // Adds a text of 4 to 32 bytes. Returns false for a text of another size, which has to be checked otherwise.
    WLFMT_INLINE bool add(std::string_view v) noexcept {
        const char* const p = v.data();
        const std::size_t size = v.size();
        if (WLFMT_LIKELY(size - 8 <= 8)) {
            least_.keep_least(block::of_ends<8>(p, p + size - 8));
        } else if (WLFMT_LIKELY(size - 16 <= 16)) {
            least_.keep_least(block(p));
            least_.keep_least(block(p + size - 16));
        } else if (size - 4 < 4) {
            least_.keep_least(block::of_ends<4>(p, p + size - 4));
        } else {
            return false;
        }
        return true;
    }
    // Whether all bytes of the texts are above the blank.
    WLFMT_INLINE bool are_words() const noexcept { return block::mask(least_.up_to(' ')) == 0; }

private:
    block least_ = block::of('~');
};
#else
class plain_texts {
public:
    bool add(std::string_view v) const noexcept {
        for (const char c : v)
            if (static_cast<unsigned char>(c) <= ' ') return false;
        return v.size() - 4 <= 28;
    }
    bool are_words() const noexcept { return true; }
};
#endif

struct workload_check {
    using words = workload_words;
    using header = workload_header;

    static bool is_word(std::string_view v) noexcept {
        return !v.empty() && words::word_at(v.data(), end_of(v)).size() == v.size();
    }

    static bool reads_back(const workload::entry& e, bool number_first) noexcept {
        const std::string_view value = e.value;
        std::int64_t bare = 0;
        // An entry without a key is a bare number: only HYBRID_DLRM policies have one, and only as the first entry.
        if (e.key.empty()) return number_first && !e.colon && words::plain_integer(value, bare) == number_status::ok;
        if (!is_word(e.key) || e.key.back() == ':') return false;
        // A key that is an integer, even one beyond 64 bits, would read as a bare number.
        if (number_first && !e.colon && words::plain_integer(e.key, bare) != number_status::invalid) return false;
        if (type_of_entry(e.key) == entry_type::index_list) {
            workload::entry again;
            entry_problem wrong;
            const char* const end = header::read_indices(value.data(), end_of(value), again, wrong);
            return !value.empty() && end == end_of(value) && wrong.kind == error_kind::none;
        }
        // A value that is only a colon would read as a colon that is detached from its key.
        if (!is_word(value) || value == ":") return false;
        const error_kind problem = header::value_problem(e, end_of(value));
        return problem == error_kind::none || problem == error_kind::negative_value;
    }
    static bool reads_back(const number& n) noexcept {
        return n.is_integer() || (n.is_decimal() && is_finite(number_access::decimal(n)));
    }
    static bool is_name_word(std::string_view v) noexcept { return is_word(v) && !words::is_number(v); }
    // Whether `further` is five sha256 texts with blanks between them; puts these texts into `t`.
    static bool is_target(std::string_view further, target& t) noexcept {
        const char* p = further.data();
        const char* const end = p + further.size();
        for (std::string_view& value : t.values) {
            p = words::skip_blanks(p, end);
            value = words::word_at(p, end);
            if (!is_sha256(value)) return false;
            p += value.size();
        }
        return words::skip_blanks(p, end) == end;
    }

    // Checks the header except for the number of layers, and sets `t` to the texts that its layers must repeat.
    static problem problem_of_line(const workload::header& head, target& t) noexcept {
        const bool keeps_its_start = head.policy.substr(0, byte_order_mark.size()) != byte_order_mark;
        if (!is_name_word(head.policy) || !keeps_its_start) return unwritable("policy");
        bool number_first = workload::policies::of(head.policy).has(workload::policies::number_follows);
        for (auto e = head.entries.begin(), last = head.entries.end(); e != last; ++e) {
            const std::string_view unnamed = e->colon ? "entries"sv : last_bottom_layer;
            if (!reads_back(*e, number_first)) return unwritable(e->key.empty() ? unnamed : e->key);
            number_first = false;
            header::record_target_key(t, *e);
        }
        const std::string_view missing = header::missing_key(t);
        return missing.empty() ? problem() : unwritable(missing);
    }

    WLFMT_INLINE static bool add_collective(plain_texts& texts, std::string_view v) noexcept {
        if (WLFMT_LIKELY(v.size() == 4 && !differs<4>(v.data(), "NONE"))) return true;
        return texts.add(v) && static_cast<unsigned char>(v.front()) > '9';  // no number begins with such a byte
    }
    // Returns false if the layer needs the exact check. Otherwise, the layer reads back if texts.are_words().
    WLFMT_INLINE static bool add_layer(plain_texts& texts, const workload::layer& l) noexcept {
        return is_common(l) && add_collective(texts, l.forward.comm) && add_collective(texts, l.input_grad.comm) &&
               add_collective(texts, l.weight_grad.comm) && texts.add(l.name);
    }
    // Whether all layers have only their twelve fields, all of which read back.
    static bool are_plain_layers(const std::vector<workload::layer>& layers) noexcept {
        plain_texts texts;
        for (const workload::layer& layer : layers)
            if (WLFMT_UNLIKELY(!add_layer(texts, layer))) return false;
        return texts.are_words();
    }

    // What keeps the layer from reading back with this header. `repeated`: the texts that it must repeat, or null.
    static problem problem_in(const workload::layer& layer, bool customized, const target* repeated) noexcept {
        const problem wrong = problem_of(layer);
        if (wrong) return wrong;
        if (is_missing(layer.policy) == customized) return unwritable(layer_field_names[policy_field]);
        if (is_missing(layer.further) != (repeated == nullptr)) return unwritable(further_field);
        if (repeated == nullptr) return {};
        target layer_target;
        if (!is_target(layer.further, layer_target)) return unwritable(further_field);
        for (std::size_t n = 0; n != target_keys_count; ++n)
            if (layer_target.values[n] != repeated->values[n]) return unwritable(target_keys[n]);
        return {};
    }

    // What keeps the document from reading back. Sets `plain` to whether its layers pass are_plain_layers().
    static problem first_problem(const workload::document& doc, bool& plain) noexcept {
        target header_target;
        const problem head = problem_of_line(doc.header, header_target);
        if (head) return head;
        const bool customized = workload::policies::of(doc.header.policy).has(workload::policies::own_policies);
        const target* const repeated = header::binds_layers(header_target) ? &header_target : nullptr;
        plain = !customized && repeated == nullptr && are_plain_layers(doc.layers);
        if (plain) return {};
        for (const workload::layer& layer : doc.layers) {
            const problem wrong = problem_in(layer, customized, repeated);
            if (wrong) return in_document(wrong, static_cast<std::size_t>(&layer - doc.layers.data()));
        }
        return {};
    }

    static problem problem_of(const workload::header& head) noexcept {
        target header_target;
        const problem line = problem_of_line(head, header_target);
        if (line) return line;
        const number& layers = head.declared_layers;
        return layers.is_integer() && layers >= 0 ? problem() : unwritable(layer_count);
    }

    static problem problem_of(const workload::layer& layer) noexcept {
        constexpr auto& names = layer_field_names;
        if (!is_word(layer.name)) return unwritable(names[0]);
        for (const workload::phase_row& row : workload::phase_rows) {
            const workload::phase& p = layer.*row.member;
            if (!reads_back(p.compute)) return unwritable(row.compute);
            if (!is_name_word(p.comm)) return unwritable(row.comm);
            std::int64_t moved = 0;
            if (!number_access::as_integer(p.bytes, moved)) return unwritable(row.bytes);
        }
        if (!reads_back(layer.update)) return unwritable(names[layer_fields - 1]);
        if (!is_missing(layer.policy) && !is_word(layer.policy)) return unwritable(names[policy_field]);
        target layer_target;
        if (!is_missing(layer.further) && !is_target(layer.further, layer_target)) return unwritable(further_field);
        return {};
    }

    // The same as problem_of(), in few instructions for a common layer.
    static problem problem_of_any(const workload::layer& layer) noexcept {
        plain_texts texts;
        return add_layer(texts, layer) && texts.are_words() ? problem() : problem_of(layer);
    }
};

// Writes the words of a value, each after a separator.
template <class Sink> void write_words(out<Sink>& output, std::string_view value, char separator) {
    for (const std::string_view w : workload::words(value)) {
        output.put(separator);
        output.text(w);
    }
}

template <class Sink> void write_header(out<Sink>& output, const workload::header& head, const number& layers) {
    output.text(head.policy);
    for (const workload::entry& e : head.entries) {
        if (!e.key.empty() || e.colon) {
            output.put(' ');
            output.text(e.key);
            if (e.colon) output.put(':');
        }
        write_words(output, e.value, ' ');
    }
    output.put('\n');
    output.value(layers);
    output.put('\n');
}

// A size as it is written: a whole decimal becomes an integer, as it does when it is read.
inline number written_size(const number& v) noexcept {
    std::int64_t whole = 0;
    return number_access::as_integer(v, whole) ? number(whole) : v;
}

inline constexpr std::size_t max_layer_room = 512;  // enough bytes for a common layer that is_short()

WLFMT_INLINE bool is_short(const workload::layer& l) noexcept {
    constexpr std::size_t max_numbers = 8 * max_integer_chars + layer_fields;
    return l.name.size() + l.forward.comm.size() + l.input_grad.comm.size() + l.weight_grad.comm.size() <=
           max_layer_room - max_numbers;
}

WLFMT_INLINE char* write_common_phase(char* out, const workload::phase& p) noexcept {
    out = write_integer(out, number_access::integer(p.compute));
    *out++ = '\t';
    out = copy_text(out, p.comm);
    *out++ = '\t';
    out = write_integer(out, number_access::integer(p.bytes));
    *out++ = '\t';
    return out;
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
    p = write_integer(p, number_access::integer(l.update));
    *p++ = '\n';
    return p;
}
template <class Sink> WLFMT_NOINLINE void write_other_layer(out<Sink>& output, const workload::layer& l) {
    output.text(l.name);
    output.put('\t');
    output.integer(l.dependency);
    for (const workload::phase_row& row : workload::phase_rows) {
        const workload::phase& p = l.*row.member;
        output.put('\t');
        output.value(p.compute);
        output.put('\t');
        output.text(p.comm);
        output.put('\t');
        output.value(written_size(p.bytes));
    }
    output.put('\t');
    output.value(l.update);
    if (l.policy.data() != nullptr) {
        output.put('\t');
        output.text(l.policy);
    }
    write_words(output, l.further, '\t');
    output.put('\n');
}
// `Plain`: the layer passed are_plain_layers(), and is therefore common.
template <bool Plain, class Sink> WLFMT_INLINE void write_layer(out<Sink>& output, const workload::layer& l) {
    if (!Plain && WLFMT_UNLIKELY(!is_short(l) || !is_common(l))) return write_other_layer(output, l);
    output.take(write_common_layer(output.room(max_layer_room), l));
}

// These write without a check. They fail only with error_kind::cannot_write.

template <class Sink> problem put(Sink& sink, const workload::header& head) {
    out<Sink> output(sink);
    write_header(output, head, head.declared_layers);
    return output.finish() ? problem() : sink_error();
}
template <class Sink> problem put(Sink& sink, const workload::layer& layer) {
    out<Sink> output(sink);
    write_layer<false>(output, layer);
    return output.finish() ? problem() : sink_error();
}
template <bool Plain, class Sink> problem put(Sink& sink, const workload::document& doc) {
    out<Sink> output(sink);
    write_header(output, doc.header, static_cast<std::int64_t>(doc.layers.size()));
    for (const workload::layer& layer : doc.layers) write_layer<Plain>(output, layer);
    return output.finish() ? problem() : sink_error();
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
