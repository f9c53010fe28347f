// Lesson 06: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/loss.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

#include "inputs.h"

namespace lesson {
namespace {

// The parts of a clipped gradient.
constexpr glassbox::StepInfo clipped_W = glassbox::steps::clip::clipped.of("clip", "W"),
                             clipped_b = glassbox::steps::clip::clipped.of("clip", "b");

// Row t of a parameter's gradients, filled up with zeros to `size` numbers.
Tensor row_of(const Tensor& gradients, index_t t, index_t size) {
    const Tensor row = slice(gradients, 0, t, t + 1);
    const index_t missing = size - row.size(-1);
    return missing > 0 ? glassbox::concat({row, Tensor::zeros({1, missing})}, -1) : row;
}

class TrainingCheck : public Check {
  public:
    // The rows of a step are the updates, which are computed one after the other.
    std::vector<std::string> rows_of(const std::string& step, const Tensors& golden) const override {
        static const std::map<std::string, const char*> paths = {
            {"norm", "clip/{}/norm"},           {"clipped/W", "clip/{}/W"}, {"clipped/b", "clip/{}/b"},
            {"rates", "rate/{}/learning_rate"}, {"m", "adam/{}/m"},         {"v", "adam/{}/v"},
            {"m_hat", "adam/{}/m_hat"},         {"v_hat", "adam/{}/v_hat"}, {"weights", "adam/{}/w"}};
        const auto path = paths.find(step);
        std::vector<std::string> rows;
        if (path != paths.end())
            for (index_t t = 0; t < golden.at(step).size(0); ++t)
                rows.push_back(fmt::format(fmt::runtime(path->second), t));
        return rows;
    }

    std::vector<std::string> paths_of(const std::string& step, const Tensors&) const override {
        return {step == "gradient" ? "dlogits" : step};
    }

    glassbox::Computation computation(const Tensors& golden) const override {
        const Inputs in(golden);
        const AdamW settings = in.adamw();
        glassbox::OptimiserConfig adamw{glassbox::OptimiserKind::adamw, settings.beta1, settings.beta2,
                                        settings.epsilon};
        adamw.weight_decay = settings.weight_decay;
        glassbox::ScheduleConfig schedule;
        schedule.rate = in.schedule().peak;
        schedule.warmup = in.schedule().warmup, schedule.steps = in.schedule().updates;
        const glassbox::Clipping clipping{in.max_norm()};
        return {[=, logits = golden.at("logits"), labels = golden.at("labels"), w = golden.at("w"),
                 W = golden.at("gradients/W"), b = golden.at("gradients/b")] {
                    (void)glassbox::loss_and_gradient(logits, labels);
                    const std::vector<Tensor> clipped = clipped_W_of(W, b, clipping);
                    const std::vector<double> rates = rates_of(schedule);
                    glassbox::AdamState state{w, Tensor::zeros(w.shape()), Tensor::zeros(w.shape())};
                    for (std::size_t t = 0; t < clipped.size(); ++t) {
                        const glassbox::Scope scope(fmt::format("adam/{}", t));
                        state =
                            glassbox::adam(state, clipped[t], adamw, static_cast<index_t>(t) + 1, rates[t]);
                    }
                },
                fmt::format("adam/{}/w", golden.at("weights").size(0) - 1)};
    }

  private:
    // The gradients of W before each update, clipped together with those of b.
    static std::vector<Tensor> clipped_W_of(const Tensor& W, const Tensor& b,
                                            const glassbox::Clipping& clipping) {
        const index_t n = W.size(-1), n_b = b.size(-1), size = std::max(n, n_b);
        std::vector<Tensor> all;
        for (index_t t = 0; t < W.size(0); ++t) {
            const glassbox::Scope scope(fmt::format("clip/{}", t));
            const Tensor clipped =
                glassbox::clip(glassbox::concat({row_of(W, t, size), row_of(b, t, size)}, 0), clipping);
            all.push_back(named(clipped_W, slice(select(clipped, 0, 0), -1, 0, n)));
            (void)named(clipped_b, slice(select(clipped, 0, 1), -1, 0, n_b));
        }
        return all;
    }

    static std::vector<double> rates_of(const glassbox::ScheduleConfig& schedule) {
        std::vector<double> rates;
        for (index_t t = 0; t < schedule.steps; ++t) {
            const glassbox::Scope scope(fmt::format("rate/{}", t));
            rates.push_back(static_cast<double>(learning_rate_by_steps(schedule, t).item()));
        }
        return rates;
    }
};

}  // namespace

const Check& the_check() {
    static const TrainingCheck check;
    return check;
}

}  // namespace lesson
