#include "train/tasks.h"

#include <fmt/format.h>

#include <glassbox/random/stream.h>
#include <glassbox/tasks/classifier.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/tensor/format.h>

namespace tracer {
namespace {

using glassbox::DigitsConfig;

glassbox::PredictorConfig predictor_config(const Settings& s, index_t d_in, index_t classes) {
    glassbox::PredictorConfig config;
    config.d_in = d_in, config.classes = classes;
    config.input_dropout = s.share("input-dropout");
    glassbox::BlockConfig& block = config.encoder.block;
    block.convention = s.convention();
    block.d_model = s.whole("dmodel", 1, 1 << 20);
    block.heads = s.whole("heads", 1, 1 << 20);
    block.d_ff = s.whole("dff", 1, 1 << 20);
    block.dropout = s.share("dropout");
    block.norm = s.text("norm") == "post" ? glassbox::NormPlacement::post : glassbox::NormPlacement::pre;
    block.activation = glassbox::parse_nonlinearity(s.text("activation"));
    config.encoder.layers = s.whole("layers", 1, 10'000);
    return config;
}

std::unique_ptr<glassbox::Stream> stream_of(const Settings& s) {
    return glassbox::make_stream(glassbox::parse_rng(s.convention().rng), s.seed());
}

std::string model_line(const Settings& s) {
    return fmt::format("{} block{}, d_model = {}, h = {}, d_ff = {}, {}-norm", s.text("layers"),
                       s.text("layers") == "1" ? "" : "s", s.text("dmodel"), s.text("heads"), s.text("dff"),
                       s.text("norm"));
}

// ---- reversal ------------------------------------------------------------------------------------------

std::unique_ptr<glassbox::DataSet> reversal_data(const Settings& s, const char* count, std::uint64_t which) {
    const DigitsConfig config{s.whole(count, 1, 1 << 28), s.whole("categories", 2, 256),
                              s.whole("seq", 1, 1 << 20)};
    return std::make_unique<glassbox::ReversalData>(config, s.seed("data-seed") + which);
}

TrainSetup make_reversal(const Settings& s) {
    TrainSetup setup;
    setup.training = reversal_data(s, "examples", 0);
    setup.validation = reversal_data(s, "validation", 1);
    setup.test = reversal_data(s, "test", 2);
    const index_t categories = s.whole("categories", 2, 256);
    setup.learner = std::make_unique<glassbox::ClassifierLearner>(
        glassbox::Predictor(predictor_config(s, categories, categories), *stream_of(s)),
        glassbox::CrossEntropyOptions{s.share("label-smoothing")});
    setup.header = {
        fmt::format("{} numbers from 0 to {}, to be said backwards", s.text("seq"), categories - 1),
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

}  // namespace

const std::vector<TrainTask>& train_tasks() {
    static const std::vector<TrainTask> all = {reversal()};
    return all;
}

const TrainTask& train_task(const std::string& name) {
    std::vector<std::string> names;
    for (const TrainTask& task : train_tasks()) {
        if (task.name == name) return task;
        names.push_back(task.name);
    }
    glassbox::fail<glassbox::UsageError>("train: no task '{}'; there are {}", name, fmt::join(names, ", "));
}

}  // namespace tracer
