#pragma once
#include <cmath>
#include <vector>

#include <glassbox/tasks/classified.h>
#include <glassbox/train/trainer.h>

#include "support/compare.h"
#include "support/train_support.h"

// A small model that is trained on reversed digits.
namespace glassbox_test {

// Reversal of 24 digits: 90 of them are 2160 positions, 8 pieces of 11 or 12. Optionally every third label is
// padding; a `sick` row has a NaN among its features. Records the rows requested.
class Data final : public glassbox::DataSet {
  public:
    explicit Data(glassbox::index_t count = 400, glassbox::index_t length = 24)
        : reversal_({count, 5, length}, 1) {}

    glassbox::index_t size() const override { return reversal_.size(); }
    glassbox::Examples at(const std::vector<glassbox::index_t>& rows) const override {
        glassbox::Examples some = reversal_.at(rows);
        glassbox::Tensor &x = some.arrays[0].second, &labels = some.arrays[1].second;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i] == sick)
                x.writable().data[static_cast<glassbox::index_t>(i) * x.numel() / x.size(0)] = NAN;
        for (glassbox::index_t i = 0; i < labels.numel(); ++i)
            if (padding && i % padding == 0) labels.writable().data[i] = -1;
        asked.insert(asked.end(), rows.begin(), rows.end());
        return some;
    }
    void begin_epoch(glassbox::index_t epoch) override { epochs.push_back(epoch); }

    glassbox::index_t padding = 0, sick = -1;
    mutable std::vector<glassbox::index_t> asked;
    std::vector<glassbox::index_t> epochs;

  private:
    glassbox::ReversalData reversal_;
};

// A learner, its data and its trainer.
struct Training {
    explicit Training(const glassbox::TrainerConfig& config, double dropout = 0, glassbox::index_t layers = 1)
        : learner(predictor(small_predictor(dropout, layers))), trainer(learner, data, config) {}

    Data data;
    glassbox::ClassifierLearner learner;
    glassbox::Trainer trainer;

    glassbox::Tensor values() const { return trainer.parameters().values(); }
    Training& steps(glassbox::index_t count) {
        while (count-- > 0) trainer.step();
        return *this;
    }
};

inline glassbox::TrainerConfig small_config(glassbox::OptimiserKind kind = glassbox::OptimiserKind::adam) {
    glassbox::TrainerConfig config;
    config.epochs = 3;
    config.batch = 90;  // 4 steps per epoch, 40 examples remain
    config.optimiser.kind = kind;
    config.optimiser.momentum = kind == glassbox::OptimiserKind::sgd ? 0.9 : 0;
    config.optimiser.weight_decay = kind == glassbox::OptimiserKind::adamw ? 0.1 : 0;
    config.schedule = {.rate = 1e-2, .warmup = 2};
    config.clipping = {1, 0};
    return config;
}

inline glassbox::Examples first_rows(const Data& data, glassbox::index_t count) {
    std::vector<glassbox::index_t> rows;
    for (glassbox::index_t i = 0; i < count; ++i) rows.push_back(i);
    return data.at(rows);
}

inline bool same(const glassbox::Tensor& a, const glassbox::Tensor& b) {
    return find_difference(a, b, exact, "").empty();
}

}  // namespace glassbox_test
