#include "cli/options.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/text_width.h"

namespace glassbox::tracer {

std::vector<std::string> Options::Described::all_flags() const {
    return is_argument() ? std::vector<std::string>{} : comma_list(flags);
}

std::string Options::Described::name() const {
    return is_argument() ? value_name : flags.substr(flags.rfind(',') + 1);
}

bool Options::Described::is(std::string_view flag) const {
    for (std::string_view rest = flags; !rest.empty();) {
        const std::string_view first = rest.substr(0, rest.find(','));
        if (first == flag) return true;
        rest.remove_prefix(std::min(first.size() + 1, rest.size()));
    }
    return false;
}

Options::Options(std::string command, std::string summary, Examples examples)
    : command_(std::move(command)), summary_(std::move(summary)), examples_(std::move(examples)) {}

// "Number of attention heads, h [default: 2]"
std::string Options::help_line(const OptionInfo& about, const Values& values, const std::string& value) {
    const std::string default_text = about.default_text.empty() ? value : about.default_text;
    std::string text = about.help;
    if (values.words_only && !values.words.empty()) text += ": " + either(values.words);
    return default_text.empty() ? text : text + fmt::format(" [default: {}]", default_text);
}

bool Options::is_left_out(const std::string& flags) const {
    return std::find(left_out_.begin(), left_out_.end(), flags) != left_out_.end();
}

namespace {

// -o, if it may be repeated: the target gets the files in a row, each after the first with a NUL in front.
bool writes_several(const Options::Described& option) { return option.writes && option.values().is_list; }

}  // namespace

void Options::add(Described option) {
    if (!is_left_out(option.flags)) described_.push_back(std::move(option));
}

void Options::flag(const std::string& flags, bool& target, const std::string& help) {
    Described option;
    option.flags = flags;
    option.group = group_;
    option.help = [help] { return help; };
    option.value = [&target] { return std::string(target ? "yes" : ""); };
    option.is_set = &target;
    add(std::move(option));
}

void Options::arguments(const std::string& value_name, std::vector<std::string>& target,
                        const OptionInfo& about) {
    Described option;
    option.all_words = &target;
    option.value_name = value_name;
    option.group = "Arguments";
    option.values = [about] {
        return Values{about.words, !about.words.empty() && about.endings.empty(), false, about.endings, ""};
    };
    option.help = [about, values = option.values] { return help_line(about, values(), ""); };
    option.repeats = true;
    option.value = [&target] { return fmt::format("{}", fmt::join(target, " ")); };
    described_.push_back(std::move(option));
}

const Options::Described* Options::find(const std::string& flag) const {
    for (const Described& option : described_)
        if (option.is(flag)) return &option;
    return nullptr;
}

std::vector<std::string> Options::flags() const {
    std::vector<std::string> result{"--help"};
    for (const Described& option : described_)
        for (const std::string& flag : option.all_flags()) result.push_back(flag);
    return result;
}

namespace {

// "–seq" and "—seq", as text processors make of "--seq": the option that was meant, else "".
std::string with_plain_dashes(const std::string& word) {
    for (const std::string_view dash :
         {"\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212"}) {
        if (!word.starts_with(dash)) continue;
        std::string rest = word.substr(dash.size());
        if (rest.starts_with(dash)) rest = rest.substr(dash.size());
        rest.erase(0, std::min(rest.find_first_not_of('-'), rest.size()));
        return (rest.size() == 1 ? "-" : "--") + rest;
    }
    return "";
}

}  // namespace

void Options::refuse_dash(const std::string& word) const {
    const std::string plain = with_plain_dashes(word);
    if (plain.empty() || !find(plain.substr(0, plain.find('=')))) return;
    fail<UsageError>("tracer {}: {} begins with a typographer's dash: type {}", command_, word, plain);
}

// "--Q", "-1 0; 0 1" → "--Q=-1 0; 0 1": a value may begin with a minus sign. "-oFILE" → "--output=FILE".
// After -- every word is an argument.
Options::Words Options::sorted(const Arguments& words) const {
    Words result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        const Described* attached = word.size() > 2 && word[1] != '-' ? find(word.substr(0, 2)) : nullptr;
        const Described* option = find(word);
        refuse_dash(word);
        if (word == "--") {
            note_options_behind(words, i + 1);
            result.arguments.insert(result.arguments.end(),
                                    words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            break;
        }
        if (option && !option->is_flag()) {
            const bool has_value = i + 1 < words.size() && !find(words[i + 1]);
            const std::string implicit = has_value ? "" : option->values().implicit_value;
            if (!implicit.empty()) {
                result.options.push_back(option->name() + "=" + implicit);
                continue;
            }
            if (!has_value) fail<UsageError>("{}: expected a value: {} {}", word, word, option->value_name);
            result.options.push_back(option->name() + "=" + words[++i]);
        } else if (attached && !attached->is_flag()) {
            result.options.push_back(attached->name() + "=" + word.substr(word[2] == '=' ? 3 : 2));
        } else {
            (word.size() < 2 || word[0] != '-' ? result.arguments : result.options).push_back(word);
        }
    }
    return result;
}

// They are texts there, and were perhaps not meant so.
void Options::note_options_behind(const Arguments& words, std::size_t first) const {
    for (std::size_t i = first; i < words.size(); ++i)
        if (find(words[i].substr(0, words[i].find('='))))
            say(fmt::format("note: {} comes after -- and is taken as text: options go before it\n",
                            words[i]));
}

// The output to the first file would be lost silently.
void check_one_output(const Arguments& arguments) {
    const std::string flag = "--output=";
    std::string first;
    for (const std::string& word : arguments) {
        if (!word.starts_with(flag)) continue;
        const std::string file = word.substr(flag.size());
        if (!first.empty()) fail<UsageError>("-o: expected one file, got two: {} and {}", first, file);
        first = file;
    }
}

// "; did you mean '--mask causal'?" of --causal, which is no option but the value of one; else "".
std::string Options::value_typed_as_option(const std::string& flag) const {
    if (!flag.starts_with("--")) return "";
    const std::string word = flag.substr(2);
    for (const Described& option : described_) {
        if (option.is_flag() || option.is_argument()) continue;
        const std::vector<std::string> words = option.values().words;
        if (std::find(words.begin(), words.end(), word) != words.end())
            return fmt::format("; did you mean '{} {}'?", option.name(), word);
    }
    return "";
}

// A word with a space is not a misspelt option but a text that begins with a dash.
void Options::refuse_option(const std::string& word) const {
    const bool takes_texts = std::any_of(described_.begin(), described_.end(),
                                         [](const Described& option) { return option.repeats; });
    const std::string flag = word.substr(0, word.find('='));
    if (const auto found = advice_.find(flag); found != advice_.end())
        fail<UsageError>("tracer {}: no option {}: {}", command_, flag, found->second);
    const bool is_text = takes_texts && word.find(' ') != std::string::npos;
    std::string advice = is_text ? "" : value_typed_as_option(flag);
    if (advice.empty() && !is_text) advice = did_you_mean(flag, flags());
    if (advice.empty() && takes_texts)
        advice = fmt::format("; an argument that starts with - goes after --: -- {}", shell_word(word));
    fail<UsageError>("tracer {}: no option {}{}", command_, is_text ? word : flag, advice);
}

void Options::check_options(const Arguments& options) const {
    for (const std::string& word : options) {
        const std::size_t equals = word.find('=');
        const std::string flag = word.substr(0, equals);
        const Described* option = find(flag);
        if (!option) refuse_option(word);
        if (option->is_flag() && equals != std::string::npos)
            fail<UsageError>("{}: takes no value, got '{}'", flag, word.substr(equals + 1));
        if (equals != std::string::npos && equals + 1 == word.size())
            fail<UsageError>("{}: expected a value, got nothing: {} {}", flag, flag, option->value_name);
    }
}

// Each is a flag, or has its value after a =. The last of a repeated option counts, but all files are
// written.
void Options::assign_options(const Arguments& options) {
    for (const std::string& word : options) {
        const std::string flag = word.substr(0, word.find('='));
        Described& option =  // check_options() has refused the others
            *std::find_if(described_.begin(), described_.end(),
                          [&](const Described& each) { return each.is(flag); });
        if (!writes_several(option)) option.given.clear();
        option.given.push_back(option.is_flag() ? flag : word.substr(flag.size() + 1));
        if (option.is_set) *option.is_set = true;
    }
}

// To the command's arguments in the order of their declaration.
void Options::assign_arguments(const Arguments& arguments) {
    std::size_t at = 0;
    bool takes_any = false;
    for (Described& option : described_) {
        if (!option.is_argument()) continue;
        takes_any = true;
        const std::size_t count =
            option.repeats ? arguments.size() - at : std::min<std::size_t>(1, arguments.size() - at);
        option.given.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at),
                            arguments.begin() + static_cast<std::ptrdiff_t>(at + count));
        if (option.all_words) *option.all_words = option.given;
        at += count;
    }
    if (at == arguments.size()) return;
    if (takes_any) fail<UsageError>("tracer {}: unexpected argument '{}'", command_, arguments[at]);
    fail<UsageError>("tracer {}: expected an option, got '{}'{}", command_, arguments[at],
                     did_you_mean(arguments[at], flags()));
}

