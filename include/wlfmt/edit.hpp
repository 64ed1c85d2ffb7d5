// wlfmt/edit.hpp: changes of single values that leave every other byte of a text as it is. Not included by wlfmt.hpp.
//
//     auto file = wlfmt::workload::read(text);
//     wlfmt::edits changes;
//     for (const auto& layer : file->layers) changes.replace(where(layer, "update"), "0");
//     std::string out;
//     if (auto e = changes.write(out, text)) std::cerr << wlfmt::explain(e, text, "moe.txt");
//
// Only the places are checked. Whether the new text can be read, its reader will say.
#include "version.hpp"

#ifndef WLFMT_EDIT_HPP
#define WLFMT_EDIT_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.hpp"
#include "sink.hpp"

#include "detail/base/temporary.hpp"
#include "detail/file/edit.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

// Replacements in one text, in any order. Keeps the new values, and views of the text: it must live until write().
class edits {
public:
    // Puts `value` where `place` is, a view of the text: where(record, "field") gives one. An empty view within the
    // text inserts the value there.
    void replace(std::string_view place, std::string value) { all_.push_back({place, std::move(value)}); }
    template <class S, detail::if_temporary_text<S> = 0>
    void replace(S&& place, std::string value) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    void clear() noexcept { all_.clear(); }

    // Appends the text with all replacements. Two that overlap, or insert at the same place, and one that is no view of
    // the text (where() finds no missing key) are error_kind::bad_edit, and nothing is appended then; error::found is
    // the position of the replacement, from 0, and error::expected that of the one that it overlaps, or -1. The error
    // is error_kind::cannot_write if the sink failed.
    template <class Sink>
    [[nodiscard]] error write(Sink&& sink, std::string_view text) const {
        return detail::write_replaced(sink, all_, text);
    }

private:
    std::vector<detail::replacement> all_;
};

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
