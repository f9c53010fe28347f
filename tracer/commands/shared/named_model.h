#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/shared/model_command.h"

namespace glassbox::tracer {

// The names of the commands that show a model: attention, multihead, …
std::vector<std::string> model_names();
// The same as words for a sentence: "attention, multihead, … or transformer".
std::string model_list();

// The model that the first argument names. Throws UsageError if it names none.
ModelCommand model_named(const std::string& verb, const Arguments& arguments);

// The argument LAYER of the command `verb`, for its help and completion.
void declare_layer(Options& options, const std::string& verb, std::string& layer);

// A model that another command's command line names: tracer check multihead --heads 4 … It has the options of
// `tracer multihead` that define the computation, and those that `declare` adds.
class NamedModel {
  public:
    // `verb` is the other command.
    NamedModel(const std::string& verb, const Arguments& arguments,
               const std::function<void(Options&)>& declare);

    // False if only help was requested, which has been printed.
    bool is_wanted() const { return is_wanted_; }
    const std::string& name() const { return command_.name; }
    const ModelCommand& command() const { return command_; }
    const Options& options() const { return *options_; }
    const ModelSettings& settings() const { return settings_; }
    ModelSettings& settings() { return settings_; }
    // The model with its weights on its input, which stays valid as long as this object.
    const Subject& subject();
    ModelInput& input() { return input_; }
    // The model's own options as typed, for `tracer multihead …`: " --heads 4 --input in.npz"; and as words.
    std::string typed(const std::vector<std::string>& without) const {
        return options_->command_line(without);
    }
    Arguments typed_words(const std::vector<std::string>& without) const {
        return options_->given_words(without);
    }

  private:
    ModelCommand command_;
    ModelSettings settings_;
    std::unique_ptr<Options> options_;
    ModelInput input_;
    std::unique_ptr<Subject> subject_;
    bool is_wanted_ = false;
};

// A command about a model that its first argument names. `declare` declares its own options, with LAYER, for
// help and completion; `run` makes a NamedModel of the arguments.
template <class Own>
Command about_model(Command command, void (*declare)(Options&, Own&), void (*run)(const Arguments&)) {
    const Command described = command_with<Own>(command, declare, [](const Own&, const Options&) {});
    command.options = described.options;
    command.run = [described, run](const Arguments& arguments) {
        const bool asks_help = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h");
        if (asks_help) described.run({"--help"});
        else run(arguments);
    };
    return command;
}

}  // namespace glassbox::tracer
