#pragma once

namespace glassbox {

// What a layer says of one of its steps: once, in the layer's own header. Its address tells it from all
// others: the same word in two layers is two steps.
//     namespace steps::scaled_dot_product {
//     inline constexpr StepInfo logits{layer, "logits", "Q Kᵀ", "How well each query matches each key."};
//     }
// A formula names the steps beside it. What depends on the layer's setting stands in braces, and is read from
// the operation that made the step (see formula_of):
//     {0} {1}   the step that its first, its second input is: "softmax({0})" is softmax(masked) with a mask
//     {fill}    a setting
//     {2? + b}  the text behind the question mark, where the operation has a third input
struct StepInfo {
    const char* layer;     // "scaled_dot_product"
    const char* name;      // "logits", the last part of its path
    const char* formula;   // empty for an input
    const char* sentence;  // what it means, to somebody who looks at its numbers

    // Where another layer has a step of which the same is to be said.
    constexpr StepInfo of(const char* other_layer, const char* other_name = nullptr) const {
        return {other_layer, other_name ? other_name : name, formula, sentence};
    }
};

}  // namespace glassbox
