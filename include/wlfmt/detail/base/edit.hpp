// Replacements in a text, put in the order of their places and checked before anything is written.
#ifndef WLFMT_DETAIL_BASE_EDIT_HPP
#define WLFMT_DETAIL_BASE_EDIT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../edit.hpp"
#include "../error/place.hpp"

#include "config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

inline error edits::sort(std::string_view text, std::vector<std::size_t>& order) const {
    error e;
    order.resize(all_.size());
    for (std::size_t n = 0; n != all_.size(); ++n) {
        order[n] = n;
        if (detail::is_view_of(all_[n].place, text)) continue;
        e.kind = error_kind::bad_edit;
        e.found = static_cast<std::int64_t>(n);
        e.expected = -1;
        return e;
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::string_view one = all_[a].place;
        const std::string_view other = all_[b].place;
        if (one.data() != other.data()) return one.data() < other.data();
        // What is inserted before a replaced text comes before it.
        return one.size() != other.size() ? one.size() < other.size() : a < b;
    });
    for (std::size_t n = 1; n < order.size(); ++n) {
        const std::string_view before = all_[order[n - 1]].place;
        const std::string_view here = all_[order[n]].place;
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
error edits::write(Sink&& sink, std::string_view text) const {
    std::vector<std::size_t> order;
    error e = sort(text, order);
    if (e) return e;
    bool good = true;
    const auto put = [&](std::string_view piece) {
        if (!piece.empty()) good = detail::append_to(sink, piece.data(), piece.size()) && good;
    };
    std::size_t at = 0;
    for (const std::size_t n : order) {
        const auto begin = static_cast<std::size_t>(all_[n].place.data() - text.data());
        put(text.substr(at, begin - at));
        put(all_[n].value);
        at = begin + all_[n].place.size();
    }
    put(text.substr(at));
    if (!good) e.kind = error_kind::cannot_write;
    return e;
}

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
