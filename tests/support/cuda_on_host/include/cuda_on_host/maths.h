#pragma once
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>

// Device functions that <cmath> lacks. The fast ones (__expf …) are exact here; their error shows only on a
// GPU.

using std::max;
using std::min;
// With mixed argument types, as in CUDA: the common type.
#define CUDA_ON_HOST_MIXED(A, B, R)                                                   \
    inline R max(A a, B b) { return std::max(static_cast<R>(a), static_cast<R>(b)); } \
    inline R min(A a, B b) { return std::min(static_cast<R>(a), static_cast<R>(b)); } \
    inline R max(B a, A b) { return std::max(static_cast<R>(a), static_cast<R>(b)); } \
    inline R min(B a, A b) { return std::min(static_cast<R>(a), static_cast<R>(b)); }
CUDA_ON_HOST_MIXED(int, unsigned, unsigned)
CUDA_ON_HOST_MIXED(int, long, long)
CUDA_ON_HOST_MIXED(int, long long, long long)
CUDA_ON_HOST_MIXED(unsigned, unsigned long, unsigned long)
CUDA_ON_HOST_MIXED(float, double, double)
#undef CUDA_ON_HOST_MIXED

inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.0f, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return std::fmin(std::fmax(x, 0.0f), 1.0f); }
inline float normcdff(float x) { return 0.5f * std::erfc(-x * 0.70710678118654752f); }
inline double normcdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752); }

// Rounded to nearest, never fused.
inline float __fadd_rn(float x, float y) {
    volatile float sum = x + y;
    return sum;
}
inline float __fsub_rn(float x, float y) {
    volatile float sum = x - y;
    return sum;
}
inline float __fmul_rn(float x, float y) {
    volatile float product = x * y;
    return product;
}
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline double __dadd_rn(double x, double y) {
    volatile double sum = x + y;
    return sum;
}
inline double __dsub_rn(double x, double y) {
    volatile double sum = x - y;
    return sum;
}
inline double __dmul_rn(double x, double y) {
    volatile double product = x * y;
    return product;
}
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }

// Numbers outside the integer range are clamped, NaN becomes 0.
namespace cuda_on_host {
template <typename Int, typename Float>
Int saturate(Float x) {
    if (std::isnan(x)) return 0;
    const double low =
        static_cast<double>(std::is_signed<Int>::value ? Int(Int(1) << (sizeof(Int) * 8 - 1)) : Int(0));
    const double limit = std::ldexp(1.0, sizeof(Int) * 8 - (std::is_signed<Int>::value ? 1 : 0));
    if (x < low) return static_cast<Int>(low);
    if (x >= limit) return static_cast<Int>(~static_cast<Int>(low));
    return static_cast<Int>(x);
}
template <typename To, typename From>
To bits(From x) {
    static_assert(sizeof(To) == sizeof(From), "the bits of one are those of the other");
    To y;
    std::memcpy(&y, &x, sizeof y);
    return y;
}
}  // namespace cuda_on_host
inline unsigned __float2uint_rn(float x) { return cuda_on_host::saturate<unsigned>(std::nearbyint(x)); }
inline unsigned __float2uint_rz(float x) { return cuda_on_host::saturate<unsigned>(std::trunc(x)); }
inline int __float2int_rn(float x) { return cuda_on_host::saturate<int>(std::nearbyint(x)); }
inline int __float2int_rz(float x) { return cuda_on_host::saturate<int>(std::trunc(x)); }
inline int __float2int_rd(float x) { return cuda_on_host::saturate<int>(std::floor(x)); }
inline int __double2int_rn(double x) { return cuda_on_host::saturate<int>(std::nearbyint(x)); }
inline long long __double2ll_rn(double x) { return cuda_on_host::saturate<long long>(std::nearbyint(x)); }
inline long long __float2ll_rn(float x) { return cuda_on_host::saturate<long long>(std::nearbyint(x)); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline int __float_as_int(float x) { return cuda_on_host::bits<int>(x); }
inline unsigned __float_as_uint(float x) { return cuda_on_host::bits<unsigned>(x); }
inline float __int_as_float(int x) { return cuda_on_host::bits<float>(x); }
inline float __uint_as_float(unsigned x) { return cuda_on_host::bits<float>(x); }
inline long long __double_as_longlong(double x) { return cuda_on_host::bits<long long>(x); }
inline double __longlong_as_double(long long x) { return cuda_on_host::bits<double>(x); }

inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<std::uint64_t>(x) * y) >> 32);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    shift &= 31;
    return shift ? (high << shift) | (low >> (32 - shift)) : high;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    shift &= 31;
    return shift ? (low >> shift) | (high << (32 - shift)) : low;
}

// Loads and stores with cache hints.
template <typename T>
T __ldg(const T* p) {
    return *p;
}
template <typename T>
T __ldcs(const T* p) {
    return *p;
}
template <typename T>
T __ldcg(const T* p) {
    return *p;
}
template <typename T>
void __stcs(T* p, T x) {
    *p = x;
}
template <typename T>
void __stcg(T* p, T x) {
    *p = x;
}
