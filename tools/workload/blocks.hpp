// The layers of a workload file as blocks that repeat: `24 x (attention, mlp)`.
#ifndef WLFMT_TOOLS_WORKLOAD_BLOCKS_HPP
#define WLFMT_TOOLS_WORKLOAD_BLOCKS_HPP

#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "../general/order.hpp"
#include "../output/output.hpp"

namespace tool {

inline constexpr std::size_t phase_count = wlfmt::parallelism::phase_count;
inline std::string_view phase_name(std::size_t n) {
    return wlfmt::parallelism::name_of(static_cast<wlfmt::parallelism::phase>(n));
}
inline const wlfmt::workload::phase& phase_of(const wlfmt::workload::layer& layer, std::size_t n) noexcept {
    return n == 0 ? layer.forward : n == 1 ? layer.input_grad : layer.weight_grad;
}
// Whether a phase communicates, and how many bytes it then sends.
inline bool communicates(const wlfmt::workload::phase& phase) noexcept { return phase.comm != "NONE"; }
inline double bytes_of(const wlfmt::workload::phase& phase) noexcept {
    return communicates(phase) ? phase.bytes.value_or(0.0) : 0;
}

// A layer has a time for each phase, and then one for its update.
inline constexpr std::size_t update_time = phase_count;
inline constexpr std::size_t time_count = phase_count + 1;
inline std::string_view time_name(std::size_t n) { return n == update_time ? "update" : phase_name(n); }

// The sums of what several layers compute and communicate.
struct layer_sums {
    double ticks[time_count] = {};
    double calls = 0;
    double bytes[phase_count] = {};

    void add(const wlfmt::workload::layer& layer) {
        for (std::size_t n = 0; n != phase_count; ++n) {
            const wlfmt::workload::phase& phase = phase_of(layer, n);
            ticks[n] += phase.compute.value_or(0.0);
            calls += communicates(phase) ? 1 : 0;
            bytes[n] += bytes_of(phase);
        }
        ticks[update_time] += layer.update.value_or(0.0);
    }
    // The compute of the phases, without updates.
    double all_ticks() const noexcept { return ticks[0] + ticks[1] + ticks[2]; }
    double all_bytes() const noexcept { return bytes[0] + bytes[1] + bytes[2]; }
};

// The name without its numbers: writers number the layers that repeat.
inline std::string unnumbered(std::string_view name) {
    std::string unnumbered_name;
    for (const char c : name)
        if (c < '0' || c > '9') unnumbered_name += c;
    return unnumbered_name;
}

// The kind of a layer: its name without numbers, and its collectives. Layers of one kind are alike.
inline std::string kind_of_layer(const wlfmt::workload::layer& layer) {
    std::string kind = unnumbered(layer.name);
    for (std::size_t n = 0; n != phase_count; ++n) kind.append("\n").append(phase_of(layer, n).comm);
    return kind;
}

class layer_blocks {
public:
    // One layer, or layers that are repeated, one repetition after the other.
    struct block {
        std::size_t first = 0;  // the position of its first layer
        std::size_t count = 0;  // the number of layers in one repetition
        std::uint64_t times = 1;
        std::size_t kind = 0;
        // The blocks in one repetition. A part has at most half of the block's layers, so that blocks are nested only a
        // few levels deep.
        std::vector<block> parts;

