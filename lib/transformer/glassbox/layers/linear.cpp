#include <glassbox/layers/linear.h>

#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

// A single 0, broadcast: a model takes no memory for parameters until they are initialised.
Linear Linear::zeros(index_t in, index_t out, bool has_bias) {
    const Tensor zero(real(0));
    return {broadcast_to(zero, {out, in}), has_bias ? broadcast_to(zero, {out}) : Tensor()};
}

namespace step = steps::token_embedding;

// Embedding(token) = √d_model · table[token], which equals its one-hot row times the table
Tensor TokenEmbedding::operator()(const Tensor& ids) const {
    const double d_model = static_cast<double>(weight.size(1));
    Tensor tokens = named(step::tokens, ids);                         // (…, T)
    Tensor rows = named(step::embedding, embedding(weight, tokens));  // (…, T, d_model)
    return named(step::scaled, rows * std::sqrt(d_model));            // (…, T, d_model)
}

TokenEmbedding::TokenEmbedding(index_t vocabulary, index_t d_model) {
    if (vocabulary < 1 || d_model < 1)
        fail("token_embedding: needs at least 1 token and 1 feature, got {} and {}", vocabulary, d_model);
    weight = Tensor::zeros({vocabulary, d_model});
}

}  // namespace glassbox
