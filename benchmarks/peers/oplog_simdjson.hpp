// Reading op-log records with simdjson's On-Demand interface. In a translation unit of its own, without wlfmt's
// headers: it is compiled for the best kernel that simdjson has, wlfmt for the processor that the benchmark names.
#ifndef WLFMT_BENCHMARKS_PEERS_OPLOG_SIMDJSON_HPP
#define WLFMT_BENCHMARKS_PEERS_OPLOG_SIMDJSON_HPP

#include <memory>
#include <string>
#include <vector>

#include "../answer.hpp"

namespace bench::peers {

// "simdjson 3.0.1 (haswell)"
std::string simdjson_name();
// Whether this processor has what that kernel needs.
bool simdjson_runs();

// Files of JSON Lines in memory.
class json_lines {
public:
    explicit json_lines(const std::vector<std::string>& files);
    ~json_lines();
    answer read();

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace bench::peers

#endif
