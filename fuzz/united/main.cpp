// All fuzz targets in one program: WLFMT_FUZZ_TARGET in the environment names the target that it calls. Where it names
// none, replay.cpp does.
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

target chosen = nullptr;

}  // namespace

extern "C" void choose_target(const char* name);
extern "C" void choose_target(const char* name) {
    chosen = nullptr;
#define WLFMT_TARGET(one) \
    if (name != nullptr && std::strcmp(name, #one) == 0) chosen = one##_LLVMFuzzerTestOneInput;
#include "targets.inc"
#undef WLFMT_TARGET
    if (chosen != nullptr) return;
    static_cast<void>(std::fprintf(stderr, "no fuzz target is named %s\n", name != nullptr ? name : ""));
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (chosen == nullptr) choose_target(std::getenv("WLFMT_FUZZ_TARGET"));
    return chosen(data, size);
}
