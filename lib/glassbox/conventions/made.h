#pragma once
#include <glassbox/conventions/draw.h>

namespace glassbox {

// The choices that a layer is made from, and the config that a convention turns them into.
template <class Layer>
struct Making;

// A layer configured and initialised by a convention:
//     auto block = made<EncoderBlock>(convention("report"), {.d_model = 32, .heads = 4, .d_ff = 64}, stream);
template <class Layer>
Layer made(const Convention& convention, const typename Making<Layer>::Choices& choices, Stream& stream) {
    Layer layer(Making<Layer>::config(convention, choices));
    draw(layer, convention, stream);
    return layer;
}

// The same by the convention's name: made<EncoderBlock>("paper", …). Throws UsageError that lists the names.
template <class Layer>
Layer made(std::string_view name, const typename Making<Layer>::Choices& choices, Stream& stream) {
    return made<Layer>(convention(name), choices, stream);
}

// The same in the default convention.
template <class Layer>
Layer made(const typename Making<Layer>::Choices& choices, Stream& stream) {
    return made<Layer>(conventions().front(), choices, stream);
}

// Most layers have one config for each type of choices …
template <class Choices_>
struct MakingOf {
    using Choices = Choices_;
    static auto config(const Convention& c, const Choices& choices) { return c.config(choices); }
};
template <>
struct Making<MultiHeadAttention> : MakingOf<MultiHeadChoices> {};
template <>
struct Making<FeedForward> : MakingOf<FeedForwardChoices> {};
template <>
struct Making<Predictor> : MakingOf<PredictorChoices> {};
template <>
struct Making<Transformer> : MakingOf<TransformerChoices> {};
template <>
struct Making<LanguageModel> : MakingOf<LanguageModelChoices> {};

// … blocks and stacks have one for the encoder and one for the decoder.
template <>
struct Making<EncoderBlock> {
    using Choices = BlockChoices;
    static BlockConfig config(const Convention& c, const Choices& choices) {
        return c.encoder_block(choices);
    }
};
template <>
struct Making<DecoderBlock> {
    using Choices = BlockChoices;
    static BlockConfig config(const Convention& c, const Choices& choices) {
        return c.decoder_block(choices);
    }
};
template <>
struct Making<Encoder> {
    using Choices = StackChoices;
    static StackConfig config(const Convention& c, const Choices& choices) { return c.encoder(choices); }
};
template <>
struct Making<Decoder> {
    using Choices = StackChoices;
    static StackConfig config(const Convention& c, const Choices& choices) { return c.decoder(choices); }
};

}  // namespace glassbox
