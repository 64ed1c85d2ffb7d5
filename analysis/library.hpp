// What all rooms of the analysis take from the library.
#ifndef WLFMT_ANALYSIS_LIBRARY_HPP
#define WLFMT_ANALYSIS_LIBRARY_HPP

#include <wlfmt/characters.hpp>
#include <wlfmt/error.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/json/line.hpp>
#include <wlfmt/lint.hpp>
#include <wlfmt/number.hpp>
#include <wlfmt/oplog.hpp>
#include <wlfmt/oplog/copies.hpp>
#include <wlfmt/oplog/nested.hpp>
#include <wlfmt/oplog/operations.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/table.hpp>
#include <wlfmt/workload.hpp>
#include <wlfmt/workload/policies.hpp>

#include "order.hpp"
#include "output.hpp"

namespace wlfmt::analysis {

namespace operations = oplog::operations;
using oplog::in_millionths, oplog::operation_facts, oplog::operation_kind, oplog::plain_text, oplog::timed_message;

// The members of a blocking call leave it within this many nanoseconds of each other.
inline constexpr double clock_noise = 70000;

// A string of JSON, with its quotes.
inline std::string json_text(std::string_view s) {
    std::string text;
    json::line line(text);
    line.string(s);
    static_cast<void>(line.finish());
    return text;
}

}  // namespace wlfmt::analysis

#endif
