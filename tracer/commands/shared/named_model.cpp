#include "commands/shared/named_model.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

#include "cli/nearest.h"

namespace glassbox::tracer {

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const Command& each : all_commands())
        if (each.model) names.push_back(each.name);
    return names;
}

std::string model_list() { return either(model_names()); }

ModelCommand model_named(const std::string& verb, const Arguments& arguments) {
    if (arguments.empty() || arguments[0].starts_with("-")) {
        const auto& all = all_commands();
        const auto own =
            std::find_if(all.begin(), all.end(), [&](const Command& each) { return each.name == verb; });
        fail<UsageError>("{}: expected a layer or model first, as in: {}; there are {}", verb,
                         own->examples.front().first, model_list());
    }
    for (const Command& each : all_commands())
        if (each.model && each.name == arguments[0]) return each.model();
    fail<UsageError>("{}: expected {}, got '{}'{}", verb, model_list(), arguments[0],
                     did_you_mean(arguments[0], model_names()));
}

void declare_layer(Options& options, const std::string& verb, std::string& layer) {
    options.argument(
        "LAYER", layer,
        {.help =
             fmt::format("The layer or model, with its options: tracer {} multihead --help lists them", verb),
         .words_only = true,
         .words = model_names()});
}

NamedModel::NamedModel(const std::string& verb, const Arguments& arguments,
                       const std::function<void(Options&)>& declare)
    : command_(model_named(verb, arguments)), settings_(command_.defaults) {
    options_ = std::make_unique<Options>(verb + " " + command_.name,
                                         "Options of " + verb + " " + command_.name + ": those of tracer " +
                                             command_.name + " that say what is computed, and its own.",
                                         Examples{{"tracer " + verb + " " + command_.name,
                                                   "With the numbers of tracer " + command_.name + "."}});
    declare(*options_);
    ModelOptions shown = command_.options;
    shown.without.emplace_back("--save-weights");  // what is written is the other command's
    declare_model(*options_, settings_, shown);
    is_wanted_ = options_->parse({arguments.begin() + 1, arguments.end()});
    if (!is_wanted_) return;
    if (!settings_.input.empty() && !options_->given("--text")) settings_.text = settings_.target = "";
    check(settings_, *options_);
    if (command_.check) command_.check(settings_, *options_);
}

const Subject& NamedModel::subject() {
    if (!subject_)
        subject_ = std::make_unique<Subject>(subject_of(command_, settings_, *settings_.convention, input_));
    return *subject_;
}

}  // namespace glassbox::tracer
