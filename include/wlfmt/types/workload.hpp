// wlfmt/types/workload.hpp: the header and the layers of workload files. wlfmt/workload.hpp reads and writes them.
//
//     HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 4 pp: 4 ...
//     96
//     grad_gather <TAB> -1 <TAB> 1000 <TAB> NONE <TAB> 0 <TAB> ... <TAB> ALLGATHER <TAB> 175484928 <TAB> 100
//
// The format, its dialects and where their facts come from: docs/formats.md, section 2.
#include "../version.hpp"

#ifndef WLFMT_TYPES_WORKLOAD_HPP
#define WLFMT_TYPES_WORKLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/base/kernel.hpp"
#include "../detail/base/temporary.hpp"
#include "../detail/base/walk.hpp"
#include "number.hpp"
#include "text.hpp"
#include "value.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

template <class Kernel>
class entry_iterator;
template <class Kernel>
class index_iterator;
template <class Kernel>
class word_iterator;

}  // namespace detail

namespace workload {

// The collectives of the simulators; `other` stands for every other token: phase::comm says which. One of them is
// AICB's `None`, which means a collective that AICB has no token for.
enum class collective : std::uint8_t {
    none,
    allreduce,
    allgather,
    reduce_scatter,
    all_to_all,
    all_to_all_v,  // ALLTOALLV, in SimAI-Ascend
    allreduce_all_to_all,
    broadcast,
    other
};
// The communication group that a token names by its suffix: _EP, _DP, _DP_EP. Without a suffix SimAI takes the tensor
// parallel group for forward and input gradient, and the data parallel group for weight gradient: `by_phase`.
enum class group : std::uint8_t { by_phase, expert_parallel, data_parallel, expert_data_parallel };

// The enumerators' own spelling, "all_to_all". Static storage.
std::string_view name_of(collective c) noexcept;
std::string_view name_of(group g) noexcept;

// The meaning of a token such as ALLTOALL_EP.
struct communication {
    workload::collective collective = workload::collective::none;
    workload::group group = workload::group::by_phase;
};
template <class Kernel = detail::kernel>
constexpr communication communication_of(std::string_view comm) noexcept;

// One of the three phases of a layer: compute, then a collective.
struct phase {
    number compute = 0;  // cycles in ASTRA-sim 1.0, ticks (nanosecond-like) in SimAI
    text comm = "NONE";  // collective token: communication_of()
    // Moved by the collective: an integer. What a program makes of it beyond 64 bits is a decimal, which write()
    // refuses.
    number bytes = 0;
};

// The fields of a layer, for where(): names that the compiler knows.
enum class field : std::uint8_t {
    name,
    dependency,
    forward_compute,
    forward_comm,
    forward_bytes,
    input_grad_compute,
    input_grad_comm,
    input_grad_bytes,
    weight_grad_compute,
    weight_grad_comm,
    weight_grad_bytes,
    update,
    policy
};
// As error::field names it: "forward.compute". Static storage.
std::string_view name_of(field f) noexcept;

// One layer: a line.
struct layer {
    text name = {};                // repeats are normal
    std::int64_t dependency = -1;  // -1: none; reserved in ASTRA-sim 1.0
    phase forward = {};
    phase input_grad = {};
    phase weight_grad = {};
    number update = 0;  // delay after the collective; AICB's process_time
    text policy = {};   // the layer's own, under HYBRID_CUSTOMIZED; else missing
    // The fields after these as they are in the line, with the blanks between them: the five sha256 texts of
    // SimAI-Ascend. words() splits them. Missing if there are no such fields.
    text further = {};
    // The line in the text that was read, from its first field to its last: where() finds fields in it.
    text source = {};

    // The value of a field, by the names of where(): find("weight_grad.bytes"). Missing if there is no such field.
    template <class Kernel = detail::kernel>
    [[nodiscard]] value find(std::string_view field) const noexcept;
};

// The words of a text that blanks separate, split as they are walked: `for (auto sha : words(layer.further))`.
class words {
public:
    constexpr words() noexcept = default;
    constexpr explicit words(std::string_view text) noexcept : text_(text) {}
    template <class S, detail::if_temporary_text<S> = 0>
    explicit words(S&&) = delete;

    template <class Kernel = detail::kernel>
    detail::word_iterator<Kernel> begin() const noexcept;
    template <class Kernel = detail::kernel>
    detail::word_iterator<Kernel> end() const noexcept;
    template <class Kernel = detail::kernel>
    bool empty() const noexcept;
    // Counts the words by walking them.
    template <class Kernel = detail::kernel>
    std::size_t size() const noexcept;

private:
    std::string_view text_ = {};
};

// One entry of the header line. `key: value`; `key value` without the colon (pp_comm in older AICB files); a count and
// that many layer indices as one value (`checkpoints: 2 2 11` has the value "2 2 11"); the bare number of HYBRID_DLRM
// has neither key nor colon.
struct entry {
    text key = {};
    text value = {};
    bool colon = true;
};

// The header entries in their order: a text that is split as it is walked, or entries that the list owns, which a copy
// of it copies. An iterator holds what it walks and may outlive the list; while the list is edited it shows the entry
// that has its position then.
class entry_list {
public:
    entry_list() noexcept = default;
    template <class Kernel = detail::kernel>
    entry_list(std::vector<entry> entries) : own_(std::move(entries)) {}
    // `text`: what follows the policy. `policy` decides whether a bare number may come first.
    explicit entry_list(std::string_view text, std::string_view policy) noexcept : text_(text), policy_(policy) {}
    template <class S, class P,
              std::enable_if_t<detail::is_temporary_text<S>() || detail::is_temporary_text<P>(), int> = 0>
    explicit entry_list(S&&, P&&) = delete;

