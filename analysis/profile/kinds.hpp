// What the rows of a profiler table are about.
#ifndef WLFMT_ANALYSIS_PROFILE_KINDS_HPP
#define WLFMT_ANALYSIS_PROFILE_KINDS_HPP

#include <cstdint>
#include <string_view>

namespace wlfmt::analysis {

// A profiler counts the time of a kernel in its own row and in those of the operators that launch
// it, and annotations span both: times of different kinds do not add up. A device row is a kernel or an annotation: its
// name does not tell which. A span is an annotation of the program's own rows, such as `ProfilerStep*`.
enum class row_kind : std::uint8_t { operation, kernel, annotation, device, span };
inline std::string_view name_of(row_kind k) noexcept {
    return k == row_kind::operation    ? "operator"
           : k == row_kind::kernel     ? "kernel"
           : k == row_kind::annotation ? "annotation"
           : k == row_kind::span       ? "span"
                                       : "device row";
}

}  // namespace wlfmt::analysis

#endif
