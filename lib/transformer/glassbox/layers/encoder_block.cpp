#include <glassbox/layers/encoder_block.h>

#include <glassbox/layers/detail/dropped.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace step = steps::encoder_block;

// y = LayerNorm(x + MultiHead(x)),  z = LayerNorm(y + FFN(y))
//
// Attention mixes the positions; the feed-forward network processes each one separately. Each sublayer's
// output is added to its input rather than replacing it, so that information is preserved and gradients flow
// straight through; the norm rescales every position.
Tensor EncoderBlock::post_norm(const Tensor& x, const Mask& mask, BlockCache* cache) const {
    Tensor y = named(step::residual1, x + attended(x, mask, cache));  // (…, T, d_model)
    y = named(step::norm1, norm1(y));                                 // (…, T, d_model)
    y = dropped(step::norm_dropout1, y, config_.norm_dropout);
    Tensor z = named(step::residual2, y + transformed(y));  // (…, T, d_model)
    z = named(second_norm_step(), second_norm()(z));        // (…, T, d_model)
    return dropped(step::norm_dropout2, z, config_.norm_dropout);
}

// y = x + MultiHead(LayerNorm(x)),  z = y + FFN(LayerNorm(y)): the residual path contains no norm.
Tensor EncoderBlock::pre_norm(const Tensor& x, const Mask& mask, BlockCache* cache) const {
    Tensor normed1 = named(step::norm1, norm1(x));  // (…, T, d_model)
    normed1 = dropped(step::norm_dropout1, normed1, config_.norm_dropout);
    Tensor y = named(step::residual1, x + attended(normed1, mask, cache));  // (…, T, d_model)
    Tensor normed2 = named(second_norm_step(), second_norm()(y));           // (…, T, d_model)
    normed2 = dropped(step::norm_dropout2, normed2, config_.norm_dropout);
    return named(step::residual2, y + transformed(normed2));  // (…, T, d_model)
}

Tensor EncoderBlock::attended(const Tensor& x, const Mask& mask, BlockCache* cache) const {
    const Mask used_mask = config_.passes_mask ? mask : Mask::none();
    Tensor output = [&] {
        const Scope scope("self_attn");
        return self_attn(x, used_mask, cache ? &cache->self_attn : nullptr);
    }();
    return dropped(step::dropout1, output, config_.sublayer_dropout);
}

Tensor EncoderBlock::transformed(const Tensor& x) const {
    Tensor output = [&] {
        const Scope scope("mlp");
        return mlp(x);
    }();
    return dropped(step::dropout2, output, config_.sublayer_dropout);
}

Tensor EncoderBlock::operator()(const Tensor& x, const Mask& mask, BlockCache* cache) const {
    return config_.placement == NormPlacement::post ? post_norm(x, mask, cache) : pre_norm(x, mask, cache);
}

const BlockConfig& checked(const char* op, const BlockConfig& config) {
    const MultiHeadConfig& attention = config.attention;
    const index_t d_in = attention.d_in ? attention.d_in : attention.d_model;
    if (attention.d_model != config.mlp.d_model || d_in != attention.d_model)
        fail("{}: attention and feed-forward network need the same d_model, got {} from {} and {}", op,
             attention.d_model, d_in, config.mlp.d_model);
    return config;
}

std::string formula(const BlockConfig& config) {
    return config.placement == NormPlacement::post
               ? "y = LayerNorm(x + MultiHead(x)),  z = LayerNorm(y + FFN(y))"
               : "y = x + MultiHead(LayerNorm(x)),  z = y + FFN(LayerNorm(y))";
}

EncoderBlock::EncoderBlock(const BlockConfig& config)
    : self_attn(checked("encoder_block", config).attention),
      mlp(config.mlp),
      norm1(config.d_model(), config.norm),
      norm2(config.d_model(), config.norm),
      config_(config) {}

void EncoderBlock::parameters(Parameters& all) {
    all("self_attn", self_attn);
    all("linear_net", mlp);
    all("norm1", norm1);
    if (!config_.one_norm) all("norm2", norm2);
    all.choice("norm", name(config_.placement));
}

}  // namespace glassbox
