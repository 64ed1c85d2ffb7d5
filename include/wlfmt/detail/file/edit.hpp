// Replacements in a text, put in the order of their places and checked before anything is written.
#ifndef WLFMT_DETAIL_FILE_EDIT_HPP
#define WLFMT_DETAIL_FILE_EDIT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../types/error.hpp"
#include "../base/sinks.hpp"
#include "../error/place.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

namespace detail {

struct replacement {
    std::string_view place;
    std::string value;
};

// The positions of the replacements in the order of their places, and the first problem with them.
inline error sort_replacements(const std::vector<replacement>& all, std::string_view text,
                               std::vector<std::size_t>& order) {
    error e;
    order.resize(all.size());
    for (std::size_t n = 0; n != all.size(); ++n) {
        order[n] = n;
        if (is_view_of(all[n].place, text)) continue;
        e.kind = error_kind::bad_edit;
        e.found = static_cast<std::int64_t>(n);
        e.expected = -1;
        return e;
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::string_view one = all[a].place;
        const std::string_view other = all[b].place;
        if (one.data() != other.data()) return one.data() < other.data();
        // What is inserted before a replaced text comes before it.
        return one.size() != other.size() ? one.size() < other.size() : a < b;
    });
    for (std::size_t n = 1; n < order.size(); ++n) {
        const std::string_view before = all[order[n - 1]].place;
        const std::string_view here = all[order[n]].place;
        const bool both_insert = before.empty() && here.empty();
        if (both_insert ? before.data() != here.data() : before.data() + before.size() <= here.data()) continue;
        e.kind = error_kind::bad_edit;
        e.offset = static_cast<std::uint64_t>(here.data() - text.data());
        e.length = here.size();
        e.found = static_cast<std::int64_t>(order[n]);
        e.expected = static_cast<std::int64_t>(order[n - 1]);
        return e;
    }
    return e;
}

template <class Sink>
error write_replaced(Sink& sink, const std::vector<replacement>& all, std::string_view text) {
    std::vector<std::size_t> order;
    error e = sort_replacements(all, text, order);
    if (e) return e;
    bool good = true;
    const auto put = [&](std::string_view piece) {
        if (!piece.empty()) good = append_to(sink, piece.data(), piece.size()) && good;
    };
    std::size_t at = 0;
    for (const std::size_t n : order) {
        const auto begin = static_cast<std::size_t>(all[n].place.data() - text.data());
        put(text.substr(at, begin - at));
        put(all[n].value);
        at = begin + all[n].place.size();
    }
    put(text.substr(at));
    if (!good) e.kind = error_kind::cannot_write;
    return e;
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
