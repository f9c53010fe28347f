#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/io/detail/numbers.h>
#include <glassbox/tensor/real.h>

namespace CLI {
class App;
}

namespace tracer {

using Arguments = std::vector<std::string>;

// What may stand as an option's value: for completions, and, where nothing else is allowed, for the check.
struct Values {
    std::vector<std::string> words;
    bool nothing_else = false;         // only these words
    bool is_list = false;              // several of them, with commas
    std::vector<std::string> endings;  // files whose names end so; {""} any file
    std::string alone{};               // what the option means without a value; empty: it needs one

    static Values anything() { return {}; }
    static Values one_of(std::vector<std::string> words) { return {std::move(words), true, false, {}}; }
    static Values such_as(std::vector<std::string> words) { return {std::move(words), false, false, {}}; }
    static Values list_of(std::vector<std::string> words) { return {std::move(words), false, true, {}}; }
    static Values file(std::vector<std::string> endings, std::vector<std::string> words = {}) {
        return {std::move(words), false, false, std::move(endings)};
    }
};

// The options of one command. Values arrive as text and are read by the functions below, so that every
// message names the option, the rule and what was given. Help, completions and the man page are made from
// the same declarations.
class Options {
  public:
    // `examples` (command, meaning) stand at the top of the help text, before any list.
    Options(std::string command, std::string summary,
            std::vector<std::pair<std::string, std::string>> examples);
    ~Options();

    void group(std::string title) { group_ = std::move(title); }  // for the options declared from here on
    // `flags` is "--seq" or "-o,--output". The last of several values counts; an empty one is refused.
    void value(const std::string& flags, std::string& target, const std::string& placeholder,
               const std::string& help, Values values = {});
    void flag(const std::string& flags, bool& target, const std::string& help);
    // A word without a flag: tracer completion SHELL. Several are taken in the order of their declarations.
    void argument(const std::string& placeholder, std::string& target, const std::string& help,
                  Values values = {});
    // All words without a flag that are left: tracer plot FILE...
    void arguments(const std::string& placeholder, std::vector<std::string>& target, const std::string& help,
                   Values values = {});

    // False when the help text was asked for (and written). Throws UsageError; an unknown option gets the
    // nearest one.
    bool parse(const Arguments& arguments);
    bool given(const std::string& flag) const;  // false of an option that the command does not have
    // Every option and argument by its name, with its value: typed, or the default; "yes" or "" of a flag.
    std::vector<std::pair<std::string, std::string>> values() const;
    // What was typed, as a shell takes it, without these options: " reverse --epochs 3".
    std::string typed_again(const std::vector<std::string>& without) const;
    std::string help() const;

    struct Described {
        std::string flags, placeholder, help, group;
        Values values;
        bool repeats = false;  // an argument that takes all words that are left
        std::function<std::string()> value = [] { return std::string(); };  // as it is after parse()

        bool is_flag() const { return placeholder.empty(); }
        bool is_argument() const { return flags.empty(); }
        std::vector<std::string> all_flags() const;  // "-o", "--output"
        std::string name() const;                    // "--output"; of an argument its placeholder
        std::string shown_placeholder() const { return placeholder + (repeats ? "..." : ""); }
    };
    const std::vector<Described>& described() const { return described_; }
    const std::string& command() const { return command_; }
    const std::string& summary() const { return summary_; }
    const std::vector<std::pair<std::string, std::string>>& examples() const { return examples_; }

  private:
    const Described* find(const std::string& flag) const;
    std::vector<std::string> flags() const;
    Arguments joined(const Arguments& arguments) const;
    void check_words(const Arguments& arguments) const;
    void check_value(const Described& option) const;

    std::string command_, summary_, group_ = "Options";
    std::vector<std::pair<std::string, std::string>> examples_;
    std::vector<Described> described_;
    std::unique_ptr<CLI::App> app_;
};

using glassbox::real_number;
using glassbox::seed_number;
using glassbox::whole_number;
std::vector<std::string> comma_list(const std::string& text);
std::string shell_word(const std::string& text);  // quoted where a shell would take it for something else
std::string either(const std::vector<std::string>& words);  // "jax, torch or numpy"

}  // namespace tracer
