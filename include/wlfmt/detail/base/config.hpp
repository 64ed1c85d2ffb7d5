// How this source is compiled, as macros. Every wlfmt header includes this file after its other includes; it does
// nothing where they are defined already. A public header ends with config_end.hpp, which undefines them.
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

// How files become texts, a namespace for each way: a source that maps no files never gets the code of one that does.
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

// Which instructions the compiler may use: no source may get a function that was compiled for a newer processor.
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
#define WLFMT_FAILURES with_exceptions  // running out of memory throws
#else
#define WLFMT_FAILURES no_exceptions
#endif

// Two inline namespaces keep different wlfmts of one program apart. WLFMT_ABI holds the types that a program passes
// around (records, documents, errors): their layout depends on the version alone, so that sources compiled for
// different processors can exchange them. WLFMT_IMPL, inside it, holds code that depends on how a source is compiled
// (readers, writers and what they call): each way of compiling has its own functions, as the one-definition rule asks.
#define WLFMT_JOIN3_(a, b, c) v##a##_##b##_##c
#define WLFMT_JOIN3(a, b, c) WLFMT_JOIN3_(a, b, c)
#define WLFMT_ABI WLFMT_JOIN3(WLFMT_VERSION_MAJOR, WLFMT_VERSION_MINOR, WLFMT_VERSION_PATCH)
// Tests define WLFMT_NO_FAST_PATHS, which leaves everything to the slow paths, and compare these with the fast ones.
#if defined(WLFMT_NO_FAST_PATHS)
#define WLFMT_JOIN_WORDS_(a, b, c, d, e) slow_##a##_##b##_##c##_##d##_##e
#else
#define WLFMT_JOIN_WORDS_(a, b, c, d, e) a##_##b##_##c##_##d##_##e
#endif
#define WLFMT_JOIN_WORDS(a, b, c, d, e) WLFMT_JOIN_WORDS_(a, b, c, d, e)
#define WLFMT_IMPL WLFMT_JOIN_WORDS(WLFMT_VECTORS, WLFMT_DECIMALS, WLFMT_ARITHMETIC, WLFMT_LEVEL, WLFMT_FAILURES)

// Before a function of an exchanged type: its code depends on how the calling source is compiled, which `Build` names.
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

// Distinguishes code compiled with different options: functions that decode text are templates over this tag.
struct build {};

// T as a type that depends on Build: a constant table of it is evaluated only when a template over Build is used.
template <class Build, class T> struct lazily { using type = T; };

// Whether records are tried on the fast paths, for the usual forms, before the slow paths.
#if defined(WLFMT_NO_FAST_PATHS)
inline constexpr bool has_fast_paths = false;
#else
inline constexpr bool has_fast_paths = true;
#endif

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
#endif
