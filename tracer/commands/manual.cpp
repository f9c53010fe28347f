// The manual page, in roff, generated from the commands' declarations.
#include <fmt/format.h>

#include <glassbox/version.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/output.h"

namespace glassbox::tracer::commands {
namespace {

struct ManualFlags {
    std::filesystem::path output;
};

void declare(Options& o, ManualFlags& flags) {
    o.value("-o,--output", flags.output, {.help = "Write to this file instead of standard output"});
}

// Escapes text for roff: a minus that can be copied, and no backslash or leading point read as a request.
std::string roff(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\') result += "\\e";
        else if (c == '-') result += "\\-";
        else if (c == '\'') result += "\\(aq";
        else if (c == '^') result += "\\(ha";
        else if (c == '~') result += "\\(ti";
        else if (c == '`') result += "\\(ga";
        else result += c;
    }
    return result.starts_with('.') ? "\\&" + result : result;
}

std::string examples(const std::vector<std::pair<std::string, std::string>>& all) {
    std::string text;
    for (const auto& [command, meaning] : all)
        text += fmt::format(".TP\n.B {}\n{}\n", roff(command), roff(meaning));
    return text;
}

std::string option_entry(const Options::Described& option) {
    std::string head;
    for (const std::string& flag : option.all_flags())
        head += (head.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff(flag));
    if (!option.value_name.empty())
        head += (head.empty() ? "" : " ") + fmt::format("\\fI{}\\fR", roff(option.shown_value_name()));
    return fmt::format(".TP\n{}\n{}\n", head, roff(option.help()));
}

std::string command_section(const Command& command) {
    std::string text = fmt::format(".SH TRACER {}\n{}\n", roff(command.name), roff(command.summary));
    if (!command.options) return text;
    const auto options = command.options();
    if (options->summary() != command.summary) text += fmt::format(".PP\n{}\n", roff(options->summary()));
    text += ".SS Examples\n" + examples(options->examples());
    std::string group;
    for (const Options::Described& option : options->described()) {
        if (option.group != group) text += fmt::format(".SS {}\n", roff(group = option.group));
        text += option_entry(option);
    }
    return text;
}

std::string page() {
    std::string text =
        ".TH TRACER 1 \"\" \"Glassbox " GLASSBOX_VERSION_STRING "\" \"User Commands\"\n.SH NAME\ntracer \\- ";
    text += in_one_line + std::string("\n.SH SYNOPSIS\n");
    text += ".B tracer\n.I COMMAND\n.RI [ OPTION ...]\n.br\n.B tracer help\n.I COMMAND\n";
    text += ".SH EXAMPLES\n" + examples(first_examples()) + ".SH COMMANDS\n";
    for (const Command& command : all_commands())
        text += fmt::format(".TP\n.B {}\n{}\n", roff(command.name), roff(command.summary));
    for (const Command& command : all_commands()) text += command_section(command);
    text +=
        ".SH OUTPUT\nData are written to standard output, messages to standard error. The program exits "
        "silently when the pipe is closed.\n";
    text += ".SH EXIT STATUS\n";
    for (const auto& [code, meaning] : exit_codes()) text += fmt::format(".TP\n.B {}\n{}\n", code, meaning);
    text +=
        ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colours.\n.TP\n.B FORCE_COLOR\nColours even without a "
        "terminal. NO_COLOR takes precedence, and \\fB\\-\\-color\\fR over both.\n.TP\n.B TERM\nNo colours "
        "if it is dumb.\n.TP\n.B GLASSBOX_PATIENCE\nSeconds without output after which a command prints to "
        "standard error what it is doing, then at doubling intervals (default: 6; 0: never).\n.TP\n.B "
        "GLASSBOX_NUM_THREADS\nNumber of threads (default: all hardware threads).\n"
        ".TP\n.B GLASSBOX_CPU\nVector instructions: plain, neon, avx2 or avx512 (default: the best that the "
        "processor has).\n";
    return text;
}

void run(const ManualFlags& flags, const Options&) {
    check_known_ending(flags.output, {".1", ".txt"});
    deliver(page(), flags.output.string());
}

}  // namespace

Command manual() {
    return command_with<ManualFlags>({.order = 170,
                                      .name = "manual",
                                      .summary = "Prints the manual page.",
                                      .examples = {{"tracer manual | man -l -", "Read it."},
                                                   {"tracer manual -o ~/.local/share/man/man1/tracer.1",
                                                    "Install it where man finds it."}}},
                                     declare, run);
}

}  // namespace glassbox::tracer::commands
