// Training on several ranks, as threads; tests/mpi runs the same with processes.
#include <cstdlib>

#include <glassbox/tasks/copying.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/trainer.h>

#include "support/catch.h"
#include "support/thread_ranks.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

TrainerConfig config_of(OptimiserKind kind) {
    TrainerConfig config;
    config.epochs = 2, config.batch = 64;
    config.optimiser.kind = kind;
    config.optimiser.momentum = kind == OptimiserKind::sgd ? 0.9 : 0;
    config.schedule = {.rate = 1e-2, .warmup = 2};
    return config;
}

// A rank's final state, and the reports of its steps.
struct Trained {
    std::vector<real> values, m, gradient;
    std::vector<double> norms;
    bool operator==(const Trained& other) const {
        return values == other.values && m == other.m && gradient == other.gradient && norms == other.norms;
    }
};

// `make` gives each rank its own learner; returns the trainings of all ranks, or the first error.
template <class Learner, class Data>
std::vector<Trained> train(int ranks, const TrainerConfig& config, const std::function<Learner()>& make,
                           const std::function<Data()>& make_data) {
    std::vector<Trained> results(static_cast<std::size_t>(ranks));
    ThreadRanks all(ranks);
    const auto errors = all.run([&](Communicator& communicator) {
        Learner learner = make();
        Data data = make_data();
        Trainer trainer(learner, data, config, communicator);
        Trained& result = results[static_cast<std::size_t>(communicator.rank())];
        while (!trainer.is_finished()) result.norms.push_back(trainer.step().gradient_norm);
        result.values = trainer.parameters().values().values();
        result.m = trainer.optimiser().m.values();
        result.gradient = trainer.gradient().values();
    });
    for (const std::string& error : errors) CHECK(error == "");
    return results;
}

ClassifierLearner reversal_learner() { return ClassifierLearner(predictor(small_predictor(0.1))); }
ReversalData reversal_data() {
    return ReversalData({200, 5, 24}, 1);
}  // 64 of them are 1536 positions: 4 pieces

}  // namespace

TEST_CASE("1 to 9 ranks, more than a batch has pieces, give the bits of one") {
    const OptimiserKind kind = GENERATE(OptimiserKind::adam, OptimiserKind::sgd);
    const TrainerConfig config = config_of(kind);
    const auto one = train<ClassifierLearner, ReversalData>(1, config, reversal_learner, reversal_data)[0];
    for (int ranks = 2; ranks <= 9; ++ranks) {
        CAPTURE(ranks);
        for (const Trained& each :
             train<ClassifierLearner, ReversalData>(ranks, config, reversal_learner, reversal_data))
            CHECK((each == one));
    }
}

TEST_CASE("ranks give the bits of one with only two pieces") {
    const auto learner = [] {
        TransformerChoices model;
        model.source_vocabulary = model.target_vocabulary = CopyingData::first_symbol + 4;
        model.encoder = model.decoder = small_predictor().encoder;
        return SequenceLearner(made<Transformer>(model, *make_stream(Rng::numpy, 1)));
    };
    const auto data = [] {
        CopyingConfig copying;
        copying.writing = Writing::sort, copying.count = 128, copying.symbols = 4, copying.longest = 5;
        return CopyingData(copying);
    };
    const TrainerConfig config = config_of(OptimiserKind::adam);
    const auto one = train<SequenceLearner, CopyingData>(1, config, learner, data)[0];
    for (const int ranks : {2, 3, 9}) {
        CAPTURE(ranks);
        for (const Trained& each : train<SequenceLearner, CopyingData>(ranks, config, learner, data))
            CHECK((each == one));
    }
}

