// The line of a layer on the general path: splits it into words and checks each of them.
#ifndef WLFMT_DETAIL_WORKLOAD_LINE_HPP
#define WLFMT_DETAIL_WORKLOAD_LINE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/workload.hpp"
#include "schema.hpp"
#include "state.hpp"
#include "words.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

template <class Way>
struct workload_line {
    using words = workload_words<kernel>;

    // A line split into words. As many words as a layer may have are kept; all of them are counted.
    struct layer_line {
        word fields[most_layer_fields];
        std::size_t count = 0;
        const char* last = nullptr;  // the end of the last word
        const char* next = nullptr;  // where the next line begins

        // The first word begins at p.
        layer_line(const char* p, const char* end) noexcept {
            while (p != end && *p != '\n') {
                last = words::word_end(p, end);
                if (count < most_layer_fields) fields[count] = {p, last};
                ++count;
                p = words::skip_blanks(last, end);
            }
            next = p == end ? end : p + 1;
        }

        word whole() const noexcept { return {fields[0].begin, last}; }
        // Are the last five of 17 or 18 fields sha256 texts?
        bool has_target() const noexcept {
            if (count != most_layer_fields && count != most_layer_fields - 1) return false;
            for (std::size_t n = count - target_keys_count; n != count; ++n)
                if (!is_sha256(fields[n].text())) return false;
            return true;
        }
        // Has the line as many fields as a layer, of whatever dialect?
        bool is_layer_sized() const noexcept {
            const std::size_t own = has_target() ? count - target_keys_count : count;
            return own == layer_fields || own == layer_fields + 1;
        }
    };

    // The fields of a layer after its first twelve.
    struct layer_tail {
        std::size_t policies = 0;  // fields between the twelfth and the five sha256 texts, at most one of them a policy
        bool target = false;       // the five sha256 texts

        // `target_size`: the number of fields of a line whose last five are sha256 texts, well-formed or not; 0 if
        // there is no such number.
        layer_tail(const layer_line& line, std::size_t target_size) noexcept {
            target = line.count == target_size || line.has_target();
            const std::size_t own = line.count - (target ? target_keys_count : 0);
            policies = own > layer_fields ? own - layer_fields : 0;
        }
        std::string_view policy_of(const layer_line& line) const noexcept {
            return policies != 0 ? line.fields[policy_field].text() : std::string_view();
        }
        std::string_view further_of(const layer_line& line) const noexcept {
            return target ? view(line.fields[line.count - target_keys_count].begin, line.last) : std::string_view();
        }
    };

    static workload::phase& phase_of_field(workload::layer& l, std::size_t field) noexcept {
        return l.*phase_rows[field < 5 ? 0 : field < 8 ? 1 : 2].of;
    }

    // Reads one of the twelve fields. With two kinds of problems it is read all the same: error_kind::related_format, a
    // number in place of a collective, and error_kind::negative_value, a time or a size below 0.
    static error_kind read_field(std::size_t field, const word& w, const char* end, workload::layer& to) noexcept {
        const auto unless_negative = [](error_kind what, bool negative) {
            return what == error_kind::none && negative ? error_kind::negative_value : what;
        };
        workload::phase& p = phase_of_field(to, field);
        switch (type_of_field(field)) {
        case field_type::name: to.name = w.text(); return error_kind::none;
        case field_type::number: {
            number& time = field + 1 == layer_fields ? to.update : p.compute;
            const error_kind what = words::number_in(w, end, time);
            return unless_negative(what, words::is_negative(time));
        }
        case field_type::integer: {
            if (field == 1) return words::integer_in(w, end, to.dependency);
            std::int64_t moved = 0;
            const error_kind what = words::integer_in(w, end, moved);
            p.bytes = moved;
            return unless_negative(what, moved < 0);
        }
        default: p.comm = w.text(); return words::is_number(w) ? error_kind::related_format : error_kind::none;
        }
    }
    static bool is_readable(error_kind what) noexcept {
        return what == error_kind::none || what == error_kind::related_format || what == error_kind::negative_value;
    }

    // Guesses which field a line with too few fields lacks: the first place at which there is a word in place of a
    // number or the reverse, or the end of the line. Of two neighbouring numbers the first may be the missing one.
    static std::string_view missing_field(const layer_line& line) noexcept {
        for (std::size_t field = 1; field < layer_fields; ++field) {
            if (field >= line.count) return layer_field_names[field];
            const bool number_wanted = type_of_field(field) != field_type::collective;
            if (words::is_number(line.fields[field]) == number_wanted) continue;
            const bool second = number_wanted && type_of_field(field) == field_type::number;
            return layer_field_names[second ? field - 1 : field];
        }
        return layer_field_names[policy_field];
    }

    // Recognises a closely related format by its first layer line: returns the word that shows it, or nothing. `typed`:
    // the line reads as a layer, with or without further fields.
    static std::string_view related_format(const layer_line& line, bool typed) noexcept {
        switch (line.count) {
        case 17:
            for (std::size_t n = line.count - target_keys_count; n != line.count; ++n)
                if (line.fields[n].text().substr(0, sha256_start.size()) == sha256_start)
                    return "17 fields, the last five of which are not all `sha256:` and 64 digits";
            return "roofline or multi-collective layers (17 fields)";
        case 21: return "roofline or multi-collective layers (21 fields)";
        case 24: return "roofline or multi-collective layers (24 fields)";
        default: break;
        }
        if (typed) return {};
        if (line.fields[0].text() == "Layername") return "LLMServingSim column titles";
        if (line.count < layer_fields - 1) return {};
        for (std::size_t field = 0; field < line.count && field < layer_fields; ++field)
            if (words::is_number(line.fields[field])) return {};
        return "column titles";
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
