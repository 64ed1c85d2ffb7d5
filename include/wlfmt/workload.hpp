// wlfmt/workload.hpp: workload files of ASTRA-sim 1.0 and SimAI.
//
//     HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 4 pp: 4 ...
//     96
//     grad_gather <TAB> -1 <TAB> 1000 <TAB> NONE <TAB> 0 <TAB> ... <TAB> ALLGATHER <TAB> 175484928 <TAB> 100
//
// The format, its dialects and where their facts come from: docs/formats.md, section 2.
#ifndef WLFMT_WORKLOAD_HPP
#define WLFMT_WORKLOAD_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "number.hpp"

#include "detail/core/problems.hpp"
#include "detail/core/scan.hpp"

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace workload {

// The collectives of the two simulators; `other` is any further token, which phase::comm tells.
enum class collective : std::uint8_t {
    none,
    allreduce,
    allgather,
    reduce_scatter,
    all_to_all,
    allreduce_all_to_all,
    broadcast,
    other
};
// The communication group that a token names by its suffix (_EP, _DP, _DP_EP). Without a suffix SimAI takes the tensor
// parallel group for forward and input gradient, the data parallel group for weight gradient: `by_phase`.
enum class group : std::uint8_t { by_phase, ep, dp, dp_ep };

// What a token such as ALLTOALL_EP says.
struct communication {
    workload::collective collective = workload::collective::none;
    workload::group group = workload::group::by_phase;
};
communication communication_of(std::string_view comm) noexcept;

// One of the three phases of a layer: compute, then a collective.
struct phase {
    number compute = 0;              // cycles in ASTRA-sim 1.0, ticks (nanosecond-like) in SimAI
    std::string_view comm = "NONE";  // collective token: communication_of()
    std::int64_t bytes = 0;          // moved by the collective
};

// One layer: a line.
struct layer {
    std::string_view name = {};    // repeats are normal
    std::int64_t dependency = -1;  // -1: none; reserved in ASTRA-sim 1.0
    phase forward = {};
    phase input_grad = {};
    phase weight_grad = {};
    number update = 0;             // delay after the collective; AICB's process_time
    std::string_view policy = {};  // the layer's own, under HYBRID_CUSTOMIZED; without data where there is none
};

// One entry of the header line. `key: value`; `key value` without the colon (pp_comm in older AICB files); a count and
// that many layer indices as one value (`checkpoints: 2 2 11` has the value "2 2 11"); the bare number of HYBRID_DLRM
// has no key.
struct entry {
    std::string_view key = {};
    std::string_view value = {};
    bool colon = true;
};

// The header entries in their order: a text that is split as it is walked, or the caller's own array.
class entry_list {
public:
    class iterator;
    constexpr entry_list() noexcept = default;
    constexpr entry_list(const entry* items, std::size_t count) noexcept : items_(items), count_(count) {}
    // `text`: what stands behind the policy. `policy` decides whether a bare number may come first.
    constexpr entry_list(std::string_view text, std::string_view policy) noexcept : text_(text), policy_(policy) {}

    bool empty() const noexcept;
    iterator begin() const noexcept;
    iterator end() const noexcept;
    // The value of the first entry of that key, without data where there is none. Linear.
    std::string_view find(std::string_view key) const noexcept;

private:
    std::string_view text_ = {};
    std::string_view policy_ = {};
    const entry* items_ = nullptr;
    std::size_t count_ = 0;
};

// The layer indices of `checkpoints` and `checkpoint_initiates`, decoded as they are walked; without their count.
class index_list {
public:
    class iterator;
    constexpr index_list() noexcept = default;
    // `value`: a count and that many indices. What is no integer ends the list.
    constexpr explicit index_list(std::string_view value) noexcept : value_(value) {}
    iterator begin() const noexcept;
    iterator end() const noexcept;
    // Walks the list to count.
    std::size_t size() const noexcept;

private:
    std::string_view value_ = {};
};

// The first two lines. The typed members of the header are looked up when they are asked for: missing numbers are
// number::missing(); what is no number, which only options::lenient lets pass, is kept as text.
struct header {
    std::string_view policy = {};  // parallelism policy, an open set
    entry_list entries = {};
    std::int64_t declared_layers = 0;

    number model_parallel_npu_group() const noexcept;  // tensor parallelism
    number expert_parallel() const noexcept;           // ep, or expert_parallel_npu_group
    number pipeline_parallel() const noexcept;         // pp
    number virtual_pipeline() const noexcept;          // vpp: the number of model layers
    number gradient_accumulation() const noexcept;     // ga: steps
    number all_gpus() const noexcept;
    number pipeline_bytes() const noexcept;            // pp_comm: bytes between stages
    number dlrm_last_bottom_layer() const noexcept;    // the bare number, or DLRM_LAST_BOTTOM_LAYER
    index_list checkpoints() const noexcept;           // layer indices
    index_list checkpoint_initiates() const noexcept;  // layer indices
};

// Pulls layers out of a text, one by one, and allocates nothing. Linear in the text in all.
//
//     wlfmt::workload::reader file(text);                 // reads the two header lines
//     if (file.ok()) std::cout << file.header().policy;
//     while (const auto* layer = file.next()) use(*layer);
//     if (!file.ok()) std::cerr << wlfmt::explain(file.error(), text, "moe.txt");
//
// The text must outlive the reader and every view that came out of it; a layer itself is valid until the next call.
// The declared number of layers is checked at the end of the text.
class reader {
public:
    explicit reader(std::string_view text, const options& how = {}) noexcept;
    template <class S, detail::if_temporary_text<S> = 0>
    explicit reader(S&& text, const options& how = {}) = delete;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    const workload::header& header() const noexcept { return header_; }
    // The next layer; null at the end of the text and after an error.
    const layer* next() noexcept;

    bool ok() const noexcept { return !problems_.first; }
    const struct error& error() const noexcept { return problems_.first; }
    // After an error: forgets it and goes on with the line behind it. False, and the error stays, where there is
    // nothing to go on with: at the end of the text, or where the text is of another format.
    bool skip() noexcept;
    // Where the next line begins, in bytes from the start of the text.
    std::uint64_t offset() const noexcept;
    // Problems that options::lenient tolerated so far.
    std::uint64_t tolerated() const noexcept { return problems_.tolerated; }

private:
    friend struct access;
    // What stands at at_.
    enum class part : std::uint8_t { count, layers, nothing };

    const char* at_;
    const char* end_;
    workload::header header_;
    layer record_;
    detail::problems problems_;
    std::string_view count_ = {};  // the declared number as it stands; without data where it could not be read
    std::int64_t layers_ = 0;      // lines that are layers, those with an error too
    part part_ = part::count;
    bool customized_ = false;         // layers have a policy of their own
    bool text_after_layers_ = false;  // reported: once is enough
};

// A whole file.
struct document {
    std::string_view policy = {};
    std::vector<entry> entries;
    std::int64_t declared_layers = 0;  // as the file has it; writing takes layers.size()
    std::vector<layer> layers;

    // The header with its entries as a view of this document.
    workload::header header() const noexcept;
};

// The document's views live as long as the text. Throws nothing but what std::vector throws when there is no memory.
// A declared count reserves nothing by itself.
result<document> read(std::string_view text, const options& how = {});
template <class S, detail::if_temporary_text<S> = 0>
result<document> read(S&& text, const options& how = {}) = delete;

// Appends to a std::string or to anything with append(const char*, std::size_t), in AICB's layout: one blank between
// header entries, one tab between fields, a line end behind every line. A document is written with the number of its
// layers. Nothing is checked: problem_of() tells whether what was built by hand reads back as it is.
template <class Sink>
void write(Sink& sink, const header& head);
template <class Sink>
void write(Sink& sink, const layer& one);
template <class Sink>
void write(Sink& sink, const document& doc);

// The first thing that keeps a layer or header from reading back as it is (a blank in a name, an empty token), as
// error_kind::unwritable, or error_kind::none. `error::field` names it. Runs of blanks in a header's list are no such thing: they
// are written as one.
error problem_of(const layer& one) noexcept;
error problem_of(const header& head) noexcept;
// The same of a whole document: its header, each layer, and that the layers have policies of their own under
// HYBRID_CUSTOMIZED and nowhere else.
error problem_of(const document& doc) noexcept;

}  // namespace workload
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/core/end.hpp"

#include "detail/workload/read.hpp"
#include "detail/workload/write.hpp"
#endif
