// Completions for bash, zsh and fish, made from the commands' own declarations.
#include <fmt/format.h>

#include <glassbox/tensor/format.h>

#include "cli/output.h"
#include "cli/program.h"

namespace tracer::commands {
namespace {

enum class Shell { bash, zsh, fish };

struct Own {
    std::optional<Shell> shell;
    std::filesystem::path output;
};

}  // namespace
}  // namespace tracer::commands

template <>
struct glassbox::EnumWords<tracer::commands::Shell> {
    using Shell = tracer::commands::Shell;
    static constexpr const char* what = "shell";
    static constexpr Word<Shell> all[] = {{Shell::bash, "bash"}, {Shell::zsh, "zsh"}, {Shell::fish, "fish"}};
};

namespace tracer::commands {
namespace {

void declare(Options& o, Own& own) {
    o.argument("SHELL", own.shell, {.help = "For which shell"});
    o.value("-o,--output", own.output, {.help = "Writes to this file, whole or not at all"});
}

std::string joined_words(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const Command& command : all_commands()) names.push_back(command.name);
    return names;
}

// ---- bash ----------------------------------------------------------------------------------------------

// "npz|npy" for the endings ".npz" and ".npy"; "" for any file.
std::string bash_endings(const std::vector<std::string>& endings) {
    std::string text;
    for (const std::string& ending : endings)
        if (!ending.empty()) text += (text.empty() ? "" : "|") + ending.substr(1);
    return text;
}

// What the variables of the script below are set to for one option's value.
std::string bash_value(const Values& values) {
    std::string text;
    if (!values.words.empty()) text += fmt::format(" words='{}'", joined_words(values.words));
    if (values.is_list) text += " list=1";
    if (!values.endings.empty()) text += fmt::format(" files='{}'", "*" + bash_endings(values.endings));
    return text.empty() ? " :" : text;
}

std::string bash_cases(const Command& command) {
    const auto options = command.options();
    std::string cases, flags = "--help";
    for (const Options::Described& option : options->described()) {
        if (option.is_argument()) {
            cases += fmt::format("            {},){} ;;\n", command.name, bash_value(option.values));
            continue;
        }
        flags += " " + joined_words(option.all_flags());
        if (option.is_flag()) continue;
        std::string pattern;
        for (const std::string& flag : option.all_flags())
            pattern += (pattern.empty() ? "" : "|") + command.name + "," + flag;
        cases += fmt::format("            {}){} ;;\n", pattern, bash_value(option.values));
    }
    return cases + fmt::format("            {0},|{0},-*) words='{1}' ;;\n", command.name, flags);
}

std::string bash_script() {
    std::string cases;
    for (const Command& command : all_commands())
        if (command.options) cases += bash_cases(command);
    // The word before the cursor decides: after an option its values, else the command's arguments or
    // options.
    return fmt::format(R"(# bash completion for tracer, made by `tracer completion bash`
_tracer() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} at=$COMP_CWORD
    local command= key= words= list= files= i line
    if [[ $cur == = ]]; then cur=
    elif [[ $prev == = ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
    for ((i = 1; i < at; ++i)); do
        case ${{COMP_WORDS[i]}} in
        help) words='{0}' ;;
        -*) ;;
        *) command=${{COMP_WORDS[i]}}; break ;;
        esac
    done
    COMPREPLY=()
    if [[ -z $command ]]; then
        [[ $words ]] || words='{0} help --help --version'
    else
        words=
        for key in "$command,$prev" "$command,${{cur:0:1}}" "$command,"; do
            case $key in
{1}            *) continue ;;
            esac
            break
        done
    fi
    if [[ $list && $cur == *,* ]]; then
        local before=${{cur%,*}},
        while read -r line; do COMPREPLY+=("$before$line"); done < <(compgen -W "$words" -- "${{cur##*,}}")
    else
        while read -r line; do
            printf -v line %q "$line"
            COMPREPLY+=("$line")
        done < <(compgen -W "$words" -- "$cur")
    fi
    if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        while read -r line; do
            [[ $files != '*' && ! -d $line && ! $line =~ \.(${{files#\*}})$ ]] || COMPREPLY+=("$line")
        done < <(compgen -f -- "$cur")
    fi
}}
complete -F _tracer tracer
)",
                       joined_words(command_names()), cases);
}

// ---- zsh -----------------------------------------------------------------------------------------------

// Quoted for '…', and with what _arguments takes for its own signs escaped.
std::string zsh_text(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '\'') result += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\') result += std::string("\\") + c;
        else result += c;
    }
    return result;
}

std::string zsh_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += text.empty() ? "" : " ";
        for (const char c : word)
            text += c == '[' || c == ']' || c == '(' || c == ')' ? std::string("\\") + c : std::string(1, c);
    }
    return text;
}

std::string zsh_files(const std::vector<std::string>& endings) {
    const std::string known = bash_endings(endings);
    return known.empty() ? "_files" : fmt::format("_files -g \"*.({})\"", known);
}

