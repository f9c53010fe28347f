#include <glassbox/random/stream.h>
#include <glassbox/train/loss.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

#include <glassbox/ops/ops.h>

#include "mistakes/specimens.h"

using namespace glassbox;

namespace specimens {

namespace {

using Add = std::function<void(const char* name, const char* result, std::function<void()> forward)>;

void add_losses(const Add& add, Stream& s) {
    const Tensor logits = s.normal({3, 4, 5}) * 2, labels({3, 4}, {1, 4, 0, 2, 3, 2, -1, -1, 4, 0, 1, -1});
    for (const double smoothing : {0.0, 0.3})
        for (const char* result : {"loss", "dlogits", "losses"})
            add("a loss", result, [=] { (void)loss_and_gradient(logits, labels, {smoothing}); });
}

void add_optimisers(const Add& add, Stream& s) {
    const Tensor w = s.normal({3, 4}), m = s.normal({3, 4}) * 0.3, v = abs(s.normal({3, 4})) * 0.4 + 0.05;
    const Tensor gradient = s.normal({3, 4});
    for (const OptimiserKind kind : {OptimiserKind::adam, OptimiserKind::adamw}) {
        OptimiserConfig config{.kind = kind, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 0.05};
        for (const double decay : {0.0, 0.3}) {
            config.weight_decay = decay;
            add("an update of Adam", "w", [=] { (void)adam({w, m, v}, gradient, config, 3, 0.4, 0.7); });
        }
    }
    for (const double decay : {0.0, 0.3}) {
        const OptimiserConfig config{.kind = OptimiserKind::sgd, .momentum = 0.8, .weight_decay = decay};
        add("an update of gradient descent", "w", [=] { (void)descent({w, m}, gradient, config, 0.4, 0.7); });
    }
    add("a mean of parameters", "mean#2", [=] {
        ParameterAverage average(5, 6);
        average.add(w, 2), average.add(m, 3), average.add(v, 4);
    });
    for (const double length : {0.4, 0.9, 5.0})  // of about 3: clipped, and not
        add("clipping", "clipped", [=] { (void)clip(gradient, {.max_norm = length}); });
}

void add_schedules(const Add& add) {
    for (const index_t done : {2, 5, 8, 11})
        for (const ScheduleKind kind :
             {ScheduleKind::cosine, ScheduleKind::cosine_printed, ScheduleKind::inverse_sqrt})
            add("a schedule", "learning_rate", [=] {
                (void)learning_rate_by_steps(
                    {.kind = kind, .rate = 0.3, .warmup = 5, .steps = 12, .d_model = 6}, done);
            });
    for (const index_t done : {2, 8, 11})
        add("a schedule with a least rate", "learning_rate", [=] {
            (void)learning_rate_by_steps({.rate = 0.3, .warmup = 5, .steps = 12, .least = 0.06}, done);
        });
    for (const index_t done : {1, 2, 6, 8, 17})
        for (const ScheduleKind kind : {ScheduleKind::linear, ScheduleKind::wsd, ScheduleKind::one_cycle})
            for (const double least : {0.0, 0.075})
                add("other schedules", "learning_rate", [=] {
                    (void)learning_rate_by_steps({.kind = kind,
                                                  .rate = 0.3,
                                                  .warmup = 5,
                                                  .steps = 20,
                                                  .least = least,
                                                  .start = 0.09,
                                                  .decay = 8},
                                                 done);
                });
    for (const WarmupCount counts : {WarmupCount::current, WarmupCount::between})
        add("other counts of a warm-up", "learning_rate", [=] {
            (void)learning_rate_by_steps({.rate = 0.3, .warmup = 5, .steps = 12, .counts = counts}, 2);
        });
}

}  // namespace

std::vector<Specimen> of_training() {
    const auto stream = make_stream(Rng::numpy, 3);
    std::vector<Specimen> all;
    const Add add = [&](const char* name, const char* result, std::function<void()> forward) {
        all.push_back({name, {std::move(forward), result}});
    };
    add_losses(add, *stream);
    add_optimisers(add, *stream);
    add_schedules(add);
    return all;
}

}  // namespace specimens
