#include <glassbox/layers/decoder_block.h>

#include <glassbox/layers/detail/dropped.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace step = steps::decoder_block;

// y = LayerNorm(x + CausalMultiHead(x)),  z = LayerNorm(y + MultiHead(y, memory)),  LayerNorm(z + FFN(z))
//
// A target position first attends to itself and earlier positions, never to later ones, and then to the whole
// source: the encoder's output gives the keys and values of the second attention.
Tensor DecoderBlock::post_norm(const Tensor& x, const Tensor& memory, const Mask& mask,
                               const Mask& memory_mask, BlockCache* cache) const {
    Tensor residual1 = named(step::residual1, x + self_attended(x, mask, cache));  // (…, T, d_model)
    Tensor y = named(step::norm1, norm1(residual1));                               // (…, T, d_model)
    Tensor residual2 =
        named(step::residual2, y + cross_attended(y, memory, memory_mask, cache));  // (…, T, d_model)
    Tensor z = named(step::norm2, norm2(residual2));                                // (…, T, d_model)
    Tensor residual3 = named(step::residual3, z + transformed(z));                  // (…, T, d_model)
    return named(step::norm3, norm3(residual3));                                    // (…, T, d_model)
}

// The same with each norm before its sublayer.
Tensor DecoderBlock::pre_norm(const Tensor& x, const Tensor& memory, const Mask& mask,
                              const Mask& memory_mask, BlockCache* cache) const {
    Tensor normed1 = named(step::norm1, norm1(x));                               // (…, T, d_model)
    Tensor y = named(step::residual1, x + self_attended(normed1, mask, cache));  // (…, T, d_model)
    Tensor normed2 = named(step::norm2, norm2(y));                               // (…, T, d_model)
    Tensor z =
        named(step::residual2, y + cross_attended(normed2, memory, memory_mask, cache));  // (…, T, d_model)
    Tensor normed3 = named(step::norm3, norm3(z));                                        // (…, T, d_model)
    return named(step::residual3, z + transformed(normed3));                              // (…, T, d_model)
}

Tensor DecoderBlock::self_attended(const Tensor& x, const Mask& mask, BlockCache* cache) const {
    Tensor output = [&] {
        const Scope scope("self_attn");
        return self_attn(x, config_.causal ? Mask::causal() & mask : mask,
                         cache ? &cache->self_attn : nullptr);
    }();
    return dropped(step::dropout1, output, config_.sublayer_dropout);
}

Tensor DecoderBlock::cross_attended(const Tensor& x, const Tensor& memory, const Mask& mask,
                                    BlockCache* cache) const {
    Tensor output = [&] {
        const Scope scope("cross_attn");
        return cross_attn(x, memory, mask, cache ? &cache->cross_attn : nullptr);
    }();
    return dropped(step::dropout2, output, config_.sublayer_dropout);
}

Tensor DecoderBlock::transformed(const Tensor& x) const {
    Tensor output = [&] {
        const Scope scope("mlp");
        return mlp(x);
    }();
    return dropped(step::dropout3, output, config_.sublayer_dropout);
}

Tensor DecoderBlock::operator()(const Tensor& x, const Tensor& memory, const Mask& mask,
                                const Mask& memory_mask, BlockCache* cache) const {
    return config_.placement == NormPlacement::post ? post_norm(x, memory, mask, memory_mask, cache)
                                                    : pre_norm(x, memory, mask, memory_mask, cache);
}

namespace {

const BlockConfig& decoder_checked(const BlockConfig& config) {
    if (config.one_norm || !config.passes_mask || config.norm_dropout > 0)
        fail(
            "decoder_block: needs a separate norm for each sublayer, masks that are passed on, and dropout "
            "on sublayers only; got one_norm {}, passes_mask {}, norm_dropout {}",
            config.one_norm, config.passes_mask, config.norm_dropout);
    return checked("decoder_block", config);
}

}  // namespace

std::string decoder_formula(const BlockConfig& config) {
    return config.placement == NormPlacement::post
               ? "y = LayerNorm(x + CausalMultiHead(x)),  z = LayerNorm(y + MultiHead(y, memory)),  "
                 "LayerNorm(z + FFN(z))"
               : "y = x + CausalMultiHead(LayerNorm(x)),  z = y + MultiHead(LayerNorm(y), memory),  z + "
                 "FFN(LayerNorm(z))";
}

DecoderBlock::DecoderBlock(const BlockConfig& config)
    : self_attn(decoder_checked(config).attention),
      cross_attn(config.attention),
      mlp(config.mlp),
      norm1(config.d_model(), config.norm),
      norm2(config.d_model(), config.norm),
      norm3(config.d_model(), config.norm),
      config_(config) {}

void DecoderBlock::parameters(Parameters& all) {
    all("self_attn", self_attn);
    all("cross_attn", cross_attn);
    all("linear_net", mlp);
    all("norm1", norm1);
    all("norm2", norm2);
    all("norm3", norm3);
    all.choice("norm", name(config_.placement));
}

}  // namespace glassbox
