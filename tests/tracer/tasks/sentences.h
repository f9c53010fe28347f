#pragma once
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <glassbox/layers/linear.h>
#include <glassbox/ops/ops.h>

#include "tasks/task.h"

// Settings, models whose numbers are known, and questions, for texts that are continued and translated.
namespace glassbox_test {

using Fields = std::vector<std::pair<std::string, std::string>>;
using Lines = std::vector<std::string>;
using Ids = std::vector<glassbox::index_t>;

inline glassbox::Settings settings(const std::string& name, const glassbox::Settings::Texts& more,
                                   const glassbox::Settings::Texts& kept = {}) {
    glassbox::Settings::Texts texts{{"dmodel", "8"}, {"heads", "2"}, {"layers", "1"}};
    for (const auto& [key, text] : more) texts[key] = text;
    glassbox::Settings::Texts all = glassbox::settings_of(glassbox::task(name), texts).texts();
    for (const auto& [key, text] : kept) all[key] = text;
    return glassbox::Settings(all);
}

// Whatever a model has read, these are the logits of the next token.
inline void always(glassbox::Linear& generator, const std::vector<double>& logits) {
    generator.weight = glassbox::Tensor::zeros(generator.weight.shape());
    for (std::size_t i = 0; i < logits.size(); ++i)
        generator.bias.writable().data[i] = static_cast<glassbox::real>(logits[i]);
}
inline void always(const glassbox::Answerer& answerer, const std::vector<double>& logits) {
    for (const auto& entry : answerer.parameters().entries()) {
        if (entry.name == "generator.weight") *entry.tensor = glassbox::Tensor::zeros(entry.tensor->shape());
        for (std::size_t i = 0; entry.name == "generator.bias" && i < logits.size(); ++i)
            entry.tensor->writable().data[i] = static_cast<glassbox::real>(logits[i]);
    }
}

// −ln of the softmax of these logits.
inline std::vector<double> surprises(const std::vector<double>& logits) {
    double sum = 0;
    for (const double each : logits) sum += std::exp(each);
    std::vector<double> all;
    for (const double each : logits) all.push_back(std::log(sum) - each);
    return all;
}

// Logits that differ from each other, for tokens that are no specials; `favourite` is the most likely.
inline std::vector<double> some_logits(glassbox::index_t vocabulary, glassbox::index_t favourite) {
    std::vector<double> logits(static_cast<std::size_t>(vocabulary), -20);
    for (std::size_t i = 2; i < logits.size(); ++i) logits[i] = 0.25 * static_cast<double>(i % 5);
    logits[static_cast<std::size_t>(favourite)] = 3;
    return logits;
}

inline glassbox::PredictRequest asked(const Lines& inputs,
                                      const std::map<std::string, std::string>& options = {},
                                      const std::string& in_full = "") {
    glassbox::PredictRequest request;
    request.inputs = inputs, request.options = options, request.in_full = in_full, request.model = "m";
    return request;
}

}  // namespace glassbox_test
