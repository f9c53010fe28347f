#include <glassbox/train/trainer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include <glassbox/backend/parallel.h>
#include <glassbox/distributed/communicator.h>
#include <glassbox/distributed/detail/rank_sum.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/ops/ops.h>
#include <glassbox/runs/run_folder.h>
#include <glassbox/tasks/classified.h>
#include <glassbox/train/detail/scoring.h>
#include <glassbox/train/examples.h>

#include "io/io_support.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/standard_error.h"
#include "train/training.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

// ---- the gradient of a batch ---------------------------------------------------------------------------

TEST_CASE("the same seed gives the same bits on 1, 2, 3 and 5 threads, dropout included") {
    for (const double dropout : {0.0, 0.3}) {
        Tensor values, gradient;
        double loss = 0;
        for (const int threads : {1, 2, 3, 5}) {
            const Threads scope(threads);
            Training training(small_config(), dropout, 2);
            training.steps(12 / seed_divisor);
            if (!values.defined()) {
                values = training.values(), gradient = training.trainer.gradient();
                loss = training.trainer.evaluate(training.data).loss;
            }
            INFO(threads << " threads, dropout " << dropout);
            check_close(training.values(), values, exact, "parameters");
            check_close(training.trainer.gradient(), gradient, exact, "gradient");
            CHECK(training.trainer.evaluate(training.data).loss == loss);
        }
    }
}

TEST_CASE("another seed gives another order of the data and other dropout") {
    TrainerConfig one = small_config(), two = small_config();
    two.seed = 43;
    CHECK(!same(Training(one).steps(1).trainer.gradient(), Training(two).steps(1).trainer.gradient()));
    one.batch = two.batch = 400;  // all examples in one batch: only their order differs
    const Tensor a = Training(one, 0.3).steps(1).trainer.gradient();
    CHECK(!find_difference(Training(two, 0.3).steps(1).trainer.gradient(), a, chain, "").empty());
}

TEST_CASE("the pieces' gradients add up to the batch's, their scores to its mean") {
    for (const index_t padding : {0, 3})
        for (const index_t count : {1, 2, 3, 90, 400}) {
            INFO(count << " examples, every " << padding << "th label ignored");
            Training training(small_config(), 0, 2);
            training.data.padding = padding;
            const Examples batch = first_rows(training.data, count);
            const index_t counted = training.learner.counted(batch);
            SingleProcess alone;
            BatchGradient gradient(training.learner, training.trainer.parameters(), alone);
            const Scored score = gradient(batch, {});
            Tape tape;
            const Outcome whole = training.learner.score(batch);
            tape.backward(whole.loss, Tensor::full({}, static_cast<real>(1 / static_cast<double>(counted))));
            CHECK(
                score.loss ==
                Approx(static_cast<double>(whole.loss.item()) / static_cast<double>(counted)).epsilon(1e-6));
            CHECK(score.counted == counted);
            CHECK(score.correct == static_cast<index_t>(whole.correct.item()));
            CHECK(counted == (padding ? count * 16 : count * 24));
            const ParameterBlock& parameters = training.trainer.parameters();
            for (std::size_t i = 0; i < parameters.parts().size(); ++i)
                check_close(ParameterBlock::view(gradient.gradient(), parameters.parts()[i]),
                            tape.gradient(parameters.tensors()[i]), golden_reordered_gradient,
                            parameters.parts()[i].name);
        }
}

TEST_CASE("a second batch's gradient is independent of the first") {
    Training training(small_config());
    SingleProcess alone;
    BatchGradient used(training.learner, training.trainer.parameters(), alone),
        fresh(training.learner, training.trainer.parameters(), alone);
    used(first_rows(training.data, 400), {});
    used(first_rows(training.data, 5), {});
    fresh(first_rows(training.data, 5), {});
    check_close(used.gradient(), fresh.gradient(), exact, "gradient");
}

// ---- errors of learners and configs ------------------------------------------------------------------

namespace {

// The digits' learner, with a test's own score.
class Spoilt final : public Learner {
  public:
    using Change = std::function<Outcome(const Outcome&)>;
    explicit Spoilt(Change change) : change_(std::move(change)) {}
    Parameters parameters() override { return own_.parameters(); }
    Outcome score(const Examples& examples) const override { return change_(own_.score(examples)); }
    index_t counted(const Examples& examples) const override { return counts ? own_.counted(examples) : 7; }
    bool counts = true;

