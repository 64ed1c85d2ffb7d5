// wlfmt/oplog/file.hpp: an op log as a document that keeps its text. Not included by wlfmt.hpp.
//
//     const auto file = wlfmt::oplog::read_file("rank7.txt");
//     if (!file) std::cerr << wlfmt::explain(file.error(), file.text(), wlfmt::in_file("rank7.txt"));
#include "../version.hpp"

#ifndef WLFMT_OPLOG_FILE_HPP
#define WLFMT_OPLOG_FILE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "../oplog.hpp"
#include "../text_file.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// Reads a whole file, as read() reads its text; `path` is in the system's encoding. Throws nothing but std::bad_alloc.
[[nodiscard]] inline file_document<document> read_file(const char* path, const options& options = {}) {
    return detail::file_access::load<document>(path, [&](std::string_view text) { return oplog::read(text, options); });
}
[[nodiscard]] inline file_document<document> read_file(const std::string& path, const options& options = {}) {
    return oplog::read_file(path.c_str(), options);
}
file_document<document> read_file(std::nullptr_t, const options& = {}) = delete;
// Reads a text, which the document keeps: read_string(download()).
[[nodiscard]] inline file_document<document> read_string(std::string text, const options& options = {}) {
    return detail::file_access::keep<document>(std::move(text),
                                               [&](std::string_view kept) { return oplog::read(kept, options); });
}
file_document<document> read_string(std::nullptr_t, const options& = {}) = delete;

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#include "../detail/base/config_end.hpp"
#endif
