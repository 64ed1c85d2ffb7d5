// wlfmt/types/callback.hpp: a function of the program's own that wlfmt calls during its work, as options::on_problem.
//
//     std::vector<wlfmt::problem> found;
//     wlfmt::options options;
//     options.on_problem = [&](const wlfmt::problem& e) { found.push_back(e); };
#include "../version.hpp"

#ifndef WLFMT_TYPES_CALLBACK_HPP
#define WLFMT_TYPES_CALLBACK_HPP

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

template <class Signature> class callback;

// A function, or a function object such as a lambda, of which it holds a copy, without an allocation. What the lambda
// refers to must live as long as the callback and its copies are called. The object is copied as bytes and has at most
// the size of six pointers: a lambda captures by reference, and another object is passed as std::cref(object).
template <class Result, class... Arguments> class callback<Result(Arguments...)> {
public:
    constexpr callback() noexcept = default;  // calls nothing, and must not be called
    constexpr callback(std::nullptr_t) noexcept {}
    template <class Function, class Held = std::decay_t<Function>,
              std::enable_if_t<
                  !std::is_same_v<Held, callback> && std::is_invocable_r_v<Result, const Held&, Arguments...>, int> = 0>
    callback(Function&& function) noexcept {
        static_assert(
            std::is_trivially_copyable_v<Held> && sizeof(Held) <= sizeof(held_) && alignof(Held) <= alignof(void*),
            "wlfmt: a callback holds a function or a small lambda. Capture by reference, or pass std::cref().");
        if constexpr (std::is_pointer_v<std::remove_reference_t<Function>>)
            if (function == nullptr) return;
        ::new (static_cast<void*>(held_)) Held(std::forward<Function>(function));
        call_ = [](const void* held, Arguments... arguments) -> Result {
            return (*std::launder(static_cast<const Held*>(held)))(std::forward<Arguments>(arguments)...);
        };
    }

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return call_ != nullptr; }
    Result operator()(Arguments... arguments) const { return call_(held_, std::forward<Arguments>(arguments)...); }

private:
    alignas(void*) unsigned char held_[6 * sizeof(void*)] = {};
    Result (*call_)(const void* held, Arguments... arguments) = nullptr;
};

}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
