// Checks whether records read back as they are written.
#ifndef WLFMT_DETAIL_WORKLOAD_CHECK_HPP
#define WLFMT_DETAIL_WORKLOAD_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "../../types/workload.hpp"
#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../number/read.hpp"
#include "line.hpp"
#include "lists.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The check of common layers in few instructions gathers the bytes of all texts and looks at them once.
class plain_texts {
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
        return sse2::movemask_epi8(sse2::cmpeq_epi8(sse2::min_epu8(least_, sse2::set1_epi8(' ')), least_)) == 0;
#else
        return (above_ & every_byte(0x80)) == every_byte(0x80);
#endif
    }

private:
#if defined(WLFMT_SSE2)
    WLFMT_INLINE void add_eights(const char* a, const char* b) noexcept {
        least_ = sse2::min_epu8(least_, load_eights(a, b));
    }

    sse2::m128i least_ = sse2::set1_epi8('~');
#else
    // Sets the top bit of each of the eight bytes that is above the blank.
    WLFMT_INLINE static std::uint64_t above(std::uint64_t bytes) noexcept {
        return ((bytes & every_byte(0x7f)) + every_byte(0x7f - ' ')) | bytes;
    }
    WLFMT_INLINE void add_eights(const char* a, const char* b) noexcept {
        above_ &= above(load_eight(a)) & above(load_eight(b));
    }

    std::uint64_t above_ = ~std::uint64_t{0};
#endif
};

