#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// Apart from backend.h, which nvcc reads: it does not compile {fmt}.
template <>
struct EnumWords<Products> {
    static constexpr const char* what = "products";
    static constexpr Word<Products> all[] = {
        {Products::fp32, "fp32"}, {Products::tf32, "tf32"}, {Products::bf16, "bf16"}};
};

}  // namespace glassbox
