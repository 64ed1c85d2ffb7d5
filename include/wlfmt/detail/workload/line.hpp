// The header line, and the line of a layer on the slow path: splits them into words and checks each of them.
#ifndef WLFMT_DETAIL_WORKLOAD_LINE_HPP
#define WLFMT_DETAIL_WORKLOAD_LINE_HPP

#include "../../types/workload.hpp"
#include "../error/problems.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The five sha256 texts of a SimAI-Ascend header, each missing where the header has no such entry.
struct target {
    std::string_view values[5] = {};
};

// The separators ahead of a reader: the fast path finds them for a window of 64 bytes at once, and what is left of a
// window at the end of a line is used for the next one.
struct separators {
    const char* window = nullptr;       // in the text; null if the next line is not for the fast path
    std::uint64_t unseen = 0;           // bit n: byte n of the window is a separator that has not been passed yet
    const char* last_window = nullptr;  // where the last whole window of the text begins
};

struct workload_state {
    // What begins at at_.
    enum class part : std::uint8_t { count, layers, nothing };

    const char* at_;
    const char* end_;
    workload::header header_;
    workload::layer record_;
    problems problems_;
    std::string_view count_ = {};  // the declared number in the text; without data where layers are not counted
    std::int64_t declared_ = 0;    // its value
    std::int64_t layers_ = 0;      // lines that are layers, those with an error too
    target target_;
    separators separators_;
    part part_ = part::count;
    bool customized_ = false;         // layers have a policy of their own
    bool target_bound_ = false;       // layers repeat the five texts of target_
    bool text_after_layers_ = false;  // this was reported, which is done only once

