// Compiled with other WLFMT_VERSION_* than version.hpp defines.
#include <cstddef>
#include <string_view>
#include <wlfmt/wlfmt.hpp>

using any_function = void (*)();
std::size_t layers_of_other_version(std::string_view text);
any_function detect_of_other_version();

std::size_t layers_of_other_version(std::string_view text) {
    static_assert(wlfmt::version_major == 99);
    return wlfmt::workload::read(text).value().layers.size();
}

any_function detect_of_other_version() {
    return reinterpret_cast<any_function>(static_cast<wlfmt::file_format (*)(std::string_view)>(&wlfmt::detect));
}
