#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/conventions/convention.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

// Conversion between a setting's value and its text, for each type.
namespace glassbox {

// What a task accepts for a setting.
struct SettingLimits {
    index_t min = 1, max = index_t{1} << 40;  // of a whole number
    double min_real = 0, max_real = 1e6;      // of a real number
    bool below_1 = false;                     // a real number, at least 0 and less than 1
    std::vector<std::string> words{};         // of an enum, those allowed; empty: all
    std::string none{};                       // the text of an optional value that is not there
    std::string empty{};                      // the text of an empty list
    bool absent_if_0 = false;                 // no text means 0
    bool may_lack = false;                    // settings without it are whole: its default counts
};

struct SettingText {
    const std::string &option, &text;  // "--epochs", "10"
    const SettingLimits& limits;
};

// parse() throws UsageError that names the option, the rule and the text; text() is its inverse; words() are
// the possible values, empty: any.
template <class T>
struct SettingValue {
    static T parse(const SettingText& typed);
    static std::string text(const T& value, const SettingLimits& limits);
    static std::vector<std::string> words(const SettingLimits&) { return {}; }
};

// Throws UsageError if the text is not one of the words.
void check_word(const SettingText& typed, const std::vector<std::string>& words);

template <HasWords Enum>
struct SettingValue<Enum> {
    static Enum parse(const SettingText& typed) {
        check_word(typed, words(typed.limits));
        return glassbox::parse<Enum>(typed.text);
    }
    static std::string text(Enum value, const SettingLimits&) { return name<Enum>(value); }
    static std::vector<std::string> words(const SettingLimits& limits) {
        return limits.words.empty() ? glassbox::words<Enum>() : limits.words;
    }
};

template <>
struct SettingValue<const Convention*> {
    static const Convention* parse(const SettingText& typed) {
        check_word(typed, convention_names());
        return &convention(typed.text);
    }
    static std::string text(const Convention* value, const SettingLimits&) { return value->name; }
    static std::vector<std::string> words(const SettingLimits&) { return convention_names(); }
};

template <class T>
struct SettingValue<std::optional<T>> {
    static std::optional<T> parse(const SettingText& typed) {
        if (typed.text.empty() || typed.text == typed.limits.none) return std::nullopt;
        return SettingValue<T>::parse(typed);
    }
    static std::string text(const std::optional<T>& value, const SettingLimits& limits) {
        return value ? SettingValue<T>::text(*value, limits) : limits.none;
    }
    static std::vector<std::string> words(const SettingLimits& limits) {
        std::vector<std::string> all = SettingValue<T>::words(limits);
        if (!all.empty()) all.push_back(limits.none);
        return all;
    }
};

// Defined in setting_value.cpp.
template <>
index_t SettingValue<index_t>::parse(const SettingText&);
template <>
std::string SettingValue<index_t>::text(const index_t&, const SettingLimits&);
template <>
std::uint64_t SettingValue<std::uint64_t>::parse(const SettingText&);
template <>
std::string SettingValue<std::uint64_t>::text(const std::uint64_t&, const SettingLimits&);
template <>
double SettingValue<double>::parse(const SettingText&);
template <>
std::string SettingValue<double>::text(const double&, const SettingLimits&);
template <>
std::string SettingValue<std::string>::parse(const SettingText&);
template <>
std::string SettingValue<std::string>::text(const std::string&, const SettingLimits&);
template <>
std::vector<std::string> SettingValue<std::vector<std::string>>::parse(const SettingText&);
template <>
std::string SettingValue<std::vector<std::string>>::text(const std::vector<std::string>&,
                                                         const SettingLimits&);
template <>
std::vector<double> SettingValue<std::vector<double>>::parse(const SettingText&);
template <>
std::string SettingValue<std::vector<double>>::text(const std::vector<double>&, const SettingLimits&);

// "24,60" → 24, 60. Throws UsageError that names the option.
std::vector<double> numbers_of(const std::string& option, const std::string& text);

}  // namespace glassbox
