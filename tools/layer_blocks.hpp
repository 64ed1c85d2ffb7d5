// The layers of a workload file as blocks that repeat: `24 x (attention, mlp)`.
#ifndef WLFMT_TOOLS_LAYER_BLOCKS_HPP
#define WLFMT_TOOLS_LAYER_BLOCKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

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
        std::vector<std::size_t> parts = {};  // of one repetition: their places among all of these

        std::size_t size() const noexcept { return count * static_cast<std::size_t>(times); }
    };
    void add(const wlfmt::workload::layer& one) {
        std::string kind = unnumbered(one.name);
        for (std::size_t n = 0; n != phase_count; ++n) kind.append("\n").append(phase_of(one, n).comm);
        block to;
        to.first = names_.size();
        to.count = 1;
        to.kind = kind_of(std::move(kind));
        names_.emplace_back(one.name);
        layers_.push_back(std::move(to));
    }
    // All layers, folded, and the layers of a repetition, too.
    std::vector<block> blocks() {
        std::vector<block> all = folded(layers_);
        std::vector<std::size_t> left;
        const auto fold_parts = [&](block one) {
            if (one.parts.size() > 1) {
                std::vector<block> unfolded;
                unfolded.reserve(one.parts.size());
                for (const std::size_t n : one.parts) unfolded.push_back(parts_[n]);
                one.parts = kept(folded(std::move(unfolded)));
            }
            left.insert(left.end(), one.parts.begin(), one.parts.end());
            return one;
        };
        for (block& one : all) one = fold_parts(one);
        while (!left.empty()) {
            const std::size_t n = left.back();
            left.pop_back();
            block one = fold_parts(parts_[n]);
            parts_[n] = std::move(one);
        }
        return all;
    }
    // Of each layer the first one that is at the same place of a repeated block, itself if there is none.
    std::vector<std::size_t> places() {
        std::vector<std::size_t> to(layers_.size());
        for (std::size_t n = 0; n != to.size(); ++n) to[n] = n;
        const std::vector<block> all = blocks();
        // Each block after the one that it is a part of.
        std::vector<const block*> order = pointers_to(all);
        for (std::size_t n = 0; n != order.size(); ++n) {
            const std::vector<const block*> below = parts_of(*order[n]);
            order.insert(order.end(), below.begin(), below.end());
        }
        for (; !order.empty(); order.pop_back()) {
            const block& of = *order.back();
            for (std::size_t n = of.count; n < of.size(); ++n) to[of.first + n] = to[of.first + n - of.count];
        }
        return to;
    }
    // `24 x (attention, mlp)`; of a long block, its first parts.
    std::string title_of(const block& of) const { return names_of({&of}); }
    // Of several blocks; they are there so many times.
    std::string title_of(const std::vector<block>& of, std::uint64_t times = 1) const {
        std::string names = names_of(pointers_to(of));
        if (times == 1) return names;
        return joined({times, " x ", of.size() == 1 && of[0].parts.empty() ? names : joined({"(", names, ")"})});
    }
    const std::string& name(std::size_t n) const { return names_[n]; }

private:
    static constexpr std::size_t most_in_block = 64;

    std::size_t kind_of(std::string text) { return kinds_.try_emplace(std::move(text), kinds_.size()).first->second; }
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
        to.kind = kind_of(std::move(kind));
        to.parts =
            kept({of.begin() + static_cast<std::ptrdiff_t>(at), of.begin() + static_cast<std::ptrdiff_t>(at + size)});
        return to;
    }
    // Keeps blocks as parts of another one, and returns their places.
    std::vector<std::size_t> kept(const std::vector<block>& of) {
        std::vector<std::size_t> places;
        places.reserve(of.size());
        for (const block& one : of) {
            places.push_back(parts_.size());
            parts_.push_back(one);
        }
        return places;
    }
    static std::vector<const block*> pointers_to(const std::vector<block>& of) {
        std::vector<const block*> to;
        to.reserve(of.size());
        for (const block& one : of) to.push_back(&one);
        return to;
    }
    std::vector<const block*> parts_of(const block& of) const {
        std::vector<const block*> to;
        to.reserve(of.parts.size());
        for (const std::size_t n : of.parts) to.push_back(&parts_[n]);
        return to;
    }
    std::string names_of(std::vector<const block*> of) const {
        constexpr std::size_t most = 6;
        struct open_list {
            std::vector<const block*> of;
            std::size_t next;
            const char* end;
        };
        std::string to;
        std::vector<open_list> open;
        open.push_back({std::move(of), 0, ""});
        while (!open.empty()) {
            open_list& last = open.back();
            const std::size_t size = last.of.size();
            if (last.next == (std::min)(size, most)) {
                if (size > most) to += joined({" and ", size - most, " more"});
                to += last.end;
                open.pop_back();
                continue;
            }
            const block& one = *last.of[last.next];
            if (last.next++ != 0) to += ", ";
            if (one.parts.empty()) {
                to += names_[one.first];
                continue;
            }
            to += joined({one.times, one.count == 1 ? " x " : " x ("});
            open.push_back({parts_of(one), 0, one.count == 1 ? "" : ")"});
        }
        return to;
    }

    std::vector<std::string> names_;
    std::vector<block> layers_;
    std::vector<block> parts_;  // of blocks that repeat
    std::map<std::string, std::size_t> kinds_;
};

}  // namespace tool

#endif
