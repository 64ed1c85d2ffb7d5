// Scales a workload: computes twice as fast, and says in the header that there are twice as many ranks.
#include <iostream>
#include <string>

#include <wlfmt/file.hpp>
#include <wlfmt/wlfmt.hpp>

int main(int count, char** arguments) {
    if (count != 2) return std::cerr << "usage: scale_workload FILE\n", 2;
    const wlfmt::text_file file(arguments[1]);
    if (!file.ok()) return std::cerr << wlfmt::explain(file.error(), {}, wlfmt::in_file(arguments[1])), 2;

    auto workload = wlfmt::workload::read(file.text());
    if (!workload) return std::cerr << wlfmt::explain(workload.error(), file.text(), wlfmt::in_file(arguments[1])), 1;

    for (auto& layer : workload->layers)
        for (auto* phase : {&layer.forward, &layer.input_grad, &layer.weight_grad})
            phase->compute.set_rounded(phase->compute.value_or(0.0) / 2);  // 1001 becomes 501

    // The entries are views, so a new value must live until the document is written.
    std::string gpus;
    for (auto& entry : workload->header.entries.edit()) {
        if (entry.key != "all_gpus") continue;
        auto ranks = wlfmt::to_number(entry.value);
        ranks *= 2;
        wlfmt::append_value(gpus, ranks);
        entry.value = gpus;
    }

    if (const auto e = wlfmt::workload::write(std::cout, *workload)) {
        std::cerr << wlfmt::explain(e, {}, wlfmt::in_file(arguments[1]));
        return 1;
    }
    return std::cout.flush() ? 0 : 1;  // the stream's own buffer may still fail
}
