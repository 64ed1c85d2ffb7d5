// must not compile: deleted
#include <string>
#include <wlfmt/workload.hpp>

void number_the_first_layer(wlfmt::workload::document& file) {
#ifdef FIXED
    static const std::string name = "layer_" + std::to_string(7);
    file.layers[0].name = name;
#else
    file.layers[0].name = "layer_" + std::to_string(7);
#endif
}
