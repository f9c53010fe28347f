#pragma once

namespace glassbox {

// How a GPU multiplies matrices of floats. Sums are always made in float; what differs is how many digits of
// each factor count: all 24 bits (fp32), the upper 11 (tf32), or the upper 8 (bf16). Fewer digits are faster,
// and golden values hold with fp32 alone. Fused attention always computes in fp32, a build in double always
// in double, and the CPU pays no heed.
enum class Products { fp32, tf32, bf16 };

// For all threads, from the next product on. fp32 until it is set.
void set_products(Products mode);
[[nodiscard]] Products products();

}  // namespace glassbox
