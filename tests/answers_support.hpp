// How tests compare numbers of answers, which may be limits, with numbers.
#ifndef WLFMT_TESTS_ANSWERS_SUPPORT_HPP
#define WLFMT_TESTS_ANSWERS_SUPPORT_HPP

#include "analysis/answers/answers.hpp"

#include "support.hpp"

namespace doctest {

// Whether a number of answers is exact and near to another number.
inline bool operator==(const wlfmt::analysis::bounded& a, const Approx& b) { return a.is_exact() && a.number() == b; }

}  // namespace doctest

#endif
