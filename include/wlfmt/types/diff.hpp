// wlfmt/types/diff.hpp: differences between documents. wlfmt/diff.hpp finds and prints them.
#include "../version.hpp"

#ifndef WLFMT_TYPES_DIFF_HPP
#define WLFMT_TYPES_DIFF_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace diff {

enum class change : std::uint8_t { added, removed, changed };
[[nodiscard]] inline std::string_view name_of(change c) noexcept {  // "added"
    return c == change::added ? "added" : c == change::removed ? "removed" : "changed";
}

// One difference. Owns its texts.
struct difference {
    diff::change change = change::changed;
    std::string item;    // "rank 7: forward_step", "layer 3: mlp", "header", "row aten::mm"
    std::string field;   // "duration_ms", "forward.bytes", "CUDA total (us)"; empty: the item as a whole
    std::string before;  // as text; empty if there is no such value
    std::string after;
    // Of changed numbers: after / before - 1, +0.12 for 12 % more; 0 where `before` is 0 or either is not finite.
    double ratio = 0;
    // The share of this difference in the sum over the larger of the two files, from 0 to 1; 1 if a value is not a
    // finite number.
    double effect = 0;
};

}  // namespace diff
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../detail/base/config_end.hpp"
#endif
