#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/train/learner.h>

#include "tasks/answer.h"
#include "tasks/task_settings.h"

namespace glassbox {

// What a task reports after the test: text, and the same as name and JSON.
struct TestReport {
    std::vector<std::string> lines{};
    std::vector<std::pair<std::string, std::string>> fields{};

    void field(const std::string& name, const JsonValue& value) { fields.emplace_back(name, value.text()); }
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

    // Draws the three sets, with the seeds --data-seed, --data-seed + 1 and --data-seed + 2.
    using Draw = std::function<std::unique_ptr<DataSet>(index_t count, std::uint64_t seed)>;
    void draw(const DrawnSettings& drawn, const Draw& data);
};

// For estimating the memory of a training run before anything is allocated.
struct TaskSizes {
    std::optional<index_t> length{};  // of a sequence; none: only the model is estimated
    DrawnSettings drawn{};            // how many examples each set has
    double width = 1;                 // of an element of x; 1: a token
    double images = 1;                // examples for each unit of --examples
    bool decodes = false;             // has as many decoder blocks as encoder blocks
};

// A setting with a separate model for each of its values. The value `all` trains or asks all of them in turn.
struct Variants {
    std::string setting, all;
    std::vector<std::string> values;
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
    int order = 0;  // position in tasks()
    // Its settings as a table: with the defaults for a convention, and as a run has them.
    std::function<SettingTable(const Convention&)> defaults{};
    std::function<SettingTable(const Settings&)> table{};
    std::function<TaskSizes(const Settings&)> sizes{};
    std::optional<Variants> variants{};
    std::function<TrainSetup(const Settings&)> make{};

    index_t source_epochs = 0;  // epochs in the source, if the default is smaller

    std::string example{};                 // an input, "2 5 3 7 1"; empty: none is required
    std::string input_name = "numbers";    // what an input is, for messages: "a sentence"
    std::string options_title{};           // the heading of `options` in help texts
    std::vector<PredictOption> options{};  // the task's own options of `tracer predict`
    // Throws for a question that cannot be answered, before any file is read; may be empty.
    std::function<void(const PredictRequest&)> check{};
    // The model of these settings, which come from a file. Throws Error if they contradict each other.
    std::function<Answerer(const Settings&, const PredictRequest&)> answerer{};
};

// A task whose settings are an S: what is built from them, and how much memory that takes.
template <class S>
Task task_with(std::function<TrainSetup(const S&)> make,
               std::function<Answerer(const S&, const PredictRequest&)> answerer,
               std::function<TaskSizes(const S&)> sizes) {
    using Reading = SettingTable::Reading;
    Task task;
    task.defaults = [](const Convention& convention) {
        S settings;
        settings.convention = &convention;
        SettingTable table;
        declare_all(table, settings);
        return table;
    };
    task.table = [](const Settings& texts) {
        S settings;
        SettingTable table(texts, Reading::leniently);
        declare_all(table, settings);
        return table;
    };
    task.sizes = [sizes](const Settings& texts) { return sizes(read<S>(texts, Reading::leniently)); };
    task.make = [make](const Settings& texts) { return make(read<S>(texts)); };
    task.answerer = [answerer](const Settings& texts, const PredictRequest& request) {
        return answerer(read<S>(texts, Reading::to_answer), request);
    };
    return task;
}

const std::vector<Task>& tasks();         // the files in tasks/all/, by `order`
const Task& task(std::string_view name);  // throws UsageError that lists the known names
std::vector<std::string> task_names();

// In increasing precedence: the defaults of all tasks, of this task, of the convention, and the options that
// were given. Empty texts are ignored. Throws UsageError for a setting that the task does not have.
Settings settings_of(const Task& task, const Settings::Texts& typed);

}  // namespace glassbox