std::string Options::name_in_errors(const Described& option) const {
    return option.is_argument() ? "tracer " + command_ : as_typed(option.name());
}

void Options::remember_names(const Arguments& arguments) {
    for (const std::string& word : arguments) {
        const std::string flag = word.substr(0, word.find('='));
        if (const Described* option = find(flag)) typed_[option->name()] = flag;
    }
}

std::string Options::as_typed(const std::string& flag) const {
    const Described* option = find(flag);
    const auto found = option ? typed_.find(option->name()) : typed_.end();
    return found == typed_.end() ? flag : found->second;
}

// Converts the option's text and stores the value in its target.
void Options::read(const Described& option) const {
    if (option.is_flag()) return;
    const std::vector<std::string>& given = option.given;
    if (given.empty()) return;
    if (option.read && writes_several(option))
        return option.read(name_in_errors(option),
                           fmt::format("{}", fmt::join(given, std::string_view("\0", 1))));
    if (option.read) return option.read(name_in_errors(option), given.back());
    const Values values = option.values();
    if (values.words_only)
        for (const std::string& each : given) (void)one_of(name_in_errors(option), each, values.words);
}

bool Options::parse(const Arguments& arguments) {
    for (const std::string& argument : arguments) {
        if (argument == "--") break;
        if (argument == "--help" || argument == "-h") {
            write_out(help());
            return false;
        }
    }
    remember_names(arguments);
    const Words words = sorted(arguments);
    check_options(words.options);
    if (const Described* output = find("--output"); !output || !writes_several(*output))
        check_one_output(words.options);
    assign_arguments(words.arguments);
    assign_options(words.options);
    for (const Described& option : described_) read(option);
    check_outputs();
    return true;
}

