// must not compile: deleted
#include <string>
#include <wlfmt/oplog/pieces.hpp>

std::string load();

bool any() {
#ifdef FIXED
    const std::string text = load();
    const auto piece = wlfmt::table::piece_of(text, {1, 9});
#else
    const auto piece = wlfmt::table::piece_of(load(), {1, 9});
#endif
    return !piece.text.empty();
}
