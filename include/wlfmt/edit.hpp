// wlfmt/edit.hpp: changes to single values that leave every other byte of a text as it is. Not included by wlfmt.hpp.
//
//     auto file = wlfmt::workload::read(text);
//     wlfmt::edits changes;
//     for (const auto& layer : file->layers) changes.replace(where(layer, "update"), "0");
//     std::string out;
//     if (auto e = changes.write(out, text)) std::cerr << wlfmt::explain(e, text, wlfmt::in_file("moe.txt"));
//
// place_of(*file, "layers.3.forward.bytes") finds a place by its path. Only places are checked, not the new values.
#include "version.hpp"

#ifndef WLFMT_EDIT_HPP
#define WLFMT_EDIT_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.hpp"
#include "oplog.hpp"
#include "table.hpp"
#include "types/sink.hpp"
#include "workload.hpp"

#include "detail/edit.hpp"
#include "types/text.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

// Replacements in one text, in any order. Keeps the new values, and views of the text, which must live until write().
class edits {
public:
    // Replaces `place`, a view of the text such as where(record, "field"), with `value`. An empty place inserts it.
    void replace(text_view place, std::string value) { replacements_.push_back({place, std::move(value)}); }
    template <class S> void replace(S&& place, std::nullptr_t) = delete;  // the number 0 instead of the text "0"

    [[nodiscard]] std::size_t size() const noexcept { return replacements_.size(); }
    [[nodiscard]] bool empty() const noexcept { return replacements_.empty(); }
    void clear() noexcept { replacements_.clear(); }

    // Appends the text with all replacements. Appends nothing and returns error_kind::bad_edit if two replacements
    // overlap or insert at one place, or if a place is not a view of the text, as where() returns for a missing key.
    // problem::found is then the position of that replacement, from 0, and problem::expected that of the one that it
    // overlaps, or -1. Returns error_kind::cannot_write if the sink fails, or if it is the string that holds the text.
    template <class Sink, detail::unless_temporary_text<Sink> = 0>
    [[nodiscard]] problem write(Sink&& sink, std::string_view text) const {
        return detail::write_replaced(sink, replacements_, text);
    }
    template <class Sink> problem write(Sink&& sink, std::nullptr_t) const = delete;

private:
    std::vector<detail::replacement> replacements_;
};

struct path_place {
    text_view place = {};      // a view of the text that was read; without data if the path leads nowhere
    std::string message = {};  // if there is no place: which part of the path does not exist, and what is near it
};

// The value of `header.pp`, `layers.3.forward.bytes`, `operations.2.duration`, `tables.0.5.Self CPU` or
// `operations.2.sub_operations.0.comm_func` of a document that was read. Positions count from 0.
template <class Document> [[nodiscard]] path_place place_of(const Document& doc, std::string_view path) {
    detail::path_walk walk(path);
    const std::string_view place = detail::find_path(doc, walk);
    return {place, std::move(walk.message())};
}
template <class Document> path_place place_of(const Document& doc, std::nullptr_t) = delete;

}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
