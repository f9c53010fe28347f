#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <glassbox/tensor/real.h>

namespace CLI {
class App;
}

namespace tracer {

using Arguments = std::vector<std::string>;

// The options of one command. Values arrive as text and are read by the functions below, so that every
// message names the option, the rule and what was given.
class Options {
  public:
    // `usage` and `examples` stand at the top of the help text, before any list.
    Options(std::string command, std::string summary,
            std::vector<std::pair<std::string, std::string>> examples);
    ~Options();

    void group(std::string title) { group_ = std::move(title); }  // for the options declared from here on
    void value(const std::string& flags, std::string& target, const std::string& placeholder,
               const std::string& help);
    void flag(const std::string& flags, bool& target, const std::string& help);

    // False when the help text was asked for (and written). Throws UsageError; an unknown option gets the
    // nearest one.
    bool parse(const Arguments& arguments);
    bool given(const std::string& flag) const;
    std::string help() const;

    struct Described {
        std::string flags, placeholder, help, group;
    };
    const std::vector<Described>& described() const {
        return described_;
    }  // for completions and the man page
    const std::string& command() const { return command_; }
    const std::string& summary() const { return summary_; }
    const std::vector<std::pair<std::string, std::string>>& examples() const { return examples_; }

  private:
    std::vector<std::string> flags() const;
    Arguments joined(const Arguments& arguments) const;

    std::string command_, summary_, group_ = "Options";
    std::vector<std::pair<std::string, std::string>> examples_;
    std::vector<Described> described_;
    std::unique_ptr<CLI::App> app_;
};

// "--seq: a whole number of at least 1 expected, got 'x'"
std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least,
                          std::int64_t most = INT64_MAX);
std::uint64_t seed_number(const std::string& option, const std::string& text);
std::vector<std::string> comma_list(const std::string& text);

}  // namespace tracer
