#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"

namespace tracer {

// One command. Each is a file in tracer/commands, of its own name, in which a function of that name in
// tracer::commands makes it; the table of them all is generated from the files that are there
// (cmake/table.cmake).
struct Command {
    int order = 0;  // its place in the overview
    std::string name;
    std::string summary;  // in the overview: one line
    Examples examples;
    std::function<void(const Arguments& arguments)> run{};
    // Its declarations, for help, completions and the man page: nothing is run.
    std::function<std::shared_ptr<const Options>()> options{};
    std::string about{};  // the first line of its own help; empty: the summary

    const std::string& first_line() const { return about.empty() ? summary : about; }
};

// The same with its options, which fill a T: `declare` says which, `run` gets what was typed.
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

// All, in their order.
const std::vector<Command>& all_commands();

}  // namespace tracer
