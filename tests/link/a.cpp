// Two translation units that include all of wlfmt make one program: with one configuration they share its functions,
// with two (b.cpp built with WLFMT_NO_SIMD) each keeps its own. usage: PROGRAM one|two
#include <cstdio>
#include <cstring>
#include <wlfmt/file.hpp>
#include <wlfmt/json.hpp>
#include <wlfmt/wlfmt.hpp>

#include "other.hpp"

int main(int argc, char** argv) {
    const bool one = argc == 2 && std::strcmp(argv[1], "one") == 0;
    const std::string_view text =
        "DATA\n1\n"
        "embedding\t-1\t10\tNONE\t0\t20\tALLREDUCE\t4096\t30\tNONE\t0\t5\n";

    const std::size_t here = wlfmt::workload::read(text).value().layers.size();
    if (here != 1 || layers_in_b(text) != 1) {
        std::puts("the two units read the text differently");
        return 1;
    }
    if ((reinterpret_cast<function>(&wlfmt::explain) == explain_in_b()) != one) {
        std::puts(one ? "one configuration, but two copies of a function" : "two configurations share a function");
        return 1;
    }
    return 0;
}
