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

// A model and the data it learns from, made as the settings say.
struct TrainSetup {
    std::unique_ptr<Learner> learner{};
    std::unique_ptr<DataSet> training{}, validation{}, test{};
    std::vector<std::string> header{};  // what is learned, and the sizes
    std::string unit{};                 // what the accuracy counts: "numbers", "sequences", "sets"
    // What goes to another device than the cpu besides the parameters, before the first batch.
    std::function<void(Device)> move_data{};

    // The three sets by how many examples --examples, --validation and --test ask for, each with a seed of
    // its own from --data-seed on.
    using Draw = std::function<std::unique_ptr<DataSet>(const char* count, std::uint64_t seed)>;
    void draw(const Settings& settings, const Draw& data);
};

// What a training run will take of memory, known before anything is made.
struct TaskSizes {
    std::function<double(const Settings&)> width{};  // of an element of x; empty: 1, a token
    double images = 1;                               // how many examples --examples 1 stands for
    bool decodes = false;                            // as many decoder blocks beside the encoder's
};

// A setting of which each value makes a model of its own. `all` trains and asks one after the other.
struct Variants {
    std::string setting, all;
    std::vector<std::string> values;
};

// An option of a question: "set" is --set.
struct AskOption {
    std::string name{}, value_name{}, help{};
    std::string alone{};  // what it stands for without a value; empty: it needs one
};

// What can be learned, as one value: data, model, defaults, question and answer. Whoever trains or asks looks
// here and never at the name.
struct Task {
    std::string name{}, summary{};
    int order = 0;               // its place where tasks are listed
    Settings::Texts defaults{};  // the source's, where it has the task
    // What a convention's source does otherwise in this task than elsewhere, by the convention's name.
    std::map<std::string, Settings::Texts> convention_defaults{};
    TaskSizes sizes{};
    std::optional<Variants> variants{};
    std::function<TrainSetup(const Settings&)> make{};

    // Settings that every task has and this one makes nothing of, with the reason: "goes with …".
    std::map<std::string, std::string> without_effect{};
    index_t source_epochs = 0;  // how many its source trains, where the default is shorter

    std::string example{};             // an input, "2 5 3 7 1"; empty: nothing is typed
    std::string options_title{};       // above the options in a help text
    std::vector<AskOption> options{};  // what a question may say besides
    // Refuses a question before any file is read; empty: there is nothing to refuse.
    std::function<void(const Asked&)> check{};
    // The model as the settings say, which are a file's: what does not go together is an Error.
    std::function<Answerer(const Settings&, const Asked&)> answerer{};
};

const std::vector<Task>& tasks();         // those in tasks/all/, in their order
const Task& task(std::string_view name);  // UsageError that lists them
std::vector<std::string> task_names();

// Defaults of every task, over them the task's, over them the convention's, over them what was typed; empty
// texts say nothing. Throws UsageError for a setting that the task does not have.
Settings settings_of(const Task& task, const Settings::Texts& typed);

}  // namespace glassbox
