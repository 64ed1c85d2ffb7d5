// What a reader of workload files keeps between two layers.
#ifndef WLFMT_DETAIL_WORKLOAD_STATE_HPP
#define WLFMT_DETAIL_WORKLOAD_STATE_HPP

#include <cstdint>
#include <string_view>

#include "../../types/workload.hpp"
#include "../error/problems.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// The five sha256 texts of a SimAI-Ascend header, each missing where the header has no such entry.
struct target {
    std::string_view values[5] = {};
};

// The separators ahead of a reader: the plain path finds them for a window of 64 bytes at once, and what is left of a
// window at the end of a line is used for the next one.
struct separators {
    const char* window = nullptr;       // in the text; null if the next line is not for the plain path
    std::uint64_t unseen = 0;           // bit n: byte n of the window is a separator that has not been passed yet
    const char* last_window = nullptr;  // where the last whole window of the text begins
};

struct workload_state {
    // What begins at at_.
    enum class part : std::uint8_t { count, layers, nothing };

    const char* at_;
    const char* end_;
    workload::header header_;
    workload::layer record_;
    problems problems_;
    std::string_view count_ = {};  // the declared number in the text; without data where layers are not counted
    std::int64_t declared_ = 0;    // its value
    std::int64_t layers_ = 0;      // lines that are layers, those with an error too
    target target_;
    separators separators_;
    part part_ = part::count;
    bool customized_ = false;         // layers have a policy of their own
    bool target_bound_ = false;       // layers repeat the five texts of target_
    bool text_after_layers_ = false;  // this was reported, which is done only once

    template <class Kernel>
    workload_state(Kernel, std::string_view text, const options& how) noexcept
        : at_(text.data()), end_(text.data() + text.size()), problems_(text, how) {}
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