namespace {

// Two ranks, the second with a different config, model or data: rank 0's error.
std::string refused(const std::function<void(TrainerConfig&)>& change, std::uint64_t model_seed = 42,
                    std::uint64_t data_seed = 1) {
    ThreadRanks ranks(2);
    return ranks.run([&](Communicator& communicator) {
        const bool is_other = communicator.rank() == 1;
        TrainerConfig config = config_of(OptimiserKind::adam);
        if (is_other) change(config);
        ClassifierLearner learner(predictor(small_predictor(), is_other ? model_seed : 42));
        ReversalData data({200, 5, 24}, is_other ? data_seed : 1);
        const Trainer trainer(learner, data, config, communicator);
    })[0];
}

}  // namespace

TEST_CASE("ranks that differ in any setting are rejected with its name and both values") {
    const auto same = [](TrainerConfig&) {};
    CHECK(refused(same) == "");
    CHECK(refused([](auto& c) { c.batch = 32; }) == "trainer: batch: rank 0 has 64, and rank 1 has 32");
    CHECK(refused([](auto& c) { c.epochs = 3; }) == "trainer: epochs: rank 0 has 2, and rank 1 has 3");
    CHECK(refused([](auto& c) { c.seed = 1ull << 63; }) ==
          "trainer: seed: rank 0 has 42, and rank 1 has 9223372036854775808");
    CHECK(refused([](auto& c) { c.schedule.rate = 2e-2; }) ==
          "trainer: learning rate: rank 0 has 0.01, and rank 1 has 0.02");
    CHECK(refused([](auto& c) { c.pieces = 3; }) ==
          "training: pieces of a batch: rank 0 has 2, and rank 1 has 3");
    const std::vector<std::pair<std::string, std::function<void(TrainerConfig&)>>> changes = {
        {"optimiser", [](auto& c) { c.optimiser.kind = OptimiserKind::adamw; }},
        {"beta1", [](auto& c) { c.optimiser.beta1 = 0.8; }},
        {"beta2", [](auto& c) { c.optimiser.beta2 = 0.99; }},
        {"epsilon", [](auto& c) { c.optimiser.epsilon = 1e-7; }},
        {"momentum", [](auto& c) { c.optimiser.momentum = 0.1; }},
        {"weight decay", [](auto& c) { c.optimiser.weight_decay = 0.1; }},
        {"schedule", [](auto& c) { c.schedule.kind = ScheduleKind::constant; }},
        {"minimum learning rate", [](auto& c) { c.schedule.least = 1e-3; }},
        {"warm-up steps", [](auto& c) { c.schedule.warmup = 3; }},
        {"d_model of the schedule", [](auto& c) { c.schedule.d_model = 9; }},
        {"clipping norm", [](auto& c) { c.clipping.max_norm = 2; }},
        {"epsilon of clipping", [](auto& c) { c.clipping.epsilon = 1e-6; }},
        {"averaged epochs", [](auto& c) { c.average = 1; }},
        {"recorded steps", [](auto& c) { c.recorded = false; }}};
    for (const auto& [name, change] : changes)
        CHECK(refused(change).find("trainer: " + name + ": rank 0 has ") == 0);
}

TEST_CASE("ranks with different initial parameters or data are rejected") {
    const auto same = [](TrainerConfig&) {};
    CHECK(refused(same, 43).find("trainer: parameters: rank 0 has checksum ") == 0);
    CHECK(refused(same, 42, 2).find("trainer: array x of the next batch: rank 0 has checksum ") == 0);
}

TEST_CASE("ranks resumed from different checkpoints are rejected") {
    ThreadRanks ranks(2);
    const std::string why = ranks.run([&](Communicator& communicator) {
        ClassifierLearner learner = reversal_learner();
        ReversalData data = reversal_data();
        Trainer trainer(learner, data, config_of(OptimiserKind::adam), communicator);
        trainer.step();
        const Checkpoint early = trainer.checkpoint();
        trainer.step();
        trainer.restore(communicator.rank() == 0 ? trainer.checkpoint() : early);
    })[0];
    CHECK(why == "trainer: step: rank 0 has 2, and rank 1 has 1");
}

