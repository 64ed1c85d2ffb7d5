// The instructions of SSE2 that wlfmt uses, under the names of <emmintrin.h> without `_mm_`. GCC has them without that
// header, which takes it a fifteenth of the time that wlfmt.hpp does; other compilers go through it.
#ifndef WLFMT_DETAIL_BASE_SSE2_HPP
#define WLFMT_DETAIL_BASE_SSE2_HPP

#include "config.hpp"

#if defined(WLFMT_SSE2)
#if defined(__GNUC__) && !defined(__clang__) && !defined(__INTEL_COMPILER)
#define WLFMT_BUILTINS 1
#else
#include <emmintrin.h>
#endif

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL { namespace sse2 {

#if defined(WLFMT_BUILTINS)

using m128i = long long __attribute__((__vector_size__(16), __may_alias__));
using m128d = double __attribute__((__vector_size__(16), __may_alias__));
using i64 = long long __attribute__((__vector_size__(16)));
using u64 = unsigned long long __attribute__((__vector_size__(16)));
using i32 = int __attribute__((__vector_size__(16)));
using u32 = unsigned __attribute__((__vector_size__(16)));
using i16 = short __attribute__((__vector_size__(16)));
using u16 = unsigned short __attribute__((__vector_size__(16)));
using i8 = signed char __attribute__((__vector_size__(16)));
using u8 = unsigned char __attribute__((__vector_size__(16)));
using bytes = char __attribute__((__vector_size__(16)));
using doubles = double __attribute__((__vector_size__(16)));

// NAME of two operands of a TYPE.
#define WLFMT_SSE2_OF_TWO(NAME, TYPE, VALUE)                    \
    WLFMT_INLINE m128i NAME(m128i left, m128i right) noexcept { \
        const auto a = reinterpret_cast<TYPE>(left);            \
        const auto b = reinterpret_cast<TYPE>(right);           \
        return reinterpret_cast<m128i>(VALUE);                  \
    }
#define WLFMT_SSE2_SHIFT(NAME, TYPE, BUILTIN)                                     \
    WLFMT_INLINE m128i NAME(m128i a, int bits) noexcept {                         \
        return reinterpret_cast<m128i>(BUILTIN(reinterpret_cast<TYPE>(a), bits)); \
    }

WLFMT_INLINE m128i setzero_si128() noexcept { return m128i{0, 0}; }
WLFMT_INLINE m128i set1_epi8(char c) noexcept {
    return reinterpret_cast<m128i>(bytes{c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c});
}
WLFMT_INLINE m128i set1_epi16(short n) noexcept { return reinterpret_cast<m128i>(i16{n, n, n, n, n, n, n, n}); }
WLFMT_INLINE m128i set1_epi32(int n) noexcept { return reinterpret_cast<m128i>(i32{n, n, n, n}); }
WLFMT_INLINE m128i cvtsi32_si128(int n) noexcept { return reinterpret_cast<m128i>(i32{n, 0, 0, 0}); }
WLFMT_INLINE m128i cvtsi64_si128(long long n) noexcept { return m128i{n, 0}; }
WLFMT_INLINE int cvtsi128_si32(m128i a) noexcept { return reinterpret_cast<i32>(a)[0]; }
WLFMT_INLINE long long cvtsi128_si64(m128i a) noexcept { return a[0]; }
WLFMT_INLINE double cvtsd_f64(m128d a) noexcept { return a[0]; }
WLFMT_INLINE m128d cvtepi32_pd(m128i a) noexcept { return __builtin_ia32_cvtdq2pd(reinterpret_cast<i32>(a)); }
WLFMT_INLINE int movemask_epi8(m128i a) noexcept { return __builtin_ia32_pmovmskb128(reinterpret_cast<bytes>(a)); }
WLFMT_INLINE m128i load_si128(const void* from) noexcept { return *static_cast<const m128i*>(from); }
WLFMT_INLINE m128d load_pd(const double* from) noexcept {
    return *static_cast<const m128d*>(static_cast<const void*>(from));
}
WLFMT_INLINE m128i loadu_si128(const void* from) noexcept {
    m128i a;
    __builtin_memcpy(&a, from, sizeof a);
    return a;
}
WLFMT_INLINE void storeu_si128(void* to, m128i a) noexcept { __builtin_memcpy(to, &a, sizeof a); }
WLFMT_INLINE m128i loadl_epi64(const void* from) noexcept {
    long long n = 0;
    __builtin_memcpy(&n, from, sizeof n);
    return m128i{n, 0};
}
WLFMT_INLINE void storel_epi64(void* to, m128i a) noexcept {
    const long long n = a[0];
    __builtin_memcpy(to, &n, sizeof n);
}
WLFMT_INLINE m128d mul_pd(m128d a, m128d b) noexcept { return a * b; }
WLFMT_INLINE m128d add_sd(m128d a, m128d b) noexcept { return __builtin_ia32_addsd(a, b); }
WLFMT_INLINE m128d unpackhi_pd(m128d a, m128d b) noexcept { return __builtin_ia32_unpckhpd(a, b); }
template <int N> WLFMT_INLINE m128i slli_si128(m128i a) noexcept {
    return reinterpret_cast<m128i>(__builtin_ia32_pslldqi128(a, N * 8));
}
template <int Order> WLFMT_INLINE m128i shuffle_epi32(m128i a) noexcept {
    return reinterpret_cast<m128i>(__builtin_ia32_pshufd(reinterpret_cast<i32>(a), Order));
}

#else

using m128i = __m128i;
using m128d = __m128d;

#define WLFMT_SSE2_OF_TWO(NAME, TYPE, VALUE) \
    WLFMT_INLINE m128i NAME(m128i a, m128i b) noexcept { return _mm_##NAME(a, b); }
#define WLFMT_SSE2_SHIFT(NAME, TYPE, BUILTIN) \
    WLFMT_INLINE m128i NAME(m128i a, int bits) noexcept { return _mm_##NAME(a, bits); }

WLFMT_INLINE m128i setzero_si128() noexcept { return _mm_setzero_si128(); }
WLFMT_INLINE m128i set1_epi8(char c) noexcept { return _mm_set1_epi8(c); }
WLFMT_INLINE m128i set1_epi16(short n) noexcept { return _mm_set1_epi16(n); }
WLFMT_INLINE m128i set1_epi32(int n) noexcept { return _mm_set1_epi32(n); }
WLFMT_INLINE m128i cvtsi32_si128(int n) noexcept { return _mm_cvtsi32_si128(n); }
#if defined(__x86_64__) || defined(_M_X64)
WLFMT_INLINE m128i cvtsi64_si128(long long n) noexcept { return _mm_cvtsi64_si128(n); }
WLFMT_INLINE long long cvtsi128_si64(m128i a) noexcept { return _mm_cvtsi128_si64(a); }
#endif
WLFMT_INLINE int cvtsi128_si32(m128i a) noexcept { return _mm_cvtsi128_si32(a); }
WLFMT_INLINE double cvtsd_f64(m128d a) noexcept { return _mm_cvtsd_f64(a); }
WLFMT_INLINE m128d cvtepi32_pd(m128i a) noexcept { return _mm_cvtepi32_pd(a); }
WLFMT_INLINE int movemask_epi8(m128i a) noexcept { return _mm_movemask_epi8(a); }
WLFMT_INLINE m128i load_si128(const void* from) noexcept { return _mm_load_si128(static_cast<const m128i*>(from)); }
WLFMT_INLINE m128d load_pd(const double* from) noexcept { return _mm_load_pd(from); }
WLFMT_INLINE m128i loadu_si128(const void* from) noexcept { return _mm_loadu_si128(static_cast<const m128i*>(from)); }
WLFMT_INLINE void storeu_si128(void* to, m128i a) noexcept { _mm_storeu_si128(static_cast<m128i*>(to), a); }
WLFMT_INLINE m128i loadl_epi64(const void* from) noexcept { return _mm_loadl_epi64(static_cast<const m128i*>(from)); }
WLFMT_INLINE void storel_epi64(void* to, m128i a) noexcept { _mm_storel_epi64(static_cast<m128i*>(to), a); }
WLFMT_INLINE m128d mul_pd(m128d a, m128d b) noexcept { return _mm_mul_pd(a, b); }
WLFMT_INLINE m128d add_sd(m128d a, m128d b) noexcept { return _mm_add_sd(a, b); }
WLFMT_INLINE m128d unpackhi_pd(m128d a, m128d b) noexcept { return _mm_unpackhi_pd(a, b); }
template <int N> WLFMT_INLINE m128i slli_si128(m128i a) noexcept { return _mm_slli_si128(a, N); }
template <int Order> WLFMT_INLINE m128i shuffle_epi32(m128i a) noexcept { return _mm_shuffle_epi32(a, Order); }

#endif

WLFMT_SSE2_OF_TWO(and_si128, u64, a& b)
WLFMT_SSE2_OF_TWO(andnot_si128, u64, ~a& b)
WLFMT_SSE2_OF_TWO(or_si128, u64, a | b)
WLFMT_SSE2_OF_TWO(xor_si128, u64, a ^ b)
WLFMT_SSE2_OF_TWO(cmpeq_epi8, i8, a == b)
WLFMT_SSE2_OF_TWO(cmplt_epi8, i8, a < b)
WLFMT_SSE2_OF_TWO(cmpgt_epi8, i8, a > b)
WLFMT_SSE2_OF_TWO(add_epi32, u32, a + b)
WLFMT_SSE2_OF_TWO(add_epi64, u64, a + b)
WLFMT_SSE2_OF_TWO(sub_epi8, u8, a - b)
WLFMT_SSE2_OF_TWO(sub_epi16, u16, a - b)
WLFMT_SSE2_OF_TWO(sub_epi32, u32, a - b)
WLFMT_SSE2_OF_TWO(mullo_epi16, u16, a* b)
WLFMT_SSE2_OF_TWO(mulhi_epu16, i16, __builtin_ia32_pmulhuw128(a, b))
WLFMT_SSE2_OF_TWO(mul_epu32, i32, __builtin_ia32_pmuludq128(a, b))
WLFMT_SSE2_OF_TWO(madd_epi16, i16, __builtin_ia32_pmaddwd128(a, b))
WLFMT_SSE2_OF_TWO(adds_epu8, bytes, __builtin_ia32_paddusb128(a, b))
WLFMT_SSE2_OF_TWO(min_epu8, bytes, __builtin_ia32_pminub128(a, b))
WLFMT_SSE2_OF_TWO(max_epu8, bytes, __builtin_ia32_pmaxub128(a, b))
WLFMT_SSE2_OF_TWO(packs_epi32, i32, __builtin_ia32_packssdw128(a, b))
WLFMT_SSE2_OF_TWO(unpacklo_epi8, bytes, __builtin_ia32_punpcklbw128(a, b))
WLFMT_SSE2_OF_TWO(unpackhi_epi8, bytes, __builtin_ia32_punpckhbw128(a, b))
WLFMT_SSE2_OF_TWO(unpacklo_epi64, i64, __builtin_ia32_punpcklqdq128(a, b))
WLFMT_SSE2_OF_TWO(unpackhi_epi64, i64, __builtin_ia32_punpckhqdq128(a, b))
WLFMT_SSE2_OF_TWO(sll_epi64, i64, __builtin_ia32_psllq128(a, b))
WLFMT_SSE2_OF_TWO(srl_epi64, i64, __builtin_ia32_psrlq128(a, b))
WLFMT_SSE2_SHIFT(slli_epi16, i16, __builtin_ia32_psllwi128)
WLFMT_SSE2_SHIFT(slli_epi32, i32, __builtin_ia32_pslldi128)
WLFMT_SSE2_SHIFT(slli_epi64, i64, __builtin_ia32_psllqi128)
WLFMT_SSE2_SHIFT(srli_epi16, i16, __builtin_ia32_psrlwi128)
WLFMT_SSE2_SHIFT(srli_epi64, i64, __builtin_ia32_psrlqi128)

#undef WLFMT_SSE2_OF_TWO
#undef WLFMT_SSE2_SHIFT
#undef WLFMT_BUILTINS

}}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL::sse2

#endif
#endif
