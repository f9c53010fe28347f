#pragma once
#include <string>

#include <glassbox/conventions/choices.h>

#include "tasks/task_settings.h"

namespace glassbox {

// The tasks' models, configured and initialised by the settings: --dmodel, --heads, --layers, --seed …

StackChoices stack_choices(const StackSettings& settings);
PredictorChoices predictor_choices(const StackSettings& settings, index_t d_in, index_t classes);
Predictor predictor_of(const TaskSettings& settings, const PredictorChoices& choices);
inline Predictor predictor_of(const TaskSettings& settings, index_t d_in, index_t classes) {
    return predictor_of(settings, predictor_choices(settings.stack, d_in, classes));
}
// Encoder and decoder of the same sizes; embeddings are scaled down to the size of the positional encoding.
Transformer transformer_of(const TaskSettings& settings, index_t source_vocabulary, index_t target_vocabulary,
                           TiedTables tied = TiedTables::none);
// A decoder alone; its embedding is scaled down in the same way.
LanguageModel language_model_of(const TaskSettings& settings, index_t vocabulary, bool tied = false);

// "1 block, d_model = 32, h = 2, d_ff = 64, post-norm"
std::string model_line(const StackSettings& settings);

}  // namespace glassbox
