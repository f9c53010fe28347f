#pragma once
#include <functional>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The attention map of one attention layer.
struct AttentionMap {
    std::string path;  // "encoder/0/self_attn"
    Tensor attention;  // (…, h, T, n_k)
};
// Runs `model` under a Trace and returns all its attention maps, in order.
[[nodiscard]] std::vector<AttentionMap> attention_maps(const std::function<void()>& model);

}  // namespace glassbox
