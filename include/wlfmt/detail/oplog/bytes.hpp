// The size of the tensors that operations are about, from their shape and dtype.
#ifndef WLFMT_DETAIL_OPLOG_BYTES_HPP
#define WLFMT_DETAIL_OPLOG_BYTES_HPP

#include <cstdint>
#include <optional>
#include <string_view>

#include "../../oplog.hpp"
#include "../base/kernel.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// The bytes of an element of a torch dtype, `torch.float32` or `float32`; 0 for any other name.
inline std::int64_t element_bytes(std::string_view dtype) noexcept {
    constexpr std::string_view torch = "torch.";
    if (dtype.substr(0, torch.size()) == torch) dtype.remove_prefix(torch.size());
    struct size {
        std::string_view name;
        std::int64_t bytes;
    };
    constexpr size sizes[] = {{"float32", 4},   {"bfloat16", 2},    {"float16", 2},       {"int64", 8},
                              {"int32", 4},     {"uint8", 1},       {"bool", 1},          {"float64", 8},
                              {"int16", 2},     {"int8", 1},        {"half", 2},          {"float", 4},
                              {"double", 8},    {"long", 8},        {"int", 4},           {"short", 2},
                              {"complex64", 8}, {"complex128", 16}, {"float8_e4m3fn", 1}, {"float8_e5m2", 1}};
    for (const size& s : sizes)
        if (s.name == dtype) return s.bytes;
    return 0;
}

// The bytes of a tensor of these sizes. Empty for an unknown dtype (0 bytes an element), a size below 0, and more than
// 2^62 bytes.
template <class Sizes>
std::optional<std::int64_t> tensor_bytes_of(const Sizes& sizes, std::int64_t element) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    if (element == 0) return std::nullopt;
    std::int64_t bytes = element;
    for (const std::int64_t dim : sizes) {
        if (dim < 0 || (dim != 0 && bytes > most / dim)) return std::nullopt;
        bytes *= dim;
    }
    return bytes;
}
// Empty if the shape is not a list of sizes.
template <class Kernel = kernel>
std::optional<std::int64_t> tensor_bytes(const oplog::shape& shape, std::string_view dtype) noexcept {
    const std::int64_t element = element_bytes(dtype);
    if (element == 0 || !shape.is_list()) return std::nullopt;
    return tensor_bytes_of(shape, element);
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
