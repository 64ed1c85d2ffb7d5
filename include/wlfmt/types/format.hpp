// wlfmt/types/format.hpp: the names of the formats.
#include "../version.hpp"

#ifndef WLFMT_TYPES_FORMAT_HPP
#define WLFMT_TYPES_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

enum class file_format : std::uint8_t { unknown, oplog, workload, table };

// "unknown", "oplog", "workload", "table". Static storage.
[[nodiscard]] inline std::string_view name_of(file_format f) noexcept {
    constexpr const char* names[] = {"unknown", "oplog", "workload", "table"};
    return detail::name_in(names, f);
}

}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
