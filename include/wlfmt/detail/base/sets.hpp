// Disjoint sets: which of many things belong together.
#ifndef WLFMT_DETAIL_BASE_SETS_HPP
#define WLFMT_DETAIL_BASE_SETS_HPP

#include <cstddef>
#include <limits>
#include <vector>

#include "config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Sets of the numbers below n, each of which is alone at first.
class joined_sets {
public:
    explicit joined_sets(std::size_t n) : parent_(n), count_(n) {
        for (std::size_t i = 0; i != n; ++i) parent_[i] = i;
    }
    void join(std::size_t a, std::size_t b) {
        a = set_of(a);
        b = set_of(b);
        if (a == b) return;
        parent_[a < b ? b : a] = a < b ? a : b;
        --count_;
    }
    std::size_t count() const noexcept { return count_; }
    // Numbers the sets from 0 on, in the order of their least members, and writes the number of each member's.
    std::size_t number(std::vector<std::size_t>& of) {
        std::size_t next = 0;
        of.resize(parent_.size());
        // The least member is the root of its set: its number is known when the others come.
        for (std::size_t i = 0; i != parent_.size(); ++i) {
            const std::size_t root = set_of(i);
            of[i] = root == i ? next++ : of[root];
        }
        return next;
    }

private:
    std::size_t set_of(std::size_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    std::vector<std::size_t> parent_;
    std::size_t count_;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
