// Two versions of wlfmt in one program: they share no type and no function, and both read. usage: PROGRAM FILE...
#include "library.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

int main(int count, char** arguments) {
    int failures = 0;
    const auto check = [&](bool holds, const char* what, const char* of) {
        if (!holds) std::printf("%s: %s\n", of, what);
        failures += !holds;
    };
    const library a = earlier();
    const library b = present();
    std::printf("%s beside %s\n", a.version, b.version);
    check(std::strcmp(a.version, b.version) != 0, "both libraries have this version", a.version);
    for (std::size_t n = 0; n != a.types.size(); ++n)
        check(a.types[n].second != b.types[n].second, "the versions share this type", a.types[n].first);
    check(a.detect != b.detect, "the versions share this function", "detect");
    for (int n = 1; n < count; ++n) {
        std::ifstream file(arguments[n], std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        check(a.records(text) != 0 && a.records(text) == b.records(text), "the versions read other records",
              arguments[n]);
    }
    return failures == 0 ? 0 : 1;
}