    template <class Kernel = detail::kernel>
    detail::entry_iterator<Kernel> begin() const noexcept;
    template <class Kernel = detail::kernel>
    detail::entry_iterator<Kernel> end() const noexcept;
    template <class Kernel = detail::kernel>
    bool empty() const noexcept;
    // Counts the entries by walking them.
    template <class Kernel = detail::kernel>
    std::size_t size() const noexcept;
    // The value of the first entry with that key. Linear.
    template <class Kernel = detail::kernel>
    [[nodiscard]] value find(std::string_view key) const noexcept;
    // The entries as a vector to change. The first call splits the text; from then on the list owns its entries.
    template <class Kernel = detail::kernel>
    std::vector<entry>& edit() &;

private:
    std::string_view text_ = {};
    std::string_view policy_ = {};
    detail::own_items<entry> own_;
};

// The layer indices of `checkpoints` and `checkpoint_initiates`, decoded as they are walked; without their count.
class index_list {
public:
    constexpr index_list() noexcept = default;
    // `text`: a count and that many indices. The list ends before a word that is not an integer.
    constexpr explicit index_list(std::string_view text) noexcept : text_(text) {}
    template <class S, detail::if_temporary_text<S> = 0>
    explicit index_list(S&&) = delete;

    constexpr bool is_missing() const noexcept { return text_.data() == nullptr; }
    template <class Kernel = detail::kernel>
    detail::index_iterator<Kernel> begin() const noexcept;
    template <class Kernel = detail::kernel>
    detail::index_iterator<Kernel> end() const noexcept;
    template <class Kernel = detail::kernel>
    bool empty() const noexcept;
    // Counts the indices by walking them.
    template <class Kernel = detail::kernel>
    std::size_t size() const noexcept;

private:
    std::string_view text_ = {};
};

// The first two lines. The typed members look up their entry when they are called. If the entry is missing, so is the
// number; a value that is not a number, which only options::lenient accepts, is kept as a text.
//
//     const std::optional<int> vpp = head.virtual_pipeline().as<int>();
struct header {
    text policy = {};  // parallelism policy, an open set
    entry_list entries = {};
    number declared_layers = {};  // missing if the number of layers is missing or cannot be read
    // Both lines in the text that was read, from the policy to the number of layers: where() finds fields in it.
    text source = {};

    template <class Kernel = detail::kernel>
    number tensor_parallel() const noexcept;  // model_parallel_NPU_group
    template <class Kernel = detail::kernel>
    number expert_parallel() const noexcept;  // ep, or expert_parallel_npu_group
    template <class Kernel = detail::kernel>
    number pipeline_parallel() const noexcept;  // pp
    // vpp. AICB writes the number of layers of one pipeline stage (1 from its inference generator); SimAI divides the
    // pipeline bubble by ga * vpp, as if these were virtual stages.
    template <class Kernel = detail::kernel>
    number virtual_pipeline() const noexcept;
    template <class Kernel = detail::kernel>
    number gradient_accumulation() const noexcept;  // ga: steps
    template <class Kernel = detail::kernel>
    number all_gpus() const noexcept;
    template <class Kernel = detail::kernel>
    number pipeline_bytes() const noexcept;  // pp_comm: bytes between stages; AICB writes decimals too, `2621440.0`
    template <class Kernel = detail::kernel>
    number dlrm_last_bottom_layer() const noexcept;  // the bare number, or DLRM_LAST_BOTTOM_LAYER
    template <class Kernel = detail::kernel>
    index_list checkpoints() const noexcept;  // layer indices
    template <class Kernel = detail::kernel>
    index_list checkpoint_initiates() const noexcept;  // layer indices

    // The value of any key: "policy", "layer count", or the first entry with that key. The bare number is found as
    // "DLRM_LAST_BOTTOM_LAYER" too.
    template <class Kernel = detail::kernel>
    [[nodiscard]] value find(std::string_view key) const noexcept;
};

// A whole file. Its copies, too, refer only to the text.
class document {
public:
    std::vector<layer> layers;

    workload::header& header() & noexcept { return header_; }
    const workload::header& header() const& noexcept { return header_; }
    template <class Kernel = detail::kernel>
    workload::header header() && noexcept {
        return std::move(header_);
    }
    template <class Kernel = detail::kernel>
    workload::header header() const&& {
        return header_;
    }

    // The first layer of that name; null if there is none. Linear.
    template <class Kernel = detail::kernel>
    [[nodiscard]] layer* find(std::string_view name) & noexcept;
    template <class Kernel = detail::kernel>
    [[nodiscard]] const layer* find(std::string_view name) const& noexcept;
    const layer* find(std::string_view name) const&& = delete;

private:
    workload::header header_;
};

}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../detail/base/config_end.hpp"
#endif
