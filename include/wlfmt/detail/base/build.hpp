// The tag that distinguishes the code of sources that are compiled with different options.
#ifndef WLFMT_DETAIL_BASE_BUILD_HPP
#define WLFMT_DETAIL_BASE_BUILD_HPP

#include "config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Stands for the options that this code is compiled with. Functions that decode text are templates over it, so that
// sources compiled with different options have functions of their own.
struct build {};

// Another name of T that depends on Build: the compiler evaluates a constant table of this type only when a template
// over Build is used.
template <class Build, class T> struct lazily { using type = T; };

// Whether records are tried on the fast paths first, which read the usual forms fast and leave all others to the
// slow paths.
#if defined(WLFMT_NO_FAST_PATHS)
inline constexpr bool has_fast_paths = false;
#else
inline constexpr bool has_fast_paths = true;
#endif

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
