#include <glassbox/conventions/convention.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

MultiHeadConfig Convention::config(const MultiHeadChoices& c) const {
    return {c.d_model, c.heads, c.d_in, c.bias, qkv, mask_fill};
}

FeedForwardConfig Convention::config(const FeedForwardChoices& c) const {
    return {c.d_model, d_ff_factor ? d_ff_factor * c.d_model : c.d_ff, c.dropout,
            c.activation == Activation::gelu ? gelu : c.activation};
}

BlockConfig Convention::decoder_block(const BlockChoices& c) const {
    BlockConfig block;
    block.attention = config(MultiHeadChoices{c.d_model, c.heads, 0, c.bias});
    block.mlp = config(FeedForwardChoices{c.d_model, c.d_ff, c.dropout, c.activation});
    block.norm = norm_config();
    block.placement = c.norm;
    block.sublayer_dropout = c.dropout;
    return block;
}

BlockConfig Convention::encoder_block(const BlockChoices& c) const {
    BlockConfig block = decoder_block(c);
    block.one_norm = shares_norm;
    block.passes_mask = passes_mask;
    block.sublayer_dropout = dropout == DropoutPlace::sublayer ? c.dropout : 0;
    block.norm_dropout = dropout == DropoutPlace::norm ? c.dropout : 0;
    return block;
}

StackConfig Convention::encoder(const StackChoices& c) const {
    return {encoder_block(c.block), c.layers, c.final_norm};
}

StackConfig Convention::decoder(const StackChoices& c) const {
    return {decoder_block(c.block), c.layers, c.final_norm};
}

PredictorConfig Convention::config(const PredictorChoices& c) const {
    PredictorConfig predictor{c.d_in, c.classes, encoder(c.encoder)};
    predictor.input_dropout = c.input_dropout;
    predictor.input_dropout_after = input_dropout_after;
    predictor.positional_encoding = c.positional_encoding;
    predictor.positions = positions();
    predictor.pooling = c.pooling;
    predictor.deep_output_net = deep_output_net;
    predictor.output_dropout = c.encoder.block.dropout;
    return predictor;
}

TransformerConfig Convention::config(const TransformerChoices& c) const {
    return {c.source_vocabulary, c.target_vocabulary, encoder(c.encoder),
            decoder(c.decoder),  positions(),         c.tied};
}

LanguageModelConfig Convention::config(const LanguageModelChoices& c) const {
    if (!passes_mask)
        fail("decoder: convention {} does not pass masks on to attention, so it has no causal model", name);
    return {c.vocabulary, encoder(c.decoder), positions(), c.tied};
}

}  // namespace glassbox
