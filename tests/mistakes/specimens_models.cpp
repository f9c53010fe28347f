#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

#include "mistakes/specimens.h"

using namespace glassbox;

namespace specimens {

namespace {

// A model with parameters of all kinds: none is 0 or 1.
template <class Model>
Model filled(Model model, Stream& stream) {
    parameters_of(model).for_each([&](Tensor& each) { each = stream.normal(each.shape()) * 0.6; });
    return model;
}

BlockConfig block(NormPlacement placement, Activation activation = Activation::relu, bool one_norm = false) {
    BlockConfig config;
    config.attention.d_model = config.mlp.d_model = 4;
    config.attention.heads = 2;
    config.mlp.d_ff = 6;
    config.mlp.activation = activation;
    config.norm.epsilon = 1e-3;  // so that it shows
    config.placement = placement;
    config.one_norm = one_norm;
    return config;
}

StackConfig stack(NormPlacement placement, index_t layers) {
    return {block(placement), layers, placement == NormPlacement::pre};
}

// Rows of large, usual and hardly any variance: (2, 3, d).
Tensor rows(Stream& stream, index_t d) {
    const Tensor offsets = stream.normal({2, 3, 1});  // drawn first: the operands of + have no order
    return stream.normal({2, 3, d}) * Tensor({3, 1}, {2, 0.7, 0.02}) + offsets;
}

}  // namespace

std::vector<Specimen> of_models() {
    const auto stream = make_stream(Rng::numpy, 7);
    Stream& s = *stream;
    std::vector<Specimen> all;
    const auto add = [&](const char* name, const char* result, std::function<void()> forward) {
        all.push_back({name, {std::move(forward), result}});
    };

    for (const index_t d : {5, 6}) {  // odd and even
        LayerNorm norm(d, {.epsilon = 1e-3});
        norm = filled(norm, s);
        const Tensor x = rows(s, d);
        add("a norm", "norm1", [=] { (void)named(steps::encoder_block::norm1, norm(x)); });
    }
    const Linear wide{s.normal({5, 4}), s.normal({5})}, square{s.normal({4, 4}), s.normal({4})};
    const Tensor x = rows(s, 4), four_rows = s.normal({4, 4}), memory = s.normal({2, 5, 4});
    add("a linear layer", "linear", [=] { (void)named(steps::predictor::linear, wide(x)); });
    add("a square linear layer", "linear", [=] { (void)named(steps::predictor::linear, square(x)); });
    add("a square of everything", "linear",
        [=] { (void)named(steps::predictor::linear, square(four_rows)); });

    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
        const FeedForward net = filled(FeedForward({4, 6, 0, activation}), s);
        add("a feed-forward network", "output", [=] { (void)net(x * 3); });
    }

    for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
        const char* encoded = placement == NormPlacement::post ? "norm2" : "residual2";
        const char* decoded = placement == NormPlacement::post ? "norm3" : "residual3";
        for (const Activation activation : {Activation::relu, Activation::gelu}) {
            const EncoderBlock encoder = filled(EncoderBlock(block(placement, activation)), s);
            add("an encoder block", encoded, [=] { (void)encoder(x, Mask::lengths({3, 2})); });
        }
        const EncoderBlock shared = filled(EncoderBlock(block(placement, Activation::relu, true)), s);
        add("an encoder block with one norm", encoded, [=] { (void)shared(x); });
        const DecoderBlock decoder = filled(DecoderBlock(block(placement)), s);
        for (const Mask& padding : {Mask(), Mask::lengths({3, 2})})
            add("a decoder block", decoded, [=] {
                (void)decoder(x, memory, padding, Mask::lengths({5, 3}));
            });
    }

    const Encoder post = filled(Encoder(stack(NormPlacement::post, 3)), s);
    add("three blocks", "encoder/2/norm2", [=] { (void)post(x); });
    const Encoder pre = filled(Encoder(stack(NormPlacement::pre, 2)), s);
    add("two blocks and a norm", "encoder/norm", [=] { (void)pre(x); });

    PredictorConfig config{.d_in = 5, .classes = 3, .encoder = stack(NormPlacement::post, 2)};
    const Tensor elements = s.normal({2, 3, 5});
    for (const Pooling pooling : {Pooling::none, Pooling::mean, Pooling::cls}) {
        config.pooling = pooling;
        const Predictor predictor = filled(Predictor(config), s);
        add("a predictor", "logits", [=] { (void)predictor(elements, Mask::lengths({3, 2})); });
        add("a predictor's probabilities", "softmax", [=] { (void)predictor(elements); });
    }
    config.deep_output_net = false, config.positional_encoding = false;
    const Predictor flat = filled(Predictor(config), s);
    add("a predictor with one output layer", "logits", [=] { (void)flat(elements); });

    const TransformerConfig sizes{.source_vocabulary = 7,
                                  .target_vocabulary = 7,
                                  .encoder = stack(NormPlacement::post, 2),
                                  .decoder = stack(NormPlacement::post, 2)};
    const Transformer transformer = filled(Transformer(sizes), s);
    const Tensor source({2, 4}, {3, 6, 4, 2, 5, 2, 0, 0}), target({2, 3}, {1, 5, 3, 1, 4, 6});
    const Mask padding = Mask::lengths({4, 2});
    add("a transformer", "logits", [=] { (void)transformer(source, target, padding); });
    add("a transformer's probabilities", "softmax", [=] { (void)transformer(source, target, padding); });
    TransformerConfig pre_norm = sizes;
    pre_norm.encoder = pre_norm.decoder = stack(NormPlacement::pre, 1);
    const Transformer other = filled(Transformer(pre_norm), s);
    add("a pre-norm transformer", "logits", [=] { (void)other(source, target, padding); });
    return all;
}

}  // namespace specimens
