// wlfmt/list.hpp: lists of cells and columns. What a list is: wlfmt/types/list.hpp.
#include "version.hpp"

#ifndef WLFMT_LIST_HPP
#define WLFMT_LIST_HPP

#include "types/list.hpp"

#endif