// One option must not overwrite what another writes.
void Options::check_outputs() const {
    std::map<std::filesystem::path, std::string> written;
    for (const Described& option : described_) {
        if (!option.writes || !given(option.name())) continue;
        const std::string flag = as_typed(option.name());
        for (const std::string& file :
             writes_several(option) ? option.given : std::vector<std::string>{option.value()}) {
            std::error_code error;
            const auto status = std::filesystem::status(file, error);
            const bool is_device =
                std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
            if (file.empty() || file == "-" || is_device) continue;
            const auto [other, is_new] = written.emplace(place_of(file), flag);
            if (!is_new)
                fail<UsageError>("{}: {} is also written by {}", flag, display_name(file), other->second);
            check_is_not_read(flag, file);
        }
    }
}

void Options::check_is_not_read(const std::string& flag, const std::filesystem::path& written) const {
    for (const Described& option : described_) {
        const std::vector<std::string>& given = option.given;
        if (option.writes || given.empty() || option.values().endings.empty()) continue;
        for (const std::string& read : given) check_not_read(flag, written, read);
    }
}

std::vector<std::pair<std::string, std::string>> Options::values() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Described& option : described_) all.emplace_back(option.name(), option.value());
    return all;
}

Arguments Options::given_words(const std::vector<std::string>& without) const {
    Arguments words;
    for (const Described& option : described_) {
        const std::string name = option.name();
        const bool is_given = option.is_argument() ? !option.value().empty() : !option.given.empty();
        if (!is_given || std::find(without.begin(), without.end(), name) != without.end()) continue;
        if (!option.is_argument()) words.push_back(name);
        if (!option.is_flag()) words.push_back(option.value());
    }
    return words;
}

