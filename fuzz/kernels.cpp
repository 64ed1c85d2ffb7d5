// Everything read under each kernel: the one of this build, the portable one, and on x86-64 the SSE4.1 one. The first
// byte chooses the options, the rest is the text. Each kernel is a translation unit of its own, kernels/read.cpp.
#include "check.hpp"

std::string read_with_default(std::string_view text, unsigned option_bits);
std::string read_with_portable(std::string_view text, unsigned option_bits);
#ifdef WLFMT_FUZZ_SSE41
std::string read_with_sse41(std::string_view text, unsigned option_bits);
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const unsigned option_bits = data[0];
    const fuzz::block block({reinterpret_cast<const char*>(data) + 1, size - 1});

    const std::string portable = read_with_portable(block.text(), option_bits);
    fuzz::check_same(read_with_default(block.text(), option_bits), portable,
                     "the default kernel reads as the portable");
#ifdef WLFMT_FUZZ_SSE41
    fuzz::check_same(read_with_sse41(block.text(), option_bits), portable, "the SSE4.1 kernel reads as the portable");
#endif
    return 0;
}
