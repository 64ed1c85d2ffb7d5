// Compares what own.cpp writes with the standard library, over COUNT doubles of each kind. usage: program COUNT
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <system_error>

char* own_repr(char* out, double v);
char* own_digits(char* out, char* end, double v, bool scientific, int decimals);

namespace {

constexpr std::size_t most = 320;
constexpr int shortest = -1;
int failures = 0;

void compare(const char* what, double v, std::string_view own, std::string_view library) {
    if (own == library || ++failures > 10) return;
    std::printf("%s of %a: `%.*s`, not `%.*s`\n", what, v, static_cast<int>(own.size()), own.data(),
                static_cast<int>(library.size()), library.data());
}

std::string_view view(const char* begin, const char* end) {
    return end == nullptr ? "does not fit" : std::string_view(begin, static_cast<std::size_t>(end - begin));
}
std::string_view view(const char* begin, std::to_chars_result written) {
    return view(begin, written.ec == std::errc() ? written.ptr : nullptr);
}

void compare(double v) {
    char own[most];
    char library[most];
    char* const end = library + most;
    const double magnitude = std::fabs(v);
    if (magnitude != 0)
        compare("digits", v, view(own, own_digits(own, own + most, magnitude, true, shortest)),
                view(library, std::to_chars(library, end, magnitude, std::chars_format::scientific)));
    compare("plain digits", v, view(own, own_digits(own, own + most, v, false, shortest)),
            view(library, std::to_chars(library, end, v, std::chars_format::fixed)));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    const int decimals = static_cast<int>(bits % 7);
    compare("nearest", v, view(own, own_digits(own, own + most, v, false, decimals)),
            view(library, std::to_chars(library, end, v, std::chars_format::fixed, decimals)));
    char* const last = own_repr(own, v);
    double back = 0;
    std::from_chars(own, last, back);
    compare("repr", back, view(own, last), std::memcmp(&back, &v, sizeof v) == 0 ? view(own, last) : "another value");
}

}  // namespace

int main(int count, char** arguments) {
    const long each = count > 1 ? std::atol(arguments[1]) : 1000;
    std::mt19937_64 random(20260101);
    for (int power = -1074; power != 1024; ++power) {
        const double v = std::ldexp(1.0, power);
        for (const double near : {v, std::nextafter(v, 0.0), std::nextafter(v, 2 * v), -v})
            if (std::isfinite(near)) compare(near);
    }
    compare(0.0);
    compare(-0.0);
    for (long n = 0; n != each; ++n) {
        // Any bits; subnormal numbers; whole numbers; halves of the last decimal; nines; short decimals.
        const std::uint64_t bits = random();
        double any = 0;
        std::memcpy(&any, &bits, sizeof any);
        if (std::isfinite(any)) compare(any);
        std::uint64_t few = bits >> (12 + bits % 52);
        std::memcpy(&any, &few, sizeof any);
        compare(any);
        compare(static_cast<double>(bits >> (bits % 60)));
        compare(std::ldexp(static_cast<double>(bits >> 20), -static_cast<int>(bits % 50)));
        compare(std::round(std::ldexp(static_cast<double>(bits >> 11), -20)) - 1 / static_cast<double>(few | 1));
        compare(static_cast<double>(bits >> 40) / std::pow(10.0, static_cast<double>(bits % 30)));
    }
    if (failures != 0) std::printf("%d differences\n", failures);
    return failures != 0 ? 1 : 0;
}
