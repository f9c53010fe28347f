#include "commands/shared/attention_of_heads.h"
#include "commands/shared/model_command.h"

namespace glassbox::tracer::commands {
namespace {

ModelCommand model() {
    ModelCommand command;
    command.order = 20;
    command.name = "multihead";
    command.summary = "Multi-head attention: h heads, each with its own queries, keys and values.";
    command.examples = {
        {"tracer multihead --seq 3 --dmodel 4 --heads 2", "Two heads and three positions, every step."},
        {"tracer multihead --text 'the cat sat' --map", "What each word attends to, as a map."},
        {"tracer multihead --memory 5",
         "Cross-attention: queries from x, keys and values from another sequence."},
        {"tracer multihead --mask causal --only masked,attention", "What a mask does, head by head."},
        {"tracer multihead --diff uva-jax,paper", "Where two conventions first differ, and why."},
        {"tracer multihead --explain 'output[0,1]'",
         "The arithmetic behind one number, down to x and the weights."},
        {"tracer multihead --weights model.safetensors --input x.npz", "Your own weights and numbers."}};
    command.options = {.shared = {"--seq", "--batch", "--memory", "--din", "--dmodel", "--heads", "--text",
                                  "--no-bias", "--mask", "--lengths"},
                       .input_help = "x by name, optionally memory"};
    command.inputs = {"x", "memory?"};
    command.defaults = {{.d_model = {4}}};
    command.make = attention_of_heads;
    return command;
}

}  // namespace

Command multihead() { return command_of(model); }

}  // namespace glassbox::tracer::commands
