#pragma once

namespace glassbox {

// The precision of float matrix products on a GPU. Accumulation is always in float; the modes differ in how
// many significant bits of each factor are used: all 24 (fp32), 11 (tf32), or 8 (bf16). Fewer bits are
// faster; golden values are reproduced only with fp32. Fused attention always computes in fp32, a double
// build always in double, and the CPU ignores this setting.
enum class Products { fp32, tf32, bf16 };

// For all threads, from the next product on. The default is fp32.
void set_products(Products mode);
[[nodiscard]] Products products();

}  // namespace glassbox
