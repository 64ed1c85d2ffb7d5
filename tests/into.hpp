// A text as an output of the analysis.
#ifndef WLFMT_TESTS_INTO_HPP
#define WLFMT_TESTS_INTO_HPP

#include "analysis/output.hpp"

namespace test {

class into {
public:
    explicit into(std::string& text) noexcept : to_(text) {}
    operator wlfmt::analysis::output&() noexcept { return to_; }  // NOLINT(google-explicit-constructor)

private:
    wlfmt::analysis::output to_;
};

}  // namespace test

#endif
