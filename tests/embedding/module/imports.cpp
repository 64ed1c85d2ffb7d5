// A source that imports wlfmt: it hands what it reads to one that includes wlfmt's headers.
#include <string_view>

import wlfmt;

wlfmt::workload::document read_imported(std::string_view text);
wlfmt::workload::document read_imported(std::string_view text) { return wlfmt::workload::read(text).partial(); }
