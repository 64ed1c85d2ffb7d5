// The tag that distinguishes the code of sources that are compiled with different options.
#ifndef WLFMT_DETAIL_BASE_KERNEL_HPP
#define WLFMT_DETAIL_BASE_KERNEL_HPP

#include "config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Stands for the options that this code is compiled with. Functions that decode text are templates over it, so that
// sources compiled with different options have functions of their own.
struct kernel {};

// Another name of T that depends on Way: the compiler evaluates a constant table of this type only when a template over
// Way is used.
template <class Way, class T>
struct lazily {
    using type = T;
};

// Whether records are tried on the plain paths first, which read the usual forms fast and leave all others to the
// general paths.
#if defined(WLFMT_NO_PLAIN_PATHS)
inline constexpr bool has_plain_paths = false;
#else
inline constexpr bool has_plain_paths = true;
#endif

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
