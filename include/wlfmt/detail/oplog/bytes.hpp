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

// The bytes of a tensor. Nothing if the shape is not a list of sizes, if the dtype is not known, and beyond 2^62 bytes.
template <class Kernel = kernel>
std::optional<std::int64_t> tensor_bytes(const oplog::shape& shape, std::string_view dtype) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    std::int64_t bytes = element_bytes(dtype);
    if (bytes == 0 || !shape.is_list()) return std::nullopt;
    for (const std::int64_t dim : shape) {
        if (dim < 0 || (dim != 0 && bytes > most / dim)) return std::nullopt;
        bytes *= dim;
    }
    return bytes;
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
