// must not compile: deleted
#include <wlfmt/file.hpp>

int main() {
#ifdef FIXED
    const wlfmt::text_file file("log.txt");
    const std::string_view text = file.text();
#else
    const std::string_view text = wlfmt::text_file("log.txt").text();
#endif
    return static_cast<int>(text.size());
}
