// How this source is compiled, as macros: every wlfmt header includes this file after its other includes.
//
// A public header includes detail/base/config_end.hpp as its last line, which undefines them all again, so that none
// reaches the user's code. Where the macros are defined already, including this file does nothing.
#ifndef WLFMT_CONFIG
#define WLFMT_CONFIG 1

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 201703L
#error "wlfmt needs C++17: compile with -std=c++17 or a newer standard (MSVC: /std:c++17)."
#endif

#include "../../version.hpp"

// Which vector instructions scan text: chosen at compile time, so that no byte is spent on dispatch.
#if defined(WLFMT_NO_SIMD)
#define WLFMT_VECTORS portable
#elif defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#define WLFMT_VECTORS sse2
#define WLFMT_SSE2 1
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define WLFMT_VECTORS neon
#define WLFMT_NEON 1
#else
#define WLFMT_VECTORS portable
#endif

// Which library reads the decimals that have no exact short form.
#if !defined(WLFMT_NO_FAST_FLOAT) && defined(__has_include)
#if __has_include(<fast_float/fast_float.h>)
#define WLFMT_FAST_FLOAT 1
#endif
#endif
#if defined(WLFMT_FAST_FLOAT)
#define WLFMT_DECIMALS fast_float
#else
#define WLFMT_DECIMALS charconv
#endif

// How files become texts: functions that open files are in a namespace of their own for each behaviour, so that a
// source that maps no files never gets the code of one that does.
#if defined(WLFMT_NO_MMAP)
#define WLFMT_FILES unmapped_files
#else
#define WLFMT_FILES mapped_files
#endif

// Whether one operation on doubles is rounded once and to the nearest (number/exact.hpp says why it matters).
#include <cfloat>
#if defined(__FAST_MATH__) || (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1)
#define WLFMT_ARITHMETIC inexact
#define WLFMT_EXACT_ARITHMETIC false
#else
#define WLFMT_ARITHMETIC exact
#define WLFMT_EXACT_ARITHMETIC true
#endif

// Which instructions the compiler may use anywhere: a function that has those of a newer processor must not be the one
// that is linked where another source was compiled for an older one. And whether memory that is lost is an exception.
#if defined(__AVX512F__)
#define WLFMT_LEVEL avx512
#elif defined(__AVX2__)
#define WLFMT_LEVEL avx2
#elif defined(__AVX__)
#define WLFMT_LEVEL avx
#elif defined(__SSE4_2__)
#define WLFMT_LEVEL sse42
#elif defined(__ARM_FEATURE_SVE)
#define WLFMT_LEVEL sve
#else
#define WLFMT_LEVEL base
#endif
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define WLFMT_FAILURES with_exceptions
#else
#define WLFMT_FAILURES no_exceptions
#endif

// Two inline namespaces keep different wlfmts of one program apart.
//
// WLFMT_ABI holds the types that a program passes around: records, lists, documents, errors. Their layout depends on
// the version alone, so that sources compiled for different processors can exchange them.
// WLFMT_IMPL, inside it, holds the code whose definition depends on how a source is compiled: readers, writers, and
// what they call. Each way of compiling has functions of its own, and the one-definition rule is kept.
#define WLFMT_JOIN3_(a, b, c) v##a##_##b##_##c
#define WLFMT_JOIN3(a, b, c) WLFMT_JOIN3_(a, b, c)
#define WLFMT_ABI WLFMT_JOIN3(WLFMT_VERSION_MAJOR, WLFMT_VERSION_MINOR, WLFMT_VERSION_PATCH)
// Tests define WLFMT_NO_FAST_PATHS, which leaves the slow paths to read everything, and hold the two against each
// other.
#if defined(WLFMT_NO_FAST_PATHS)
#define WLFMT_JOIN_WORDS_(a, b, c, d, e) slow_##a##_##b##_##c##_##d##_##e
#else
#define WLFMT_JOIN_WORDS_(a, b, c, d, e) a##_##b##_##c##_##d##_##e
#endif
#define WLFMT_JOIN_WORDS(a, b, c, d, e) WLFMT_JOIN_WORDS_(a, b, c, d, e)
#define WLFMT_IMPL WLFMT_JOIN_WORDS(WLFMT_VECTORS, WLFMT_DECIMALS, WLFMT_ARITHMETIC, WLFMT_LEVEL, WLFMT_FAILURES)

// Before a function of an exchanged type: its code depends on how the source is compiled that calls it, and each way of
// compiling has a function of its own. `Build` names it.
#define WLFMT_PER_BUILD template <class Build = ::wlfmt::detail::build>

// Inlining is forced only where the compiler optimises: elsewhere it would bloat the code and hide it from debuggers.
#if defined(_MSC_VER) && !defined(__clang__)
#define WLFMT_INLINE inline
#define WLFMT_NOINLINE __declspec(noinline)
#define WLFMT_COLD __declspec(noinline)
#define WLFMT_LIKELY(x) (x)
#define WLFMT_UNLIKELY(x) (x)
#else
#if defined(__OPTIMIZE__)
#define WLFMT_INLINE inline __attribute__((always_inline))
#else
#define WLFMT_INLINE inline
#endif
#define WLFMT_NOINLINE __attribute__((noinline))
#define WLFMT_COLD __attribute__((noinline, cold))
#define WLFMT_LIKELY(x) __builtin_expect(!!(x), 1)
#define WLFMT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif

#ifndef WLFMT_DETAIL_BASE_CONFIG_HPP
#define WLFMT_DETAIL_BASE_CONFIG_HPP

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// The tag that distinguishes the code of sources that are compiled with different options. Functions that decode text
// are templates over it, so that sources compiled with different options have functions of their own.
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
#endif
