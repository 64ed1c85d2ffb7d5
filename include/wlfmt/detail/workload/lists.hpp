// The lists in headers and layers, decoded while they are iterated over, and the places of fields in the text.
#ifndef WLFMT_DETAIL_WORKLOAD_LISTS_HPP
#define WLFMT_DETAIL_WORKLOAD_LISTS_HPP

#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail {

// Iterators of these lists may outlive them, return items by value, and equal a default-constructed one at the end.

class entry_iterator : public list_iterator<entry_iterator, workload::entry> {
public:
    entry_iterator() noexcept = default;
    explicit entry_iterator(const shared_items<workload::entry>& own) noexcept : list_iterator(own) { advance(); }
    entry_iterator(std::string_view text, bool number_first) noexcept
        : next_(text.data()), end_(text.data() + text.size()), number_first_(number_first) {
        advance();
    }

    // If an edit has made the list shorter, the item may be gone: then this is still the last entry that was shown.
    const workload::entry& shown() const noexcept {
        return own_ && position_ <= own_.size() ? own_[position_ - 1] : current_;
    }
    std::uintptr_t decode() noexcept {
        const char* const begin = workload_words::skip_blank_lines(next_, end_);
        if (begin == end_) return 0;
        entry_problem ignored;
        next_ = workload_header::read_entry(begin, end_, number_first_, current_, ignored);
        number_first_ = false;
        return reinterpret_cast<std::uintptr_t>(begin);
    }

private:
    const char* next_ = nullptr;  // the end of this entry
    const char* end_ = nullptr;
    bool number_first_ = false;
};

class word_iterator : public value_iterator<word_iterator, std::string_view> {
public:
    word_iterator() noexcept = default;
    explicit word_iterator(std::string_view text) noexcept : end_(text.data() + text.size()) { take(text.data()); }

    const char* position() const noexcept { return current_.data(); }
    void advance() noexcept {
        if (position() != nullptr) take(current_.data() + current_.size());
    }

private:
    void take(const char* p) noexcept {
        p = workload_words::skip_blank_lines(p, end_);
        current_ = p == end_ ? std::string_view() : workload_words::word_at(p, end_);
    }

    const char* end_ = nullptr;
};

class index_iterator : public value_iterator<index_iterator, std::int64_t> {
public:
    index_iterator() noexcept = default;
    explicit index_iterator(std::string_view text) noexcept : word_(text) {
        decode();  // the count
        advance();
    }

    const char* position() const noexcept { return word_.position(); }
    void advance() noexcept {
        word_.advance();
        decode();
    }

private:
    // The list ends before a word that is not an integer.
    void decode() noexcept {
        if (workload_words::plain_integer(*word_, current_) != number_status::ok) word_ = {};
    }

    word_iterator word_;
};

struct workload_finding {
    using words = workload_words;
    using lines = workload_line;

    static std::string_view where(const workload::layer& layer, std::string_view field) noexcept {
        if (is_missing(layer.source)) return {};
        lines::layer_line line(layer.source.data(), layer.source.data() + layer.source.size());
        // Malformed sha256 texts, which a lenient reader keeps, are recognised by the place of the further fields.
        if (line.may_have_target() && layer.further.data() == line.target_fields()->data()) line.has_target = true;
        constexpr std::string_view numeric = "a number as "sv;
        if (field.substr(0, numeric.size()) == numeric) field.remove_prefix(numeric.size());
        for (std::size_t n = 0; n != policy_field; ++n)
            if (field == layer_field_names[n]) return n < line.count ? line.fields[n] : std::string_view();
        if (field == layer_field_names[policy_field]) return line.policy();
        if (field == further_field) return line.further();
        const std::size_t key = target_position(field);
        return key != target_keys_count && line.has_target ? line.target_fields()[key] : std::string_view();
    }

    static std::string_view where(const workload::header& head, std::string_view field) noexcept {
        if (is_missing(head.source)) return {};
        const char* const end = head.source.data() + head.source.size();
        const char* const policy_end = words::word_end(head.source.data(), end);
        const char* const line_end = find_far(policy_end, end, '\n');
        const std::string_view policy = view(head.source.data(), policy_end);
        const workload::header as_read = {
            policy, workload::entry_list::from_text(view(policy_end, line_end), policy), {}, {}};
        const std::string_view entry = value_access::given(as_read.find(field));
        if (!is_missing(entry)) return entry;
        const std::string_view count = workload_header::count_of(head.source);
        if (field == layer_count) return is_missing(count) ? view(end, end) : count;
        const std::string_view line = trimmed(view(head.source.data(), line_end));
        return line.substr(line.size());
    }
};