template <class Build> struct workload_check {
    using words = workload_words<build>;
    using header = workload_header<build>;

    static bool is_word(std::string_view v) noexcept {
        return !v.empty() && words::word_end(v.data(), v.data() + v.size()) == v.data() + v.size();
    }

    // A bare number: only HYBRID_DLRM has it, and only as its first entry.
    static bool is_bare_number(std::string_view token, bool number_first) noexcept {
        std::int64_t value = 0;
        const word w = {token.data(), token.data() + token.size()};
        return number_first && !token.empty() && words::plain_integer(w, value) == number_status::ok;
    }

    static bool reads_back(const workload::entry& e, bool number_first) noexcept {
        if (e.key.empty()) return !e.colon && is_bare_number(e.value, number_first);
        if (!is_word(e.key) || e.key.back() == ':') return false;
        // A number beyond 64 bits counts too: it would read as a bare number with an error.
        const word key = {e.key.data(), e.key.data() + e.key.size()};
        std::int64_t bare = 0;
        if (!e.colon && number_first && words::plain_integer(key, bare) != number_status::invalid) return false;

        const word value = {e.value.data(), e.value.data() + e.value.size()};
        const entry_type type = type_of_entry(e.key);
        if (type == entry_type::index_list) {
            workload::entry again;
            entry_problem wrong;
            const bool whole =
                !e.value.empty() && header::read_indices(value.begin, value.end, again, wrong) == value.end;
            return whole && wrong.what == error_kind::none;
        }
        number n;
        // A colon by itself is read as a colon that is detached from its key.
        if (type == entry_type::word)
            return is_word(e.value) && e.value != ":" &&
                   (target_position(e.key) == target_keys_count || is_sha256(e.value));
        if (e.value.empty()) return false;
        return (type == entry_type::size ? words::size_in(value, value.end, n)
                                         : words::number_in(value, value.end, n)) == error_kind::none;
    }
    static bool reads_back(const number& n) noexcept {
        return n.is_integer() || (n.is_decimal() && is_finite(number_access::decimal(n)));
    }
    static bool is_collective(std::string_view v) noexcept {
        return is_word(v) && !words::is_number({v.data(), v.data() + v.size()});
    }
    // The five sha256 texts with blanks between them.
    static bool is_target(std::string_view further, target& t) noexcept {
        const char* p = further.data();
        const char* const end = p + further.size();
        for (std::string_view& value : t.values) {
            p = words::skip_blanks(p, end);
            value = view(p, words::word_end(p, end));
            if (!is_sha256(value)) return false;
            p += value.size();
        }
        return words::skip_blanks(p, end) == end;
    }

    // Checks the header except for the number of layers. `t`: the texts that its layers must repeat.
    static error problem_of_line(const workload::header& head, target& t) noexcept {
        const word policy = {head.policy.data(), head.policy.data() + head.policy.size()};
        const bool keeps_its_start = head.policy.substr(0, byte_order_mark.size()) != byte_order_mark;
        if (!is_word(head.policy) || !keeps_its_start || words::is_number(policy)) return unwritable("policy");
        bool number_first = policy_table<build>::of(head.policy).has(number_follows);
        for (auto e = head.entries.begin(), last = head.entries.end(); e != last; ++e) {
            const bool bare = e->key.empty() && !e->colon;
            if (!reads_back(*e, number_first)) return unwritable(bare ? last_bottom_layer : e->key);
            number_first = false;
            header::record_target_key(t, *e);
        }
        const std::string_view missing = header::missing_key(t);
        return missing.empty() ? error() : unwritable(missing);
    }

    // The check of common layers in few instructions.

    WLFMT_INLINE static bool add_collective(plain_texts& texts, std::string_view v) noexcept {
        if (WLFMT_LIKELY(v.size() == 4 && word_difference<std::uint32_t>(v.data(), "NONE") == 0)) return true;
        return texts.add(v) && is_name_start(v.front());
    }
    WLFMT_INLINE static bool is_plain_phase(plain_texts& texts, const workload::phase& p) noexcept {
        return p.compute.is_integer() && p.bytes.is_integer() && add_collective(texts, p.comm);
    }
    // Returns false if the layer needs the exact check. Otherwise it reads back if its texts hold only bytes of words.
    WLFMT_INLINE static bool add_layer(plain_texts& texts, const workload::layer& l) noexcept {
        return is_plain_phase(texts, l.forward) && is_plain_phase(texts, l.input_grad) &&
               is_plain_phase(texts, l.weight_grad) && l.update.is_integer() && l.policy.data() == nullptr &&
               l.further.data() == nullptr && texts.add(l.name);
    }
    static bool is_plain_layer(const workload::layer& l) noexcept {
        plain_texts texts;
        return add_layer(texts, l) && texts.are_words();
    }
    // Do all layers have only their twelve fields, with nothing in them that keeps them from reading back?
    static bool are_plain_layers(const std::vector<workload::layer>& layers) noexcept {
        plain_texts texts;
        for (const workload::layer& one : layers)
            if (WLFMT_UNLIKELY(!add_layer(texts, one))) return false;
        return texts.are_words();
    }

    // What keeps the layer from reading back in a document with this header. `repeated`: the texts of the header that
    // each layer repeats; null if layers repeat nothing.
    static error problem_in(const workload::layer& one, bool customized, const target* repeated) noexcept {
        const error wrong = problem_of(one);
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
    static error first_problem(const workload::document& doc, bool& plain) noexcept {
        target t;
        const error head = problem_of_line(doc.header(), t);
        if (head) return head;
        const bool customized = policy_table<build>::of(doc.header().policy).has(own_policies);
        const target* const repeated = header::binds_layers(t) ? &t : nullptr;
        plain = !customized && repeated == nullptr && are_plain_layers(doc.layers);
        if (plain) return {};
        for (const workload::layer& one : doc.layers) {
            const error wrong = problem_in(one, customized, repeated);
            if (wrong) return in_document(wrong, static_cast<std::size_t>(&one - doc.layers.data()));
        }
        return {};
    }

    static error problem_of(const workload::header& head) noexcept {
        target t;
        const error line = problem_of_line(head, t);
        if (line) return line;
        const number& layers = head.declared_layers;
        const bool counts = layers.is_integer() && number_access::integer(layers) >= 0;
        return counts ? error() : unwritable(layer_count);
    }

    static error problem_of(const workload::layer& one) noexcept {
        constexpr auto& names = layer_field_names;
        if (!is_word(one.name)) return unwritable(names[0]);
        for (const phase_row& row : phase_rows) {
            const workload::phase& p = one.*row.of;
            if (!reads_back(p.compute)) return unwritable(row.compute);
            if (!is_collective(p.comm)) return unwritable(row.comm);
            std::int64_t moved = 0;
            if (!number_access::as_integer(p.bytes, moved)) return unwritable(row.bytes);
        }
        if (!reads_back(one.update)) return unwritable(names[layer_fields - 1]);
        if (!is_missing(one.policy) && !is_word(one.policy)) return unwritable(names[policy_field]);
        target t;
        if (!is_missing(one.further) && !is_target(one.further, t)) return unwritable(further_field);
        return {};
    }

    // The same, in few instructions for a common layer.
    static error problem_of_any(const workload::layer& one) noexcept {
        return is_plain_layer(one) ? error() : problem_of(one);
    }

    static error problem_of(const workload::document& doc) noexcept {
        bool plain = false;
        return first_problem(doc, plain);
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
