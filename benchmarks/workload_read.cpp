// Reading workload files: every field of header and layers typed and added up.
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
#include <wlfmt/wlfmt.hpp>

#include "bench.hpp"
#include "peers/script.hpp"
#include "peers/split.hpp"

namespace {

namespace workload = wlfmt::workload;
using bench::answer;
using bench::input;
using bench::job;

void add(answer& a, const workload::header& h) {
    a.text += h.policy.size();
    a.add(h.declared_layers.as<std::int64_t>().value_or(0));
    for (const wlfmt::number& n : {h.tensor_parallel(), h.expert_parallel(), h.pipeline_parallel(), h.vpp(),
                                   h.gradient_accumulation(), h.all_gpus(), h.pipeline_bytes()})
        a.add(n.as<std::int64_t>().value_or(0));
}

// A time is an integer, except for AICB's `1.5`.
void add(answer& a, const wlfmt::number& time) {
    if (time.is_integer()) a.add(*time.as<std::int64_t>());
    else a.decimals += time.value_or(0.0);
}

void add(answer& a, const workload::phase& p) {
    add(a, p.compute);
    a.text += p.comm.size();
    add(a, p.bytes);
}

void add(answer& a, const workload::layer& l) {
    ++a.records;
    a.text += l.name.size() + l.policy.size();
    a.add(l.dependency);
    add(a, l.forward);
    add(a, l.input_grad);
    add(a, l.weight_grad);
    add(a, l.update);
}

answer read_wlfmt(std::string_view text) {
    answer a;
    workload::reader file(text);
    add(a, file.header());
    while (const workload::layer* l = file.next()) add(a, *l);
    if (!file.ok()) bench::fail(wlfmt::explain(file.error(), text, wlfmt::in_file("input")));
    return a;
}

// Streams, as the simulators read the file.

answer read_stream(std::istream& file) {
    answer a;
    std::string line;
    std::getline(file, line);
    std::istringstream header(line);
    std::string word;
    header >> word;
    a.text += word.size();
    while (header >> word) {
        std::int64_t value = 0;
        header >> value;
        const bool list = word == "checkpoints:" || word == "checkpoint_initiates:";
        if (!list) a.add(value);
    }
    std::int64_t count = 0;
    file >> count;
    a.add(count);

    struct {
        std::string comm;
        std::int64_t compute;
        std::int64_t bytes;
    } phases[3];
    std::string name;
    std::int64_t dependency = 0;
    std::int64_t update = 0;
    for (std::int64_t n = 0; n != count; ++n) {
        file >> name >> dependency;
        for (auto& p : phases) file >> p.compute >> p.comm >> p.bytes;
        file >> update;
        if (!file) bench::fail("a layer that >> cannot read");
        ++a.records;
        a.text += name.size();
        a.add(dependency);
        for (const auto& p : phases) {
            a.add(p.compute);
            a.text += p.comm.size();
            a.add(p.bytes);
        }
        a.add(update);
    }
    return a;
}

// The files on disk, in the page cache.
job prepare_ifstream(const input& in) {
    using bench::peers::temporary_file;
    const auto files = std::make_shared<std::vector<std::unique_ptr<temporary_file>>>();
    for (const std::string_view file : in.files) files->push_back(std::make_unique<temporary_file>(file));
    return [files] {
        answer a;
        for (const auto& file : *files) {
            std::ifstream stream(file->path());
            a += read_stream(stream);
        }
        return a;
    };
}

job prepare_istringstream(const input& in) {
    const auto streams = std::make_shared<std::vector<std::istringstream>>();
    for (const std::string_view file : in.files) streams->emplace_back(std::string(file));
    return [streams] {
        answer a;
        for (std::istringstream& stream : *streams) {
            stream.clear();
            stream.seekg(0);
            a += read_stream(stream);
        }
        return a;
    };
}

using bench::takes;
const bool added = bench::add({"workload_read",
                               bench::format::workload,
                               {bench::floor_way(),
                                {"wlfmt", bench::each_file<read_wlfmt>, 64 * bench::megabyte, takes::any_text},
                                {"ifstream >>", prepare_ifstream},
                                {"istringstream >>", prepare_istringstream},
                                bench::peers::split_way(bench::peers::split_workload),
                                bench::peers::script_way("Python split()", "workload.py")}});

}  // namespace
