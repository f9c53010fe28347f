#pragma once
#include <string>

#include <glassbox/conventions/choices.h>
#include <glassbox/tasks/settings.h>

namespace glassbox {

// The tasks' models with their first weights, as the settings say: --dmodel, --heads, --layers, --seed …

PredictorChoices predictor_choices(const Settings& settings, index_t d_in, index_t classes);
Predictor predictor_of(const Settings& settings, const PredictorChoices& choices);
inline Predictor predictor_of(const Settings& settings, index_t d_in, index_t classes) {
    return predictor_of(settings, predictor_choices(settings, d_in, classes));
}
// Encoder and decoder alike, of one vocabulary; its embeddings no louder than the positions.
Transformer transformer_of(const Settings& settings, index_t vocabulary);

// "1 block, d_model = 32, h = 2, d_ff = 64, post-norm"
std::string model_line(const Settings& settings);

}  // namespace glassbox
