#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "subject/model_builder.h"
#include "subject/subject.h"

// Shared by the commands that show a model: `tracer attention`, `multihead`, `transformer` … A command
// specifies how its model and input are made; the rest is implemented here.
namespace glassbox::tracer {

struct ModelCommand {
    int order = 0;  // position in the overview
    std::string name, summary;
    std::string about{};  // the first line of the command's help; empty: the summary
    Examples examples;
    ModelOptions options;             // in addition to those that all have
    std::vector<std::string> inputs;  // the arrays of --input: {"x"}; "memory?" is optional
    ModelSettings defaults{};
    std::function<Subject(const ModelBuilder& making)> make;
    std::function<void(const ModelSettings& settings, const Options& options)>
        check{};  // checks its own options
};

// `model` is called for each command line, as its functions capture the values of its options.
Command command_of(ModelCommand (*model)());

// The model with its weights, on the device of --backend. The input is read or drawn first, then the weights.
// The subject refers to `input`, which must outlive it.
Subject subject_of(const ModelCommand& command, const ModelSettings& settings, const Convention& convention,
                   ModelInput& input);
// The same with the numbers of this stream.
Subject subject_of(const ModelCommand& command, const ModelSettings& settings, const Convention& convention,
                   ModelInput& input, glassbox::Stream& stream);

// In every convention norms are initialised to γ = 1 and β = 0, and biases often to 0, which hides
// differences and mistakes. Sets γ = gain (1 + z / 2), and β and the biases to spread z, with normal z.
// Returns whether there are any.
bool draw_hiding_parameters(const Subject& subject, std::uint64_t seed, double gain = 1, double spread = 0.5);

// Compares two conventions on the same weights and input: the first step that differs, and why.
void show_diff(const ModelCommand& command, const ModelSettings& settings);

}  // namespace glassbox::tracer
