// Where the fields of layers and headers are in the text that they were read from.
#ifndef WLFMT_DETAIL_WORKLOAD_FIND_HPP
#define WLFMT_DETAIL_WORKLOAD_FIND_HPP

#include <cstddef>
#include <string_view>

#include "../../to_number.hpp"
#include "../../types/workload.hpp"
#include "line.hpp"
#include "lists.hpp"
#include "schema.hpp"
#include "words.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

template <class Way>
struct workload_finding {
    using words = workload_words<kernel>;
    using lines = workload_line<kernel>;

    static std::string_view where(const workload::layer& one, std::string_view field) noexcept {
        if (is_missing(one.source)) return {};
        const lines::layer_line line(one.source.data(), one.source.data() + one.source.size());
        // Malformed sha256 texts, which a lenient reader keeps, are recognised by where the record's further fields
        // begin.
        const bool target_sized = line.count == most_layer_fields || line.count == most_layer_fields - 1;
        const bool kept = target_sized && one.further.data() == line.fields[line.count - target_keys_count].begin;
        const lines::layer_tail tail(line, kept ? line.count : 0);
        constexpr std::string_view numeric = "a number as ";
        if (field.substr(0, numeric.size()) == numeric) field.remove_prefix(numeric.size());
        for (std::size_t n = 0; n != policy_field; ++n)
            if (field == layer_field_names[n]) return n < line.count ? line.fields[n].text() : std::string_view();
        if (field == layer_field_names[policy_field]) return tail.policy_of(line);
        if (field == further_field) return tail.further_of(line);
        const std::size_t key = target_position(field);
        if (key == target_keys_count || !tail.target) return {};
        return line.fields[line.count - target_keys_count + key].text();
    }

    static std::string_view where(const workload::header& head, std::string_view field) noexcept {
        if (is_missing(head.source)) return {};
        const char* const end = head.source.data() + head.source.size();
        const char* const policy_end = words::word_end(head.source.data(), end);
        const char* const line_end = find_far(policy_end, end, '\n');
        const std::string_view policy = view(head.source.data(), policy_end);
        const workload::header as_read = {policy, workload::entry_list(view(policy_end, line_end), policy), {}, {}};
        const std::string_view entry = value_access::given(as_read.find(field));
        if (!is_missing(entry)) return entry;
        const std::string_view count = workload_header<kernel>::count_of(head.source);
        if (field != layer_count) return trimmed_end(policy_end, line_end);
        return is_missing(count) ? view(end, end) : count;
    }

    static value find(const workload::layer& one, std::string_view field) noexcept {
        const auto number_of = [&](const number& n) { return value_of(n, where(one, field)); };
        if (field == layer_field_names[0]) return value_of(one.name);
        if (field == layer_field_names[1]) return number_of(one.dependency);
        for (const phase_row& row : phase_rows) {
            const workload::phase& p = one.*row.of;
            if (field == row.compute) return number_of(p.compute);
            if (field == row.comm) return value_of(p.comm);
            if (field == row.bytes) return number_of(p.bytes);
        }
        if (field == layer_field_names[layer_fields - 1]) return number_of(one.update);
        if (field == layer_field_names[policy_field]) return value_of(one.policy);
        if (field == further_field) return value_of(one.further);
        return {};
    }

private:
    // The end of the header line, without the blanks before that end.
    static std::string_view trimmed_end(const char* begin, const char* line_end) noexcept {
        while (line_end != begin && is_blank(line_end[-1])) --line_end;
        return view(line_end, line_end);
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace workload {

template <class Kernel>
value layer::find(std::string_view field) const noexcept {
    return detail::workload_finding<Kernel>::find(*this, field);
}

}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
