#include <glassbox/tasks/models.h>

#include <glassbox/random/stream.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

PredictorConfig predictor_config(const Settings& s, index_t d_in, index_t classes) {
    PredictorConfig config;
    config.d_in = d_in, config.classes = classes;
    config.input_dropout = s.share("input-dropout");
    BlockConfig& block = config.encoder.block;
    block.convention = s.convention();
    block.d_model = s.whole("dmodel", 1, 1 << 20);
    block.heads = s.whole("heads", 1, 1 << 20);
    block.d_ff = s.whole("dff", 1, 1 << 20);
    block.dropout = s.share("dropout");
    block.norm = s.text("norm") == "post" ? NormPlacement::post : NormPlacement::pre;
    block.activation = parse_activation(s.text("activation"));
    config.encoder.layers = s.whole("layers", 1, 10'000);
    return config;
}

namespace {

std::unique_ptr<Stream> stream_of(const Settings& s) {
    return make_stream(parse_rng(s.convention().rng), s.seed());
}

}  // namespace

Predictor predictor_of(const Settings& s, const PredictorConfig& config) {
    return Predictor(config, *stream_of(s));
}

Transformer transformer_of(const Settings& s, index_t vocabulary) {
    TransformerConfig config;
    config.source_vocabulary = config.target_vocabulary = vocabulary;
    config.encoder = config.decoder = predictor_config(s, 1, 1).encoder;
    Transformer model(config, *stream_of(s));
    quieten_embeddings(model);
    return model;
}

std::string model_line(const Settings& s) {
    return fmt::format("{} block{}, d_model = {}, h = {}, d_ff = {}, {}-norm", s.text("layers"),
                       s.text("layers") == "1" ? "" : "s", s.text("dmodel"), s.text("heads"), s.text("dff"),
                       s.text("norm"));
}

}  // namespace glassbox
