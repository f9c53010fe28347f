#pragma once

namespace glassbox {

// The declaration of a step, in the header of its layer. Steps are identified by address: the same name in
// two layers is two steps.
//     namespace steps::scaled_dot_product {
//     inline constexpr StepInfo logits{layer, "logits", "Q Kᵀ", "How well each query matches each key."};
//     }
// A formula refers to other steps of the layer by name. Parts that depend on the layer's settings are in
// braces, and are filled in from the operation that computed the step (see formula_of):
//     {0} {1}   the name of the first, second input; {0:masked} is called masked where no pass has named it
//     {fill}    the value of a setting
//     {factors} the steps that were multiplied: "causal · padding"
//     {2? + b}  the text after the question mark, if the operation has a third input
// Behind an underscore braces are an index, and stay: "labels_{t+1}".
struct StepInfo {
    const char* layer;     // "scaled_dot_product"
    const char* name;      // "logits", the last component of its path
    const char* formula;   // empty for an input
    const char* sentence;  // what its numbers mean, for the reader of a trace

    // A step of another layer with the same formula and sentence.
    constexpr StepInfo of(const char* other_layer, const char* other_name = nullptr) const {
        return {other_layer, other_name ? other_name : name, formula, sentence};
    }
};

}  // namespace glassbox
