#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/train/learner.h>

#include "tasks/answer.h"
#include "tasks/settings.h"

namespace glassbox {

// What a task reports after the test: text, and the same as name and JSON value.
struct TestReport {
    std::vector<std::string> lines{};
    std::vector<std::pair<std::string, std::string>> fields{};
};

// A model and its data sets, created from the settings.
struct TrainSetup {
    std::unique_ptr<Learner> learner{};
    std::unique_ptr<DataSet> training{}, validation{}, test{};
    std::vector<std::string> header{};  // lines that describe the task, and the sizes
    std::string unit{};                 // the unit of the accuracy: "numbers", "sequences", "sets"
    // Moves data to a device other than the cpu before the first batch; parameters are moved by the trainer.
    std::function<void(Device)> move_data{};
    // What the model needs and was learned from the data: a vocabulary, a scale. It is stored with the
    // settings in the run's files, where Task::answerer finds it as text. A resumed run must learn the same
    // again.
    Settings::Texts kept{};
    // More about the trained model, after the test, with the best parameters in place; may be empty.
    std::function<TestReport()> tested{};

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

// A setting as an option of `tracer train`: "epochs" is --epochs. One with a default in Task::defaults can be
// set.
struct TaskSetting {
    std::string name{}, group = "Data", value_name = "N", help{};
    std::vector<std::string> words{};    // the possible values, or those besides a file; empty: any
    std::vector<std::string> endings{};  // the value is a file, whose name may end so: ".npz"

    bool is_file() const { return !endings.empty(); }
};

// A task's own option of `tracer predict`: "set" is --set.
struct PredictOption {
    std::string name{}, value_name{}, help{};  // without a value_name it is a flag
    std::string
        implicit_value{};  // the value when the option is given without one; empty: a value is required

    bool is_flag() const { return value_name.empty(); }
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
    std::vector<TaskSetting> settings{};  // besides those that all tasks share; a name means the same in all
    std::optional<Variants> variants{};
    std::function<TrainSetup(const Settings&)> make{};

    // Settings that have no effect in this task, with the reason: "goes with …".
    std::map<std::string, std::string> without_effect{};
    // The same where it depends on the other settings; may be empty.
    std::function<std::map<std::string, std::string>(const Settings&)> without_effect_when{};
    index_t source_epochs = 0;  // epochs in the source, where the default is smaller

    std::string example{};                 // an input, "2 5 3 7 1"; empty: none is required
    std::string input_name = "numbers";    // what an input is, for messages: "a sentence"
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
