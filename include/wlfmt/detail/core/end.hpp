// Closes a wlfmt header: takes back what detail/begin.hpp defined.
#undef WLFMT_VERSION_MAJOR
#undef WLFMT_VERSION_MINOR
#undef WLFMT_VERSION_PATCH
#undef WLFMT_KERNEL
#undef WLFMT_SSE2
#undef WLFMT_SSE41
#undef WLFMT_NEON
#undef WLFMT_FAST_FLOAT
#undef WLFMT_DECIMALS
#undef WLFMT_JOIN_
#undef WLFMT_JOIN
#undef WLFMT_ABI
#undef WLFMT_INLINE
#undef WLFMT_NOINLINE
#undef WLFMT_COLD
#undef WLFMT_LIKELY
#undef WLFMT_UNLIKELY
