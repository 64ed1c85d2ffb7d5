// Compiled with -ffast-math, with which comparisons of nan have no meaning. Nevertheless, nan and the infinities are
// read, written, compared and put into JSON.
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

namespace {

int failures = 0;

void expect(bool holds, const char* what, const std::string& found = {}) {
    if (holds) return;
    std::printf("%s: %s\n", what, found.c_str());
    ++failures;
}

}  // namespace

int main() {
    const std::string_view line = "rank:0:f(duration=nan,timestamp=-inf)\n";
    const auto log = wlfmt::oplog::read(line);
    expect(log.ok() && log->operations.size() == 1, "nan and inf are numbers of op logs");

    std::string json;
    expect(!wlfmt::json::write(json, *log), "nan and inf can be written as JSON");
    expect(json == "{\"rank\":0,\"op\":\"f\",\"duration\":\"nan\",\"timestamp\":\"-inf\"}\n", "as texts", json);

    std::string written;
    expect(!wlfmt::oplog::write(written, *log), "nan and inf can be written");
    expect(written == line, "as they were read", written);

    const wlfmt::number nan = std::numeric_limits<double>::quiet_NaN();
    expect(nan == log->operations.at(0).duration, "nan is nan");
    expect(!nan.as<int>() && !nan.as<long long>(), "nan is no integer");

    wlfmt::workload::layer layer;
    layer.name = "x";
    layer.update = nan;
    expect(problem_of(layer).field == "update", "nan is no time of a layer");
    return failures == 0 ? 0 : 1;
}