  private:
    Change change_;
    ClassifierLearner own_{predictor(small_predictor())};
};

// The first step's, and a validation's, error with such a learner.
std::pair<std::string, std::string> refusals(Spoilt learner) {
    Data data;
    Trainer trainer(learner, data, small_config());
    const auto message = [](const auto& does) -> std::string {
        try {
            does();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    return {message([&] { trainer.step(); }), message([&] { trainer.evaluate(data); })};
}

}  // namespace

TEST_CASE("a score that is a mean is detected at the first step, with the numbers that show it") {
    const auto [said, evaluated] = refusals(Spoilt([](const Outcome& o) {
        return Outcome{o.loss / (o.loss.item() > 60 ? 48.0 : 24.0), o.correct};  // of two sequences, of one
    }));
    CHECK(said.starts_with("trainer: score() gives a loss of "));
    CHECK(said.ends_with(" for each alone: it must be the sum over the elements that count, not their mean"));
    Spoilt miscounts([](const Outcome& o) { return o; });
    miscounts.counts = false;
    CHECK(refusals(miscounts).first ==
          "trainer: counted() gives 7 for two examples and 7, 7 for each alone: it must be how many elements "
          "of them count");
    CHECK(refusals(Spoilt([](const Outcome& o) { return o; })).first == "");
}

TEST_CASE("an invalid loss or count is reported with score()'s message") {
    const auto both = [](const Spoilt::Change& change, const std::string& rule) {
        const auto [step, evaluation] = refusals(Spoilt(change));
        CHECK(step == rule);
        CHECK(evaluation == rule);
    };
    both(
        [](const Outcome& o) {
            return Outcome{{}, o.correct};
        },
        "trainer: score() leaves its loss undefined; it is the sum over the elements that count");
    both(
        [](const Outcome& o) {
            return Outcome{o.loss + Tensor{0, 0}, o.correct};
        },
        "trainer: score() gives a loss of shape (2,); it is one number, (), the sum over the elements that "
        "count");
    both(
        [](const Outcome& o) {
            return Outcome{o.loss, Tensor{0, 0}};
        },
        "trainer: score() gives a correct of shape (2,); it is one number, how many were answered rightly");
    const auto first = [](real correct) {
        return refusals(Spoilt([=](const Outcome& o) { return Outcome{o.loss, Tensor(correct)}; })).first;
    };
    CHECK(first(real(0.5)) ==
          "trainer: score() says that 0.5 of 2160 are correct; it is a whole number from 0 to 2160");
    CHECK(first(-1).starts_with("trainer: score() says that -1 of 2160 are correct"));
    CHECK(first(2161).starts_with("trainer: score() says that 2161 of 2160 are correct"));
    CHECK(first(NAN).starts_with("trainer: score() says that nan of 2160 are correct"));
}

TEST_CASE("a learner without a count of correct answers is trained too") {
    Spoilt learner([](const Outcome& o) { return Outcome{o.loss}; });
    Data data;
    Trainer trainer(learner, data, small_config());
    CHECK(trainer.step().score.correct == 0);
    CHECK(trainer.evaluate(data).accuracy() == 0);
}

namespace {

// y = x W₁ᵀ W₂ᵀ, of which a test's own function makes the loss.
struct TwoLayers final : Learner {
    using Loss = std::function<Tensor(const TwoLayers&, const Examples&)>;
    explicit TwoLayers(Loss the_loss) : loss(std::move(the_loss)) {}
    Parameters parameters() override {
        Parameters all;
        all("first", first), all("second", second);
        return all;
    }
    Outcome score(const Examples& some) const override { return {loss(*this, some), {}}; }
    index_t counted(const Examples& some) const override { return some.size(); }
    Tensor hidden(const Examples& some) const { return first(some["x"]); }
    static Tensor half_of_squares(const Tensor& y) { return sum(y * y) / 2; }

    Linear first{Tensor{{0.5f, 1}, {1, -0.5f}}, {}}, second{Tensor{{1, 2}}, {}};
    Loss loss;
};

// What the first two steps say on stderr, and what they throw.
std::pair<std::string, std::string> first_steps(const TwoLayers::Loss& loss, real scale = 1,
                                                double rate = 5e-4) {
    TwoLayers learner(loss);
    ArrayDataSet data({{"x", Random(1).normal({8, 2}) * static_cast<double>(scale)}});
    Trainer trainer(learner, data, {.epochs = 2, .batch = 4, .schedule = {.rate = rate}});
    std::string thrown;
    const std::string said = written_to_stderr([&] {
        try {
            trainer.step(), trainer.step();
        } catch (const Error& error) {
            thrown = error.what();
        }
    });
    return {said, thrown};
}

}  // namespace

TEST_CASE("a score on which no parameter acts is refused at the first step") {
    const std::string refusal =
        "trainer: no parameter gets a gradient: the loss of score() depends on none of 2 parameters in "
        "parameters(). A clone(), values() or item() of a parameter or of an output is a constant to the "
        "tape, and so is a model that was copied before this trainer was made";
    using Model = TwoLayers;
    const auto squares = Model::half_of_squares;
    const std::vector<Model::Loss> wrong = {
        [=](const Model& m, const Examples& x) { return squares(m.second(m.hidden(x)).clone()); },
        [=](const Model& m, const Examples& x) {
            const Linear first{m.first.weight.clone(), {}}, second{m.second.weight.clone(), {}};
            return squares(second(first(x["x"])));
        },
        [=](const Model&, const Examples& x) { return squares(x["x"]); },
        [=](const Model& m, const Examples& x) {
            return sum(x["x"]) * m.second(m.hidden(x)).values()[0] * 0;
        },
        [=, old = Model(nullptr)](const Model&, const Examples& x) {
            return squares(old.second(old.hidden(x)));
        },
    };
    for (const Model::Loss& loss : wrong) {
        const auto [said, thrown] = first_steps(loss);
        CHECK(thrown == refusal);
        CHECK(said.empty());
    }
}

TEST_CASE("a parameter without a gradient is named once, and the others are trained") {
    using Model = TwoLayers;
    const auto squares = Model::half_of_squares;
    const std::string end =
                          ": without a gradient they are not trained (what is frozen on purpose can be left "
                          "out of parameters())\n",
                      begin = "glassbox: trainer: in the first batch ";
    const auto said = [](const Model::Loss& loss) {
        const auto [text, thrown] = first_steps(loss);
        CHECK(thrown.empty());
        return text;
    };
    CHECK(said([=](const Model& m, const Examples& x) { return squares(m.hidden(x)); }) ==
          begin + "no op of score() reads second.weight" + end);
    CHECK(said([=](const Model& m, const Examples& x) { return squares(m.second(m.hidden(x).clone())); }) ==
          begin + "the loss does not depend on first.weight" + end);
    // Right: all are trained; a gradient that is 0 is one; so is that of a branch which waits for an example.
    CHECK(said([=](const Model& m, const Examples& x) { return squares(m.second(m.hidden(x))); }).empty());
    CHECK(
        said([=](const Model& m, const Examples& x) { return squares(m.second(m.hidden(x)) * 0); }).empty());
    std::vector<real> firsts;
    for (const Tensor& row : Random(1).normal({8, 2})) firsts.push_back(row.at({0}));
    std::sort(firsts.begin(), firsts.end());
    const auto by_example = [=, third = firsts[2]](const Model& m,
                                                   const Examples& some) {  // of 4 one is above
        Tensor total(0);
        for (index_t i = 0; i < some.size(); ++i) {
            const Examples one = some.part(i, i + 1);
            total += squares(one["x"].at({0, 0}) > third ? m.second(m.hidden(one)) : m.hidden(one));
        }
        return total;
    };
    CHECK(said(by_example).empty());
}

TEST_CASE("a rate of 0 and a gradient of 0 everywhere are said once") {
    using Model = TwoLayers;
    const auto loss = [](const Model& m, const Examples& x) { return sum(relu(m.second(m.hidden(x))) + 1); };
    const auto off = [](const Model& m, const Examples& x) {
        return sum(relu(m.second(m.hidden(x)) - 1000) + 1);
    };
    CHECK(first_steps(loss).first.empty());
    CHECK(first_steps(off).first ==
          "glassbox: trainer: the gradient of the first batch is 0 everywhere: weights of 0, or units that "
          "are all "
          "off, stay so\n");
    CHECK(first_steps(loss, 1, 0).first == "glassbox: trainer: the learning rate is 0: nothing is trained\n");
}

TEST_CASE("a loss that is not finite is an error of step(), and changes no parameter") {
    TwoLayers learner(
        [](const TwoLayers& m, const Examples& x) { return sum(log(m.second(m.hidden(x)) - 100)); });
    ArrayDataSet data({{"x", Random(1).normal({8, 2})}});
    Trainer trainer(learner, data, {.epochs = 2, .batch = 4});
    const Tensor before = trainer.parameters().values().clone();
    const std::string message = message_of<Diverged>([&] { trainer.step(); });
    CHECK(message.starts_with("training: in step 1 the loss is nan and the gradient's norm "));
    CHECK(
        message.ends_with("nothing has been learnt yet, so the cause is in the data or the initial weights"));
    const StepReport report = trainer.compute_gradient();  // to look at
    CHECK(fmt::format("{}", report.score.loss) == "nan");
    CHECK(message_of<Diverged>([&] { trainer.update(report); }) == message);
    check_close(trainer.parameters().values(), before, exact, "parameters");
    CHECK(trainer.steps_done() == 0);
    // A number of the data that is none is no matter of the learning rate.
    TwoLayers first_of([](const TwoLayers& m, const Examples& x) { return sum(m.second(m.hidden(x))); });
    std::vector<real> numbers = Random(1).normal({8, 2}).values();
    numbers[5] = NAN;
    ArrayDataSet bad({{"x", Tensor({8, 2}, numbers)}});
    Trainer another(first_of, bad, {.epochs = 4, .batch = 1});
    CHECK(message_of<Diverged>([&] {
              while (!another.is_finished()) another.step();
          }).ends_with(": the batch's array 'x' has nan"));
    // A run that goes wrong later says so.
    const auto [said, later] = first_steps(
        [](const TwoLayers& m, const Examples& x) { return sum(exp(exp(exp(m.second(m.hidden(x)))))); }, 30);
    CHECK(later.starts_with("training: in step "));
}

TEST_CASE("the probe of score() before the first step is not visible to observers and requests no data") {
    Training training(small_config());
    {
        const Trace trace;
        check_sums(training.learner, first_rows(training.data, 3), Device::cpu);
        CHECK(trace.steps().empty());
    }
    training.data.asked.clear();
    training.trainer.compute_gradient();
    CHECK(training.data.asked.size() == 90);  // the batch
    CHECK(training.data.epochs == std::vector<index_t>{0});
}

TEST_CASE("a schedule is as long as the run; another length is refused, and so is a step after the last") {
    TrainerConfig config = small_config();
    Training training(config);
    CHECK(training.trainer.config().schedule.steps == 12);
    config.schedule.steps = 12;
    CHECK(Training(config).trainer.config().schedule.steps == 12);
    for (const ScheduleKind kind : {ScheduleKind::cosine, ScheduleKind::cosine_printed}) {
        config.schedule.kind = kind, config.schedule.steps = 10;
        check_error([&] { Training another(config); },
                    std::string("schedule: ") + name(kind) +
                        " over 10 steps, and the run has 12 (3 epochs of 4); 0 means those of the run");
    }
    config.schedule.kind = ScheduleKind::constant;
    CHECK(Training(config).trainer.steps() == 12);
    training.steps(12);
    const Tensor end = training.values();
    const std::string rule = "trainer: all 12 steps of this run, steps(), are done";
    check_error([&] { training.trainer.step(); }, rule);
    check_error([&] { training.trainer.compute_gradient(); }, rule);
    check_close(training.values(), end, exact, "parameters");
}

// ---- kept copies -------------------------------------------------------------------------------------

TEST_CASE("copies of a model in training keep the values at which they were made") {
    Training training(small_config(), 0.3), undisturbed(small_config(), 0.3);
    const Examples some = first_rows(training.data, 3);
    std::vector<Predictor> models;
    std::vector<Tensor> losses, blocks, gradients, block_copies, gradient_copies, moments, moment_copies;
    const auto copy = [](const Tensor& x) { return Tensor(x.shape(), x.values()); };
    for (int step = 0; step < 4; ++step) {
        training.trainer.step();
        models.push_back(training.learner.model);
        losses.push_back(training.learner.score(some).loss);
        blocks.push_back(training.trainer.parameters().values());
        gradients.push_back(training.trainer.gradient());
        moments.push_back(training.trainer.optimiser().m);
        block_copies.push_back(copy(blocks.back()));
        gradient_copies.push_back(copy(gradients.back()));
        moment_copies.push_back(copy(moments.back()));
    }
    undisturbed.steps(4);
    check_close(training.values(), undisturbed.values(), exact, "what is trained");
    for (std::size_t i = 0; i < models.size(); ++i) {
        INFO("after step " << i + 1);
        check_close(ClassifierLearner(models[i]).score(some).loss, losses[i], exact, "the model");
        check_close(blocks[i], block_copies[i], exact, "the block");
        check_close(gradients[i], gradient_copies[i], exact, "the gradient");
        check_close(moments[i], moment_copies[i], exact, "m");
    }
    const Predictor before = training.learner.model;
    const Tensor loss = training.learner.score(some).loss;
    training.trainer.restore(Training(small_config(), 0.3).trainer.checkpoint());
    check_close(ClassifierLearner(before).score(some).loss, loss, exact, "before a checkpoint is restored");
    CHECK(!same(training.learner.score(some).loss, loss));
}

TEST_CASE("gradients kept by a watcher are those of their step") {
    Training training(small_config());
    std::mutex one;
    std::vector<std::pair<Tensor, Tensor>> kept[3];  // the tensors, and their values at the time
    for (auto& of_step : kept)
        training.trainer.step([&](index_t, const Trace&, const Tape& tape) {
            const Tensor gradient = tape.gradient(training.trainer.parameters().tensors()[0]);
            const std::lock_guard lock(one);
            of_step.emplace_back(gradient, Tensor(gradient.shape(), gradient.values()));
        });
    // The next pieces of a lane add to a piece's gradient; the last piece saw all.
    for (const auto& of_step : kept)
        CHECK(std::any_of(of_step.begin(), of_step.end(),
                          [](const auto& pair) { return same(pair.first, pair.second); }));
}

TEST_CASE("a learner whose model was replaced after its trainer was made is detected, and nothing changes") {
    Training training(small_config());
    training.steps(1);
    const Predictor own = training.learner.model;
    training.learner.model = predictor(small_predictor(), 43);
    const std::string rule =
        "trainer: parameter input_net.1.weight is no longer the one this trainer trains: the model was given "
        "other values after the trainer was made; make a new Trainer";
    check_error([&] { training.trainer.step(); }, rule);
    check_error([&] { training.trainer.compute_gradient(); }, rule);
    CHECK(training.trainer.steps_done() == 1);
    training.learner.model = own;
    training.steps(1);
    check_close(training.values(), Training(small_config()).steps(2).values(), exact, "its own again");
}

namespace {

// logits = x Wᵀ + x Vᵀ, tied or not.
struct TwoProjections {
    Tensor w = Tensor::full({5, 5}, 0.125), v = w;
    void parameters(Parameters& all) { all("w", w), all("v", v); }
};

class TwoProjectionsLearner final : public Learner {
  public:
    TwoProjections model;
    Parameters parameters() override { return parameters_of(model); }
    index_t counted(const Examples& examples) const override { return count_labels(examples["labels"]); }
    Outcome score(const Examples& examples) const override {
        const Tensor& x = examples["x"];
        return classified(linear(x, model.w) + linear(x, model.v), examples["labels"]);
    }
};

}  // namespace

TEST_CASE("tied weights are trained as one: their gradients add up, and they stay tied") {
    Data data;
    TwoProjectionsLearner tied, apart;
    apart.model.v = Tensor::full({5, 5}, 0.125);
    TrainerConfig config = small_config(OptimiserKind::sgd);
    config.clipping = {};
    Trainer both(tied, data, config), each(apart, data, config);
    CHECK(both.parameters().count() == 25);
    CHECK(each.parameters().count() == 50);
    both.compute_gradient(), each.compute_gradient();
    const auto part = [](const Trainer& trainer, const char* name) {
        return ParameterBlock::view(trainer.gradient(), trainer.parameters().part(name));
    };
    check_close(part(both, "w"), part(each, "w") + part(each, "v"), golden_reordered_gradient, "∂L/∂w");
    while (!both.is_finished()) both.step();
    CHECK(tied.model.w.id() == tied.model.v.id());
    CHECK(!same(tied.model.w, apart.model.w));
    // A checkpoint has them once, and restores both.
    const Checkpoint end = both.checkpoint();
    CHECK(end.tensors.size() == 2);
    TwoProjectionsLearner again;
    Trainer resumed(again, data, config);
    resumed.restore(end);
    check_close(again.model.v, tied.model.v, exact, "v");
}

TEST_CASE("a batch is split by its positions and the model's size, never into more pieces than examples") {
    const auto cut = [](index_t count, index_t length, index_t parameters) {
        const BatchCut result = cut_of({{{"x", Tensor::zeros({count, length, 1})}}}, parameters);
        return std::vector<index_t>{result.pieces, result.lanes};
    };
    using Cut = std::vector<index_t>;
    CHECK(cut(128, 16, 10000) == Cut{8, 8});
    CHECK(cut(90, 24, 10000) == Cut{8, 8});
    CHECK(cut(1, 1000, 10000) == Cut{1, 1});
    CHECK(cut(3, 1000, 10000) == Cut{3, 3});
    CHECK(cut(2, 1, 10000) == Cut{2, 2});
    CHECK(cut(64, 10, 10000) == Cut{2, 2});
    CHECK(cut(4096, 16, 10000) == Cut{256, 16});
    CHECK(cut(4096, 16, 3000000) == Cut{256, 4});
    CHECK(cut(4096, 16, 100000000) == Cut{256, 2});
    for (const index_t count : {1, 7, 100})
        for (const index_t shares : {1, 3, 8}) {
            CHECK(share_begin(0, count, shares) == 0);
            CHECK(share_begin(shares, count, shares) == count);
        }
}

TEST_CASE("a batch without counted labels is an error, and the trainer is unchanged") {
    Training training(small_config());
    training.steps(1);
    const Tensor before(training.values().shape(), training.values().values());
    training.data.padding = 1;
    check_error([&] { training.trainer.step(); },
                "training: a batch of 90 examples has nothing to learn from");
    CHECK(training.trainer.steps_done() == 1);
    check_close(training.values(), before, exact, "parameters");
    training.data.padding = 0;
    Training other(small_config());
    check_close(training.steps(3).values(), other.steps(4).values(), exact, "afterwards");
}

// ---- order, reports, configs ---------------------------------------------------------------------------

TEST_CASE("an epoch takes every row once, in its own order; the remainder is dropped") {
    Training training(small_config());
    training.steps(8);
    CHECK(training.data.epochs == std::vector<index_t>{0, 1});
    REQUIRE(training.data.asked.size() == 720);
    const auto middle = training.data.asked.begin() + 360;
    const std::vector<index_t> one(training.data.asked.begin(), middle),
        two(middle, training.data.asked.end());
    CHECK(std::set<index_t>(one.begin(), one.end()).size() == 360);
    CHECK(std::set<index_t>(two.begin(), two.end()).size() == 360);
    CHECK(one != two);
    std::vector<index_t> order = shuffled(400, 42, 1);
    CHECK(std::equal(two.begin(), two.end(), order.begin()));
    std::sort(order.begin(), order.end());
    for (index_t i = 0; i < 400; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
    CHECK(shuffled(1, 42, 0) == std::vector<index_t>{0});
    CHECK(shuffled(0, 42, 0).empty());
    CHECK(shuffled(50, 42, 0) != shuffled(50, 42ull << 32, 0));
}

TEST_CASE("a data set may arrange the shuffled rows of each epoch") {
    struct Arranged : DataSet {
        index_t size() const override { return 10; }
        Examples at(const std::vector<index_t>& rows) const override {
            return {{{"x", Tensor(Shape{static_cast<index_t>(rows.size())},
                                  std::vector<real>(rows.begin(), rows.end()))}}};
        }
        void arrange(std::vector<index_t>& rows, index_t batch) const override {
            CHECK(batch == 5);
            std::reverse(rows.begin(), rows.end());
        }
    } data;
    Batches batches(data, 5, 42);
    for (const index_t step : {0, 1, 2, 3}) {
        std::vector<index_t> order = shuffled(10, 42, step / 2);
        std::reverse(order.begin(), order.end());
        const auto begin = order.begin() + step % 2 * 5;
        CHECK(batches.of(step)["x"].values() == std::vector<real>(begin, begin + 5));
    }
}

TEST_CASE("in a shuffle every row is about equally frequent at every position") {
    const index_t n = 6, seeds = 6000;
    std::vector<int> counts(static_cast<std::size_t>(n * n));
    for (index_t seed = 0; seed < seeds; ++seed) {
        const std::vector<index_t> order = shuffled(n, static_cast<std::uint64_t>(seed), 0);
        for (index_t i = 0; i < n; ++i)
            ++counts[static_cast<std::size_t>(i * n + order[static_cast<std::size_t>(i)])];
    }
    for (const int count : counts) CHECK(std::abs(count - 1000) < 150);  // 5 standard deviations
}

TEST_CASE("a report has the step, the epoch, the norm before clipping, its factor, and the learning rate") {
    Training training(small_config());
    training.steps(4);
    const StepReport report = training.trainer.compute_gradient();
    CHECK(report.step == 5);
    CHECK(report.epoch == 2);
    CHECK(report.gradient_norm == norm(training.trainer.gradient()));
    CHECK(report.clip == std::min(1.0, 1 / report.gradient_norm));
    CHECK(report.learning_rate == learning_rate(training.trainer.config().schedule, 4));
    CHECK(report.score.counted == 90 * 24);
    CHECK(report.score.loss > 0);
    CHECK(training.trainer.steps_done() == 4);
    training.trainer.update(report);
    CHECK(training.trainer.steps_done() == 5);
    check_close(training.values(), Training(small_config()).steps(5).values(), exact, "in two halves");
}

TEST_CASE("training lowers the loss") {
    Training training(small_config());
    const double before = training.trainer.evaluate(training.data).loss;
    training.steps(12);
    CHECK(training.trainer.is_finished());
    CHECK(training.trainer.evaluate(training.data).loss < before - 0.05);
}

TEST_CASE("trainers refuse invalid settings, with the number") {
    const auto with = [](auto change) {
        return [=] {
            TrainerConfig config = small_config();
            change(config);
            Training training(config);
        };
    };
    check_error(with([](auto& c) { c.epochs = 0; }), "trainer: needs at least 1 epoch, got 0");
    check_error(with([](auto& c) { c.batch = 0; }), "trainer: needs batches of at least 1 example, got 0");
    check_error(with([](auto& c) { c.batch = 401; }), "trainer: needs a full batch of 401 examples, got 400");
    check_error(with([](auto& c) { c.clipping.max_norm = -1; }),
                "trainer: needs a clipping norm of at least 0, got -1");
    check_error(with([](auto& c) { c.optimiser.beta1 = 1; }), "optimiser: needs β₁ in [0, 1), got 1");
    check_error(with([](auto& c) { c.schedule.rate = -1; }),
                "schedule: needs a finite learning rate of at least 0, got -1");
}

TEST_CASE("a score is the mean over everything counted, without dropout, for any pieces") {
    Training training(small_config(), 0.3);
    for (const index_t padding : {0, 7}) {
        Data padded(2345, 3);
        padded.padding = padding;
        double loss = 0;
        index_t counted = 0, correct = 0;
        for (index_t row = 0; row < padded.size();
             row += 1000) {  // padding is counted from the start of a request
            std::vector<index_t> rows;
            for (index_t i = row; i < std::min(row + 1000, padded.size()); ++i) rows.push_back(i);
            const Outcome outcome = training.learner.score(padded.at(rows));
            loss += static_cast<double>(outcome.loss.item());
            counted += training.learner.counted(padded.at(rows));
            correct += static_cast<index_t>(outcome.correct.item());
        }
        const Scored score = training.trainer.evaluate(padded);
        CHECK(score.loss == Approx(loss / static_cast<double>(counted)).epsilon(1e-6));
        CHECK(score.counted == counted);
        CHECK(score.correct == correct);
        CHECK(score.accuracy() == static_cast<double>(correct) / static_cast<double>(counted));
    }
    CHECK(Scored{}.accuracy() == 0);
}

// ---- checkpoints ---------------------------------------------------------------------------------------

TEST_CASE("a restored trainer continues to the same bits, from memory and from a file") {
    for (const OptimiserKind kind : {OptimiserKind::adam, OptimiserKind::adamw, OptimiserKind::sgd}) {
        INFO(name(kind));
        const TrainerConfig config = small_config(kind);
        Training whole(config, 0.2), begun(config, 0.2);
        whole.steps(9);
        const Checkpoint checkpoint = begun.steps(5).trainer.checkpoint();
        begun.steps(3);  // the saved state stays unchanged
        Training again(config, 0.2), from_file(config, 0.2);
        again.trainer.restore(checkpoint);
        CHECK(again.trainer.steps_done() == 5);
        check_close(again.steps(4).values(), whole.values(), exact, "from memory");
        TemporaryFolder folder;
        write_checkpoint(folder / "c", checkpoint);
        from_file.steps(2);  // into a trainer in a different state
        from_file.trainer.restore(read_checkpoint(folder / "c"));
        check_close(from_file.steps(4).values(), whole.values(), exact, "from a file");
        check_close(from_file.trainer.optimiser().m, whole.trainer.optimiser().m, exact, "m");
        if (kind != OptimiserKind::sgd)
            check_close(from_file.trainer.optimiser().v, whole.trainer.optimiser().v, exact, "v");
    }
}

TEST_CASE("another model's or optimiser's checkpoint is refused by name, and the trainer is unchanged") {
    Training training(small_config()), deeper(small_config(), 0, 2);
    Training sgd(small_config(OptimiserKind::sgd));
    training.steps(2), deeper.steps(3), sgd.steps(3);
    const Tensor before(training.values().shape(), training.values().values());
    const auto refused = [&](Trainer& trainer, const Checkpoint& checkpoint, const std::string& what) {
        const index_t done = trainer.steps_done();
        const std::string message = message_of<Error>([&] { trainer.restore(checkpoint); });
        INFO(message);
        CHECK(has(message, what));
        CHECK(trainer.steps_done() == done);
    };
    refused(training.trainer, deeper.trainer.checkpoint(),
            "model.transformer.layers.1.norm1.weight (8,) is not the model's");
    refused(deeper.trainer, training.trainer.checkpoint(),
            "model.transformer.layers.1.self_attn.qkv_proj.weight (24, 8) is missing");
    refused(training.trainer, sgd.trainer.checkpoint(), "v.input_net.1.weight (8, 5) is missing");
    refused(sgd.trainer, training.trainer.checkpoint(),
            "trainer: the checkpoint has v.input_net.1.weight, and sgd has no second moments");
    Checkpoint late = training.trainer.checkpoint();
    late.step = 13;
    refused(training.trainer, late, "trainer: a checkpoint of step 13, and this run has 12");
    late.step = -1;
    refused(training.trainer, late, "trainer: a checkpoint of step -1, and this run has 12");
    check_close(training.values(), before, exact, "parameters");
    Training untouched(small_config());
    check_close(training.steps(3).values(), untouched.steps(5).values(), exact, "afterwards");
}

// ---- a traced step ----------------------------------------------------------------------------------

TEST_CASE("a watched step: every piece's trace with losses and loss, and the same step") {
    Training plain(small_config(), 0.2), watched(small_config(), 0.2);
    plain.steps(1);
    std::mutex mutex;
    std::set<index_t> pieces;
    double loss = 0;
    const StepReport report = watched.trainer.step([&](index_t piece, const Trace& trace, const Tape& tape) {
        const std::lock_guard lock(mutex);
        pieces.insert(piece);
        for (const char* path : {"x", "encoder/0/self_attn/attention", "logits", "losses", "loss"})
            CHECK(trace.contains(path));
        CHECK(trace["losses"].size(1) == 24);
        CHECK(trace.steps().back().path == "loss");
        CHECK(tape.gradient(trace["losses"]).at({0, 0}) == static_cast<real>(1 / (90.0 * 24)));
        loss += static_cast<double>(trace["loss"].item());
    });
    CHECK(pieces == std::set<index_t>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(report.score.loss == Approx(loss / (90 * 24)).epsilon(1e-6));
    // Under a trace attention goes step by step, with different rounding.
    check_close(watched.trainer.gradient(), plain.trainer.gradient(), golden_reordered_gradient, "gradient");
}
