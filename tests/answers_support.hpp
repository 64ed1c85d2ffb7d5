// How tests compare numbers of answers, which may be limits, with numbers.
#ifndef WLFMT_TESTS_ANSWERS_SUPPORT_HPP
#define WLFMT_TESTS_ANSWERS_SUPPORT_HPP

#include "analysis/answers/answers.hpp"

#include "support.hpp"

namespace doctest {

// Whether a number of answers is exact and near to another number.
inline bool operator==(const wlfmt::analysis::bounded& a, const Approx& b) { return a.is_exact() && a.number() == b; }

}  // namespace doctest

// Whether a number is known not to be below another one, which is all that is known in that direction; and likewise.
inline bool is_no_less(const wlfmt::analysis::bounded& b, double least) {
    return !b.is_exact() && b.at_least() == doctest::Approx(least);
}
inline bool is_no_more(const wlfmt::analysis::bounded& b, double most) {
    return !b.is_exact() && b.at_most() == doctest::Approx(most);
}
inline bool is_around(const wlfmt::analysis::bounded& b, double number) {
    return !b.is_exact() && b.at_least() <= number && number <= b.at_most();
}

#endif
