#include <glassbox/conventions/draw.h>

#include <glassbox/ops/ops.h>

namespace glassbox {

namespace {

// Three layers' rows in the order of the stacked projection.
Tensor stacked(const std::vector<Tensor>& parts, const MultiHeadConfig& config) {
    if (!parts.front().defined()) return {};
    if (config.qkv_layout == QkvLayout::stacked) return contiguous(concat(parts, 0));
    const Shape& shape = parts.front().shape();  // (d_model, d_in), or of biases (d_model)
    Shape by_head{config.heads, 1, shape[0] / config.heads};
    if (shape.rank() == 2) by_head = by_head.with_appended(shape[1]);
    std::vector<Tensor> heads;
    for (const Tensor& part : parts) heads.push_back(reshape(part, by_head));
    return contiguous(reshape(concat(heads, 1), shape.with(0, 3 * shape[0])));
}

using MakeLinear = Linear (*)(Stream&, index_t in, index_t out, Init, bool bias);

void draw_separately(MultiHeadAttention& attention, const Convention& c, Stream& stream, MakeLinear make) {
    const MultiHeadConfig& config = attention.config();
    const index_t d = config.d_model, d_in = attention.qkv_proj.weight.size(1);
    std::vector<Tensor> weights, biases;
    for (int i = 0; i < 3; ++i) {
        const Linear each = make(stream, d_in, d, c.init, config.bias);
        weights.push_back(each.weight);
        biases.push_back(each.bias);
    }
    attention.qkv_proj.weight = stacked(weights, config);
    attention.qkv_proj.bias = stacked(biases, config);
    attention.o_proj = make(stream, d, d, c.init, config.bias);
}

// One layer for all three, and the output's before or after it.
void draw_together(MultiHeadAttention& attention, const Convention& c, Stream& stream, MakeLinear make,
                   bool o_proj_first) {
    const index_t d = attention.config().d_model, d_in = attention.qkv_proj.weight.size(1);
    const bool bias = attention.config().bias;
    if (o_proj_first) attention.o_proj = make(stream, d, d, c.init, bias);
    attention.qkv_proj = make(stream, d_in, 3 * d, c.init, bias);
    if (!o_proj_first) attention.o_proj = make(stream, d, d, c.init, bias);
}

}  // namespace

void draw(MultiHeadAttention& attention, const Convention& c, Stream& stream) {
    const bool is_replaced = c.init == Init::torch;  // torch.nn.Linear has drawn for itself before
    switch (c.projections) {
        case ProjectionDraw::xavier:
            if (is_replaced) draw_together(attention, c, stream, make_linear, c.draws_o_proj_first);
            return draw_together(attention, c, stream, xavier_linear, false);
        case ProjectionDraw::xavier_alone:
            return draw_together(attention, c, stream, xavier_linear, c.draws_o_proj_first);
        case ProjectionDraw::linear:
            return draw_together(attention, c, stream, make_linear, c.draws_o_proj_first);
        case ProjectionDraw::separate_xavier:
            if (is_replaced) draw_separately(attention, c, stream, make_linear);
            return draw_separately(attention, c, stream, xavier_linear);
        case ProjectionDraw::separate_linear:
            return draw_separately(attention, c, stream, make_linear);
    }
}

void draw(Linear& layer, const Convention& c, Stream& stream) {
    layer = make_linear(stream, layer.weight.size(1), layer.weight.size(0), c.init, layer.bias.defined());
}

void draw(FeedForward& network, const Convention& c, Stream& stream) {
    draw(network.first, c, stream);
    draw(network.second, c, stream);
}

void draw(EncoderBlock& block, const Convention& c, Stream& stream) {
    draw(block.self_attn, c, stream);
    draw(block.mlp, c, stream);
}

void draw(DecoderBlock& block, const Convention& c, Stream& stream) {
    draw(block.self_attn, c, stream);
    draw(block.cross_attn, c, stream);
    draw(block.mlp, c, stream);
}

void draw(Encoder& encoder, const Convention& c, Stream& stream) {
    for (EncoderBlock& block : encoder.layers) draw(block, c, stream);
}

void draw(Decoder& decoder, const Convention& c, Stream& stream) {
    for (DecoderBlock& block : decoder.layers) draw(block, c, stream);
}

void draw(Predictor& predictor, const Convention& c, Stream& stream) {
    draw(predictor.input_net, c, stream);
    if (predictor.cls.defined()) predictor.cls = stream.normal(predictor.cls.shape());
    draw(predictor.encoder, c, stream);
    if (predictor.config().deep_output_net) draw(predictor.output_first, c, stream);
    draw(predictor.output_last, c, stream);
}

void draw(Transformer& model, const Convention& c, Stream& stream) {
    draw(model.source_embedding, stream);
    draw(model.target_embedding, stream);
    draw(model.encoder, c, stream);
    draw(model.decoder, c, stream);
    draw(model.generator, c, stream);
    model.tie();
}

void draw(LanguageModel& model, const Convention& c, Stream& stream) {
    draw(model.embedding, stream);
    draw(model.decoder, c, stream);
    draw(model.generator, c, stream);
    model.tie();
}

void draw(SeriesInput& input, const Convention& c, Stream& stream) {
    if (input.config().encoding == TimeEncoding::time2vec) draw(input.time2vec, stream);
    draw(input.input_net, c, stream);
}

void draw(Forecaster& model, const Convention& c, Stream& stream) {
    draw(model.input, c, stream);
    draw(model.encoder, c, stream);
    draw(model.head, c, stream);
}

void draw(StepForecaster& model, const Convention& c, Stream& stream) {
    draw(model.source, c, stream);
    draw(model.target, c, stream);
    draw(model.encoder, c, stream);
    draw(model.decoder, c, stream);
    draw(model.head, c, stream);
}

void draw(TokenEmbedding& embedding, Stream& stream) {
    embedding.weight = stream.normal(embedding.weight.shape());
}

void draw(LearnedPositions& positions, Stream& stream) {
    positions.weight = stream.normal(positions.weight.shape());
}

void draw(Time2Vec& layer, Stream& stream) {
    layer.omega = stream.normal(layer.omega.shape());
    layer.phi = stream.normal(layer.phi.shape());
}

}  // namespace glassbox
