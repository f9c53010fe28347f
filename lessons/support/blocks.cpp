#include "blocks.h"

#include <stdexcept>

#include <glassbox/tensor/format.h>

#include "arrays.h"
#include "compare.h"

namespace lesson {

using glassbox::real;

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

Tensor tensor_of(const Matrix& m) {
    std::vector<real> values;
    append(values, m);
    return Tensor({m.rows(), m.columns()}, values);
}

Tensor tensor_of(const Matrices& m) {
    std::vector<real> values;
    for (int i = 0; i < m.count(); ++i) append(values, m[i]);
    return m.count() == 0 ? Tensor() : Tensor({m.count(), m[0].rows(), m[0].columns()}, values);
}

Tensor tensor_of(const Vector& v) {
    std::vector<real> values;
    for (int i = 0; i < v.size(); ++i) values.push_back(static_cast<real>(v(i)));
    return Tensor({v.size()}, values);
}

std::string first_that_gives(const Tensor& step, const std::vector<Mistake>& mistakes) {
    for (const Mistake& mistake : mistakes) try {
            if (agree(step, mistake.made())) return mistake.reason;
        } catch (const std::out_of_range&) {  // impossible with these sizes: another mistake
        }
    return "";
}

}  // namespace lesson
