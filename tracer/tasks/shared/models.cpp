#include "tasks/shared/models.h"

#include <glassbox/conventions/made.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

StackChoices stack_choices(const StackSettings& s) {
    StackChoices config;
    config.block.d_model = s.d_model, config.block.heads = s.heads, config.block.d_ff = s.d_ff;
    config.block.dropout = s.dropout;
    config.block.norm = s.norm, config.block.activation = s.activation;
    config.layers = s.layers;
    return config;
}

PredictorChoices predictor_choices(const StackSettings& s, index_t d_in, index_t classes) {
    PredictorChoices config;
    config.d_in = d_in, config.classes = classes;
    config.input_dropout = s.input_dropout;
    config.encoder = stack_choices(s);
    return config;
}

namespace {

template <class Model>
Model initialised(const TaskSettings& s, const typename LayerTraits<Model>::Choices& choices) {
    return made<Model>(*s.convention, choices, *make_stream(s.convention->rng, s.training.trainer.seed));
}

}  // namespace

Predictor predictor_of(const TaskSettings& s, const PredictorChoices& choices) {
    return initialised<Predictor>(s, choices);
}

Transformer transformer_of(const TaskSettings& s, index_t source_vocabulary, index_t target_vocabulary,
                           TiedTables tied) {
    const StackChoices stack = stack_choices(s.stack);
    auto model = initialised<Transformer>(s, {source_vocabulary, target_vocabulary, stack, stack, tied});
    scale_down_embeddings(model);
    return model;
}

LanguageModel language_model_of(const TaskSettings& s, index_t vocabulary, bool tied) {
    auto model = initialised<LanguageModel>(s, {vocabulary, stack_choices(s.stack), tied});
    scale_down_embeddings(model);
    return model;
}

std::string model_line(const StackSettings& s) {
    return fmt::format("{} block{}, d_model = {}, h = {}, d_ff = {}, {}-norm", s.layers,
                       s.layers == 1 ? "" : "s", s.d_model, s.heads, s.d_ff, name(s.norm));
}

}  // namespace glassbox
