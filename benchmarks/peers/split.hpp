// Reading with the standard library alone, as a careful programmer writes it by hand for one format:
// std::string_view::find for the separators and std::from_chars for the numbers. No copies, no allocations, no search
// for malformed text.
#ifndef WLFMT_BENCHMARKS_PEERS_SPLIT_HPP
#define WLFMT_BENCHMARKS_PEERS_SPLIT_HPP

#include <string_view>

#include "../bench.hpp"

namespace bench::peers {

answer split_oplog(std::string_view text);
answer split_workload(std::string_view text);
answer split_table(std::string_view text);

way split_way(answer (*split)(std::string_view));

}  // namespace bench::peers

#endif
