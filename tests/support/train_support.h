#pragma once
#include <map>
#include <sstream>
#include <string>

#include <glassbox/conventions/made.h>
#include <glassbox/io/numpy.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/reversal.h>

#include "support/compare.h"
#include "support/random.h"

namespace glassbox_test {

// An .npz made by tests/golden/make_train.py.
inline glassbox::Npz golden_train(const std::string& name) {
    return glassbox::Npz(std::string(GLASSBOX_GOLDEN) + "/train_" + name + ".npz");
}

// "kind=adam rate=0.5", stored as bytes in a golden file.
class GoldenConfig {
  public:
    explicit GoldenConfig(const glassbox::Tensor& bytes) {
        for (const glassbox::real byte : bytes.values()) text_ += static_cast<char>(byte);
        std::istringstream words(text_);
        for (std::string word; words >> word;) {
            const std::size_t equals = word.find('=');
            values_[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    const std::string& text() const { return text_; }
    std::string kind() const { return values_.at("kind"); }
    double number(const std::string& key, double otherwise) const {
        const auto found = values_.find(key);
        return found == values_.end() ? otherwise : std::stod(found->second);
    }
    std::string word(const std::string& key, const std::string& otherwise) const {
        const auto found = values_.find(key);
        return found == values_.end() ? otherwise : found->second;
    }
    glassbox::index_t whole(const std::string& key, glassbox::index_t otherwise) const {
        return static_cast<glassbox::index_t>(number(key, static_cast<double>(otherwise)));
    }

  private:
    std::string text_;
    std::map<std::string, std::string> values_;
};

// A tiny, fast predictor: 5 categories, width 8.
inline glassbox::PredictorChoices small_predictor(double dropout = 0, glassbox::index_t layers = 1) {
    glassbox::PredictorChoices config;
    config.d_in = config.classes = 5;
    config.encoder.layers = layers;
    config.encoder.block.d_model = 8;
    config.encoder.block.heads = 2;
    config.encoder.block.d_ff = 16;
    config.encoder.block.dropout = dropout;
    config.input_dropout = dropout;
    return config;
}

inline glassbox::Predictor predictor(
    const glassbox::PredictorChoices& choices, std::uint64_t seed = 42,
    const glassbox::Convention& convention = glassbox::convention("uva-jax")) {
    return glassbox::made<glassbox::Predictor>(convention, choices,
                                               *glassbox::make_stream(glassbox::Rng::numpy, seed));
}

}  // namespace glassbox_test
