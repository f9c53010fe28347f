#pragma once
#include <string>

#include <glassbox/conventions/choices.h>

#include "tasks/settings.h"

namespace glassbox {

// The tasks' models, configured and initialised by the settings: --dmodel, --heads, --layers, --seed …

PredictorChoices predictor_choices(const Settings& settings, index_t d_in, index_t classes);
Predictor predictor_of(const Settings& settings, const PredictorChoices& choices);
inline Predictor predictor_of(const Settings& settings, index_t d_in, index_t classes) {
    return predictor_of(settings, predictor_choices(settings, d_in, classes));
}
// Encoder and decoder of the same sizes; embeddings are scaled down to the size of the positional encoding.
Transformer transformer_of(const Settings& settings, index_t source_vocabulary, index_t target_vocabulary,
                           TiedTables tied = TiedTables::none);
// A decoder alone; its embedding is scaled down in the same way.
LanguageModel language_model_of(const Settings& settings, index_t vocabulary, bool tied = false);

// "1 block, d_model = 32, h = 2, d_ff = 64, post-norm"
std::string model_line(const Settings& settings);

}  // namespace glassbox
