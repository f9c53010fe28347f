#include "commands/shared/attention_of_heads.h"
#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

ModelCommand model() {
    ModelCommand command;
    command.order = 21;
    command.name = "cross-attention";
    command.summary = "Cross-attention: queries of one sequence, keys and values of another.";
    command.examples = {
        {"tracer cross-attention --seq 2 --memory 3 --dmodel 4 --heads 2", "Two queries, three keys."},
        {"tracer cross-attention --lengths 2", "Padding of the other sequence is hidden."},
        {"tracer cross-attention --mistake cross/no-memory", "The other sequence is not used."}};
    command.options = {.shared = {"--seq", "--batch", "--memory", "--din", "--dmodel", "--heads", "--no-bias",
                                  "--mask", "--lengths"},
                       .input_help = "x and memory by name"};
    command.inputs = {"x", "memory"};
    command.defaults = {{.memory = 4, .d_model = {4}}};
    command.make = attention_of_heads;
    return command;
}

}  // namespace

Command cross_attention() { return command_of(model); }

}  // namespace glassbox::tracer::commands
