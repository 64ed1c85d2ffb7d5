// Opens a wlfmt header: every one includes this after its other includes, and detail/end.hpp as its last line.
// No include guard: the macros below live only between the two, so none reaches the user's code.

// The version stands here alone; CMakeLists.txt and meson.build read it from these three lines.
#define WLFMT_VERSION_MAJOR 0
#define WLFMT_VERSION_MINOR 1
#define WLFMT_VERSION_PATCH 0

// Which kernel scans text: chosen at compile time, so that no byte is spent on dispatch.
#if defined(WLFMT_NO_SIMD)
#    define WLFMT_KERNEL portable
#elif defined(__SSE4_1__) || defined(__AVX__)
#    define WLFMT_KERNEL sse41
#    define WLFMT_SSE2 1
#    define WLFMT_SSE41 1
#elif defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#    define WLFMT_KERNEL sse2
#    define WLFMT_SSE2 1
#elif defined(__ARM_NEON) && defined(__aarch64__)
#    define WLFMT_KERNEL neon
#    define WLFMT_NEON 1
#else
#    define WLFMT_KERNEL portable
#endif

// Which library reads the decimals that have no exact short form.
#if !defined(WLFMT_NO_FAST_FLOAT) && defined(__has_include)
#    if __has_include(<fast_float/fast_float.h>)
#        define WLFMT_FAST_FLOAT 1
#    endif
#endif
#if defined(WLFMT_FAST_FLOAT)
#    define WLFMT_DECIMALS fast_float
#else
#    define WLFMT_DECIMALS charconv
#endif

// The inline namespace carries version and configuration: two copies of wlfmt can live in one program.
#define WLFMT_JOIN_(a, b, c, d, e) v##a##_##b##_##c##_##d##_##e
#define WLFMT_JOIN(a, b, c, d, e) WLFMT_JOIN_(a, b, c, d, e)
#define WLFMT_ABI \
    WLFMT_JOIN(WLFMT_VERSION_MAJOR, WLFMT_VERSION_MINOR, WLFMT_VERSION_PATCH, WLFMT_KERNEL, WLFMT_DECIMALS)

#if defined(_MSC_VER) && !defined(__clang__)
#    define WLFMT_INLINE __forceinline
#    define WLFMT_NOINLINE __declspec(noinline)
#    define WLFMT_COLD __declspec(noinline)
#    define WLFMT_LIKELY(x) (x)
#    define WLFMT_UNLIKELY(x) (x)
#else
#    define WLFMT_INLINE inline __attribute__((always_inline))
#    define WLFMT_NOINLINE __attribute__((noinline))
#    define WLFMT_COLD __attribute__((noinline, cold))
#    define WLFMT_LIKELY(x) __builtin_expect(!!(x), 1)
#    define WLFMT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif
