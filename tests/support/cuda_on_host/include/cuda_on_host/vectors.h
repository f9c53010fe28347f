#pragma once
// CUDA's small vectors with their alignments: on a GPU a misaligned float4 load is an error.

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

#define CUDA_ON_HOST_VECTORS(scalar, name)                                            \
    struct alignas(2 * sizeof(scalar)) name##2 {                                      \
        scalar x, y;                                                                  \
    };                                                                                \
    struct name##3 {                                                                  \
        scalar x, y, z;                                                               \
    };                                                                                \
    struct alignas(sizeof(scalar) == 8 ? 16 : 4 * sizeof(scalar)) name##4 {           \
        scalar x, y, z, w;                                                            \
    };                                                                                \
    inline name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }              \
    inline name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; } \
    inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

CUDA_ON_HOST_VECTORS(float, float)
CUDA_ON_HOST_VECTORS(double, double)
CUDA_ON_HOST_VECTORS(int, int)
CUDA_ON_HOST_VECTORS(long long, longlong)
CUDA_ON_HOST_VECTORS(unsigned char, uchar)
#undef CUDA_ON_HOST_VECTORS

struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
