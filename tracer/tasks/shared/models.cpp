#include "tasks/shared/models.h"

#include <glassbox/conventions/made.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

PredictorChoices predictor_choices(const Settings& s, index_t d_in, index_t classes) {
    PredictorChoices config;
    config.d_in = d_in, config.classes = classes;
    config.input_dropout = s.fraction("input-dropout");
    BlockChoices& block = config.encoder.block;
    block.d_model = s.whole("dmodel", 1, 1 << 20);
    block.heads = s.whole("heads", 1, 1 << 20);
    block.d_ff = s.whole("dff", 1, 1 << 20);
    block.dropout = s.fraction("dropout");
    block.norm = parse<NormPlacement>(s.text("norm"));
    block.activation = parse<Activation>(s.text("activation"));
    config.encoder.layers = s.whole("layers", 1, 10'000);
    return config;
}

namespace {

template <class Model>
Model initialised(const Settings& s, const typename LayerTraits<Model>::Choices& choices) {
    const Convention& convention = s.convention();
    return made<Model>(convention, choices, *make_stream(convention.rng, s.seed()));
}

}  // namespace

Predictor predictor_of(const Settings& s, const PredictorChoices& choices) {
    return initialised<Predictor>(s, choices);
}

Transformer transformer_of(const Settings& s, index_t source_vocabulary, index_t target_vocabulary,
                           TiedTables tied) {
    const StackChoices stack = predictor_choices(s, 1, 1).encoder;
    auto model = initialised<Transformer>(s, {source_vocabulary, target_vocabulary, stack, stack, tied});
    scale_down_embeddings(model);
    return model;
}

LanguageModel language_model_of(const Settings& s, index_t vocabulary, bool tied) {
    auto model = initialised<LanguageModel>(s, {vocabulary, predictor_choices(s, 1, 1).encoder, tied});
    scale_down_embeddings(model);
    return model;
}

std::string model_line(const Settings& s) {
    return fmt::format("{} block{}, d_model = {}, h = {}, d_ff = {}, {}-norm", s.text("layers"),
                       s.text("layers") == "1" ? "" : "s", s.text("dmodel"), s.text("heads"), s.text("dff"),
                       s.text("norm"));
}

}  // namespace glassbox
