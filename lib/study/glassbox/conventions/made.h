#pragma once
#include <glassbox/conventions/draw.h>

namespace glassbox {

// The choices for a layer, and the config that a convention turns them into.
template <class Layer>
struct LayerTraits;

// A layer configured and initialised by a convention:
//     auto block = made<EncoderBlock>(convention("report"), {.d_model = 32, .heads = 4, .d_ff = 64}, stream);
template <class Layer>
Layer made(const Convention& convention, const typename LayerTraits<Layer>::Choices& choices,
           Stream& stream) {
    Layer layer(LayerTraits<Layer>::config(convention, choices));
    draw(layer, convention, stream);
    return layer;
}

// The same by the convention's name: made<EncoderBlock>("paper", …). Throws UsageError that lists the names.
template <class Layer>
Layer made(std::string_view name, const typename LayerTraits<Layer>::Choices& choices, Stream& stream) {
    return made<Layer>(convention(name), choices, stream);
}

// The same in the default convention.
template <class Layer>
Layer made(const typename LayerTraits<Layer>::Choices& choices, Stream& stream) {
    return made<Layer>(conventions().front(), choices, stream);
}

// Most layers have one config for each type of choices …
template <class Choices_>
struct ConfigOf {
    using Choices = Choices_;
    static auto config(const Convention& c, const Choices& choices) { return c.config(choices); }
};
template <>
struct LayerTraits<MultiHeadAttention> : ConfigOf<MultiHeadChoices> {};
template <>
struct LayerTraits<FeedForward> : ConfigOf<FeedForwardChoices> {};
template <>
struct LayerTraits<Predictor> : ConfigOf<PredictorChoices> {};
template <>
struct LayerTraits<Transformer> : ConfigOf<TransformerChoices> {};
template <>
struct LayerTraits<LanguageModel> : ConfigOf<LanguageModelChoices> {};

// … blocks and stacks have one for the encoder and one for the decoder.
template <>
struct LayerTraits<EncoderBlock> {
    using Choices = BlockChoices;
    static BlockConfig config(const Convention& c, const Choices& choices) {
        return c.encoder_block(choices);
    }
};
template <>
struct LayerTraits<DecoderBlock> {
    using Choices = BlockChoices;
    static BlockConfig config(const Convention& c, const Choices& choices) {
        return c.decoder_block(choices);
    }
};
template <>
struct LayerTraits<Encoder> {
    using Choices = StackChoices;
    static StackConfig config(const Convention& c, const Choices& choices) { return c.encoder(choices); }
};
template <>
struct LayerTraits<Decoder> {
    using Choices = StackChoices;
    static StackConfig config(const Convention& c, const Choices& choices) { return c.decoder(choices); }
};

}  // namespace glassbox
