// A source that includes wlfmt's headers: it writes what imports.cpp has read.
#include <cstdio>
#include <string>
#include <string_view>
#include <wlfmt/workload.hpp>

wlfmt::workload::document read_imported(std::string_view text);

int main() {
    const std::string_view text =
        "DATA\n1\n"
        "embedding\t-1\t10\tNONE\t0\t20\tALLREDUCE\t4096\t30\tNONE\t0\t5\n";
    const wlfmt::workload::document load = read_imported(text);
    std::string out;
    if (write(out, load) || out != text) return 1;
    std::printf("%d layer\n", static_cast<int>(load.layers.size()));
}
