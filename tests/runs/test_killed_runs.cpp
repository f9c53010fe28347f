#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <glassbox/backend/parallel.h>
#include <glassbox/conventions/made.h>
#include <glassbox/runs/run.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/reversal.h>

#include "support/catch.h"
#include "support/random.h"

using namespace glassbox;

namespace {

namespace fs = std::filesystem;

// A small run that saves after every step.
struct SmallRun {
    ClassifierLearner learner{made<Predictor>(config(), *make_stream(Rng::jax, 7))};
    ReversalData data{{64, 5, 6}, 7};
    Trainer trainer{learner, data, training()};

    static PredictorChoices config() {
        PredictorChoices c;
        c.d_in = c.classes = 5;
        c.encoder.block.d_model = 8, c.encoder.block.heads = 2, c.encoder.block.d_ff = 16;
        c.encoder.block.dropout = 0.1;
        c.encoder.layers = 1;
        return c;
    }
    static TrainerConfig training() {
        TrainerConfig c;
        c.epochs = 5, c.batch = 16, c.schedule.steps = 20, c.schedule.warmup = 2;
        return c;
    }

    void go(const RunFolder& folder, const Checkpoint* from) {
        RunListener silent;
        SingleProcess alone;
        RunOptions options;
        options.folder = &folder;
        options.save_every = 1;
        options.config = {{"task", "reverse"}};
        options.validation = &data;
        run(trainer, options, silent, alone, from);
    }
};

std::vector<real> final_weights(const RunFolder& folder, const Checkpoint* from) {
    SmallRun small;
    if (from) small.trainer.restore(*from);
    small.go(folder, from);
    return small.trainer.parameters().values().values();
}

// A process that trains in `folder` and is killed after some time, at any point of a step or of a save.
void train_and_be_killed(const RunFolder& folder, useconds_t after) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        set_num_threads(1);  // a forked child has no worker threads
        try {
            final_weights(folder, nullptr);
        } catch (...) {
            ::_exit(3);
        }
        ::_exit(0);
    }
    ::usleep(after);
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
}

int kills() {
    const char* text = std::getenv("GLASSBOX_KILLS");  // 200 and more for a long manual run
    return text ? std::atoi(text) : 12;
}

}  // namespace

TEST_CASE("a run killed at any moment continues from a complete checkpoint and ends in the same bits") {
    const fs::path base = fs::temp_directory_path() / ("glassbox-killed-" + std::to_string(::getpid()));
    const RunFolder whole{base / "whole"};
    whole.make_new();
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<real> expected = final_weights(whole, nullptr);
    // As long as a run takes here, with sanitizers or on a busy machine.
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    const index_t longest = std::clamp<index_t>(took.count(), 40'000, 999'999);
    glassbox_test::Random random(20261121);
    int resumed = 0, gone_on = 0;
    for (int i = 0; i < kills(); ++i) {
        const RunFolder folder{base / std::to_string(i)};
        folder.make_new();
        const auto after = static_cast<useconds_t>(random.whole(0, longest));
        CAPTURE(i, after);
        train_and_be_killed(folder, after);
        if (!fs::exists(folder.last())) continue;  // killed before the first step was saved
        const Checkpoint from = folder.load();
        ++resumed;
        gone_on += from.step < 20;
        CHECK((final_weights(folder, &from) == expected));  // not printed on failure
        fs::remove_all(folder.path);
    }
    CHECK(resumed > 0);
    std::error_code ignored;
    fs::remove_all(base, ignored);
    INFO(gone_on << " of " << resumed << " were killed before their end");
}