// What find() returns for a whole number, which may be a decimal at `place`, where it was read, as in `2621440.0`.
inline value value_of_whole(const number& n, std::string_view place) noexcept {
    std::int64_t whole = 0;
    std::int64_t read = 0;
    if (!number_access::as_integer(n, whole)) return value(n);
    const bool is_there =
        !is_missing(place) && workload_words::integer_in(place, end_of(place), read) == error_kind::none;
    return is_there && read == whole ? value(place, whole) : value(number(whole));
}
inline bool is_entry_of(const workload::entry& e, std::string_view key) noexcept {
    return e.key.empty() && !e.colon ? key == last_bottom_layer : e.key == key;
}
struct entry_access {
    template <class Entry> static auto& digits(Entry& e) noexcept { return e.digits_; }
};
inline value value_of(const workload::entry& e) noexcept {
    value v = value_of(e.value);
    value_access::keep(v, entry_access::digits(e));
    return v;
}

}  // namespace detail

namespace workload {

inline detail::entry_iterator entry_list::begin() const noexcept {
    if (own_) return detail::entry_iterator(own_.shared());
    return detail::entry_iterator(text_, workload::policies::of(policy_).has(workload::policies::number_follows));
}
inline detail::entry_iterator entry_list::end() const noexcept { return {}; }
inline bool entry_list::empty() const noexcept { return begin() == end(); }
inline std::size_t entry_list::size() const noexcept { return detail::count_items(begin(), end()); }
inline value entry_list::find(std::string_view key) const noexcept {
    for (auto e = begin(); e != end(); ++e)
        if (e->key == key) return detail::value_of(*e);
    return {};
}
inline std::vector<entry>& entry_list::edit() & WLFMT_LIFETIMEBOUND {
    if (!own_) *this = entry_list(detail::copied_items<entry>(*this));
    return own_.items();
}

inline number header::number_of(std::string_view key, std::string_view other) const noexcept {
    const value found = find(key);
    return detail::workload_header::header_number(found || other.empty() ? found : find(other));
}
inline index_list header::indices_of(std::string_view key) const noexcept {
    return index_list(detail::value_access::given(find(key)));
}
inline value header::find(std::string_view key) const noexcept {
    for (auto e = entries.begin(); e != entries.end(); ++e)
        if (detail::is_entry_of(*e, key)) return detail::value_of(*e);
    if (key == "policy") return detail::value_of(policy);
    if (key == detail::layer_count)
        return detail::value_of_whole(declared_layers, detail::workload_header::count_of(source));
    return {};
}

inline bool header::set(text_view key, text_view printed) {
    if (key == "policy") {
        policy = printed;
        return true;
    }
    if (key == detail::layer_count) {
        declared_layers = to_number(printed);
        return true;
    }
    std::vector<entry>& edited = entries.edit();
    std::size_t at = 0;
    while (at != edited.size() && !detail::is_entry_of(edited[at], key)) ++at;
    if (is_missing(printed)) {
        if (at != edited.size()) detail::remove_at(edited, at);
        return true;
    }
    entry changed = {key, printed};
    // The text may be digits that this entry, or another one, owns.
    for (const entry& e : edited)
        if (e.value.data() == printed.data()) detail::entry_access::digits(changed) = detail::entry_access::digits(e);
    if (at == edited.size()) edited.push_back(changed);
    edited[at].value = changed.value;
    detail::entry_access::digits(edited[at]) = detail::entry_access::digits(changed);
    return true;
}
inline bool header::set(text_view key, const number& n) {
    if (n.is_missing() || n.is_text()) return set(key, n.text());
    if (key == "policy" || detail::type_of_entry(key) == detail::entry_type::index_list) return false;
    if (key == detail::layer_count) {
        declared_layers = n;
        return true;
    }
    char text[detail::max_repr_chars];
    const detail::shared_items<char> digits(std::vector<char>(text, detail::write_number(text, n)));
    set(key, text_view(digits.data(), digits.size()));
    for (entry& e : entries.edit()) {
        if (!detail::is_entry_of(e, key)) continue;
        detail::entry_access::digits(e) = digits;
        return true;
    }
    return false;
}

inline value layer::find(std::string_view field) const noexcept {
    constexpr auto& names = detail::layer_field_names;
    const auto number_of = [&](const number& n) {
        return detail::value_of(n, detail::workload_finding::where(*this, field));
    };
    const auto whole_of = [&](const number& n) {
        return detail::value_of_whole(n, detail::workload_finding::where(*this, field));
    };
    if (field == names[0]) return detail::value_of(name);
    if (field == names[1]) return whole_of(dependency);
    for (const workload::phase_row& row : workload::phase_rows) {
        const phase& p = this->*row.member;
        if (field == row.compute) return number_of(p.compute);
        if (field == row.comm) return detail::value_of(p.comm);
        if (field == row.bytes) return whole_of(p.bytes);
    }
    if (field == names[detail::layer_fields - 1]) return number_of(update);
    if (field == names[detail::policy_field]) return detail::value_of(policy);
    return field == detail::further_field ? detail::value_of(further) : value();
}

constexpr communication communication_of(std::string_view comm) noexcept {
    communication found;
    for (std::size_t n = workload::collectives::suffix_count;
         --n != 0;) {  // the longest suffix first, as _DP_EP ends in _EP
        const std::string_view suffix = workload::collectives::suffixes[n];
        if (comm.size() < suffix.size() || comm.substr(comm.size() - suffix.size()) != suffix) continue;
        comm.remove_suffix(suffix.size());
        found.group = static_cast<workload::group>(n);
        break;
    }
    found.collective = collective::other;  // whole names: ALLREDUCEALLTOALL is not ALLREDUCE
    for (std::size_t n = 0; n != workload::collectives::count; ++n)
        if (workload::collectives::rows[n].token == comm) found.collective = static_cast<workload::collective>(n);
    return found;
}

inline std::string_view name_of(collective c) noexcept {
    const auto n = static_cast<std::size_t>(c);
    if (c == collective::other) return "other";
    return n < workload::collectives::count ? workload::collectives::rows[n].name : "unknown";
}
inline std::string_view name_of(field f) noexcept { return detail::name_in(detail::layer_field_names, f); }
inline std::string_view name_of(group g) noexcept {
    constexpr const char* names[] = {"by_phase", "expert_parallel", "data_parallel", "expert_data_parallel"};
    return detail::name_in(names, g);
}

}  // namespace workload

