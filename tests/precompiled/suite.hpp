// What nearly every topic of the suite includes, parsed once for all of them.
#ifndef WLFMT_TESTS_PRECOMPILED_SUITE_HPP
#define WLFMT_TESTS_PRECOMPILED_SUITE_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/wlfmt.hpp>

#endif
