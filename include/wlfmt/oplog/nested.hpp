// wlfmt/oplog/nested.hpp: nested operations for outputs and sums: iterates over them without what cannot be read,
// decodes their texts, and computes the bytes of their tensors. Not included by wlfmt.hpp.
#include "../version.hpp"

#ifndef WLFMT_OPLOG_NESTED_HPP
#define WLFMT_OPLOG_NESTED_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../detail/oplog/reader.hpp"
#include "../oplog.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace oplog {

// A text of a nested operation, with any escapes decoded into the buffer. Only an operation with a quote can have
// escapes.
[[nodiscard]] inline std::string_view plain_text(text_view text WLFMT_LIFETIMEBOUND, char quote,
                                                 std::string& buffer WLFMT_LIFETIMEBOUND) {
    if (quote == 0) return text;
    buffer.resize(text.size());
    return detail::without_escapes(text, &buffer[0]);
}

// Whether a nested call goes on beside computation, so that its duration lasts from its launch to the end of the wait
// for it.
[[nodiscard]] inline bool runs_beside(const oplog::sub_operation& call) noexcept {
    constexpr std::string_view suffix = "_async";
    const std::string_view name = call.trace_src_func;
    return name.size() >= suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
}

// The nested operations of a list. If the list cannot be read to its end, its last item is the unread rest, which is
// left out: it is not an operation, so no output has it, and nothing counts it. The functions are not inlined, as each
// loop over the list itself would take 3 KB more and twice the compile time.
struct nested_operations {
    using list_iterator = oplog::sub_operation_iterator<oplog::fields::all>;
    struct iterator : list_iterator {
        WLFMT_NOINLINE explicit iterator(const oplog::sub_operation_list& list) noexcept : list_iterator(list.begin()) {
            skip_damaged();
        }
        WLFMT_NOINLINE iterator& operator++() noexcept {
            list_iterator::operator++();
            skip_damaged();
            return *this;
        }

    private:
        void skip_damaged() noexcept {
            while (*this != list_iterator() && (*this)->damaged) list_iterator::operator++();
        }
    };

    iterator begin() const noexcept { return iterator(list); }
    list_iterator end() const noexcept { return {}; }

    const oplog::sub_operation_list& list;
};

[[nodiscard]] inline nested_operations nested_operations_of(const oplog::operation& op WLFMT_LIFETIMEBOUND) noexcept {
    return {op.sub_operations};
}
nested_operations nested_operations_of(const oplog::operation&&) = delete;
[[nodiscard]] inline std::size_t count_nested_operations(const oplog::sub_operation_list& list) noexcept {
    std::size_t count = 0;
    for (const oplog::sub_operation& s : list.only<oplog::fields::none>()) count += s.damaged ? 0 : 1;
    return count;
}

// The number of bytes of an element of a torch dtype, `torch.float32` or `float32`; 0 for any other name.
[[nodiscard]] inline std::int64_t element_bytes(text_view element_type) noexcept {
    std::string_view dtype = element_type;
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

// The bytes of a tensor; empty if the dtype is unknown (`element` is 0), a size is below 0, or they are more than 2^62.
template <class Sizes>
[[nodiscard]] std::optional<std::int64_t> tensor_bytes_of(const Sizes& sizes, std::int64_t element) noexcept {
    constexpr std::int64_t max_bytes = std::int64_t{1} << 62;
    if (element == 0) return std::nullopt;
    std::int64_t bytes = element;
    for (const std::int64_t dim : sizes) {
        if (dim < 0 || (dim != 0 && bytes > max_bytes / dim)) return std::nullopt;
        bytes *= dim;
    }
    return bytes;
}
[[nodiscard]] inline std::optional<std::int64_t> tensor_bytes(const oplog::shape& shape, text_view dtype) noexcept {
    return shape.is_list() ? tensor_bytes_of(shape, element_bytes(dtype)) : std::nullopt;
}

}}}  // namespace wlfmt::WLFMT_ABI::oplog

#include "../detail/base/config_end.hpp"
#endif
