// wlfmt/types/workload.hpp: the header and the layers of workload files. wlfmt/workload.hpp reads and writes them.
//
//     HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 4 pp: 4 ...
//     96
//     grad_gather <TAB> -1 <TAB> 1000 <TAB> NONE <TAB> 0 <TAB> ... <TAB> ALLGATHER <TAB> 175484928 <TAB> 100
//
// The format and its dialects: docs/formats.md, section 2; where their facts come from: 7.2.
#include "../version.hpp"

#ifndef WLFMT_TYPES_WORKLOAD_HPP
#define WLFMT_TYPES_WORKLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../detail/base/walk.hpp"
#include "number.hpp"
#include "text.hpp"
#include "value.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail {

struct entry_access;
class entry_iterator;
class index_iterator;
class word_iterator;

}  // namespace detail

namespace workload {

// The collectives of the simulators; `other` stands for every other token: phase::comm says which. One such token is
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

// The enumerator's own spelling, "all_to_all". Static storage.
std::string_view name_of(collective c) noexcept;
std::string_view name_of(group g) noexcept;

// The meaning of a token such as ALLTOALL_EP.
struct communication {
    workload::collective collective = workload::collective::none;
    workload::group group = workload::group::by_phase;
};
inline constexpr communication communication_of(std::string_view comm) noexcept;
template <class S, detail::if_null_literal<S> = 0> communication communication_of(S&&) = delete;

// One of the three phases of a layer: compute, then a collective.
struct phase {
    number compute = 0;       // cycles in ASTRA-sim 1.0, ticks (nanosecond-like) in SimAI
    text_view comm = "NONE";  // collective token: communication_of()
    // The bytes that the collective moves, an integer. write() writes a whole decimal (`bytes = 4096.0`) as an integer,
    // and refuses any other decimal, and a number beyond 64 bits that a program made.
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
// The name that problem::field has: "forward.compute". Static storage.
std::string_view name_of(field f) noexcept;

// One layer, which is a line of the file.
struct layer {
    text_view name = {};           // repeats are normal
    std::int64_t dependency = -1;  // -1: none; reserved in ASTRA-sim 1.0
    phase forward = {};
    phase input_grad = {};
    phase weight_grad = {};
    number update = 0;      // delay after the collective; AICB's process_time
    text_view policy = {};  // the layer's own, under HYBRID_CUSTOMIZED; else missing
    // The fields after these as they are in the line, with the blanks between them: the five sha256 texts of
    // SimAI-Ascend. words() splits them. Missing if there are no such fields.
    text_view further = {};
    // The line in the text that was read, from its first field to its last: where() finds fields in it.
    text_view source = {};

    // The value of a field, by the names of where(): find("weight_grad.bytes"). Missing if there is no such field.
    [[nodiscard]] value find(std::string_view field) const noexcept;
    value find(std::nullptr_t) const = delete;
};

// The phases of a layer in the order of its fields, with the names of these.
struct phase_row {
    std::string_view name;
    phase layer::*member;
    std::string_view compute;
    std::string_view comm;
    std::string_view bytes;
};
inline constexpr phase_row phase_rows[] = {
    {"forward", &layer::forward, "forward.compute", "forward.comm", "forward.bytes"},
    {"input_grad", &layer::input_grad, "input_grad.compute", "input_grad.comm", "input_grad.bytes"},
    {"weight_grad", &layer::weight_grad, "weight_grad.compute", "weight_grad.comm", "weight_grad.bytes"}};
// What outputs call the bare number that may begin the header of HYBRID_DLRM.
inline constexpr std::string_view last_bottom_layer = "DLRM_LAST_BOTTOM_LAYER";

// The words of a text, which blanks separate, split as they are iterated: `for (auto sha : words(layer.further))`.
class words : public detail::decoded_list<detail::word_iterator> {
public:
    using decoded_list::decoded_list;
};
// The layer indices of `checkpoints` and `checkpoint_initiates`, decoded as they are iterated. The text has their
// count, which the list leaves out, and that many indices; the list ends before a word that is not an integer.
class index_list : public detail::decoded_list<detail::index_iterator> {
public:
    using decoded_list::decoded_list;
};

// One entry of the header line: `key: value`; `key value` without the colon (pp_comm in older AICB files); a count and
// that many layer indices as one value (`checkpoints: 2 2 11` has the value "2 2 11"); the bare number of HYBRID_DLRM
// has neither key nor colon. `for (const auto& [key, value] : head.entries)` names two of its members.
struct entry {
    text_view key = {};
    text_view value = {};
    bool colon = true;

    entry() noexcept = default;
    entry(text_view entry_key, text_view entry_value, bool has_colon = true) noexcept
        : key(entry_key), value(entry_value), colon(has_colon) {}
    template <std::size_t N> [[nodiscard]] text_view get() const noexcept { return N == 0 ? key : value; }

private:
    friend struct detail::entry_access;
    detail::lasting_share digits_;  // keeps the bytes of `value` if header::set() printed a number
};

// The header entries in their order: a text that is split as it is iterated over, or entries that the list owns and
// that its copies copy. An iterator holds what it iterates over and may outlive the list; if the list is edited
// meanwhile, it shows the entry that is then at its position.
class entry_list {
public:
    entry_list() noexcept = default;
    entry_list(std::vector<entry> entries) : own_(std::move(entries)) {}
    // A template, so that a source without such a list does not compile the vector that it makes.
    template <class Item = entry> entry_list(std::initializer_list<entry> entries) : own_(std::vector<Item>(entries)) {}
    // The entries of a text, which is what follows the policy: "pp: 2 ep: 4". The policy decides whether a bare number
    // may come first.
    static entry_list from_text(text_view text WLFMT_LIFETIMEBOUND, text_view policy = {}) noexcept {
        entry_list list;
        list.text_ = text;
        list.policy_ = policy;
        return list;
    }

