// must not compile: deleted
#include <cstdint>
#include <string>
#include <wlfmt/workload.hpp>

// As large as a view, copied trivially, and yet the owner of its bytes: the class does not show it.
struct inline_string {
    std::uint64_t size;
    char bytes[8];
    operator std::string_view() const { return {bytes, static_cast<std::size_t>(size)}; }
};
inline_string label();

void name_the_first_layer(wlfmt::workload::document& file) {
#ifdef FIXED
    static const inline_string kept = label();
    file.layers[0].name = kept;
#else
    file.layers[0].name = label();
#endif
}
