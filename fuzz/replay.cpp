// Calls a fuzz target with files, without a fuzzer: every seed and every past finding is an ordinary test under any
// compiler. usage: PROGRAM FILE_OR_FOLDER...
// If all targets are in one program, and the environment names none, each argument is the folder of the target after
// which it is named.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
#if defined(WLFMT_FUZZ_UNITED)
extern "C" void choose_target(const char* name);
#endif

namespace {

namespace fs = std::filesystem;

// The files that an argument names, in an order that is the same on every machine.
std::vector<fs::path> files_of(const fs::path& named) {
    if (!fs::is_directory(named)) return {named};
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(named))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

// The input is in a heap block of exactly its size, so that a sanitizer sees a read beyond it.
bool run(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in) return false;
    const auto input = std::make_unique<std::uint8_t[]>(content.size());
    std::copy(content.begin(), content.end(), input.get());
    LLVMFuzzerTestOneInput(input.get(), content.size());
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t inputs = 0;
    for (int i = 1; i < argc; ++i) {
#if defined(WLFMT_FUZZ_UNITED)
        if (std::getenv("WLFMT_FUZZ_TARGET") == nullptr) choose_target(fs::path(argv[i]).filename().string().c_str());
#endif
        for (const fs::path& file : files_of(argv[i])) {
            // Printed before the call: the last name is that of the input that ended the program.
            std::printf("%s\n", file.string().c_str());
            std::fflush(stdout);
            if (!run(file)) {
                std::fprintf(stderr, "%s cannot be read\n", file.string().c_str());
                return 1;
            }
            ++inputs;
        }
    }
    std::printf("%zu inputs\n", inputs);
    return inputs > 0 ? 0 : 1;
}
