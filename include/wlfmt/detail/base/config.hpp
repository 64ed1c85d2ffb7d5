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

// The instructions that the compiler may use: the linker must not pick a function compiled for a newer processor. Each
// of these levels has all of the ones below it.
#if defined(__AVX512F__)
#define WLFMT_LEVEL _avx512f
#elif defined(__AVX2__)
#define WLFMT_LEVEL _avx2
#elif defined(__AVX__)
#define WLFMT_LEVEL _avx
#elif defined(__SSE4_2__)
#define WLFMT_LEVEL _sse42
#elif defined(__SSE4_1__)
#define WLFMT_LEVEL _sse41
#elif defined(__SSSE3__)
#define WLFMT_LEVEL _ssse3
#elif defined(__SSE3__)
#define WLFMT_LEVEL _sse3
#elif defined(__ARM_FEATURE_SVE2)
#define WLFMT_LEVEL _sve2
#elif defined(__ARM_FEATURE_SVE)
#define WLFMT_LEVEL _sve
#else
#define WLFMT_LEVEL
#endif
#if defined(__POPCNT__) && !defined(__SSE4_2__)
#define WLFMT_POPCNT _popcnt
#elif !defined(__POPCNT__) && defined(__SSE4_2__)
#define WLFMT_POPCNT _nopopcnt
#else
#define WLFMT_POPCNT
#endif
// Instructions beyond a level, as with -mbmi2: all that a compiler may use by itself. It defines their macros as 1.
// Without any of them, which is usual, there are no macros for them, as every header would define these anew.
#if defined(__SSE3__) || defined(__BMI__) || defined(__BMI2__) || defined(__LZCNT__) || defined(__MOVBE__) ||    \
    defined(__TBM__) || defined(__ADX__) || defined(__LAHF_SAHF__) || defined(__GFNI__) || defined(__APX_F__) || \
    defined(__POPCNT__) || defined(__aarch64__) || defined(__arm__)
#define WLFMT_OPTIONS \
    WLFMT_JOIN(WLFMT_BITS, WLFMT_MATHS, WLFMT_AVX512, WLFMT_FURTHER_AVX512, WLFMT_ARM, WLFMT_POPCNT, , )
#define WLFMT_BITS                                                                              \
    WLFMT_JOIN(WLFMT_IF(__BMI__, _bmi), WLFMT_IF(__BMI2__, _bmi2), WLFMT_IF(__LZCNT__, _lzcnt), \
               WLFMT_IF(__MOVBE__, _movbe), WLFMT_IF(__TBM__, _tbm), WLFMT_IF(__ADX__, _adx),   \
               WLFMT_IF(__LAHF_SAHF__, _sahf), WLFMT_IF(__APX_F__, _apx))
#define WLFMT_MATHS                                                                               \
    WLFMT_JOIN(WLFMT_IF(__FMA__, _fma), WLFMT_IF(__FMA4__, _fma4), WLFMT_IF(__XOP__, _xop),       \
               WLFMT_IF(__SSE4A__, _sse4a), WLFMT_IF(__F16C__, _f16c), WLFMT_IF(__GFNI__, _gfni), \
               WLFMT_IF(__AVXVNNI__, _avxvnni), WLFMT_IF(__AVXVNNIINT8__, _avxvnniint8))
#define WLFMT_AVX512                                                                                            \
    WLFMT_JOIN(WLFMT_IF(__AVX512CD__, _cd), WLFMT_IF(__AVX512BW__, _bw), WLFMT_IF(__AVX512DQ__, _dq),           \
               WLFMT_IF(__AVX512VL__, _vl), WLFMT_IF(__AVX512VBMI__, _vbmi), WLFMT_IF(__AVX512VBMI2__, _vbmi2), \
               WLFMT_IF(__AVX512IFMA__, _ifma), WLFMT_IF(__AVX512VNNI__, _vnni))
#define WLFMT_FURTHER_AVX512                                                                                  \
    WLFMT_JOIN(WLFMT_IF(__AVX512BITALG__, _bitalg), WLFMT_IF(__AVX512VPOPCNTDQ__, _vpopcntdq),                \
               WLFMT_IF(__AVX512FP16__, _fp16), WLFMT_IF(__AVX512BF16__, _bf16), WLFMT_IF(__AVX512ER__, _er), \
               WLFMT_IF(__AVX512PF__, _pf), WLFMT_IF(__AVX10_2__, _avx10), )
#define WLFMT_ARM                                                                                \
    WLFMT_JOIN(WLFMT_IF(__ARM_FEATURE_ATOMICS, _lse), WLFMT_IF(__ARM_FEATURE_DOTPROD, _dotprod), \
               WLFMT_IF(__ARM_FEATURE_RCPC, _rcpc), WLFMT_IF(__ARM_FEATURE_SHA3, _sha3),         \
               WLFMT_IF(__ARM_FEATURE_MATMUL_INT8, _i8mm), WLFMT_IF(__ARM_FEATURE_CSSC, _cssc),  \
               WLFMT_IF(__ARM_FEATURE_MOPS, _mops), WLFMT_IF(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC, _fp16))
// WLFMT_IF(macro, name) is the name if the macro is 1, and nothing if it is not defined.
#define WLFMT_IF(macro, name) WLFMT_IF_(macro, name)
#define WLFMT_IF_(value, name) WLFMT_CHOOSE(WLFMT_IS_##value, name)
#define WLFMT_IS_1 ,
#define WLFMT_CHOOSE(first, name) WLFMT_EXPAND(WLFMT_SECOND(first name, , ))
#define WLFMT_SECOND(a, b, ...) b
#define WLFMT_EXPAND(x) x
#else
#define WLFMT_OPTIONS
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
#define WLFMT_JOIN_(a, b, c, d, e, f, g, h) a##b##c##d##e##f##g##h
#define WLFMT_JOIN(a, b, c, d, e, f, g, h) WLFMT_JOIN_(a, b, c, d, e, f, g, h)
#define WLFMT_VERSION \
    WLFMT_JOIN(v, WLFMT_VERSION_MAJOR, _, WLFMT_VERSION_MINOR, _, WLFMT_VERSION_PATCH, WLFMT_LEVEL, WLFMT_OPTIONS)
#define WLFMT_ABI                                                                                           \
    WLFMT_JOIN(WLFMT_VERSION, WLFMT_VECTORS, WLFMT_DECIMALS, WLFMT_ARITHMETIC, WLFMT_FILES, WLFMT_FAILURES, \
               WLFMT_PATHS, )

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
