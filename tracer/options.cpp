#include "options.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include <glassbox/tensor/format.h>

#include "nearest.h"
#include "output.h"

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

Options::Options(std::string command, std::string summary,
                 std::vector<std::pair<std::string, std::string>> examples)
    : command_(std::move(command)),
      summary_(std::move(summary)),
      examples_(std::move(examples)),
      app_(std::make_unique<CLI::App>(summary_, "tracer " + command_)) {
    app_->set_help_flag();  // ours puts the examples first
}

Options::~Options() = default;

void Options::value(const std::string& flags, std::string& target, const std::string& placeholder,
                    const std::string& help) {
    app_->add_option(flags, target, help)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    described_.push_back({flags, placeholder, help, group_});
}

void Options::flag(const std::string& flags, bool& target, const std::string& help) {
    app_->add_flag(flags, target, help);
    described_.push_back({flags, "", help, group_});
}

std::vector<std::string> Options::flags() const {
    std::vector<std::string> result{"--help"};
    for (const Described& option : described_)
        for (const std::string& flag : comma_list(option.flags)) result.push_back(flag);
    return result;
}

// "--Q", "-1 0; 0 1" → "--Q=-1 0; 0 1": a value may begin with a minus sign.
Arguments Options::joined(const Arguments& arguments) const {
    Arguments result;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        result.push_back(arguments[i]);
        for (const Described& option : described_) {
            if (option.placeholder.empty() || i + 1 == arguments.size()) continue;
            for (const std::string& flag : comma_list(option.flags))
                if (arguments[i] == flag) {
                    const std::string long_flag =
                        option.flags.substr(option.flags.rfind('-', option.flags.size()) - 1);
                    result.back() = long_flag + "=" + arguments[++i];
                    goto next;
                }
        }
    next:;
    }
    return result;
}

bool Options::parse(const Arguments& arguments) {
    for (const std::string& argument : arguments)
        if (argument == "--help" || argument == "-h") {
            write_out(help());
            return false;
        }
    Arguments reversed = joined(arguments);
    for (const std::string& argument : reversed) {
        if (argument.size() < 2 || argument[0] != '-') continue;
        const std::string flag = argument.substr(0, argument.find('='));
        const std::vector<std::string> known = flags();
        if (std::find(known.begin(), known.end(), flag) == known.end())
            fail<UsageError>("tracer {}: no option {}{}", command_, flag, did_you_mean(flag, known));
    }
    std::reverse(reversed.begin(), reversed.end());
    try {
        app_->parse(reversed);
    } catch (const CLI::ExtrasError&) {
        for (const std::string& argument : arguments)
            if (argument[0] != '-')
                fail<UsageError>("tracer {}: an option expected, got '{}'", command_, argument);
        fail<UsageError>("tracer {}: an argument too many", command_);
    } catch (const CLI::ArgumentMismatch& error) {
        for (const Described& option : described_)
            for (const std::string& flag : comma_list(option.flags))
                if (!arguments.empty() && arguments.back() == flag)
                    fail<UsageError>("{}: a value expected: {} {}", flag, flag, option.placeholder);
        fail<UsageError>("tracer {}: {}", command_, error.what());
    } catch (const CLI::Error& error) {
        fail<UsageError>("tracer {}: {}", command_, error.what());
    }
    return true;
}

bool Options::given(const std::string& flag) const { return app_->count(flag) > 0; }

std::string Options::help() const {
    std::string text = summary_ + "\n\nExamples:\n";
    for (const auto& [command, meaning] : examples_)
        text += fmt::format("  {}\n      {}\n", command, meaning);
    std::string group;
    for (const Described& option : described_) {
        if (option.group != group) text += fmt::format("\n{}:\n", group = option.group);
        std::string left =
            fmt::format("  {} {}", fmt::join(comma_list(option.flags), ", "), option.placeholder);
        if (left.size() > 26) left += "\n" + std::string(26, ' ');
        text += fmt::format("{:<26} {}\n", left, option.help);
    }
    return text + "\n  -h, --help               This text.\n";
}

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least,
                          std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number =
        end == text.data() + text.size() && !text.empty() && error != std::errc::invalid_argument;
    if (!is_number) fail<UsageError>("{}: a whole number expected, got '{}'", option, text);
    if (error == std::errc::result_out_of_range || value > most)
        fail<UsageError>("{}: at most {} possible, got {}", option, most, text);
    if (value < least) fail<UsageError>("{}: at least {} expected, got {}", option, least, text);
    return value;
}

std::uint64_t seed_number(const std::string& option, const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        fail<UsageError>("{}: a whole number from 0 to 18446744073709551615 expected, got '{}'", option,
                         text);
    return value;
}

std::vector<std::string> comma_list(const std::string& text) {
    std::vector<std::string> result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        result.push_back(text.substr(begin, comma - begin));
        begin = comma + 1;
    }
    return result;
}

}  // namespace tracer
