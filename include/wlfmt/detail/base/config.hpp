// Macros that say how this source is compiled. Every wlfmt header includes this file after its other includes; if the
// macros are defined already, it does nothing. A public header ends with config_end.hpp, which undefines them.
#ifndef WLFMT_CONFIG
#define WLFMT_CONFIG 1

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 201703L
#error "wlfmt needs C++17: compile with -std=c++17 or a newer standard (MSVC: /std:c++17)."
#endif

#include "../../version.hpp"

// The vector instructions that scan text. They are chosen at compile time, so that no time is spent on dispatch.
#if defined(WLFMT_NO_SIMD)
#define WLFMT_VECTORS _nosimd
#elif defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#define WLFMT_VECTORS
#define WLFMT_SSE2 1
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define WLFMT_VECTORS
#define WLFMT_NEON 1
#else
#define WLFMT_VECTORS _nosimd
#endif

// The library that reads the decimals that the fast exact path cannot read.
#if !defined(WLFMT_NO_FAST_FLOAT) && defined(__has_include)
#if __has_include(<fast_float/fast_float.h>)
#define WLFMT_FAST_FLOAT 1
#endif
#endif
#if defined(WLFMT_FAST_FLOAT)
#define WLFMT_DECIMALS
#else
#define WLFMT_DECIMALS _charconv
#endif

// Whether files may be mapped into memory.
#if defined(WLFMT_NO_MMAP)
#define WLFMT_FILES _nommap
#else
#define WLFMT_FILES
#endif

// Whether each operation on doubles is rounded once, to nearest (number/exact.hpp says why that matters).
#include <cfloat>
#if defined(__FAST_MATH__) || (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1)
#define WLFMT_ARITHMETIC _fastmath
#define WLFMT_EXACT_ARITHMETIC false
#else
#define WLFMT_ARITHMETIC
#define WLFMT_EXACT_ARITHMETIC true
#endif

// The instructions that the compiler may use: the linker must not pick a function compiled for a newer processor.
#if defined(__AVX512VBMI__)
#define WLFMT_LEVEL _avx512vbmi
#elif defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define WLFMT_LEVEL _avx512
#elif defined(__AVX512F__)
#define WLFMT_LEVEL _avx512f
#elif defined(__AVX2__)
#define WLFMT_LEVEL _avx2
#elif defined(__AVX__)
#define WLFMT_LEVEL _avx
#elif defined(__SSE4_2__)
#define WLFMT_LEVEL _sse42
#elif defined(__SSE3__) || defined(__POPCNT__)
#define WLFMT_LEVEL _sse3
#elif defined(__ARM_FEATURE_SVE)
#define WLFMT_LEVEL _sve
#elif defined(__ARM_FEATURE_ATOMICS)
#define WLFMT_LEVEL _lse
#else
#define WLFMT_LEVEL
#endif
// Options such as -mbmi2 allow single instructions beyond a level.
#if defined(__FMA__)
#define WLFMT_FMA _fma
#else
#define WLFMT_FMA
#endif
#if defined(__BMI2__)
#define WLFMT_BMI2 _bmi2
#else
#define WLFMT_BMI2
#endif
#if defined(__BMI__) || defined(__LZCNT__) || defined(__MOVBE__)
#define WLFMT_BITS _bits
#else
#define WLFMT_BITS
#endif

// Whether running out of memory throws.
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define WLFMT_FAILURES
#else
#define WLFMT_FAILURES _noexcept
#endif

// Tests define WLFMT_NO_FAST_PATHS, which leaves everything to the slow paths, and compare these with the fast ones.
#if defined(WLFMT_NO_FAST_PATHS)
#define WLFMT_PATHS _slow
#else
#define WLFMT_PATHS
#endif

// An inline namespace keeps different builds of wlfmt in one program apart, types included. Its name gives the version
// and what differs from the default build: v1_2_3, v1_2_3_avx2_noexcept. A record cannot be passed between sources that
// are compiled differently, as the linker does not find the function that takes it.
#define WLFMT_JOIN_(a, b, c, d, e, f, g, h, i, j, k, l, m) v##a##_##b##_##c##d##e##f##g##h##i##j##k##l##m
#define WLFMT_JOIN(a, b, c, d, e, f, g, h, i, j, k, l, m) WLFMT_JOIN_(a, b, c, d, e, f, g, h, i, j, k, l, m)
#define WLFMT_ABI                                                                                                 \
    WLFMT_JOIN(WLFMT_VERSION_MAJOR, WLFMT_VERSION_MINOR, WLFMT_VERSION_PATCH, WLFMT_LEVEL, WLFMT_FMA, WLFMT_BMI2, \
               WLFMT_BITS, WLFMT_VECTORS, WLFMT_DECIMALS, WLFMT_ARITHMETIC, WLFMT_FILES, WLFMT_FAILURES, WLFMT_PATHS)

// Marks a parameter or, after a member function's parameters, the object: the result keeps a view of it or a reference
// to it, and Clang warns if the result outlives it.
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define WLFMT_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif
#if !defined(WLFMT_LIFETIMEBOUND)
#define WLFMT_LIFETIMEBOUND
#endif

// Inlining is forced only in optimised builds: elsewhere it would bloat the code and hinder debugging.
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

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Whether the fast paths, which read the usual forms of records, are tried before the slow paths.
#if defined(WLFMT_NO_FAST_PATHS)
inline constexpr bool has_fast_paths = false;
#else
inline constexpr bool has_fast_paths = true;
#endif

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
#endif
