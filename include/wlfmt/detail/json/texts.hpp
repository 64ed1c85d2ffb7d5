// Memory for the texts and lists of records that are read from JSON.
#ifndef WLFMT_DETAIL_JSON_TEXTS_HPP
#define WLFMT_DETAIL_JSON_TEXTS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "../../types/json.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Takes memory from a `texts`: for bytes, and for arrays of items that need no destructor.
struct texts_access {
    static char* take(json::texts& from, std::size_t size) {
        if (static_cast<std::size_t>(from.end_ - from.at_) < size) {
            const std::size_t most = size > block ? size : block;
            from.blocks_.push_back(std::unique_ptr<char[]>(new char[most]));
            // A large piece has a block of its own, and the rest of the last one stays in use.
            if (most != block) return from.blocks_.back().get();
            from.at_ = from.blocks_.back().get();
            from.end_ = from.at_ + most;
        }
        char* const piece = from.at_;
        from.at_ += size;
        return piece;
    }
    // Gives back the piece that was taken last, except for its first `used` bytes.
    static void give_back(json::texts& from, const char* piece, std::size_t size, std::size_t used) noexcept {
        if (piece + size == from.at_) from.at_ -= size - used;
    }
    template <class T>
    static const T* keep(json::texts& from, const std::vector<T>& items) {
        static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
        char* at = take(from, items.size() * sizeof(T) + alignof(T));
        at += (alignof(T) - reinterpret_cast<std::uintptr_t>(at) % alignof(T)) % alignof(T);
        T* const to = reinterpret_cast<T*>(at);
        std::uninitialized_copy(items.begin(), items.end(), to);
        return to;
    }

private:
    static constexpr std::size_t block = std::size_t{1} << 16;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
