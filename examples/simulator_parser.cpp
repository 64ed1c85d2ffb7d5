// How a simulator takes a workload file: it reads every layer, refuses what it cannot simulate with the file, the line
// and a caret under the word, and keeps values of its own types.
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

namespace workload = wlfmt::workload;

namespace {

struct step {
    std::uint64_t ticks = 0;
    workload::communication comm;
    std::uint64_t bytes = 0;
};
struct layer {
    std::string name;
    step forward, input_grad, weight_grad;
};
struct model {
    int pipeline_stages = 1;
    std::vector<layer> layers;
};

class parser {
public:
    parser(std::string_view text, std::string_view file_name) : text_(text), name_(file_name) {}

    bool parse(model& m) {
        workload::reader file(text_);
        // A missing entry has its default; one that is no int, such as 2.5 or None, is an error.
        if (const auto stages = file.header().pipeline_parallel(); !stages.is_missing()) {
            const auto whole = stages.as<int>();
            if (!whole) return refuse(where(file.header(), "pp"), "not a number of pipeline stages");
            m.pipeline_stages = *whole;
        }
        while (const auto* line = file.next()) {
            layer l;
            l.name = line->name;
            if (!convert(*line, line->forward, "forward", l.forward) ||
                !convert(*line, line->input_grad, "input_grad", l.input_grad) ||
                !convert(*line, line->weight_grad, "weight_grad", l.weight_grad))
                return false;
            m.layers.push_back(l);
        }
        if (file.ok()) return true;
        std::cerr << wlfmt::explain(file.error(), text_, wlfmt::in_file(name_));
        return false;
    }

private:
    bool convert(const workload::layer& line, const workload::phase& from, const std::string& phase, step& to) {
        const auto ticks = from.compute.as<std::uint64_t>();
        if (!ticks) return refuse(where(line, phase + ".compute"), "not a whole number of ticks");
        const auto bytes = from.bytes.as<std::uint64_t>();
        if (!bytes) return refuse(where(line, phase + ".bytes"), "a size below 0");
        const workload::communication comm = workload::communication_of(from.comm);
        if (comm.collective == workload::collective::other)
            return refuse(where(line, phase + ".comm"), "this simulator has no such collective");
        to = {*ticks, comm, *bytes};
        return true;
    }
    bool refuse(std::string_view place, std::string_view why) {
        std::cerr << wlfmt::explain(wlfmt::at_place(place), wlfmt::with_message(why), text_, wlfmt::in_file(name_));
        return false;
    }

    std::string_view text_;
    std::string_view name_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return std::cerr << "usage: simulator_parser FILE\n", 2;
    const wlfmt::text_file file(arguments[1]);
    if (!file.ok()) return std::cerr << wlfmt::explain(file.error(), {}, wlfmt::in_file(arguments[1])), 2;

    model m;
    if (!parser(file.text(), arguments[1]).parse(m)) return 1;
    std::uint64_t bytes = 0;
    for (const layer& l : m.layers) bytes += l.forward.bytes + l.input_grad.bytes + l.weight_grad.bytes;
    std::cout << m.layers.size() << " layers in " << m.pipeline_stages << " stages move " << bytes << " bytes\n";
}
