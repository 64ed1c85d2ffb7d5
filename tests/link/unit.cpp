// One way of compiling wlfmt: WLFMT_UNIT is its name in unit.hpp.
#include "unit.hpp"

#include <cmath>
#include <utility>
#include <wlfmt/wlfmt.hpp>

namespace {

documents read(std::string_view oplog, std::string_view workload, std::string_view table) {
    return {wlfmt::oplog::read(oplog).value(), wlfmt::workload::read(workload).value(),
            wlfmt::table::read(table).value()};
}

// Rounded to two decimals, so that the order of the additions makes no difference.
std::int64_t hundredths(double value) { return std::llround(value * 100); }

void add(std::int64_t& sum, const wlfmt::oplog::operation& op) {
    sum += hundredths(op.duration.value_or(0.0)) + static_cast<std::int64_t>(op.find("mg_state").text().size());
    for (const auto dim : op.input_shape) sum += dim;
    for (const auto& sub : op.sub_operations) {
        sum += hundredths(sub.duration.value_or(0.0)) + static_cast<std::int64_t>(sub.comm_func.size());
        for (const auto dim : sub.input_shape) sum += dim;
        for (const auto& attribute : sub.attributes) sum += static_cast<std::int64_t>(attribute.value.size());
    }
}

std::int64_t walk(const documents& of) {
    std::int64_t sum = 0;
    for (const auto& op : of.oplog.operations) add(sum, op);
    for (const auto& entry : of.workload.header().entries) sum += static_cast<std::int64_t>(entry.value.size());
    for (const auto index : of.workload.header().checkpoints()) sum += index;
    for (const auto& layer : of.workload.layers)
        for (const auto* phase : {&layer.forward, &layer.input_grad, &layer.weight_grad})
            sum += phase->bytes.as<std::int64_t>().value_or(0);
    for (const auto& table : of.table.tables)
        for (const auto& row : table.rows())
            for (const auto& cell : row.cells) sum += hundredths(cell.value_or(0.0));
    return sum;
}

void edit(documents& of) {
    for (auto& op : of.oplog.operations) {
        op.duration *= 2;
        for (auto& sub : op.sub_operations.edit()) sub.duration *= 2;
    }
    for (auto& layer : of.workload.layers) layer.forward.bytes *= 2;
    for (auto& table : of.table.tables)
        if (auto* name = table.edit(0, "Name")) *name = wlfmt::table::cell("renamed");
}

std::string write(const documents& of) {
    std::string out;
    if (write(out, of.oplog) || write(out, of.workload) || write(out, of.table)) return "unwritable";
    return out;
}

bool pull(std::string_view oplog, void (*show)(std::int64_t& sum, const wlfmt::oplog::operation&), std::int64_t& sum) {
    wlfmt::oplog::reader log(oplog);
    while (const auto* op = log.next()) {
        show(sum, *op);
        if (!log.ok()) return false;
    }
    return log.ok();
}

any_function detect() {
    return reinterpret_cast<any_function>(static_cast<wlfmt::file_format (*)(std::string_view)>(&wlfmt::detect));
}

}  // namespace

#define WLFMT_NAME_OF(word) WLFMT_QUOTED(word)
#define WLFMT_QUOTED(word) #word
const unit WLFMT_UNIT = {WLFMT_NAME_OF(WLFMT_UNIT), read, walk, edit, write, pull, add, detect()};