std::string Options::command_line(const std::vector<std::string>& without) const {
    std::string text;
    for (const std::string& word : given_words(without)) text += " " + shell_word(word);
    return text;
}

bool Options::takes_value(const std::string& flag) const {
    const Described* const option = find(flag);
    return option && !option->is_flag();
}

bool Options::given(const std::string& flag) const {
    const Described* const option = find(flag);
    return option && !option->given.empty();
}

namespace {

// An option's help begins in this column.
std::string help_text(const std::string& text, int width) {
    const std::string left(27, ' ');
    return wrapped(left + text, width, left).substr(left.size());
}

}  // namespace

std::string Options::help() const {
    constexpr int most = 100;  // columns
    const int terminal = line_width(""),
              width = std::min(terminal > 0 ? terminal : columns_behind_a_pipe(), most);
    std::string text = wrapped_lines(summary_, terminal) + "\n\nExamples:\n";
    for (const auto& [command, meaning] : examples_)
        text += wrapped_lines(fmt::format("  {}\n      {}\n", command, meaning), terminal);
    std::string group;
    for (const Described& option : described_) {
        if (option.group != group) text += fmt::format("\n{}:\n", group = option.group);
        std::string left = option.is_argument() ? "  " + option.shown_value_name()
                                                : fmt::format("  {} {}", fmt::join(option.all_flags(), ", "),
                                                              option.value_name);
        if (left.size() > 26) left += "\n" + std::string(26, ' ');
        text += fmt::format("{:<26} {}\n", left, help_text(option.help(), width));
    }
    return text + "\n  -h, --help               Show this help\n";
}

namespace {

std::string replace_all(std::string text, char what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, 1, with);
    return text;
}

// $'a\x1bb': for text with unprintable characters. Supported by bash and zsh, and in POSIX since 2024.
std::string with_escapes(const std::string& text) {
    std::string word;
    for (const char c : text)
        word += c == '\'' || c == '\\' ? fmt::format("\\{}", c)
                : c >= ' ' && c <= '~' ? std::string(1, c)
                                       : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return "$'" + word + "'";
}

}  // namespace

std::string shell_word(const std::string& text) {
    constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%^";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    if (printable(text, text.size()) != text) return with_escapes(text);
    return "'" + replace_all(text, '\'', "'\\''") + "'";
}

std::optional<Arguments> shell_words(std::string_view line) {
    Arguments words;
    bool is_in_word = false;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (!quote && std::string_view(" \t\r\n").find(c) != std::string_view::npos) {
            is_in_word = false;
            continue;
        }
        if (!is_in_word) words.emplace_back(), is_in_word = true;
        if (c == '\\' && quote != '\'' && i + 1 < line.size()) words.back() += line[++i];
        else if (quote && c == quote) quote = 0;
        else if (!quote && (c == '\'' || c == '"')) quote = c;
        else words.back() += c;
    }
    return quote ? std::nullopt : std::optional(words);
}

}  // namespace glassbox::tracer
