#include "commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>

#include <glassbox/tensor/format.h>
#include <glassbox/version.h>

#include "cli/heartbeat.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "subject/model.h"

namespace tracer {
namespace {

std::string overview() {
    std::string text =
        "tracer: see through a Transformer: every step, every number, every gradient.\n\nExamples:\n";
    for (const auto& [command, meaning] : first_examples())
        text += fmt::format("  {}\n      {}\n", command, meaning);
    text += "\nCommands:\n";
    for (const Command& command : commands())
        text += fmt::format("  {:<14} {}\n", command.name, command.summary);
    return text +
           "\ntracer COMMAND --help shows a command's examples and options; tracer --version says which one "
           "this is.\n";
}

void dispatch(const Arguments& arguments) {
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
        (arguments[0] == "help" && arguments.size() == 1))
        return write_out(overview());
    if (arguments[0] == "--version") return write_out("tracer " GLASSBOX_VERSION_STRING "\n");
    const bool asks_help = arguments[0] == "help";
    const std::string name = asks_help ? arguments[1] : arguments[0];
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        names.push_back(command.name);
        if (command.name == name)
            return command.run(asks_help ? Arguments{"--help"}
                                         : Arguments(arguments.begin() + 1, arguments.end()));
    }
    for (const char* option : {"--help", "--version"}) names.push_back(option);
    glassbox::fail<glassbox::UsageError>("tracer: no command '{}'; tracer --help lists them{}", name,
                                         did_you_mean(name, names));
}

Command of_model(const ModelCommand& command) {
    return {command.name, command.summary, [=](const Arguments& arguments) { run_model(command, arguments); },
            [=] { return declared_options(command); }};
}

// A message's own further lines are indented. A line break before anything else has come out of a file or an
// argument: what follows it is not to look like a message of its own.
std::string one_message(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool breaks = text[i] == '\n' && text.compare(i + 1, 2, "  ") != 0;
        result += breaks ? "\\x0a" : std::string(1, text[i]);
    }
    return result;
}

// Where standard error takes nothing either, the exit code still says what happened.
int report_error(const std::string& who, const char* what, int code) {
    say(fmt::format("error: {}{}\n", who, one_message(what)));
    return code;
}

std::string program = "tracer";

// As a shell finds it again: by the name it was started with.
std::string typed_program(const std::string& started_as) {
    const char* told = std::getenv("GLASSBOX_COMMAND");
    return told && *told ? told : shell_word(started_as);
}

}  // namespace

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        {"attention", "Scaled dot-product attention, step by step.", run_attention, attention_options},
        of_model(multihead_command()),
        of_model(positional_command()),
        of_model(encoder_block_command()),
        of_model(encoder_command()),
        of_model(predictor_command()),
        of_model(decoder_block_command()),
        of_model(decoder_command()),
        of_model(transformer_command()),
        of_model(time2vec_command()),
        {"train", "Trains a model on one of the documents' tasks.", run_train, train_options},
        {"predict", "Asks a model that was trained: its answer, where it looks, every step.", run_predict,
         predict_options},
        {"scaling", "Why the scores are divided by √d_k, in a table and a plot.", run_scaling,
         scaling_options},
        {"plot", "Training runs as curves: loss, accuracy, learning rate; or a schedule alone.", run_plot,
         plot_options},
        {"check-file", "Says what a file holds, and whether it is whole.", run_check_file,
         check_file_options},
        {"completion", "Prints completions for bash, zsh or fish.", run_completion, completion_options},
        {"manual", "Prints the manual page.", run_manual, manual_options},
    };
    return all;
}

const std::vector<std::pair<std::string, std::string>>& first_examples() {
    static const std::vector<std::pair<std::string, std::string>> all = {
        {"tracer attention --seq 3 --dk 2", "The tutorial's worked example, with its own numbers."},
        {"tracer multihead --seq 3 --dmodel 4 --heads 2", "Multi-head attention, every step of it."},
        {"tracer transformer --text 'je suis étudiant' --target 'i am'",
         "The whole encoder–decoder Transformer on a sentence."},
        {"tracer attention --explain 'values[0,1]'", "The arithmetic behind one number, down to Q, K and V."},
        {"tracer attention --grad", "The gradient of every step, checked by finite differences."},
    };
    return all;
}

const std::vector<std::pair<int, std::string>>& exit_codes() {
    static const std::vector<std::pair<int, std::string>> all = {
        {0, "Done."},
        {1, "A comparison or check failed."},
        {2, "Wrong usage."},
        {3, "A bad input file."},
        {4, "Reading or writing failed."},
    };
    return all;
}

int report_failure(const std::string& who) {
    try {
        throw;
    } catch (const ClosedPipe&) {
        return 0;
    } catch (const CheckFailed&) {
        return 1;
    } catch (const glassbox::FileError& error) {
        return report_error(who, error.what(), 3);
    } catch (const glassbox::IoError& error) {
        return report_error(who, error.what(), 4);
    } catch (const glassbox::Error& error) {
        return report_error(who, error.what(), 2);
    } catch (const std::bad_alloc&) {
        return report_error(who, "out of memory: choose smaller sizes", 2);
    } catch (const std::exception& error) {
        return report_error(who, error.what(), 2);
    }
}

const std::string& program_name() { return program; }

int run(const Arguments& arguments, const std::string& started_as) {
    program = typed_program(started_as);
    const Heartbeat heartbeat(arguments.empty() ? "tracer" : "tracer " + arguments[0]);
    try {
        dispatch(arguments);
        return 0;
    } catch (...) {
        return report_failure();
    }
}

}  // namespace tracer
