// What a reader of a text finds: every field of every record, typed and added up. The sums keep compilers from leaving
// the work out, and two readers of the same text have to agree.
#ifndef WLFMT_BENCHMARKS_ANSWER_HPP
#define WLFMT_BENCHMARKS_ANSWER_HPP

#include <cmath>
#include <cstdint>

namespace bench {

struct answer {
    std::uint64_t records = 0;   // operations, layers, rows
    std::uint64_t parts = 0;     // sub-operations, cells
    std::uint64_t text = 0;      // bytes of all texts
    std::uint64_t integers = 0;  // the sum, modulo 2^64
    double decimals = 0;         // the sum, in the text's order
    double seconds = 0;          // the time that another program measured; else 0

    void add(std::int64_t v) noexcept { integers += static_cast<std::uint64_t>(v); }

    friend answer& operator+=(answer& a, const answer& b) noexcept {
        a.records += b.records;
        a.parts += b.parts;
        a.text += b.text;
        a.integers += b.integers;
        a.decimals += b.decimals;
        a.seconds += b.seconds;
        return a;
    }
};

// Whether the records and values are the same; decimals may differ by the rounding of their sums.
inline bool same(const answer& a, const answer& b) noexcept {
    constexpr double roundings = 1e-9;
    return a.records == b.records && a.parts == b.parts && a.text == b.text && a.integers == b.integers &&
           std::fabs(a.decimals - b.decimals) <= roundings * (std::fabs(a.decimals) + std::fabs(b.decimals));
}

}  // namespace bench

#endif
