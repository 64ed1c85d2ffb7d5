// What the tasks that read op logs share: what they find in a record, and the records as JSON Lines.
#ifndef WLFMT_BENCHMARKS_OPLOG_HPP
#define WLFMT_BENCHMARKS_OPLOG_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"

namespace bench {

inline void add(answer& a, const wlfmt::oplog::sub_operation& s) {
    ++a.parts;
    a.decimals += s.duration.value_or(0.0);
    a.decimals += s.timestamp.value_or(0.0);
    for (const std::int64_t dim : s.input_shape) a.add(dim);
    a.text += s.trace_src_func.size() + s.input_dtype.size() + s.func_name.size() + s.group.size() + s.comm_func.size();
}

// size_of(text) returns the size of a text that may be None.
template <class Size> void add(answer& a, const wlfmt::oplog::operation& op, Size size_of) {
    ++a.records;
    a.add(op.rank);
    a.add(op.stage_id.as<std::int64_t>().value_or(0));
    a.add(op.batch_id.as<std::int64_t>().value_or(0));
    a.decimals += op.duration.value_or(0.0);
    a.decimals += op.timestamp.value_or(0.0);
    for (const std::int64_t dim : op.input_shape) a.add(dim);
    a.text += op.op.size() + size_of(op.mg_state) + size_of(op.description) + size_of(op.group_kind) +
              size_of(op.input_dtype);
    for (const wlfmt::oplog::sub_operation& s : op.sub_operations) add(a, s);
}

// The files of an input as JSON Lines.
inline std::vector<std::string> json_of(const input& in) {
    std::vector<std::string> files;
    for (const std::string_view file : in.files) {
        files.emplace_back();
        wlfmt::oplog::reader log(file);
        while (const wlfmt::oplog::operation* op = log.next())
            if (wlfmt::json::write(files.back(), *op)) fail("a record that is not written");
    }
    return files;
}

}  // namespace bench

#endif