    detail::entry_iterator begin() const noexcept;
    detail::entry_iterator end() const noexcept;
    bool empty() const noexcept;
    // Linear for a text.
    std::size_t size() const noexcept;
    // The value of the first entry with that key. Linear.
    [[nodiscard]] value find(std::string_view key) const noexcept;
    value find(std::nullptr_t) const = delete;
    // The entries as a vector to change. The first call splits the text; from then on the list owns its entries.
    std::vector<entry>& edit() & WLFMT_LIFETIMEBOUND;

private:
    std::string_view text_ = {};
    std::string_view policy_ = {};
    detail::own_items<entry> own_;
};

// The first two lines. The typed members look up their entry when they are called. If the entry is missing, so is the
// number; a value that is not a number, which only options::lenient accepts, is kept as a text.
//
//     const std::optional<int> vpp = head.vpp().as<int>();
struct header {
    text_view policy = {};  // parallelism policy, an open set
    entry_list entries = {};
    number declared_layers = {};  // missing if the number of layers is missing or cannot be read
    // Both lines in the text that was read, from the policy to the number of layers: where() finds fields in it.
    text_view source = {};

    number tensor_parallel() const noexcept { return number_of("model_parallel_NPU_group"); }
    number expert_parallel() const noexcept { return number_of("ep", "expert_parallel_npu_group"); }
    number pipeline_parallel() const noexcept { return number_of("pp"); }
    // AICB writes the number of layers of one pipeline stage (1 from its inference generator); SimAI divides the
    // pipeline bubble by ga * vpp, as if these were virtual stages.
    number vpp() const noexcept { return number_of("vpp"); }
    // The number of steps, which are micro-batches.
    number gradient_accumulation() const noexcept { return number_of("ga"); }
    number all_gpus() const noexcept { return number_of("all_gpus"); }
    // The bytes of a message between stages. AICB also writes decimals, `2621440.0`.
    number pipeline_bytes() const noexcept { return number_of("pp_comm"); }
    // The bare number, or the entry of that key.
    number dlrm_last_bottom_layer() const noexcept { return number_of("DLRM_LAST_BOTTOM_LAYER"); }
    index_list checkpoints() const noexcept { return indices_of("checkpoints"); }
    index_list checkpoint_initiates() const noexcept { return indices_of("checkpoint_initiates"); }

    // The value of "policy", "layer count", or the first entry with this key. The bare number:
    // "DLRM_LAST_BOTTOM_LAYER".
    [[nodiscard]] value find(std::string_view key) const noexcept;
    value find(std::nullptr_t) const = delete;
    // Gives a key a value: set("pp", 4), set("checkpoints", "2 2 11"). "policy" and "layer count" are the members; any
    // other key is the first entry of it, or a new one at the end. A missing value removes the entry. Returns false and
    // changes nothing for a number as the policy or as a list of indices.
    bool set(text_view key, text_view printed);
    bool set(text_view key, const number& n);

private:
    // The number, or the indices, of the first entry with the key, or else with the other one.
    number number_of(std::string_view key, std::string_view other = {}) const noexcept;
    index_list indices_of(std::string_view key) const noexcept;
};

// A whole file. Its copies refer only to the text, as the original does.
struct document {
    workload::header header;
    std::vector<layer> layers;

    std::size_t size() const noexcept { return layers.size(); }
    bool empty() const noexcept { return layers.empty(); }
    auto begin() & noexcept WLFMT_LIFETIMEBOUND { return layers.begin(); }
    auto end() & noexcept WLFMT_LIFETIMEBOUND { return layers.end(); }
    auto begin() const& noexcept WLFMT_LIFETIMEBOUND { return layers.begin(); }
    auto end() const& noexcept WLFMT_LIFETIMEBOUND { return layers.end(); }
    void begin() const&& = delete;
    void end() const&& = delete;

    // The first layer of that name; null if there is none. Linear.
    [[nodiscard]] layer* find(std::string_view name) & noexcept WLFMT_LIFETIMEBOUND {
        return const_cast<layer*>(std::as_const(*this).find(name));
    }
    [[nodiscard]] const layer* find(std::string_view name) const& noexcept WLFMT_LIFETIMEBOUND {
        for (const layer& layer : layers)
            if (layer.name == name) return &layer;
        return nullptr;
    }
    const layer* find(std::string_view name) const&& = delete;
    const layer* find(std::nullptr_t) const = delete;
};

}  // namespace workload
}}  // namespace wlfmt::WLFMT_ABI

template <> struct std::tuple_size<wlfmt::workload::entry> : std::integral_constant<std::size_t, 2> {};
template <std::size_t N> struct std::tuple_element<N, wlfmt::workload::entry> { using type = const wlfmt::text_view; };
// An iterator holds what it iterates over, and may outlive its list. A list that owns nothing is a view.
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) > 201703L && defined(__cpp_lib_concepts)
template <> inline constexpr bool std::ranges::enable_view<wlfmt::workload::words> = true;
template <> inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::workload::words> = true;
template <> inline constexpr bool std::ranges::enable_view<wlfmt::workload::index_list> = true;
template <> inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::workload::index_list> = true;
template <> inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::workload::entry_list> = true;
#endif

#include "../detail/base/config_end.hpp"
#endif
