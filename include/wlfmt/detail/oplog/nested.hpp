// An out-of-line walk over the nested operations of a record, one shared copy of which saves compile time, and the
// sizes of their tensors.
#ifndef WLFMT_DETAIL_OPLOG_NESTED_HPP
#define WLFMT_DETAIL_OPLOG_NESTED_HPP

#include <cstdint>
#include <optional>
#include <string_view>

#include "../../oplog.hpp"
#include "../../types/oplog.hpp"
#include "../base/build.hpp"
#include "lists.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// A loop over a list itself has the code that reads an operation in it, some 3 KB. The steps of this one are functions,
// which all loops share: a call for each operation, and half the time to compile the loop.
template <class Build> class nested_operations {
    using sub_operation_iterator = oplog::sub_operation_iterator<oplog::fields::all, Build>;

public:
    explicit nested_operations(const oplog::operation& op) noexcept : list_(op.sub_operations) {}

    class iterator {
    public:
        WLFMT_NOINLINE explicit iterator(const oplog::sub_operation_list& list) noexcept
            : at_(list.template begin<Build>()) {}
        const oplog::sub_operation& operator*() const noexcept { return *at_; }
        WLFMT_NOINLINE iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        friend bool operator!=(const iterator& a, const sub_operation_iterator& end) noexcept { return a.at_ != end; }

    private:
        sub_operation_iterator at_;
    };

    iterator begin() const noexcept { return iterator(list_); }
    sub_operation_iterator end() const noexcept { return {}; }

private:
    const oplog::sub_operation_list& list_;
};

template <class Build = build> nested_operations<Build> nested_operations_of(const oplog::operation& op) noexcept {
    return nested_operations<Build>(op);
}

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
template <class Sizes> std::optional<std::int64_t> tensor_bytes_of(const Sizes& sizes, std::int64_t element) noexcept {
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
template <class Build = build>
std::optional<std::int64_t> tensor_bytes(const oplog::shape& shape, std::string_view dtype) noexcept {
    const std::int64_t element = element_bytes(dtype);
    if (element == 0 || !shape.is_list()) return std::nullopt;
    return tensor_bytes_of(shape, element);
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
