#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/processor.h>
#include <glassbox/version.h>

#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/text_width.h"

namespace glassbox::tracer {

namespace commands {
std::vector<Command> every_commands();  // both generated
Command (*one_of_commands(const std::string& name))();
}  // namespace commands

namespace {

std::string overview() {
    const int width = line_width("");
    const bool color = colors_for(ColorWhen::automatic, "") != Colors::none;
    std::string text = fmt::format("tracer: {}.\n\n{}\n", in_one_line, styled("Examples:", bold, color));
    for (const auto& [command, meaning] : first_examples())
        text += fmt::format("  {}\n      {}\n", styled(command, bold, color), meaning);
    // What begins with this order.
    constexpr std::pair<int, const char*> groups[] = {{0, "Layers and models"},
                                                      {91, "Writing, and time series"},
                                                      {101, "Training and its parts"},
                                                      {110, "Your own: trained, asked, checked, taught"},
                                                      {130, "More"}};
    const auto* group = std::begin(groups);
    std::size_t column = 0;
    for (const Command& command : all_commands()) column = std::max(column, command.name.size() + 2);
    for (const Command& command : all_commands()) {
        for (; group != std::end(groups) && command.order >= group->first; ++group)
            text += fmt::format("\n{}\n", styled(std::string(group->second) + ":", bold, color));
        const std::string gap(column - command.name.size(), ' ');
        text += wrapped(fmt::format("  {}{}{}\n", styled(command.name, bold, color), gap, command.summary),
                        width, std::string(column + 2, ' '));
    }
    return text + wrapped(
                      "\ntracer COMMAND --help shows a command's examples and options; tracer --version "
                      "shows the version.\n",
                      width);
}

// --verbose adds what it computes with.
std::string version(const std::string& option) {
    const std::string name = "tracer " GLASSBOX_VERSION_STRING "\n";
    if (option.empty()) return name;
    if (option != "--verbose") fail<UsageError>("tracer --version: no option {}; there is --verbose", option);
    return name + fmt::format(
                      "instructions  {}; GLASSBOX_CPU chooses fewer, the best here is {}\n"
                      "threads       {}\nBLAS          {}, kernels for {}\n",
                      name_of(instruction_set()), name_of(best_instruction_set()), num_threads(), blas_name(),
                      blas_core_name());
}

void dispatch(const Arguments& arguments) {
    if (arguments.empty() && line_width("") > 0)
        return write_out(first_look(colors_for(ColorWhen::automatic, ""), line_width("")));
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
        (arguments[0] == "help" && arguments.size() == 1))
        return write_out(overview());
    if (arguments[0] == "--version") return write_out(version(arguments.size() > 1 ? arguments[1] : ""));
    const bool asks_help = arguments[0] == "help";
    const std::string name = asks_help ? arguments[1] : arguments[0];
    // The others need not be built for this one.
    if (Command(*const make)() = commands::one_of_commands(name))
        return make().run(asks_help ? Arguments{"--help"}
                                    : Arguments(arguments.begin() + 1, arguments.end()));
    std::vector<std::string> names;
    for (const Command& command : all_commands()) names.push_back(command.name);
    for (const char* option : {"--help", "--version"}) names.push_back(option);
    fail<UsageError>("tracer: no command '{}'; tracer --help lists them{}", name, did_you_mean(name, names));
}

std::string program = "tracer";

std::string name_of_program(const std::string& started_as) {
    const char* given = std::getenv("GLASSBOX_COMMAND");
    return given && *given ? given : shell_word(started_as);
}

}  // namespace

const std::vector<Command>& all_commands() {
    static const std::vector<Command> all = [] {
        std::vector<Command> every = commands::every_commands();
        std::sort(every.begin(), every.end(),
                  [](const Command& a, const Command& b) { return a.order < b.order; });
        return every;
    }();
    return all;
}

const Examples& first_examples() {
    static const Examples all = {
        {"tracer attention", "The tutorial's worked example, with its own numbers."},
        {"tracer attention -o page.html",
         "A page for the browser: a click on a number shows its arithmetic."},
        {"tracer attention --text 'the cat sat' --map", "What each word attends to, as a map."},
        {"tracer predict reverse '2 5 3 7 1' --trained", "What a trained model answers, and how."},
        {"tracer transformer --text 'je suis étudiant' --target 'i am'",
         "The complete encoder–decoder Transformer on a sentence."},
        {"tracer attention --explain 'values[0,1]'", "The arithmetic behind one number, down to Q, K and V."},
        {"tracer attention --grad", "The gradient of every step, checked by finite differences."},
    };
    return all;
}

const std::string& program_name() { return program; }

int run(const Arguments& arguments, const std::string& started_as) {
    try {
        program = name_of_program(started_as);
        const Heartbeat heartbeat(arguments.empty() ? "tracer" : "tracer " + arguments[0]);
        dispatch(arguments);
        return 0;
    } catch (...) {
        return report_failure();
    }
}

}  // namespace glassbox::tracer
