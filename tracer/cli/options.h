#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option_value.h"

namespace glassbox::tracer {

using Arguments = std::vector<std::string>;
using Examples = std::vector<std::pair<std::string, std::string>>;  // command, meaning

// The options of one command. Each is declared once: its name, what it does, and the variable that holds its
// value, the target. The target's type determines parsing, the allowed values and the help text
// (option_value.h). Help, completions and the man page are generated from the same declarations.
class Options {
  public:
    // `examples` come first in the help text, before the options.
    Options(std::string command, std::string summary, Examples examples);

    void group(std::string title) { group_ = std::move(title); }  // for the options declared from here on
    // `flags` is "--seq" or "-o,--output". The target's current value is the default. If the option is
    // repeated, the last value counts; an empty value is refused.
    template <class T>
    void value(const std::string& flags, T& target, OptionInfo about) {
        add(described(flags, target, std::move(about)));
    }
    void flag(const std::string& flags, bool& target, const std::string& help);
    // These would have no effect here: the command does not get them, even if shared code declares them.
    void leave_out(std::vector<std::string> flags) { left_out_ = std::move(flags); }
    // Another command has `flag`, and one may type it here: what to type instead.
    void advise(const std::string& flag, std::string instead) { advice_[flag] = std::move(instead); }
    // A positional argument: tracer completion SHELL. Several are read in the order of declaration.
    template <class T>
    void argument(const std::string& value_name, T& target, OptionInfo about) {
        about.value_name = value_name;
        add(described("", target, std::move(about)));
    }
    // All remaining positional arguments: tracer plot FILE... Those that begin with - but are not options
    // follow a --: tracer text -- '- Bonjour'.
    void arguments(const std::string& value_name, std::vector<std::string>& target, const OptionInfo& about);

    // Returns false if help was requested, after printing it. Throws UsageError, which suggests the nearest
    // known option for an unknown one.
    bool parse(const Arguments& arguments);
    bool given(const std::string& flag) const;        // false for an option that the command does not have
    bool takes_value(const std::string& flag) const;  // in the next word; false if not an option
    std::string as_typed(const std::string& flag) const;  // for an option with two names: the one used
    // Name and value of each option and argument, as given or by default; for a flag "yes" or "".
    std::vector<std::pair<std::string, std::string>> values() const;
    // The given options and arguments except `without`, as words, and as a shell reads them: " reverse
    // --epochs 3".
    Arguments given_words(const std::vector<std::string>& without) const;
    std::string command_line(const std::vector<std::string>& without) const;
    std::string help() const;

    struct Described {
        std::string flags, value_name, group;
        // Made on first use: those of --mistake are a thousand, and most commands need none.
        std::function<std::string()> help{};  // with the values and the default
        std::function<Values()> values = [] { return Values(); };
        bool repeats = false;  // an argument that takes all remaining words
        std::function<void(const std::string& name, const std::string& text)> read{};  // into the target
        std::function<std::string()> value = [] { return std::string(); };  // the target's current value
        std::vector<std::string> given{};               // each text, as it was given; of a flag its name
        std::vector<std::string>* all_words = nullptr;  // where the words of an argument that repeats go
        bool* is_set = nullptr;                         // where a flag goes
        bool writes = false;                            // names a file to write

        bool is_flag() const { return value_name.empty(); }
        bool is_argument() const { return flags.empty(); }
        std::vector<std::string> all_flags() const;  // "-o", "--output"
        bool is(std::string_view flag) const;        // one of these
        std::string name() const;                    // "--output"; for an argument its value_name
        std::string shown_value_name() const { return value_name + (repeats ? "..." : ""); }
    };
    const std::vector<Described>& described() const { return described_; }
    const std::string& command() const { return command_; }
    const std::string& summary() const { return summary_; }
    const Examples& examples() const { return examples_; }

  private:
    template <class T>
    Described described(const std::string& flags, T& target, OptionInfo info) const {
        using Value = OptionValue<T>;
        const auto about = std::make_shared<const OptionInfo>(std::move(info));
        Described option;
        option.flags = flags;
        option.value_name = about->value_name.empty() ? Value::value_name : about->value_name;
        option.group = flags.empty() ? "Arguments" : group_;
        option.values = [about] { return Value::values(*about); };
        option.help = [about, before = Value::text(target)] {
            return help_line(*about, Value::values(*about), before);
        };
        option.writes = about->writes || option.name() == "--output";
        option.read = [&target, about](const std::string& name, const std::string& text) {
            target = Value::parse({name, text, *about});
        };
        option.value = [&target] { return Value::text(target); };
        return option;
    }
    static std::string help_line(const OptionInfo& about, const Values& values, const std::string& value);
    void add(Described option);
    bool is_left_out(const std::string& flags) const;
    std::string name_in_errors(const Described& option) const;
    void remember_names(const Arguments& arguments);
    const Described* find(const std::string& flag) const;
    std::vector<std::string> flags() const;
    // The words of a command line: options, each one word with its value, and arguments.
    struct Words {
        Arguments options, arguments;
    };
    Words sorted(const Arguments& arguments) const;
    void check_options(const Arguments& options) const;
    [[noreturn]] void refuse_option(const std::string& word) const;
    std::string value_typed_as_option(const std::string& flag) const;
    void refuse_dash(const std::string& word) const;
    void note_options_behind(const Arguments& words, std::size_t first) const;
    void assign_options(const Arguments& options);
    void assign_arguments(const Arguments& arguments);
    void read(const Described& option) const;
    void check_outputs() const;
    void check_is_not_read(const std::string& flag, const std::filesystem::path& written) const;

    std::string command_, summary_, group_ = "Options";
    Examples examples_;
    std::vector<Described> described_;
    std::vector<std::string> left_out_;
    std::map<std::string, std::string> advice_;
    std::map<std::string, std::string> typed_;  // an option's name → the name used: "--keys" → "--memory"
};

std::string shell_word(const std::string& text);  // quoted for a shell where necessary
// The words of a command line, between spaces that are not in quotes; none where a quote is not closed.
std::optional<Arguments> shell_words(std::string_view line);

}  // namespace glassbox::tracer
