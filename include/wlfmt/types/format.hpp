// wlfmt/types/format.hpp: the names of the formats.
#include "../version.hpp"

#ifndef WLFMT_TYPES_FORMAT_HPP
#define WLFMT_TYPES_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

enum class file_format : std::uint8_t { unknown, oplog, workload, table };

// "unknown", "oplog", "workload", "table". Static storage.
[[nodiscard]] inline std::string_view name_of(file_format f) noexcept {
    constexpr const char* names[] = {"unknown", "oplog", "workload", "table"};
    const auto n = static_cast<std::size_t>(f);
    return names[n < sizeof names / sizeof *names ? n : 0];
}

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../detail/base/config_end.hpp"
#endif
