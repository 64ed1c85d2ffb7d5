// The functions of <emmintrin.h> that wlfmt uses, without the `_mm_` before their names. With GCC, that header is not
// included, which saves a fifteenth of the time that wlfmt.hpp takes to compile.
#ifndef WLFMT_DETAIL_BASE_SSE2_HPP
#define WLFMT_DETAIL_BASE_SSE2_HPP

#include "config.hpp"

#if defined(WLFMT_SSE2)
#if defined(__GNUC__) && !defined(__clang__) && !defined(__INTEL_COMPILER)
#define WLFMT_BUILTINS 1
#else
#include <emmintrin.h>
#endif

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { namespace sse2 {

// WLFMT_SSE2_ROW defines a function NAME, which calls `_mm_NAME` with ARGUMENTS or, for GCC, returns the expression
// after them. WLFMT_SSE2_OF_TWO defines a function of a and b, which in GCC's expression have the vector type TYPE.
#if defined(WLFMT_BUILTINS)
#define WLFMT_SSE2_ROW(RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    WLFMT_INLINE RESULT NAME PARAMETERS noexcept { return __VA_ARGS__; }
#define WLFMT_SSE2_OF_TWO(NAME, TYPE, VALUE)                    \
    WLFMT_INLINE m128i NAME(m128i left, m128i right) noexcept { \
        const auto a = reinterpret_cast<TYPE>(left);            \
        const auto b = reinterpret_cast<TYPE>(right);           \
        return reinterpret_cast<m128i>(VALUE);                  \
    }

using m128i = long long __attribute__((__vector_size__(16), __may_alias__));
using m128d = double __attribute__((__vector_size__(16), __may_alias__));
using unaligned_m128i = long long __attribute__((__vector_size__(16), __may_alias__, __aligned__(1)));
using unaligned_i64 = long long __attribute__((__may_alias__, __aligned__(1)));
using u64 = unsigned long long __attribute__((__vector_size__(16)));
using i32 = int __attribute__((__vector_size__(16)));
using u32 = unsigned __attribute__((__vector_size__(16)));
using i16 = short __attribute__((__vector_size__(16)));
using u16 = unsigned short __attribute__((__vector_size__(16)));
using i8 = signed char __attribute__((__vector_size__(16)));
using u8 = unsigned char __attribute__((__vector_size__(16)));
using bytes = char __attribute__((__vector_size__(16)));
#else
#define WLFMT_SSE2_ROW(RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    WLFMT_INLINE RESULT NAME PARAMETERS noexcept { return _mm_##NAME ARGUMENTS; }
#define WLFMT_SSE2_OF_TWO(NAME, TYPE, VALUE) WLFMT_SSE2_ROW(m128i, NAME, (m128i a, m128i b), (a, b), VALUE)

using m128i = __m128i;
using m128d = __m128d;
using unaligned_m128i = __m128i;
#endif

WLFMT_SSE2_ROW(m128i, setzero_si128, (), (), m128i{0, 0})
WLFMT_SSE2_ROW(m128i, set1_epi8, (char c), (c),
               reinterpret_cast<m128i>(bytes{c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c}))
WLFMT_SSE2_ROW(m128i, set1_epi16, (short n), (n), reinterpret_cast<m128i>(i16{n, n, n, n, n, n, n, n}))
WLFMT_SSE2_ROW(m128i, set1_epi32, (int n), (n), reinterpret_cast<m128i>(i32{n, n, n, n}))
WLFMT_SSE2_ROW(m128i, cvtsi32_si128, (int n), (n), reinterpret_cast<m128i>(i32{n, 0, 0, 0}))
WLFMT_SSE2_ROW(int, cvtsi128_si32, (m128i a), (a), reinterpret_cast<i32>(a)[0])
#if defined(__x86_64__) || defined(_M_X64)
WLFMT_SSE2_ROW(m128i, cvtsi64_si128, (long long n), (n), m128i{n, 0})
WLFMT_SSE2_ROW(long long, cvtsi128_si64, (m128i a), (a), a[0])
#endif
WLFMT_SSE2_ROW(double, cvtsd_f64, (m128d a), (a), a[0])
WLFMT_SSE2_ROW(m128d, cvtepi32_pd, (m128i a), (a), __builtin_ia32_cvtdq2pd(reinterpret_cast<i32>(a)))
WLFMT_SSE2_ROW(int, movemask_epi8, (m128i a), (a), __builtin_ia32_pmovmskb128(reinterpret_cast<bytes>(a)))
WLFMT_SSE2_ROW(m128i, load_si128, (const void* from), (static_cast<const m128i*>(from)),
               *static_cast<const m128i*>(from))
WLFMT_SSE2_ROW(m128i, loadu_si128, (const void* from), (static_cast<const m128i*>(from)),
               *static_cast<const unaligned_m128i*>(from))
WLFMT_SSE2_ROW(m128i, loadl_epi64, (const void* from), (static_cast<const m128i*>(from)),
               m128i{*static_cast<const unaligned_i64*>(from), 0})
WLFMT_SSE2_ROW(void, storeu_si128, (void* out, m128i a), (static_cast<m128i*>(out), a),
               static_cast<void>(*static_cast<unaligned_m128i*>(out) = a))
WLFMT_SSE2_ROW(void, storel_epi64, (void* out, m128i a), (static_cast<m128i*>(out), a),
               static_cast<void>(*static_cast<unaligned_i64*>(out) = a[0]))
WLFMT_SSE2_ROW(m128d, load_pd, (const double* from), (from), *static_cast<const m128d*>(static_cast<const void*>(from)))
WLFMT_SSE2_ROW(m128d, mul_pd, (m128d a, m128d b), (a, b), a* b)
WLFMT_SSE2_ROW(m128d, add_sd, (m128d a, m128d b), (a, b), __builtin_ia32_addsd(a, b))
WLFMT_SSE2_ROW(m128d, unpackhi_pd, (m128d a, m128d b), (a, b), __builtin_ia32_unpckhpd(a, b))
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
WLFMT_SSE2_OF_TWO(unpacklo_epi64, m128i, __builtin_ia32_punpcklqdq128(a, b))
WLFMT_SSE2_OF_TWO(unpackhi_epi64, m128i, __builtin_ia32_punpckhqdq128(a, b))
WLFMT_SSE2_OF_TWO(sll_epi64, m128i, __builtin_ia32_psllq128(a, b))
WLFMT_SSE2_OF_TWO(srl_epi64, m128i, __builtin_ia32_psrlq128(a, b))
WLFMT_SSE2_ROW(m128i, slli_epi16, (m128i a, int bits), (a, bits),
               reinterpret_cast<m128i>(__builtin_ia32_psllwi128(reinterpret_cast<i16>(a), bits)))
WLFMT_SSE2_ROW(m128i, slli_epi32, (m128i a, int bits), (a, bits),
               reinterpret_cast<m128i>(__builtin_ia32_pslldi128(reinterpret_cast<i32>(a), bits)))
WLFMT_SSE2_ROW(m128i, slli_epi64, (m128i a, int bits), (a, bits), __builtin_ia32_psllqi128(a, bits))
WLFMT_SSE2_ROW(m128i, srli_epi16, (m128i a, int bits), (a, bits),
               reinterpret_cast<m128i>(__builtin_ia32_psrlwi128(reinterpret_cast<i16>(a), bits)))
WLFMT_SSE2_ROW(m128i, srli_epi64, (m128i a, int bits), (a, bits), __builtin_ia32_psrlqi128(a, bits))
template <int N>
WLFMT_SSE2_ROW(m128i, slli_si128, (m128i a), (a, N), __builtin_ia32_pslldqi128(a, N * 8))
template <int Order>
WLFMT_SSE2_ROW(m128i, shuffle_epi32, (m128i a), (a, Order),
               reinterpret_cast<m128i>(__builtin_ia32_pshufd(reinterpret_cast<i32>(a), Order)))

#undef WLFMT_SSE2_ROW
#undef WLFMT_SSE2_OF_TWO
#undef WLFMT_BUILTINS

}}}}  // namespace wlfmt::WLFMT_ABI::detail::sse2

#endif
#endif