TEST_CASE("a checkpoint that the other ranks do not have is refused, and the trainer goes on as it was") {
    ThreadRanks ranks(2);
    const auto errors = ranks.run([&](Communicator& communicator) {
        ClassifierLearner learner = reversal_learner(), undisturbed = reversal_learner();
        ReversalData data = reversal_data();
        Trainer trainer(learner, data, config_of(OptimiserKind::adam), communicator),
            expected(undisturbed, data, config_of(OptimiserKind::adam), communicator);
        const Checkpoint start = trainer.checkpoint();
        trainer.step();
        const Checkpoint early = trainer.checkpoint();
        trainer.step();
        std::string why;
        try {
            trainer.restore(communicator.rank() == 0 ? start : early);
        } catch (const Error& error) {
            why = error.what();
        }
        if (why != "trainer: step: rank 0 has 0, and rank 1 has 1") fail("restored: '{}'", why);
        if (trainer.steps_done() != 2) fail("the trainer is at step {}", trainer.steps_done());
        trainer.step();
        while (expected.steps_done() < 3) expected.step();
        if (trainer.parameters().values().values() != expected.parameters().values().values())
            fail("the trainer has changed");
    });
    for (const std::string& error : errors) CHECK(error == "");
}

TEST_CASE("comparing ranks: the first name that differs, or that one of them lacks") {
    const auto said = [](const Common& first, const Common& second) {
        ThreadRanks ranks(2);
        return ranks.run([&](Communicator& communicator) {
            check_ranks_agree(communicator, communicator.rank() == 0 ? first : second);
        })[1];
    };
    CHECK(said({{"a", "1"}, {"b", ""}}, {{"a", "1"}, {"b", ""}}) == "");
    CHECK(said({{"a", "1"}, {"b", "2"}}, {{"a", "1"}, {"b", "3"}}) == "b: rank 0 has 2, and rank 1 has 3");
    CHECK(said({{"a", "1"}, {"b", ""}}, {{"a", "1"}, {"b", "3"}}) ==
          "b: rank 0 has nothing, and rank 1 has 3");
    CHECK(said({{"a", "1"}}, {{"a", "1"}, {"b", "3"}}) == "b: rank 0 has nothing, and rank 1 has 3");
    CHECK(said({{"a", "1"}, {"b", "2"}}, {{"a", "1"}}) == "b: rank 0 has 2, and rank 1 has nothing");
}

TEST_CASE("texts of all ranks, of any length and with any bytes, in rank order") {
    const std::vector<std::string> texts{"", "one", "λ\xFF", std::string(300, 'x') + '\0' + "y", ""};
    ThreadRanks ranks(5);
    const auto errors = ranks.run([&](Communicator& communicator) {
        const std::vector<std::string> all =
            gather_texts(communicator, texts[static_cast<std::size_t>(communicator.rank())]);
        if (all != texts) fail("rank {} has others", communicator.rank());
    });
    for (const std::string& error : errors) CHECK(error.empty());
    SingleProcess alone;
    CHECK(gather_texts(alone, "λ") == std::vector<std::string>{"λ"});
}

TEST_CASE("comparing ranks: the first rank that differs from rank 0, also the last of them") {
    for (const int other : {1, 2, 3}) {
        ThreadRanks ranks(4);
        const auto errors = ranks.run([&](Communicator& communicator) {
            check_ranks_agree(communicator,
                              {{"first", "same"}, {"last", communicator.rank() == other ? "2" : "1"}});
        });
        CHECK(errors.back() == fmt::format("last: rank 0 has 1, and rank {} has 2", other));
    }
    SingleProcess alone;
    CHECK_NOTHROW(check_ranks_agree(alone, {{"a", "1"}}));
}

TEST_CASE("a process that nobody has started with others is alone") {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
        if (std::getenv(name)) SKIP(std::string(name) + " is set");
        CHECK(world().size() == 1);
        CHECK(world().rank() == 0);
        ::setenv(name, "1", 1);
        CHECK(world().size() == 1);
        ::unsetenv(name);
    }
}
