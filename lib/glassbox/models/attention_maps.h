#pragma once
#include <functional>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The attention maps of a stack: one tensor (…, h, T, n_k) a block and kind of attention, in order.
struct AttentionMap {
    std::string path;  // "encoder/0/self_attn"
    Tensor attention;
};
// Runs `model` step by step and collects every attention map it makes.
[[nodiscard]] std::vector<AttentionMap> attention_maps(const std::function<void()>& model);

}  // namespace glassbox
