#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tasks/answer.h>
#include <glassbox/tasks/settings.h>
#include <glassbox/train/learner.h>

namespace glassbox {

// A model and its data sets, created from the settings.
struct TrainSetup {
    std::unique_ptr<Learner> learner{};
    std::unique_ptr<DataSet> training{}, validation{}, test{};
    std::vector<std::string> header{};  // lines that describe the task, and the sizes
    std::string unit{};                 // the unit of the accuracy: "numbers", "sequences", "sets"
    // Moves data to a device other than the cpu before the first batch; parameters are moved by the trainer.
    std::function<void(Device)> move_data{};

    // Draws the three sets, of --examples, --validation and --test examples, with the seeds --data-seed,
    // --data-seed + 1 and --data-seed + 2.
    using Draw = std::function<std::unique_ptr<DataSet>(const char* count, std::uint64_t seed)>;
    void draw(const Settings& settings, const Draw& data);
};

// For estimating the memory of a training run before anything is allocated.
struct TaskSizes {
    std::function<double(const Settings&)> width{};  // of an element of x; empty: 1, a token
    double images = 1;                               // examples for each unit of --examples
    bool decodes = false;                            // has as many decoder blocks as encoder blocks
};

// A setting with a separate model for each of its values. The value `all` trains or asks all of them in turn.
struct Variants {
    std::string setting, all;
    std::vector<std::string> values;
};

// A task's own option of `tracer predict`: "set" is --set.
struct PredictOption {
    std::string name{}, value_name{}, help{};
    std::string
        implicit_value{};  // the value when the option is given without one; empty: a value is required
};

// A task as a value: data, model, defaults, questions and answers. Code that trains or predicts uses these
// fields and never depends on the name.
struct Task {
    std::string name{}, summary{};
    int order = 0;               // position in tasks()
    Settings::Texts defaults{};  // the source's values, if it has the task
    // Defaults of this task that depend on the convention, by the convention's name.
    std::map<std::string, Settings::Texts> convention_defaults{};
    TaskSizes sizes{};
    std::optional<Variants> variants{};
    std::function<TrainSetup(const Settings&)> make{};

    // Common settings that have no effect in this task, with the reason: "goes with …".
    std::map<std::string, std::string> without_effect{};
    index_t source_epochs = 0;  // epochs in the source, where the default is smaller

    std::string example{};                 // an input, "2 5 3 7 1"; empty: the task takes none
    std::string options_title{};           // the heading of `options` in help texts
    std::vector<PredictOption> options{};  // the task's own options of `tracer predict`
    // Throws for a question that cannot be answered, before any file is read; may be empty.
    std::function<void(const PredictRequest&)> check{};
    // The model of these settings, which come from a file. Throws Error if they contradict each other.
    std::function<Answerer(const Settings&, const PredictRequest&)> answerer{};
};

const std::vector<Task>& tasks();         // the files in tasks/all/, by `order`
const Task& task(std::string_view name);  // throws UsageError that lists the known names
std::vector<std::string> task_names();

// In increasing precedence: the defaults of all tasks, of this task, of the convention, and the options that
// were given. Empty texts are ignored. Throws UsageError for a setting that the task does not have.
Settings settings_of(const Task& task, const Settings::Texts& typed);

}  // namespace glassbox
