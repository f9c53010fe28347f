#include "blocks.h"

#include <glassbox/tensor/format.h>

#include "arrays.h"

namespace lesson {

namespace {

FeedForwardWeights feed_forward_weights_of(const Tensors& golden, const std::string& path) {
    return {matrix_of(golden.at(path + "0.weight")), vector_of(golden.at(path + "0.bias")),
            matrix_of(golden.at(path + "3.weight")), vector_of(golden.at(path + "3.bias"))};
}

}  // namespace

NormWeights norm_weights_of(const Tensors& golden, const std::string& path) {
    return {vector_of(golden.at(path + "weight")), vector_of(golden.at(path + "bias"))};
}

EncoderBlockWeights encoder_block_weights_of(const Tensors& golden, const std::string& path) {
    return {attention_weights_of(golden, path + "self_attn."),
            feed_forward_weights_of(golden, path + "linear_net."), norm_weights_of(golden, path + "norm1."),
            norm_weights_of(golden, path + "norm2.")};
}

DecoderBlockWeights decoder_block_weights_of(const Tensors& golden, const std::string& path) {
    return {attention_weights_of(golden, path + "self_attn."),
            attention_weights_of(golden, path + "cross_attn."),
            feed_forward_weights_of(golden, path + "linear_net."),
            norm_weights_of(golden, path + "norm1."),
            norm_weights_of(golden, path + "norm2."),
            norm_weights_of(golden, path + "norm3.")};
}

TransformerWeights transformer_weights_of(const Tensors& golden) {
    TransformerWeights w;
    w.source_embedding = matrix_of(golden.at("source_embedding.weight"));
    w.target_embedding = matrix_of(golden.at("target_embedding.weight"));
    const auto path = [](const char* stack, std::size_t i) { return fmt::format("{}.layers.{}.", stack, i); };
    while (golden.count(path("encoder", w.encoder.size()) + "norm1.weight"))
        w.encoder.push_back(encoder_block_weights_of(golden, path("encoder", w.encoder.size())));
    while (golden.count(path("decoder", w.decoder.size()) + "norm1.weight"))
        w.decoder.push_back(decoder_block_weights_of(golden, path("decoder", w.decoder.size())));
    w.W = matrix_of(golden.at("generator.weight"));
    w.b = vector_of(golden.at("generator.bias"));
    return w;
}

}  // namespace lesson
