#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"

namespace tracer {

// One entry a command, in the order in which help shows them. Each has its file.
struct Command {
    std::string name;
    std::string summary;
    std::function<void(const Arguments& arguments)> run;
    // Its declarations, for completions and the man page: nothing is run.
    std::function<std::shared_ptr<const Options>()> options;
};
const std::vector<Command>& commands();

void run_attention(const Arguments& arguments);
std::shared_ptr<const Options> attention_options();
struct ModelCommand;  // model.h
ModelCommand multihead_command();
ModelCommand positional_command();
ModelCommand encoder_block_command();
ModelCommand encoder_command();
ModelCommand predictor_command();
ModelCommand decoder_block_command();
ModelCommand decoder_command();
ModelCommand transformer_command();
ModelCommand time2vec_command();
void run_train(const Arguments& arguments);
std::shared_ptr<const Options> train_options();
void run_predict(const Arguments& arguments);
std::shared_ptr<const Options> predict_options();
void run_scaling(const Arguments& arguments);
std::shared_ptr<const Options> scaling_options();
void run_plot(const Arguments& arguments);
std::shared_ptr<const Options> plot_options();
void run_check_file(const Arguments& arguments);
std::shared_ptr<const Options> check_file_options();
void run_completion(const Arguments& arguments);
std::shared_ptr<const Options> completion_options();
void run_manual(const Arguments& arguments);
std::shared_ptr<const Options> manual_options();

// The examples that `tracer` alone begins with: command, meaning.
const std::vector<std::pair<std::string, std::string>>& first_examples();

// Thrown by a command that has shown that something it checked does not hold; run() then returns 1.
struct CheckFailed {};

// What the program's exit codes mean.
const std::vector<std::pair<int, std::string>>& exit_codes();

// Inside a catch: says on standard error what was thrown, behind `who`, and returns its exit code.
int report_failure(const std::string& who = "");

// What to type to run this program again: "tracer", "build/tracer", or what GLASSBOX_COMMAND says.
const std::string& program_name();

// Runs a whole command line and returns one of exit_codes(). Messages go to standard error; no exception
// comes out.
int run(const Arguments& arguments, const std::string& started_as = "tracer");

}  // namespace tracer