    template <class Build>
    workload_state(Build, std::string_view text, const options& how) noexcept
        : at_(text.data()), end_(text.data() + text.size()), problems_(text, how) {}
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// What is wrong with a header entry, and where.
struct entry_problem {
    error_kind what = error_kind::none;
    std::string_view where = {};
    std::int64_t found = 0;
    std::int64_t expected = 0;
};

template <class Build> struct workload_header {
    using words = workload_words<build>;

    // Keeps the entry's value, if its key is the first one of that name.
    static void record_target_key(target& t, const workload::entry& e) noexcept {
        const std::size_t n = target_position(e.key);
        if (n != target_keys_count && is_missing(t.values[n])) t.values[n] = e.value;
    }
    // The first key that is missing although another key of the five is there; empty if all or none of them are there.
    static std::string_view missing_key(const target& t) noexcept {
        std::size_t there = 0;
        std::string_view first;
        for (std::size_t n = 0; n != target_keys_count; ++n) {
            if (!is_missing(t.values[n])) ++there;
            else if (first.empty()) first = target_keys[n];
        }
        return there == 0 ? std::string_view() : first;
    }
    // Whether all five are there, well-formed or not, so that each layer repeats them.
    static bool binds_layers(const target& t) noexcept {
        for (const std::string_view v : t.values)
            if (is_missing(v)) return false;
        return true;
    }

    // Reads the count and the indices of a list that begins at p. The list ends before the first word that is not an
    // integer.
    static const char* read_indices(const char* p, const char* end, workload::entry& e,
                                    entry_problem& problem) noexcept {
        std::string_view w = words::word_at(p, end);
        std::int64_t count = 0;
        const number_status status = words::plain_integer(w, count);
        const char* last = end_of(w);
        if (status != number_status::ok || count < 0) {
            problem.what = status == number_status::overflow ? error_kind::number_overflow : error_kind::not_an_integer;
            problem.where = w;
            count = 0;
        }
        for (std::int64_t n = 0; n != count; ++n) {
            w = words::word_at(words::skip_blanks(last, end), end);
            std::int64_t index = 0;
            if (words::plain_integer(w, index) != number_status::ok) {
                if (w.empty()) w = view(last, last);
                problem = {error_kind::header_value, w, n, count};
                break;
            }
            last = end_of(w);
        }
        e.value = view(p, last);
        return last;
    }

    // Reads the entry that begins at p in a header line that ends at `end`, and returns where it ends. Whether its key
    // may have such a value is left to value_problem().
    static const char* read_entry(const char* p, const char* end, bool number_first, workload::entry& e,
                                  entry_problem& problem) noexcept {
        const std::string_view first = words::word_at(p, end);
        const char* const first_end = end_of(first);
        std::int64_t bare = 0;
        if (number_first) {
            const number_status status = words::plain_integer(first, bare);
            if (status != number_status::invalid) {
                e = {{}, first, false};
                if (status == number_status::overflow) problem = {error_kind::number_overflow, first, 0, 0};
                return first_end;
            }
        }
        const char* const key_end = first.back() == ':' ? first_end - 1 : first_end;
        const bool two_colons = key_end != p && key_end != first_end && key_end[-1] == ':';
        e = {view(p, key_end), view(first_end, first_end), key_end != first_end};

        const std::string_view value = words::word_at(words::skip_blanks(first_end, end), end);
        const entry_type type = type_of_entry(e.key);
        // A colon that is apart from its key: `ep : 4`.
        if (value == ":") {
            problem = {error_kind::header_value, e.key.empty() ? first : value, 0, 0};
            return first_end;
        }
        // A known key never takes the next key as its value.
        if (value.empty() || (type != entry_type::word && value.back() == ':')) {
            problem = {error_kind::header_value, view(first_end, first_end), 0, 0};
            return first_end;
        }
        if (type == entry_type::index_list) return read_indices(value.data(), end, e, problem);
        if (e.key.empty() || two_colons) problem = {error_kind::header_value, first, 0, 0};
        e.value = value;
        return end_of(value);
    }

    // What is wrong with the value of an entry in a text that ends at `end`. The value of a list has been checked by
    // read_indices().
    static error_kind value_problem(const workload::entry& e, const char* end) noexcept {
        const std::string_view value = e.value;
        number n;
        switch (type_of_entry(e.key)) {
        case entry_type::index_list: return error_kind::none;
        case entry_type::number: return words::number_in(value, end, n);
        case entry_type::size: {
            const error_kind what = words::size_in(value, end, n);
            return what == error_kind::none && words::is_negative(n) ? error_kind::negative_value : what;
        }
        default:
            return target_position(e.key) == target_keys_count || is_sha256(e.value) ? error_kind::none
                                                                                     : error_kind::header_value;
        }
    }

    // A header value as a number; a value that is not one stays a text.
    static number header_number(const value& v) noexcept { return header_number(value_access::given(v)); }
    static number header_number(std::string_view text) noexcept {
        if (is_missing(text)) return {};
        number n;
        return words::size_in(text, end_of(text), n) == error_kind::none ? n : number(text);
    }

    // The number of layers in the two lines that were read; missing if there is none.
    static std::string_view count_of(std::string_view source) noexcept {
        if (is_missing(source)) return {};
        const char* const end = source.data() + source.size();
        const char* const p = words::skip_blank_lines(find_far(source.data(), end, '\n'), end);
        return p == end ? std::string_view() : words::word_at(p, end);
    }
};

template <class Build> struct workload_line {
    using words = workload_words<build>;

    // A line split into words. As many words as a layer may have are kept; all of them are counted.
    struct layer_line {
        std::string_view fields[most_layer_fields];
        std::size_t count = 0;
        bool has_target = false;     // the last five fields are sha256 texts, or are malformed in their place
        const char* last = nullptr;  // the end of the last word
        const char* next = nullptr;  // where the next line begins

        // The first word begins at p.
        layer_line(const char* p, const char* end) noexcept {
            while (p != end && *p != '\n') {
                last = words::word_end(p, end);
                if (count < most_layer_fields) fields[count] = view(p, last);
                ++count;
                p = words::skip_blanks(last, end);
            }
            next = p == end ? end : p + 1;
            if (!may_have_target()) return;
            has_target = true;
            for (std::size_t n = 0; n != target_keys_count; ++n)
                has_target = has_target && is_sha256(target_fields()[n]);
        }

        std::string_view whole() const noexcept { return view(fields[0].data(), last); }
        const std::string_view* target_fields() const noexcept { return fields + count - target_keys_count; }
        // How many fields there are without the sha256 texts; the one after the twelfth is a policy.
        std::size_t own() const noexcept { return has_target ? count - target_keys_count : count; }
        // Has the line as many fields as a layer, of whatever dialect?
        bool is_layer_sized() const noexcept { return own() == layer_fields || own() == layer_fields + 1; }
        std::string_view policy() const noexcept {
            return own() > layer_fields ? fields[policy_field] : std::string_view();
        }
        std::string_view further() const noexcept {
            return has_target ? view(target_fields()->data(), last) : std::string_view();
        }
        bool may_have_target() const noexcept { return count == most_layer_fields || count == most_layer_fields - 1; }
    };

    static workload::phase& phase_of_field(workload::layer& l, std::size_t field) noexcept {
        return l.*phase_rows[field < 5 ? 0 : field < 8 ? 1 : 2].of;
    }

    // Reads one of the twelve fields. With two kinds of problems it is read all the same: error_kind::related_format, a
    // number in place of a collective, and error_kind::negative_value, a time or a size below 0.
    static error_kind read_field(std::size_t field, std::string_view w, const char* end, workload::layer& to) noexcept {
        workload::phase& p = phase_of_field(to, field);
        number& time = field + 1 == layer_fields ? to.update : p.compute;
        std::int64_t moved = 0;
        error_kind what = error_kind::none;
        switch (type_of_field(field)) {
        case field_type::name: to.name = w; return what;
        case field_type::collective: p.comm = w; return words::is_number(w) ? error_kind::related_format : what;
        case field_type::number:
            what = words::number_in(w, end, time);
            return what == error_kind::none && words::is_negative(time) ? error_kind::negative_value : what;
        default:
            if (field == 1) return words::integer_in(w, end, to.dependency);
            what = words::integer_in(w, end, moved);
            p.bytes = moved;
            return what == error_kind::none && moved < 0 ? error_kind::negative_value : what;
        }
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
                if (line.fields[n].substr(0, sha256_start.size()) == sha256_start)
                    return "17 fields, the last five of which are not all `sha256:` and 64 digits";
            return "roofline or multi-collective layers (17 fields)";
        case 21: return "roofline or multi-collective layers (21 fields)";
        case 24: return "roofline or multi-collective layers (24 fields)";
        default: break;
        }
        if (typed) return {};
        if (line.fields[0] == "Layername") return "LLMServingSim column titles";
        if (line.count < layer_fields - 1) return {};
        for (std::size_t field = 0; field < line.count && field < layer_fields; ++field)
            if (words::is_number(line.fields[field])) return {};
        return "column titles";
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
