// The entries of a header line.
#ifndef WLFMT_DETAIL_WORKLOAD_HEADER_HPP
#define WLFMT_DETAIL_WORKLOAD_HEADER_HPP

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

// What is wrong with a header entry, and where.
struct entry_problem {
    error_kind what = error_kind::none;
    word where = {nullptr, nullptr};
    std::int64_t found = 0;
    std::int64_t expected = 0;
};

template <class Way>
struct workload_header {
    using words = workload_words<kernel>;

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
            if (!is_missing(t.values[n]))
                ++there;
            else if (first.empty())
                first = target_keys[n];
        }
        return there == 0 ? std::string_view() : first;
    }
    // Whether all five are there and well-formed, so that each layer repeats them.
    static bool binds_layers(const target& t) noexcept {
        for (const std::string_view v : t.values)
            if (!is_sha256(v)) return false;
        return true;
    }

    // Reads the count and the indices of a list that begins at p. The list ends before the first word that is not an
    // integer.
    static const char* read_indices(const char* p, const char* end, workload::entry& e,
                                    entry_problem& problem) noexcept {
        word w = {p, words::word_end(p, end)};
        std::int64_t count = 0;
        const number_status status = words::plain_integer(w, count);
        const char* last = w.end;
        if (status != number_status::ok || count < 0) {
            problem.what = status == number_status::overflow ? error_kind::number_overflow : error_kind::not_an_integer;
            problem.where = w;
            count = 0;
        }
        for (std::int64_t n = 0; n != count; ++n) {
            w.begin = words::skip_blanks(last, end);
            w.end = words::word_end(w.begin, end);
            std::int64_t index = 0;
            if (words::plain_integer(w, index) != number_status::ok) {
                if (w.begin == w.end) w = {last, last};
                problem = {error_kind::header_value, w, n, count};
                break;
            }
            last = w.end;
        }
        e.value = view(p, last);
        return last;
    }

    // Reads the entry that begins at p in a header line that ends at `end`, and returns where it ends. Whether the
    // value of a numeric entry is a number is left to check_entry().
    static const char* read_entry(const char* p, const char* end, bool number_first, workload::entry& e,
                                  entry_problem& problem) noexcept {
        const word first = {p, words::word_end(p, end)};
        std::int64_t bare = 0;
        if (number_first) {
            const number_status status = words::plain_integer(first, bare);
            if (status != number_status::invalid) {
                e = {{}, first.text(), false};
                if (status == number_status::overflow) problem = {error_kind::number_overflow, first, 0, 0};
                return first.end;
            }
        }
        const char* const key_end = first.end[-1] == ':' ? first.end - 1 : first.end;
        const bool two_colons = key_end != first.begin && key_end != first.end && key_end[-1] == ':';
        e = {view(first.begin, key_end), view(first.end, first.end), key_end != first.end};

        const char* const value_begin = words::skip_blanks(first.end, end);
        const word value = {value_begin, words::word_end(value_begin, end)};
        const entry_type type = type_of_entry(e.key);
        // A colon that is apart from its key: `ep : 4`.
        if (value.text() == ":") {
            problem = {error_kind::header_value, value, 0, 0};
            return first.end;
        }
        // A known key never takes the next key as its value.
        if (value.begin == value.end || (type != entry_type::word && value.end[-1] == ':')) {
            problem = {error_kind::header_value, {first.end, first.end}, 0, 0};
            return first.end;
        }
        if (type == entry_type::index_list) return read_indices(value.begin, end, e, problem);
        if (e.key.empty() || two_colons) problem = {error_kind::header_value, first, 0, 0};
        e.value = value.text();
        return value.end;
    }

    // The same, and finds everything that is wrong with the entry.
    static const char* check_entry(const char* p, const char* end, bool number_first, workload::entry& e,
                                   entry_problem& problem) noexcept {
        const char* const next = read_entry(p, end, number_first, e, problem);
        const entry_type type = type_of_entry(e.key);
        if (problem.what != error_kind::none || type == entry_type::word || type == entry_type::index_list) return next;
        number n;
        const word value = {e.value.data(), next};
        problem = {words::number_in(value, end, n), value, 0, 0};
        if (problem.what == error_kind::none && type == entry_type::size && words::is_negative(n))
            problem.what = error_kind::negative_value;
        return next;
    }

    // A header value as a number; a value that is not one stays a text.
    static number header_number(const value& v) noexcept {
        const std::string_view text = value_access::given(v);
        if (is_missing(text)) return {};
        number n;
        const word whole = {text.data(), text.data() + text.size()};
        return words::number_in(whole, whole.end, n) == error_kind::none ? n : number(text);
    }

    // The number of layers in the two lines that were read; missing if there is none.
    static std::string_view count_of(std::string_view source) noexcept {
        if (is_missing(source)) return {};
        const char* const end = source.data() + source.size();
        const char* const p = words::skip_blank_lines(find_far(source.data(), end, '\n'), end);
        return p == end ? std::string_view() : view(p, words::word_end(p, end));
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
