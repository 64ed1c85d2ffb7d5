// The layers of a workload file as blocks that repeat: `24 x (attention, mlp)`.
#ifndef WLFMT_TOOLS_WORKLOAD_BLOCKS_HPP
#define WLFMT_TOOLS_WORKLOAD_BLOCKS_HPP

#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "../general/order.hpp"
#include "../output/output.hpp"

namespace tool {

// The phases of a layer, and what they are called.
inline constexpr std::size_t phase_count = wlfmt::parallelism::phase_count;
inline std::string_view phase_name(std::size_t n) {
    return wlfmt::parallelism::name_of(static_cast<wlfmt::parallelism::phase>(n));
}
inline const wlfmt::workload::phase& phase_of(const wlfmt::workload::layer& of, std::size_t n) noexcept {
    return n == 0 ? of.forward : n == 1 ? of.input_grad : of.weight_grad;
}
// Whether a phase communicates, and what it then sends.
inline bool communicates(const wlfmt::workload::phase& of) noexcept { return of.comm != "NONE"; }
inline double bytes_of(const wlfmt::workload::phase& of) noexcept {
    return communicates(of) ? of.bytes.value_or(0.0) : 0;
}

// The name without its numbers: writers number the layers that repeat.
inline std::string unnumbered(std::string_view name) {
    std::string to;
    for (const char c : name)
        if (c < '0' || c > '9') to += c;
    return to;
}

// Layers are alike if their names are, but for numbers, and their collectives.
class layer_blocks {
public:
    // One layer, or layers that are there several times, one repetition after the other.
    struct block {
        std::size_t first = 0;  // of its layers
        std::size_t count = 0;  // of layers in one repetition
        std::uint64_t times = 1;
        std::size_t kind = 0;
        // Of one repetition. A part has at most half of the block's layers, so that few blocks are in each other.
        std::vector<block> parts;

        std::size_t size() const noexcept { return count * static_cast<std::size_t>(times); }
    };
    void add(const wlfmt::workload::layer& one) {
        std::string kind = unnumbered(one.name);
        for (std::size_t n = 0; n != phase_count; ++n) kind.append("\n").append(phase_of(one, n).comm);
        block to;
        to.first = names_.size();
        to.count = 1;
        to.kind = kinds_.number_of(kind);
        names_.emplace_back(one.name);
        layers_.push_back(std::move(to));
    }
    // All layers, folded, and the layers of a repetition, too.
    std::vector<block> blocks() {
        std::vector<block> all = folded(layers_);
        for (block& one : all) fold_parts(one);
        return all;
    }
    // Of each layer the first one that is at the same place of a repeated block, itself if there is none.
    std::vector<std::size_t> places() {
        std::vector<std::size_t> to(layers_.size());
        for (std::size_t n = 0; n != to.size(); ++n) to[n] = n;
        for (const block& one : blocks()) set_places(one, to);
        return to;
    }
    // `24 x (attention, mlp)`; of a long block, its first parts.
    std::string title_of(const block& of) const { return names_of({of}); }
    // Of several blocks; they are there so many times.
    std::string title_of(const std::vector<block>& of, std::uint64_t times = 1) const {
        std::string names = names_of(of);
        if (times == 1) return names;
        return joined({times, " x ", of.size() == 1 && of[0].parts.empty() ? names : joined({"(", names, ")"})});
    }
    const std::string& name(std::size_t n) const { return names_[n]; }

private:
    static constexpr std::size_t most_in_block = 64;

    // Folds what has been folded again, until nothing repeats.
    std::vector<block> folded(std::vector<block> all) {
        for (std::size_t before = 0; before != all.size();) {
            before = all.size();
            all = folded_once(all);
        }
        return all;
    }
    // At each place the longest repetition, the shorter block where several are as long. Linear in the blocks.
    std::vector<block> folded_once(const std::vector<block>& of) {
        std::vector<block> all;
        const std::size_t end = of.size();
        for (std::size_t at = 0; at != end;) {
            std::size_t best_size = 1;
            std::size_t best_times = 1;
            for (std::size_t size = 1; size <= most_in_block && at + 2 * size <= end; ++size) {
                std::size_t alike = 0;
                while (at + size + alike != end && of[at + alike].kind == of[at + size + alike].kind) ++alike;
                const std::size_t times = alike / size + 1;
                if (times > 1 && times * size > best_times * best_size) {
                    best_times = times;
                    best_size = size;
                }
                if (at + size + alike == end) break;
            }
            if (best_times == 1) all.push_back(of[at]);
            else all.push_back(repeated(of, at, best_size, best_times));
            at += best_size * best_times;
        }
        return all;
    }
    block repeated(const std::vector<block>& of, std::size_t at, std::size_t size, std::size_t times) {
        block to;
        to.first = of[at].first;
        to.times = times;
        std::string kind = joined({times, " x"});
        for (std::size_t n = at; n != at + size; ++n) {
            to.count += of[n].size();
            kind += joined({" ", of[n].kind});
        }
        // Words of a layer hold no blanks, so that this is the kind of no layer.
        to.kind = kinds_.number_of(kind);
        to.parts = {of.begin() + static_cast<std::ptrdiff_t>(at), of.begin() + static_cast<std::ptrdiff_t>(at + size)};
        return to;
    }
    void fold_parts(block& of) {
        if (of.parts.size() > 1) of.parts = folded(std::move(of.parts));
        for (block& one : of.parts) fold_parts(one);
    }
    static void set_places(const block& of, std::vector<std::size_t>& to) {
        for (const block& one : of.parts) set_places(one, to);
        for (std::size_t n = of.count; n < of.size(); ++n) to[of.first + n] = to[of.first + n - of.count];
    }
    std::string names_of(const std::vector<block>& of) const {
        constexpr std::size_t most = 6;
        std::string to;
        for (std::size_t n = 0; n != (std::min)(of.size(), most); ++n) {
            const block& one = of[n];
            if (n != 0) to += ", ";
            if (one.parts.empty()) to += names_[one.first];
            else if (one.count == 1) to += joined({one.times, " x ", names_of(one.parts)});
            else to += joined({one.times, " x (", names_of(one.parts), ")"});
        }
        if (of.size() > most) to += joined({" and ", of.size() - most, " more"});
        return to;
    }

    std::vector<std::string> names_;
    std::vector<block> layers_;
    numbered_texts kinds_;
};

}  // namespace tool

#endif
