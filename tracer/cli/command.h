#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/output.h"

namespace glassbox::tracer {

struct ModelCommand;  // commands/shared/model_command.h

// One command. Each is defined in its own file in tracer/commands, by a function of the command's name in
// glassbox::tracer::commands; the table of commands is generated from these files (cmake/table.cmake).
struct Command {
    int order = 0;  // position in the overview
    std::string name;
    std::string summary;  // one line, for the overview
    Examples examples;
    std::function<void(const Arguments& arguments)> run{};
    // The declared options, for help, completions and the man page.
    std::function<std::shared_ptr<const Options>()> options{};
    std::string about{};                // the first line of the command's help; empty: the summary
    ModelCommand (*model)() = nullptr;  // of a command that shows a model, for commands about models

    const std::string& first_line() const { return about.empty() ? summary : about; }
};

// Adds options that are stored in a T: `declare` declares them, `run` is called with the parsed values.
template <class T>
Command command_with(Command command, void (*declare)(Options&, T&), void (*run)(const T&, const Options&)) {
    struct Declared {
        T values{};
        Options options;
        Declared(const Command& of, void (*declare_all)(Options&, T&))
            : options(of.name, of.first_line(), of.examples) {
            declare_all(options, values);
        }
    };
    command.options = [=]() -> std::shared_ptr<const Options> {
        const auto declared = std::make_shared<const Declared>(command, declare);
        return {declared, &declared->options};
    };
    command.run = [=](const Arguments& arguments) {
        Declared declared(command, declare);
        if (declared.options.parse(arguments)) run(declared.values, declared.options);
    };
    return command;
}

// All commands, by `order`.
const std::vector<Command>& all_commands();

// What the program is: "tracer: " and this.
inline constexpr const char* in_one_line =
    "see through a Transformer: every step, every number, every gradient";

// The examples in the overview, which `tracer --help` prints.
const Examples& first_examples();

// What `tracer` alone shows on a terminal: a trained model, its attention, and what to type next
// (train/first_look.cpp).
std::string first_look(Colors colors, int width);

// The program's name as the user types it: "tracer", "build/tracer", or the value of GLASSBOX_COMMAND.
const std::string& program_name();

// Runs a command line and returns one of exit_codes(). Messages go to standard error. Throws nothing.
int run(const Arguments& arguments, const std::string& started_as = "tracer");

}  // namespace glassbox::tracer
