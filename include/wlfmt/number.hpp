// wlfmt/number.hpp: the numbers of records (types/number.hpp) without what reads and writes them (to_number.hpp).
#include "version.hpp"

#ifndef WLFMT_NUMBER_HPP
#define WLFMT_NUMBER_HPP

#include "types/number.hpp"

#endif
