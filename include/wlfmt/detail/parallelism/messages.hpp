// Messages about the sizes of parallel groups.
#ifndef WLFMT_DETAIL_PARALLELISM_MESSAGES_HPP
#define WLFMT_DETAIL_PARALLELISM_MESSAGES_HPP

#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

template <class String>
void word_division(const wording<String>& w) {
    if (w.e.field == "all_gpus") {
        w.number(w.e.found);
        w.say(" ranks are not a multiple of ");
        w.number(w.e.expected);
        return w.say(" = model_parallel_NPU_group * pp");
    }
    if (w.e.field == "pp" || w.e.field == "model_parallel_NPU_group") {
        w.number(w.e.expected);
        w.say(" is more than all_gpus, ");
        return w.number(w.e.found);
    }
    w.say("the data parallel size, ");
    w.number(w.e.found);
    w.say(" = all_gpus / (model_parallel_NPU_group * pp), is not a multiple of ");
    w.number(w.e.expected);
}
template <class String>
void word_pipeline(const wording<String>& w) {
    w.count(w.e.expected, " stage", " stages");
    if (w.e.expected > 1) return w.say(", and pp_comm gives no bytes between them");
    w.say(", and pp_comm gives ");
    w.number(w.e.found);
    w.say(" bytes between stages");
}

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> parallelism_messages[] = {
    {error_kind::size_below_one, "size_below_one", "$s$b where a size of at least 1 is expected", nullptr,
     placed::with_bytes},
    {error_kind::not_divisible, "not_divisible", "$s", word_division, placed::with_bytes},
    {error_kind::pipeline_mismatch, "pipeline_mismatch", "$s", word_pipeline, placed::with_bytes},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