std::string zsh_action(const Values& values) {
    if (values.is_list) return fmt::format("_values -s , step {}", zsh_words(values.words));
    if (!values.endings.empty() && !values.words.empty())
        return fmt::format("{{compadd {}; {}}}", zsh_words(values.words), zsh_files(values.endings));
    if (!values.endings.empty()) return zsh_files(values.endings);
    return values.words.empty() ? "" : "(" + zsh_words(values.words) + ")";
}

// `argument` counts the command's arguments from 1.
std::string zsh_spec(const Options::Described& option, int argument) {
    if (option.is_argument())
        return fmt::format("'{}:{}:{}'", option.repeats ? "*" : std::to_string(argument),
                           zsh_text(option.value_name), zsh_action(option.values));
    const std::vector<std::string> flags = option.all_flags();
    const std::string value =
        option.is_flag() ? "" : fmt::format(":{}:{}", zsh_text(option.value_name), zsh_action(option.values));
    const std::string tail = fmt::format("[{}]{}", zsh_text(option.help), value);
    if (flags.size() == 1) return fmt::format("'{}{}{}'", flags[0], option.is_flag() ? "" : "=", tail);
    return fmt::format("'({0})'{{{1}}}'{2}'", fmt::join(flags, " "), fmt::join(flags, ","), tail);
}

std::string zsh_script() {
    std::string list, cases;
    for (const Command& command : all_commands()) {
        list += fmt::format("        '{}:{}'\n", command.name, zsh_text(command.summary));
        if (!command.options) continue;
        cases += fmt::format("    {})\n        _arguments \\\n", command.name);
        const auto options = command.options();
        int argument = 0;
        for (const Options::Described& option : options->described())
            cases += fmt::format("            {} \\\n",
                                 zsh_spec(option, option.is_argument() ? ++argument : argument));
        cases += "            '(- *)'{-h,--help}'[Examples and options.]'\n        ;;\n";
    }
    return fmt::format(R"(#compdef tracer
# zsh completion for tracer, made by `tracer completion zsh`
_tracer() {{
    local -a commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe command commands
        _arguments '--help[Examples and commands.]' '--version[Which one this is.]'
        return
    fi
    local command=${{words[2]}}
    shift words
    (( CURRENT-- ))
    case $command in
{}    help) _describe command commands ;;
    esac
}}
if [[ $funcstack[1] == _tracer ]]; then _tracer "$@"; else compdef _tracer tracer; fi
)",
                       list, cases);
}

// ---- fish ----------------------------------------------------------------------------------------------

std::string fish_text(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return "'" + result + "'";
}

std::string fish_values(const Values& values) {
    std::string words = joined_words(values.words);
    if (values.is_list) return fmt::format(" -x -a \"(__fish_append , {})\"", words);
    std::string files;
    for (const std::string& ending : values.endings)
        if (!ending.empty()) files += fmt::format(" (__fish_complete_suffix {})", ending);
    if (!values.endings.empty() && files.empty()) return " -r -F";
    if (!files.empty()) return fmt::format(" -x -a \"{}{}\"", words, files);
    return words.empty() ? " -x" : fmt::format(" -x -a {}", fish_text(words));
}

std::string fish_option(const std::string& command, const Options::Described& option) {
    std::string line = fmt::format("complete -c tracer -n '__fish_seen_subcommand_from {}'", command);
    if (option.is_argument()) return line + fish_values(option.values) + "\n";
    for (const std::string& flag : option.all_flags())
        line += flag[1] == '-' ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    if (!option.is_flag()) line += fish_values(option.values);
    return line + " -d " + fish_text(option.help) + "\n";
}

std::string fish_script() {
    std::string text =
        "# fish completion for tracer, made by `tracer completion fish`\n"
        "complete -c tracer -f\n"
        "complete -c tracer -l help -s h -d 'Examples and options.'\n"
        "complete -c tracer -n __fish_use_subcommand -l version -d 'Which one this is.'\n";
    for (const Command& command : all_commands()) {
        text += fmt::format("complete -c tracer -n __fish_use_subcommand -a {} -d {}\n", command.name,
                            fish_text(command.summary));
        if (!command.options) continue;
        const auto options = command.options();
        for (const Options::Described& option : options->described())
            text += fish_option(command.name, option);
    }
    return text;
}

std::string script_for(Shell shell) {
    switch (shell) {
        case Shell::bash:
            return bash_script();
        case Shell::zsh:
            return zsh_script();
        case Shell::fish:
            return fish_script();
    }
    return "";
}

void run(const Own& own, const Options&) {
    if (!own.shell)
        glassbox::fail<glassbox::UsageError>("tracer completion: {} expected, got nothing",
                                             either(glassbox::words<Shell>()));
    deliver(script_for(*own.shell), own.output.string());
}

}  // namespace

Command completion() {
    return command_with<Own>(
        {.order = 160,
         .name = "completion",
         .summary = "Prints completions for bash, zsh or fish.",
         .examples = {{"source <(tracer completion bash)", "Completions in this bash."},
                      {"tracer completion zsh -o ~/.zfunc/_tracer", "A file for zsh's fpath."},
                      {"tracer completion fish | source", "Completions in this fish."}},
         .about = "Completions for a shell. The installed ones are found by the shells themselves."},
        declare, run);
}

}  // namespace tracer::commands