namespace detail {

struct workload_comparison {
    static bool same(std::string_view a, std::string_view b) noexcept {
        return a == b && is_missing(a) == is_missing(b);
    }
    static bool same(const workload::phase& a, const workload::phase& b) noexcept {
        return is_same_value(a.compute, b.compute) && same(a.comm, b.comm) && is_same_value(a.bytes, b.bytes);
    }
    static bool same(const workload::layer& a, const workload::layer& b) noexcept {
        return same(a.name, b.name) && a.dependency == b.dependency && same(a.forward, b.forward) &&
               same(a.input_grad, b.input_grad) && same(a.weight_grad, b.weight_grad) &&
               is_same_value(a.update, b.update) && same(a.policy, b.policy) &&
               are_same(workload::words(a.further), workload::words(b.further));
    }
    // The bare number is that of its key, and blanks between the indices of a list are none of its value.
    static bool same(const workload::entry& a, const workload::entry& b) noexcept {
        const auto number_of = [](std::string_view text) { return workload_header::header_number(text); };
        return is_entry_of(a, b.key.empty() && !b.colon ? last_bottom_layer : b.key) &&
               are_same(workload::words(a.value), workload::words(b.value),
                        [&](auto x, auto y) { return is_same_value(number_of(x), number_of(y)); });
    }
    static bool same(const workload::header& a, const workload::header& b) noexcept {
        return same(a.policy, b.policy) &&
               are_same(a.entries, b.entries,
                        [](const workload::entry& x, const workload::entry& y) { return same(x, y); });
    }
};

}  // namespace detail

}}  // namespace wlfmt::WLFMT_ABI

#endif
