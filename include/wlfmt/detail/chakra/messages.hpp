// Messages about Chakra traces.
#ifndef WLFMT_DETAIL_CHAKRA_MESSAGES_HPP
#define WLFMT_DETAIL_CHAKRA_MESSAGES_HPP

#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> chakra_messages[] = {
    {error_kind::untraceable, "untraceable", "$s$b has no form in a Chakra trace that ASTRA-sim reads", nullptr,
     placed::with_bytes},
    {error_kind::trace_lacks, "trace_lacks", "$s$b where a trace needs a value", nullptr, placed::with_bytes},
    {error_kind::micro_batch_mismatch, "micro_batch_mismatch", "$s$n layers begin a micro-batch, $e are expected",
     nullptr, placed::with_bytes},
    {error_kind::checkpoint_mismatch, "checkpoint_mismatch",
     "$slayer $n, counted from 0, recomputes from no checkpoint before it", nullptr, placed::with_bytes},
    {error_kind::stage_mismatch, "stage_mismatch", "$s$n, and the rank is in stage $e", nullptr, placed::with_bytes},
    {error_kind::order_mismatch, "order_mismatch",
     "$sranks $n and $e are in one group of experts and in two pipeline stages", nullptr, placed::never},
    {error_kind::schedule_mismatch, "schedule_mismatch", "$s$n where an interleaved schedule needs a multiple of $e",
     nullptr, placed::with_bytes},
    {error_kind::given_mismatch, "given_mismatch", "$s$n in the header, and $e is given", nullptr, placed::with_bytes},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
