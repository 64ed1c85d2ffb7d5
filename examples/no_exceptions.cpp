// Without exceptions: a program that is compiled with -fno-exceptions -fno-rtti. Reading allocates nothing, so that no
// allocation can fail, and errors are values. A bad line is reported and skipped.
#include <cstdio>
#include <string_view>

#include <wlfmt/wlfmt.hpp>

#if defined(__cpp_exceptions)
#error "compile this with -fno-exceptions"
#endif

namespace {

char buffer[1 << 20];

void print(const wlfmt::problem& e, std::string_view text) {
    const wlfmt::location at = wlfmt::location_of(text, e.offset);
    const std::string_view kind = name_of(e.kind);
    std::fprintf(stderr, "line %llu, column %llu: %.*s\n", static_cast<unsigned long long>(at.line),
                 static_cast<unsigned long long>(at.column), static_cast<int>(kind.size()), kind.data());
}

}  // namespace

int main() {
    const std::string_view text(buffer, std::fread(buffer, 1, sizeof buffer, stdin));
    int bad_lines = 0;
    long operations = 0;
    wlfmt::oplog::reader log(text);
    do {
        while (log.next() != nullptr) ++operations;
        if (log.ok()) break;
        print(log.error(), text);
        ++bad_lines;
    } while (log.skip());
    std::printf("%ld operations, %d bad lines\n", operations, bad_lines);
    return bad_lines == 0 ? 0 : 1;
}
