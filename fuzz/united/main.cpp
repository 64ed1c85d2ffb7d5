// All fuzz targets in one program: WLFMT_FUZZ_TARGET in the environment names the target that it runs.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define WLFMT_TARGET(name) extern "C" int name##_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
#include "targets.inc"
#undef WLFMT_TARGET

namespace {

using target = int (*)(const std::uint8_t* data, std::size_t size);

target named_target() {
    const char* const name = std::getenv("WLFMT_FUZZ_TARGET");
#define WLFMT_TARGET(one) \
    if (name != nullptr && std::strcmp(name, #one) == 0) return one##_LLVMFuzzerTestOneInput;
#include "targets.inc"
#undef WLFMT_TARGET
    static_cast<void>(std::fputs("WLFMT_FUZZ_TARGET does not name a fuzz target\n", stderr));
    std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const target chosen = named_target();
    return chosen(data, size);
}
