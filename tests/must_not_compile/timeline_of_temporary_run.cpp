// must not compile: deleted
#include <string>
#include <wlfmt/timeline.hpp>

wlfmt::timeline::run load();

void draw(std::string& out) {
#ifdef FIXED
    const auto run = load();
    wlfmt::timeline::writer<std::string> to(out, run);
#else
    wlfmt::timeline::writer<std::string> to(out, load());
#endif
    static_cast<void>(to.finish());
}
