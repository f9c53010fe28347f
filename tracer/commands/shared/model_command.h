#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "subject/making.h"
#include "subject/subject.h"

// What the commands that show a model have in common: `tracer attention`, `multihead`, `transformer` … A
// command says how its model and its input are made; the rest is here, written once.
namespace tracer {

struct ModelCommand {
    int order = 0;  // its place in the overview
    std::string name, summary;
    std::string about{};  // the first line of its help; empty: the summary
    Examples examples;
    ModelOptions options;             // which it has besides those that all have
    std::vector<std::string> inputs;  // which arrays --input must have: {"x"}; "memory?" may be left out
    ModelSettings defaults{};
    std::function<Subject(const Making& making)> make;
    std::function<void(const ModelSettings& settings, const Options& options)> check{};  // of its own options
};

// `model` is called anew for each command line: its own options live in what its functions have captured.
Command command_of(ModelCommand (*model)());

// The model with its weights, on the device that --backend names. The input is read or drawn first, then the
// weights; the subject looks at `input`, which must live as long.
Subject subject_of(const ModelCommand& command, const ModelSettings& settings,
                   const glassbox::Convention& convention, ModelInput& input);

}  // namespace tracer
