// Memory of batches that serves again.
#ifndef WLFMT_DETAIL_ARROW_MEMORY_HPP
#define WLFMT_DETAIL_ARROW_MEMORY_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "column.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
struct arrow_memory_access;
}  // namespace detail

namespace arrow {

// The memory of batches that their consumers have released, for batches to come: 16 of them at most. Streams that are
// read at once or one after the other can share it (request::memory). It has no lock.
class batch_memory {
public:
    batch_memory() noexcept = default;
    batch_memory(const batch_memory&) = delete;
    batch_memory& operator=(const batch_memory&) = delete;
    ~batch_memory() {
        for (auto& place : free_) delete place.load(std::memory_order_acquire);
    }

private:
    friend detail::arrow_memory_access;
    std::array<std::atomic<detail::arrow_batch*>, 16> free_ = {};
};

}  // namespace arrow

namespace detail {

struct arrow_memory_access {
    // A batch with these columns, whatever they hold; null if there is none.
    static std::unique_ptr<arrow_batch> take(arrow::batch_memory& from, const std::vector<arrow_column>& columns) {
        for (auto& place : from.free_) {
            if (place.load(std::memory_order_relaxed) == nullptr) continue;
            std::unique_ptr<arrow_batch> one(place.exchange(nullptr, std::memory_order_acquire));
            if (one != nullptr && has_columns(*one, columns)) return one;
        }
        return nullptr;
    }
    static void give(arrow::batch_memory& to, std::unique_ptr<arrow_batch> one) noexcept {
        for (auto& place : to.free_) {
            arrow_batch* nothing = nullptr;
            if (!place.compare_exchange_strong(nothing, one.get(), std::memory_order_release,
                                               std::memory_order_relaxed))
                continue;
            static_cast<void>(one.release());
            return;
        }
    }

private:
    static bool has_columns(const arrow_batch& one, const std::vector<arrow_column>& columns) {
        return std::equal(
            one.columns.begin(), one.columns.end(), columns.begin(), columns.end(),
            [](const arrow_column& a, const arrow_column& b) { return a.type() == b.type() && a.name() == b.name(); });
    }
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
