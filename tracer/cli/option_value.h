#pragma once
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/io/detail/numbers.h>
#include <glassbox/tensor/words.h>

// How values are written on a command line, a type at a time: behind it there are numbers, enums and paths. A
// room that has a type of its own says four things of it beside it:
//
//     template <>
//     struct OptionValue<Shade> {
//         static constexpr const char* value_name = "NAME";
//         static Shade parse(const Typed& typed);          // throws UsageError that names typed.option
//         static std::string text(const Shade& shade);     // as it would be typed; "" for none
//         static Values values(const About& about);        // for completions and help
//     };
namespace tracer {

// What is said of an option where it is declared; its values and its default are added to the help.
struct About {
    std::string help;          // "Number of attention heads, h"
    std::string value_name{};  // where the type's own says too little
    std::string otherwise{};   // what it is when it is not given, where the target cannot say: "as --dk"
    std::int64_t least = 1;    // of whole numbers
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    double least_real = 0;             // of real ones
    bool words_only = false;           // text that is none of `words` is refused
    std::vector<std::string> words{};  // of an enum those that count here; of text suggestions for completion
    std::vector<std::string> endings{};  // of files; {""} any file
    std::string alone{};                 // what the option means without a value; empty: it needs one
};

// What may stand as an option's value.
struct Values {
    std::vector<std::string> words{};
    bool nothing_else = false;           // only these words
    bool is_list = false;                // several of them, with commas
    std::vector<std::string> endings{};  // files whose names end so; {""} any file
    std::string alone{};
};

// A value as it was typed, and for which option.
struct Typed {
    const std::string& option;
    const std::string& text;
    const About& about;
};

std::vector<std::string> comma_list(const std::string& text);
std::string either(const std::vector<std::string>& words);  // "jax, torch or numpy"
// The word itself. Throws UsageError for one that is not there: "--rng: jax or torch expected, got 'tocrh';
// did you mean 'torch'?"
const std::string& one_of(const std::string& option, const std::string& word,
                          const std::vector<std::string>& words);

using glassbox::real_number;
using glassbox::seed_number;
using glassbox::whole_number;

template <class T>
struct OptionValue;

// Text as it is.
template <>
struct OptionValue<std::string> {
    static constexpr const char* value_name = "TEXT";
    static std::string parse(const Typed& typed) {
        return typed.about.words_only ? one_of(typed.option, typed.text, typed.about.words) : typed.text;
    }
    static std::string text(const std::string& value) { return value; }
    static Values values(const About& about) {
        return {about.words, about.words_only, false, about.endings, about.alone};
    }
};

template <>
struct OptionValue<std::filesystem::path> {
    static constexpr const char* value_name = "FILE";
    static std::filesystem::path parse(const Typed& typed) { return typed.text; }
    static std::string text(const std::filesystem::path& value) { return value.string(); }
    static Values values(const About& about) {
        return {about.words, false, false,
                about.endings.empty() ? std::vector<std::string>{""} : about.endings, about.alone};
    }
};

template <>
struct OptionValue<std::int64_t> {
    static constexpr const char* value_name = "N";
    static std::int64_t parse(const Typed& typed) {
        return whole_number(typed.option, typed.text, typed.about.least, typed.about.most);
    }
    static std::string text(std::int64_t value) { return std::to_string(value); }
    static Values values(const About& about) { return {.words = about.words, .alone = about.alone}; }
};

template <>
struct OptionValue<std::uint64_t> {  // a seed
    static constexpr const char* value_name = "N";
    static std::uint64_t parse(const Typed& typed) { return seed_number(typed.option, typed.text); }
    static std::string text(std::uint64_t value) { return std::to_string(value); }
    static Values values(const About&) { return {}; }
};

template <>
struct OptionValue<double> {
    static constexpr const char* value_name = "R";
    static double parse(const Typed& typed) {
        return real_number(typed.option, typed.text, typed.about.least_real);
    }
    static std::string text(double value) { return fmt::format("{}", value); }
    static Values values(const About&) { return {}; }
};

template <glassbox::HasWords Enum>
struct OptionValue<Enum> {
    static constexpr const char* value_name = "NAME";
    static Enum parse(const Typed& typed) {
        return glassbox::parse<Enum>(one_of(typed.option, typed.text, words(typed.about)));
    }
    static std::string text(Enum value) { return glassbox::name<Enum>(value); }
    static Values values(const About& about) { return {words(about), true, false, {}, about.alone}; }

  private:
    static std::vector<std::string> words(const About& about) {
        return about.words.empty() ? glassbox::words<Enum>() : about.words;
    }
};

// What need not be given.
template <class T>
struct OptionValue<std::optional<T>> {
    static constexpr const char* value_name = OptionValue<T>::value_name;
    static std::optional<T> parse(const Typed& typed) { return OptionValue<T>::parse(typed); }
    static std::string text(const std::optional<T>& value) {
        return value ? OptionValue<T>::text(*value) : "";
    }
    static Values values(const About& about) { return OptionValue<T>::values(about); }
};

// Several, with commas between them.
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
    static Values values(const About& about) {
        Values values = OptionValue<T>::values(about);
        values.is_list = true;
        return values;
    }
};

}  // namespace tracer
