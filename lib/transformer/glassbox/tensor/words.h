#pragma once
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// "1 step", "3 steps"; an irregular plural is given: counted(n, "query", "queries").
inline std::string counted(index_t n, const std::string& one, const std::string& several = {}) {
    return std::to_string(n) + " " + (n == 1 ? one : several.empty() ? one + "s" : several);
}

// The names of an enum's values, in one table next to the enum. Parsing, printing, messages, help and
// completion use it:
//
//     template <>
//     struct EnumWords<Rng> {
//         static constexpr const char* what = "rng";
//         static constexpr Word<Rng> all[] = {{Rng::jax, "jax"}, {Rng::torch, "torch"}};
//     };
template <class Enum>
struct EnumWords;

template <class Enum>
struct Word {
    Enum value;
    const char* text;
};

template <class Enum>
concept HasWords = std::is_enum_v<Enum> && requires {
    EnumWords<Enum>::all;
};

// Rng::jax → "jax".
template <HasWords Enum>
[[nodiscard]] constexpr const char* name(Enum value) {
    for (const Word<Enum>& word : EnumWords<Enum>::all)
        if (word.value == value) return word.text;
    return "unknown";
}

// All words, in the table's order.
template <HasWords Enum>
[[nodiscard]] std::vector<std::string> words() {
    std::vector<std::string> all;
    for (const Word<Enum>& word : EnumWords<Enum>::all) all.emplace_back(word.text);
    return all;
}

// "jax" → Rng::jax. Throws UsageError with the valid words: "rng: no rng 'x'; there are jax, torch".
template <HasWords Enum>
[[nodiscard]] Enum parse(std::string_view text) {
    for (const Word<Enum>& word : EnumWords<Enum>::all)
        if (text == word.text) return word.value;
    fail<UsageError>("{0}: no {0} '{1}'; there are {2}", EnumWords<Enum>::what, text,
                     fmt::join(words<Enum>(), ", "));
}

}  // namespace glassbox
