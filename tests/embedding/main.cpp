// A user's program: the number of layers of a workload file given as text.
#include <iostream>
#include <wlfmt/wlfmt.hpp>

int main() {
    const std::string_view text = "DATA\n1\nembedding -1 10 NONE 0 20 ALLREDUCE 4096 30 NONE 0 5\n";
    const auto load = wlfmt::workload::read(text);
    if (!load) {
        std::cerr << wlfmt::explain(load.error(), text, wlfmt::in_file("text"));
        return 1;
    }
    std::cout << load->layers.size() << " layer\n";
    return load->layers.size() == 1 ? 0 : 1;
}
