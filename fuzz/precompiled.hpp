// What the fuzz targets include, parsed once for all of them.
#ifndef WLFMT_FUZZ_PRECOMPILED_HPP
#define WLFMT_FUZZ_PRECOMPILED_HPP

#include "check.hpp"
#include "dump.hpp"

#endif
