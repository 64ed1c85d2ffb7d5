// Finds out which layers of two workload files are the same.
#ifndef WLFMT_TOOLS_WORKLOAD_MATCH_HPP
#define WLFMT_TOOLS_WORKLOAD_MATCH_HPP

#include "../general/order.hpp"
#include "blocks.hpp"

namespace tool {

// Layers are matched in the order of both files: first by collectives and name, without its numbers, and then, between
// these matches, by name alone. Layers that are left over have been moved: of each name, the n-th one is matched with
// the n-th. To take linear time, the first two ways give up after thousands of differences.
class layer_match {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    layer_match(const wlfmt::workload::document& before, const wlfmt::workload::document& after)
        : before_(before.layers.size()), after_(after.layers.size()) {
        read(before, before_);
        read(after, after_);
        const std::size_t budget = 64 * (before.layers.size() + after.layers.size()) + max_steps;
        budget_ = budget;
        match(1, {0, before.layers.size(), 0, after.layers.size()});
        budget_ = budget;
        knows_order_ = true;
        match_between();
        match_moved();
    }

    // The place of the n-th layer in the other file; none if it is not there.
    std::size_t in_after(std::size_t n) const { return before_.other[n]; }
    std::size_t in_before(std::size_t n) const { return after_.other[n]; }
    // False if there are too many differences to find the order that both files have in common.
    bool knows_order() const noexcept { return knows_order_; }
    // The first layer that the second file has before an earlier layer, and its place there.
    std::optional<std::pair<std::size_t, std::size_t>> moved() const {
        if (!knows_order_) return std::nullopt;
        std::size_t last = 0;
        for (std::size_t n = 0; n != before_.other.size(); ++n) {
            const std::size_t other = before_.other[n];
            if (other == none) continue;
            if (other < last) return std::make_pair(n, other);
            last = other;
        }
        return std::nullopt;
    }

private:
    static constexpr std::size_t max_edits = 3072;
    static constexpr std::size_t max_steps = 8000000;
    struct side {
        explicit side(std::size_t size)
            : kinds{std::vector<std::size_t>(size), std::vector<std::size_t>(size)}, other(size, none) {}
        // The kind of each layer: by its name alone, and by its name and its collectives.
        std::vector<std::size_t> kinds[2];
        std::vector<std::size_t> other;
    };
    struct range {
        std::size_t begin;
        std::size_t end;
        std::size_t other_begin;
        std::size_t other_end;
    };

    void read(const wlfmt::workload::document& from, side& file) {
        for (std::size_t n = 0; n != from.layers.size(); ++n) {
            file.kinds[0][n] = kinds_.number_of(unnumbered(from.layers[n].name));
            file.kinds[1][n] = kinds_.number_of(kind_of_layer(from.layers[n]));
        }
    }
    void pair(std::size_t n, std::size_t other) {
        before_.other[n] = other;
        after_.other[other] = n;
    }
    // Matches as many layers as possible in the order of both files.
    void match(std::size_t level, range in) {
        const std::vector<std::size_t>& a = before_.kinds[level];
        const std::vector<std::size_t>& b = after_.kinds[level];
        const auto is_empty = [&] { return in.begin == in.end || in.other_begin == in.other_end; };
        while (!is_empty() && a[in.begin] == b[in.other_begin]) pair(in.begin++, in.other_begin++);
        while (!is_empty() && a[in.end - 1] == b[in.other_end - 1]) pair(--in.end, --in.other_end);
        if (!is_empty()) match_middle(level, in);
    }
    // Myers, An O(ND) Difference Algorithm and Its Variations (1986): the fewest insertions and deletions. at[k] is how
    // far the best path with d of them gets on the diagonal k.
    void match_middle(std::size_t level, const range& in) {
        const std::size_t* const a = before_.kinds[level].data() + in.begin;
        const std::size_t* const b = after_.kinds[level].data() + in.other_begin;
        constexpr std::size_t max_layers = 0x7fffffff;
        knows_order_ = knows_order_ && in.end <= max_layers && in.other_end <= max_layers;
        if (!knows_order_) return;
        const auto size = static_cast<std::ptrdiff_t>(in.end - in.begin);
        const auto other_size = static_cast<std::ptrdiff_t>(in.other_end - in.other_begin);
        const std::ptrdiff_t max_steps_here = (std::min)(size + other_size, static_cast<std::ptrdiff_t>(max_edits));
        std::vector<std::vector<std::int32_t>> paths;
        std::vector<std::int32_t> reached(static_cast<std::size_t>(2 * max_steps_here + 3));
        std::int32_t* const at = reached.data() + max_steps_here + 1;
        const auto comes_down = [](const std::int32_t* from, std::ptrdiff_t k, std::ptrdiff_t d) {
            return k == -d || (k != d && from[k - 1] < from[k + 1]);
        };
        for (std::ptrdiff_t d = 0; d <= max_steps_here; ++d) {
            paths.emplace_back(at - d - 1, at + d + 2);
            for (std::ptrdiff_t k = -d; k <= d; k += 2) {
                std::ptrdiff_t x = comes_down(at, k, d) ? at[k + 1] : at[k - 1] + 1;
                for (; x < size && x - k < other_size && a[x] == b[x - k]; ++x)
                    if (budget_ != 0) --budget_;
                at[k] = static_cast<std::int32_t>(x);
                if (budget_ == 0) break;
                if (x < size || x - k < other_size) continue;
                for (std::ptrdiff_t y = x - k; d >= 0; --d) {
                    const std::int32_t* const from = paths[static_cast<std::size_t>(d)].data() + d + 1;
                    const std::ptrdiff_t before = comes_down(from, x - y, d) ? x - y + 1 : x - y - 1;
                    const std::ptrdiff_t start = d == 0 ? 0 : from[before];
                    const std::ptrdiff_t other_start = d == 0 ? 0 : start - before;
                    while (x > start && y > other_start) {
                        --x;
                        --y;
                        pair(in.begin + static_cast<std::size_t>(x), in.other_begin + static_cast<std::size_t>(y));
                    }
                    x = start;
                    y = other_start;
                }
                return;
            }
            budget_ -= (std::min)(budget_, static_cast<std::size_t>(d + 1));
            if (budget_ == 0) break;
        }
        knows_order_ = false;
    }
    // Matches the layers between those that have a match.
    void match_between() {
        range in{0, 0, 0, 0};
        const std::size_t size = before_.other.size();
        for (std::size_t n = 0; n <= size; ++n) {
            if (n != size && before_.other[n] == none) continue;
            in.end = n;
            in.other_end = n == size ? after_.other.size() : before_.other[n];
            if (in.begin != in.end && in.other_begin != in.other_end) match(0, in);
            in.begin = n + 1;
            in.other_begin = in.other_end + 1;
        }
    }
    void match_moved() {
        // The layers of each kind that are left, the last one first.
        std::vector<std::vector<std::size_t>> left(kinds_.size());
        for (std::size_t n = after_.other.size(); n-- != 0;)
            if (after_.other[n] == none) left[after_.kinds[0][n]].push_back(n);
        for (std::size_t n = 0; n != before_.other.size(); ++n) {
            std::vector<std::size_t>& others = left[before_.kinds[0][n]];
            if (before_.other[n] != none || others.empty()) continue;
            pair(n, others.back());
            others.pop_back();
        }
    }

    numbered_texts kinds_;
    side before_;
    side after_;
    std::size_t budget_ = 0;  // steps that are left
    bool knows_order_ = true;
};

}  // namespace tool

#endif
