// The layers of a workload file as blocks that repeat: `24 x (attention, mlp)`.
#ifndef WLFMT_TOOLS_WORKLOAD_BLOCKS_HPP
#define WLFMT_TOOLS_WORKLOAD_BLOCKS_HPP

#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "../general/order.hpp"
#include "../output/output.hpp"

namespace tool {

inline constexpr std::size_t phase_count = wlfmt::parallelism::phase_count;
std::string_view phase_name(std::size_t n);
const wlfmt::workload::phase& phase_of(const wlfmt::workload::layer& layer, std::size_t n) noexcept;
// Whether a phase communicates, and how many bytes it then sends.
inline bool communicates(const wlfmt::workload::phase& phase) noexcept { return phase.comm != "NONE"; }
double bytes_of(const wlfmt::workload::phase& phase) noexcept;

// A layer has a time for each phase, and then one for its update.
inline constexpr std::size_t update_time = phase_count;
inline constexpr std::size_t time_count = phase_count + 1;
inline std::string_view time_name(std::size_t n) { return n == update_time ? "update" : phase_name(n); }

// The sums of what several layers compute and communicate.
struct layer_sums {
    double ticks[time_count] = {};
    double calls = 0;
    double bytes[phase_count] = {};

    void add(const wlfmt::workload::layer& layer);
    // The compute of the phases, without updates.
    double all_ticks() const noexcept { return ticks[0] + ticks[1] + ticks[2]; }
    double all_bytes() const noexcept { return bytes[0] + bytes[1] + bytes[2]; }
};

// The name without its numbers: writers number the layers that repeat.
std::string unnumbered(std::string_view name);

// The kind of a layer: its name without numbers, and its collectives. Layers of one kind are alike.
std::string kind_of_layer(const wlfmt::workload::layer& layer);

class layer_blocks {
public:
    // One layer, or layers that are repeated, one repetition after the other. Recursion over blocks is fine: a part has
    // at most half of the layers of its block, so that no more than 64 blocks are in each other.
    struct block {              // NOLINT(misc-no-recursion)
        std::size_t first = 0;  // the position of its first layer
        std::size_t count = 0;  // the number of layers in one repetition
        std::uint64_t times = 1;
        std::size_t kind = 0;
        std::vector<block> parts;  // the blocks in one repetition

        std::size_t size() const noexcept { return count * static_cast<std::size_t>(times); }
    };
    void add(const wlfmt::workload::layer& layer);
    // All layers as blocks. Repetitions are folded, also within a repetition.
    std::vector<block> blocks();
    // For each layer, the position of the layer at the same place in the first repetition of its block; outside of
    // blocks, its own position.
    std::vector<std::size_t> places();
    // `24 x (attention, mlp)` for blocks that are repeated together `times` times. Names only the first of many blocks.
    std::string title_of(const std::vector<block>& shown, std::uint64_t times = 1) const;
    // The names of the layers in one repetition.
    std::vector<std::string> names_in(const block& shown) const;

private:
    static constexpr std::size_t max_in_block = 64;

    // Folds the blocks, and then the blocks that result, until nothing repeats.
    std::vector<block> folded(std::vector<block> list);
    // Folds the longest repetition at each place, or the one with the shortest block if several are as long. Takes time
    // linear in the number of blocks.
    std::vector<block> folded_once(const std::vector<block>& list);
    block repeated(const std::vector<block>& list, std::size_t at, std::size_t size, std::size_t times);
    void fold_parts(block& outer);
    static void set_places(const block& outer, std::vector<std::size_t>& first_places);
    std::string names_of(const std::vector<block>& list) const;

    std::vector<std::string> names_;
    std::vector<block> layers_;
    numbered_texts kinds_;
};

}  // namespace tool

#endif
