#include "train/tasks.h"

#include <fmt/format.h>

#include <glassbox/conventions/made.h>
#include <glassbox/random/stream.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/copying.h>
#include <glassbox/tasks/made_features.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/tasks/whole_sequence.h>
#include <glassbox/tensor/format.h>

namespace tracer {
namespace {

using glassbox::DigitsConfig;

glassbox::PredictorChoices predictor_choices(const Settings& s, index_t d_in, index_t classes) {
    glassbox::PredictorChoices config;
    config.d_in = d_in, config.classes = classes;
    config.input_dropout = s.share("input-dropout");
    glassbox::BlockChoices& block = config.encoder.block;
    block.d_model = s.whole("dmodel", 1, 1 << 20);
    block.heads = s.whole("heads", 1, 1 << 20);
    block.d_ff = s.whole("dff", 1, 1 << 20);
    block.dropout = s.share("dropout");
    block.norm = s.text("norm") == "post" ? glassbox::NormPlacement::post : glassbox::NormPlacement::pre;
    block.activation = glassbox::parse_activation(s.text("activation"));
    config.encoder.layers = s.whole("layers", 1, 10'000);
    return config;
}

// With its first weights, as the convention draws them.
template <class Model>
Model made(const Settings& s, const typename glassbox::Making<Model>::Choices& choices) {
    const glassbox::Convention& convention = s.convention();
    return glassbox::made<Model>(convention, choices,
                                 *glassbox::make_stream(glassbox::parse_rng(convention.rng), s.seed()));
}

std::string model_line(const Settings& s) {
    return fmt::format("{} block{}, d_model = {}, h = {}, d_ff = {}, {}-norm", s.text("layers"),
                       s.text("layers") == "1" ? "" : "s", s.text("dmodel"), s.text("heads"), s.text("dff"),
                       s.text("norm"));
}

}  // namespace

glassbox::Predictor reversal_model(const Settings& s) {
    const index_t categories = s.whole("categories", 2, 256);
    return made<glassbox::Predictor>(s, predictor_choices(s, categories, categories));
}

glassbox::Predictor sequence_model(const Settings& s) {
    const index_t categories = s.whole("categories", 2, 256);
    const bool parity = glassbox::parse_question(s.text("question")) == glassbox::Question::parity;
    glassbox::PredictorChoices config = predictor_choices(s, categories, parity ? 2 : categories);
    config.pooling = glassbox::parse_pooling(s.text("pooling"));
    return made<glassbox::Predictor>(s, config);
}

// A set has no order: no positional encoding.
glassbox::Predictor anomaly_model(const Settings& s, index_t width) {
    glassbox::PredictorChoices config = predictor_choices(s, width, 1);
    config.positional_encoding = false;
    return made<glassbox::Predictor>(s, config);
}

glassbox::Transformer writing_model(const Settings& s) {
    glassbox::TransformerChoices config;
    config.source_vocabulary = config.target_vocabulary =
        glassbox::CopyingData::first_symbol + s.whole("categories", 2, 200);
    config.encoder = config.decoder = predictor_choices(s, 1, 1).encoder;
    auto model = made<glassbox::Transformer>(s, config);
    glassbox::quieten_embeddings(model);
    return model;
}

namespace {

// ---- reversal ------------------------------------------------------------------------------------------

DigitsConfig digits(const Settings& s, const char* count) {
    return {s.whole(count, 1, 1 << 28), s.whole("categories", 2, 256), s.whole("seq", 1, 1 << 20)};
}

TrainSetup make_reversal(const Settings& s) {
    const auto data = [&](const char* count, std::uint64_t which) {
        return std::make_unique<glassbox::ReversalData>(digits(s, count), s.seed("data-seed") + which);
    };
    TrainSetup setup;
    setup.training = data("examples", 0);
    setup.validation = data("validation", 1);
    setup.test = data("test", 2);
    setup.learner = std::make_unique<glassbox::ClassifierLearner>(
        reversal_model(s), glassbox::CrossEntropyOptions{s.share("label-smoothing")});
    setup.header = {fmt::format("{} numbers from 0 to {}, to be said backwards", s.text("seq"),
                                s.whole("categories", 2, 256) - 1),
                    model_line(s)};
    setup.unit = "numbers";
    return setup;
}

const TrainTask& reversal() {
    static const TrainTask task = {
        "reverse",
        "Says a sequence of numbers backwards (report §6, the tutorial's first task).",
        {{"seq", "16"},
         {"categories", "10"},
         {"examples", "50000"},
         {"validation", "1000"},
         {"test", "10000"},
         {"data-seed", "42"},
         {"dmodel", "32"},
         {"heads", "1"},
         {"layers", "1"},
         {"epochs", "10"},
         {"batch", "128"},
         {"rate", "0.0005"},
         {"warmup", "50"}},
        make_reversal};
    return task;
}

// ---- the sequence as a whole -----------------------------------------------------------------------------

TrainSetup make_sequence(const Settings& s) {
    const glassbox::Question question = glassbox::parse_question(s.text("question"));
    const auto data = [&](const char* count, std::uint64_t which) {
        return std::make_unique<glassbox::WholeSequenceData>(question, digits(s, count),
                                                             s.seed("data-seed") + which);
    };
    TrainSetup setup;
    setup.training = data("examples", 0);
    setup.validation = data("validation", 1);
    setup.test = data("test", 2);
    setup.learner = std::make_unique<glassbox::ClassifierLearner>(
        sequence_model(s), glassbox::CrossEntropyOptions{s.share("label-smoothing")});
    const index_t categories = s.whole("categories", 2, 256);
    setup.header = {
        question == glassbox::Question::parity
            ? fmt::format("{} numbers from 0 to {}: is the number of zeros even or odd?", s.text("seq"),
                          categories - 1)
            : fmt::format("{} numbers from 0 to {}: which comes most often?", s.text("seq"), categories - 1),
        model_line(s) + ", pooling " + s.text("pooling")};
    setup.unit = "sequences";
    return setup;
}

const TrainTask& sequence() {
    static const TrainTask task = {"sequence",
                                   "Answers a question about a sequence as a whole (report §7).",
                                   {{"seq", "16"},
                                    {"categories", "5"},
                                    {"examples", "20000"},
                                    {"validation", "1000"},
                                    {"test", "4000"},
                                    {"data-seed", "42"},
                                    {"question", "most-frequent"},
                                    {"pooling", "all"},
                                    {"dmodel", "32"},
                                    {"heads", "2"},
                                    {"layers", "1"},
                                    {"epochs", "10"},
                                    {"batch", "128"},
                                    {"rate", "0.001"},
                                    {"warmup", "50"}},
                                   make_sequence};
    return task;
}

// ---- set anomaly -----------------------------------------------------------------------------------------

// Training and validation from one part of the images, the test from another, as CIFAR-100 has them.
glassbox::LabelledImages made_images(const Settings& s, const char* count, index_t least,
                                     std::uint64_t part) {
    glassbox::MadeFeaturesConfig config;
    config.spread = s.number("spread", 0, 100);
    config.seed = s.seed("data-seed");
    config.per_class = s.whole(count, least, 1 << 20);
    config.part = part;
    return glassbox::made_features(config);
}

glassbox::LabelledImages learned_images(const Settings& s) {
    const std::string& file = s.text("features");
    return file == "generated" ? made_images(s, "examples", 20, 0) : glassbox::read_features(file);
}

glassbox::LabelledImages test_images(const Settings& s, const glassbox::LabelledImages* validation) {
    if (s.text("features") == "generated") return made_images(s, "test", 10, 1);
    const std::string& file = s.text("test-features");
    if (!file.empty() && file != "none") return glassbox::read_features(file);
    return validation ? *validation : glassbox::split_tenth(learned_images(s)).validation;
}

// A GPU keeps all features in a table, and a batch is the images' numbers: to compute its features takes the
// host some 2 ms. The test's are other images; they come with theirs.
constexpr index_t most_in_a_table = index_t{1} << 28;  // 1 GB

TrainSetup make_anomaly(const Settings& s) {
    using glassbox::SetAnomalyData, glassbox::Sets;
    const glassbox::TrainingAndValidation learned = glassbox::split_tenth(learned_images(s));
    const auto features = learned.training.features;
    const index_t size = s.whole("seq", 3, 10'000), width = features->width();
    // The tutorial's seeds: 42, 43, and 123 for the test.
    const auto sets_of = [&](const glassbox::LabelledImages& images, Sets sets, std::uint64_t seed) {
        return std::make_unique<SetAnomalyData>(images, glassbox::SetAnomalyConfig{size, sets, seed});
    };
    auto training = sets_of(learned.training, Sets::fresh, s.seed());
    auto validation = sets_of(learned.validation, Sets::fixed, 43);
    auto learner = std::make_unique<glassbox::AnomalyLearner>(anomaly_model(s, width));
    TrainSetup setup;
    setup.move_data = [features, &learner = *learner, &training = *training,
                       &validation = *validation](glassbox::Device device) {
        if (features->count() * features->width() > most_in_a_table) return;
        learner.look_up_in(glassbox::all_features(*features).to(device));
        training.leave_out_features();
        validation.leave_out_features();
    };
    setup.test = anomaly_test_sets(s, &learned.validation);
    setup.training = std::move(training);
    setup.validation = std::move(validation);
    setup.learner = std::move(learner);
    setup.header = {fmt::format("sets of {}: {} images of one class and one of another, which is to be found",
                                size, size - 1),
                    model_line(s) + fmt::format(", features of width {}", width)};
    setup.unit = "sets";
    return setup;
}

const TrainTask& anomaly() {
    static const TrainTask task = {
        "anomaly",
        "Finds the element of a set that does not belong (the tutorial's second task).",
        {{"seq", "10"},
         {"features", "generated"},
         {"test-features", "none"},
         {"spread", "1.4"},
         {"examples", "500"},
         {"test", "100"},
         {"data-seed", "42"},
         {"dmodel", "256"},
         {"heads", "4"},
         {"layers", "4"},
         {"dropout", "0.1"},
         {"input-dropout", "0.1"},
         {"epochs", "10"},
         {"batch", "64"},
         {"rate", "0.0005"},
         {"warmup", "100"}},
        make_anomaly};
    return task;
}

// ---- copy and sort ---------------------------------------------------------------------------------------

TrainSetup make_writing(const Settings& s) {
    const auto data = [&](const char* count, std::uint64_t which) {
        glassbox::CopyingConfig config;
        config.writing = glassbox::parse_writing(s.text("task"));
        config.count = s.whole(count, 1, 1 << 28);
        config.symbols = s.whole("categories", 2, 200);
        config.longest = s.whole("seq", 1, 250);
        config.shortest = std::min<index_t>(3, config.longest);
        config.seed = s.seed("data-seed") + which;
        return std::make_unique<glassbox::CopyingData>(config);
    };
    TrainSetup setup;
    setup.training = data("examples", 0);
    setup.validation = data("validation", 1);
    setup.test = data("test", 2);
    setup.learner = std::make_unique<glassbox::SequenceLearner>(
        writing_model(s), glassbox::CrossEntropyOptions{s.share("label-smoothing")});
    setup.header = {fmt::format("up to {} symbols of {}, to be {}, token by token", s.text("seq"),
                                s.text("categories"), s.text("task") == "copy" ? "copied" : "sorted"),
                    "encoder and decoder of " + model_line(s)};
    setup.unit = "tokens";
    return setup;
}

TrainTask writing(const char* name, const char* summary) {
    return {name,
            summary,
            {{"seq", "10"},
             {"categories", "10"},
             {"examples", "10000"},
             {"validation", "500"},
             {"test", "1000"},
             {"data-seed", "42"},
             {"dmodel", "32"},
             {"heads", "2"},
             {"layers", "1"},
             {"epochs", "15"},
             {"batch", "64"},
             {"rate", "0.003"},
             {"warmup", "100"}},
            make_writing};
}

}  // namespace

std::unique_ptr<glassbox::SetAnomalyData> anomaly_test_sets(const Settings& s,
                                                            const glassbox::LabelledImages* validation) {
    const glassbox::SetAnomalyConfig config{s.whole("seq", 3, 10'000), glassbox::Sets::fixed, 123};
    return std::make_unique<glassbox::SetAnomalyData>(test_images(s, validation), config);
}

const std::vector<TrainTask>& train_tasks() {
    static const std::vector<TrainTask> all = {
        reversal(), sequence(), anomaly(),
        writing("copy", "An encoder–decoder writes down what it has read."),
        writing("sort", "An encoder–decoder writes down in order what it has read.")};
    return all;
}

std::vector<std::string> train_task_names() {
    std::vector<std::string> names;
    for (const TrainTask& task : train_tasks()) names.push_back(task.name);
    return names;
}

const TrainTask& train_task(const std::string& name) {
    for (const TrainTask& task : train_tasks())
        if (task.name == name) return task;
    glassbox::fail<glassbox::UsageError>("train: no task '{}'; there are {}", name,
                                         fmt::join(train_task_names(), ", "));
}

}  // namespace tracer
