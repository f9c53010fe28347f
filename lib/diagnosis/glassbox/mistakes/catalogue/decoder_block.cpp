#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/models/stack.h>

namespace glassbox::catalogue {

using namespace wrong;

namespace {

// The cross-attention's step kv of another memory.
Tensor keys_and_values(const Frame& f, const Tensor& memory) {
    return memory.defined() && memory.shape() == input(f, 0).shape()
               ? glassbox::linear(memory, input(f, 1), input(f, 2))
               : not_here;
}
// The last step of encoder block i, or an undefined tensor.
Tensor encoder_block_output(const Frame& f, int i) {
    const std::string scope = "encoder/" + std::to_string(i) + "/";
    const index_t norm = f.trace().position_of(scope + "norm2");
    const index_t residual = f.trace().position_of(scope + "residual2");
    if (norm < 0 || residual < 0) return not_here;
    return f.trace()[scope + (norm > residual ? "norm2" : "residual2")];
}

}  // namespace

// What a decoder block attends to, and what from.
std::vector<Mistake> decoder_block() {
    const StepInfo& q = steps::multi_head_attention::q;
    const StepInfo& kv = steps::multi_head_attention::kv;
    const auto queries = [](const Frame& f, const Tensor& x) {
        return x.defined() ? glassbox::linear(x, input(f, 1), input(f, 2)) : not_here;
    };
    return {
        {q, "from-block-input", "x W_Qᵀ + b, x the block's input",
         "The queries come from the block's input, skipping the self-attention.",
         [queries](const Frame& f, const Tensor&) {
             return queries(f, input_at(f, outer_scope(f) + "residual1", 0));
         }},
        {q, "not-normed", "residual1 W_Qᵀ + b", "The queries come from the sum before the norm.",
         [queries](const Frame& f, const Tensor&) {
             const Tensor sum = step_at(f, outer_scope(f) + "residual1");
             return sum.defined() ? queries(f, sum) : not_here;
         }},
        {q, "from-self-attention", "self_attn/output W_Qᵀ + b",
         "The queries come from the self-attention's output alone, without residual and norm.",
         [queries](const Frame& f, const Tensor&) {
             return queries(f, input_at(f, outer_scope(f) + "residual1", 1));
         }},
        {kv, "not-encoded", "keys and values of the encoder's input",
         "The decoder attends to the encoder's input instead of its output, the memory.",
         [](const Frame& f, const Tensor&) {
             return keys_and_values(f, step_at(f, "source/positional/output"));
         }},
        {kv, "each-its-own", "keys and values of encoder block i for decoder block i",
         "Each decoder block attends to its own encoder block; all should attend to the last one's output.",
         [](const Frame& f, const Tensor&) {
             return keys_and_values(f, encoder_block_output(f, block_of(f.path()).value));
         }},
    };
}

}  // namespace glassbox::catalogue
