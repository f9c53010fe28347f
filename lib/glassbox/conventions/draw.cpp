#include <glassbox/conventions/draw.h>

namespace glassbox {

void draw(MultiHeadAttention& attention, const Convention& c, Stream& stream) {
    const index_t d = attention.config().d_model, d_in = attention.qkv_proj.weight.size(1);
    const bool bias = attention.config().bias;
    if (c.init == Init::torch) {  // torch.nn.Linear's own draws, replaced below
        if (c.draws_o_proj_first) make_linear(stream, d, d, Init::torch, bias);
        make_linear(stream, d_in, 3 * d, Init::torch, bias);
        if (!c.draws_o_proj_first) make_linear(stream, d, d, Init::torch, bias);
    }
    attention.qkv_proj = xavier_linear(stream, d_in, 3 * d, c.init, bias);
    attention.o_proj = xavier_linear(stream, d, d, c.init, bias);
}

namespace {

void draw(Linear& layer, const Convention& c, Stream& stream) {
    layer = make_linear(stream, layer.weight.size(1), layer.weight.size(0), c.init, layer.bias.defined());
}

}  // namespace

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
