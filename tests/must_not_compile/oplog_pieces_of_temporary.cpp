// must not compile: deleted
#include <string>
#include <wlfmt/oplog/pieces.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    const auto pieces = wlfmt::oplog::pieces(text, 2);
#else
    const auto pieces = wlfmt::oplog::pieces(load(), 2);
#endif
    return !pieces.empty();
}
