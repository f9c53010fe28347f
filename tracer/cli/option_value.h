#pragma once
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/io/text.h>
#include <glassbox/tensor/words.h>

// Conversion between option values and their text on the command line, for each type. Another type becomes
// usable for options by a specialisation next to it:
//
//     template <>
//     struct OptionValue<Shade> {
//         static constexpr const char* value_name = "NAME";
//         static Shade parse(const Typed& typed);          // throws UsageError that names typed.option
//         static std::string text(const Shade& shade);     // the inverse of parse(); "" for no value
//         static Values values(const OptionInfo& about);   // for completions and help
//     };
namespace glassbox::tracer {

// An option's description, given where it is declared; the help text adds its values and its default.
struct OptionInfo {
    std::string help;            // "Number of attention heads, h"
    std::string value_name{};    // instead of the type's name for values
    std::string default_text{};  // the default in help, if it is not the target's value: "as --dk"
    std::int64_t min = 1;        // for integers
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    double min_real = 0;                 // for real numbers
    bool words_only = false;             // text other than `words` is refused
    std::vector<std::string> words{};    // for an enum those allowed; for text suggestions for completion
    std::vector<std::string> endings{};  // for files, file name extensions; {""} any
    std::string implicit_value{};        // the value when the option is given without one; empty: required
    bool writes = false;                 // the value names a file to write; -o always does
};

// The values an option accepts.
struct Values {
    std::vector<std::string> words{};
    bool words_only = false;
    bool is_list = false;                // several values, separated by commas
    std::vector<std::string> endings{};  // for files, file name extensions; {""} any
    std::string implicit_value{};
};

// A value as typed, and the option it was typed for.
struct Typed {
    const std::string& option;
    const std::string& text;
    const OptionInfo& about;
};

std::vector<std::string> split_at(const std::string& text, char separator);
inline std::vector<std::string> comma_list(const std::string& text) { return split_at(text, ','); }
std::string either(const std::vector<std::string>& words);  // "jax, torch or numpy"
// Returns `word`. Throws UsageError if it is not in `words`: "--rng: expected jax or torch, got 'tocrh'; did
// you mean 'torch'?"
const std::string& one_of(const std::string& option, const std::string& word,
                          const std::vector<std::string>& words);

template <class T>
struct OptionValue;

template <>
struct OptionValue<std::string> {
    static constexpr const char* value_name = "TEXT";
    static std::string parse(const Typed& typed) {
        return typed.about.words_only ? one_of(typed.option, typed.text, typed.about.words) : typed.text;
    }
    static std::string text(const std::string& value) { return value; }
    static Values values(const OptionInfo& about) {
        return {about.words, about.words_only, false, about.endings, about.implicit_value};
    }
};

template <>
struct OptionValue<std::filesystem::path> {
    static constexpr const char* value_name = "FILE";
    static std::filesystem::path parse(const Typed& typed) { return typed.text; }
    static std::string text(const std::filesystem::path& value) { return value.string(); }
    static Values values(const OptionInfo& about) {
        return {about.words, false, false,
                about.endings.empty() ? std::vector<std::string>{""} : about.endings, about.implicit_value};
    }
};

template <>
struct OptionValue<std::int64_t> {
    static constexpr const char* value_name = "N";
    static std::int64_t parse(const Typed& typed) {
        return parse_integer(typed.option, typed.text, typed.about.min, typed.about.max);
    }
    static std::string text(std::int64_t value) { return std::to_string(value); }
    static Values values(const OptionInfo& about) {
        return {.words = about.words, .implicit_value = about.implicit_value};
    }
};

template <>
struct OptionValue<std::uint64_t> {  // a seed
    static constexpr const char* value_name = "N";
    static std::uint64_t parse(const Typed& typed) { return parse_seed(typed.option, typed.text); }
    static std::string text(std::uint64_t value) { return std::to_string(value); }
    static Values values(const OptionInfo&) { return {}; }
};

template <>
struct OptionValue<double> {
    static constexpr const char* value_name = "R";
    static double parse(const Typed& typed);  // within the range of `real`
    static std::string text(double value) { return fmt::format("{}", value); }
    static Values values(const OptionInfo&) { return {}; }
};

template <HasWords Enum>
struct OptionValue<Enum> {
    static constexpr const char* value_name = "NAME";
    static Enum parse(const Typed& typed) {
        return glassbox::parse<Enum>(one_of(typed.option, typed.text, words(typed.about)));
    }
    static std::string text(Enum value) { return name<Enum>(value); }
    static Values values(const OptionInfo& about) {
        return {words(about), true, false, {}, about.implicit_value};
    }

  private:
    static std::vector<std::string> words(const OptionInfo& about) {
        return about.words.empty() ? glassbox::words<Enum>() : about.words;
    }
};

// A value that may be absent.
template <class T>
struct OptionValue<std::optional<T>> {
    static constexpr const char* value_name = OptionValue<T>::value_name;
    static std::optional<T> parse(const Typed& typed) { return OptionValue<T>::parse(typed); }
    static std::string text(const std::optional<T>& value) {
        return value ? OptionValue<T>::text(*value) : "";
    }
    static Values values(const OptionInfo& about) { return OptionValue<T>::values(about); }
};

// A list separated by commas.
template <class T>
struct OptionValue<std::vector<T>> {
    static constexpr const char* value_name = "LIST";
    static std::vector<T> parse(const Typed& typed) {
        std::vector<T> values;
        for (const std::string& word : comma_list(typed.text))
            values.push_back(OptionValue<T>::parse({typed.option, word, typed.about}));
        return values;
    }
    static std::string text(const std::vector<T>& values) {
        std::string text;
        for (const T& value : values) text += (text.empty() ? "" : ",") + OptionValue<T>::text(value);
        return text;
    }
    static Values values(const OptionInfo& about) {
        Values values = OptionValue<T>::values(about);
        values.is_list = true;
        return values;
    }
};

}  // namespace glassbox::tracer