        std::size_t size() const noexcept { return count * static_cast<std::size_t>(times); }
    };
    void add(const wlfmt::workload::layer& layer) {
        block single;
        single.first = names_.size();
        single.count = 1;
        single.kind = kinds_.number_of(kind_of_layer(layer));
        names_.emplace_back(layer.name);
        layers_.push_back(std::move(single));
    }
    // All layers as blocks. Repetitions are folded, also within a repetition.
    std::vector<block> blocks() {
        std::vector<block> folded_layers = folded(layers_);
        for (block& top : folded_layers) fold_parts(top);
        return folded_layers;
    }
    // For each layer, the position of the layer at the same place in the first repetition of its block; outside of
    // blocks, its own position.
    std::vector<std::size_t> places() {
        std::vector<std::size_t> first_places(layers_.size());
        for (std::size_t n = 0; n != first_places.size(); ++n) first_places[n] = n;
        for (const block& top : blocks()) set_places(top, first_places);
        return first_places;
    }
    // `24 x (attention, mlp)` for blocks that are repeated together `times` times. Names only the first of many blocks.
    std::string title_of(const std::vector<block>& shown, std::uint64_t times = 1) const {
        std::string names = names_of(shown);
        if (times == 1) return names;
        return joined({times, " x ", shown.size() == 1 && shown[0].parts.empty() ? names : joined({"(", names, ")"})});
    }
    // The names of the layers in one repetition.
    std::vector<std::string> names_in(const block& shown) const {
        const auto first = names_.begin() + static_cast<std::ptrdiff_t>(shown.first);
        return {first, first + static_cast<std::ptrdiff_t>(shown.count)};
    }

private:
    static constexpr std::size_t max_in_block = 64;

    // Folds the blocks, and then the blocks that result, until nothing repeats.
    std::vector<block> folded(std::vector<block> list) {
        for (std::size_t before = 0; before != list.size();) {
            before = list.size();
            list = folded_once(list);
        }
        return list;
    }
    // Folds the longest repetition at each place, or the one with the shortest block if several are as long. Takes time
    // linear in the number of blocks.
    std::vector<block> folded_once(const std::vector<block>& list) {
        std::vector<block> shorter;
        const std::size_t end = list.size();
        for (std::size_t at = 0; at != end;) {
            std::size_t best_size = 1;
            std::size_t best_times = 1;
            for (std::size_t size = 1; size <= max_in_block && at + 2 * size <= end; ++size) {
                std::size_t alike = 0;
                while (at + size + alike != end && list[at + alike].kind == list[at + size + alike].kind) ++alike;
                const std::size_t times = alike / size + 1;
                if (times > 1 && times * size > best_times * best_size) {
                    best_times = times;
                    best_size = size;
                }
                if (at + size + alike == end) break;
            }
            if (best_times == 1) shorter.push_back(list[at]);
            else shorter.push_back(repeated(list, at, best_size, best_times));
            at += best_size * best_times;
        }
        return shorter;
    }
    block repeated(const std::vector<block>& list, std::size_t at, std::size_t size, std::size_t times) {
        block repetition;
        repetition.first = list[at].first;
        repetition.times = times;
        std::string kind = joined({times, " x"});
        for (std::size_t n = at; n != at + size; ++n) {
            repetition.count += list[n].size();
            kind += joined({" ", list[n].kind});
        }
        // No layer has this kind: the words of a layer contain no blanks.
        repetition.kind = kinds_.number_of(kind);
        repetition.parts = {list.begin() + static_cast<std::ptrdiff_t>(at),
                            list.begin() + static_cast<std::ptrdiff_t>(at + size)};
        return repetition;
    }
    void fold_parts(block& outer) {
        if (outer.parts.size() > 1) outer.parts = folded(std::move(outer.parts));
        for (block& part : outer.parts) fold_parts(part);
    }
    static void set_places(const block& outer, std::vector<std::size_t>& first_places) {
        for (const block& part : outer.parts) set_places(part, first_places);
        for (std::size_t n = outer.count; n < outer.size(); ++n)
            first_places[outer.first + n] = first_places[outer.first + n - outer.count];
    }
    std::string names_of(const std::vector<block>& list) const {
        constexpr std::size_t max_names = 6;
        std::string names;
        for (std::size_t n = 0; n != (std::min)(list.size(), max_names); ++n) {
            const block& shown = list[n];
            if (n != 0) names += ", ";
            if (shown.parts.empty()) names += names_[shown.first];
            else if (shown.count == 1) names += joined({shown.times, " x ", names_of(shown.parts)});
            else names += joined({shown.times, " x (", names_of(shown.parts), ")"});
        }
        if (list.size() > max_names) names += joined({" and ", list.size() - max_names, " more"});
        return names;
    }

    std::vector<std::string> names_;
    std::vector<block> layers_;
    numbered_texts kinds_;
};

}  // namespace tool

#endif
