// wlfmt/number.hpp: the numbers of records, without the functions that read and write them (wlfmt/to_number.hpp). What
// a number is: wlfmt/types/number.hpp.
#include "version.hpp"

#ifndef WLFMT_NUMBER_HPP
#define WLFMT_NUMBER_HPP

#include "types/number.hpp"

#endif
