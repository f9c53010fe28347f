#pragma once
#include <optional>
#include <string>

#include "tasks/shared/token_settings.h"
#include "tasks/task_settings.h"

namespace glassbox {

enum class LowerCase { none, source, both };
enum class Vocabularies { separate, shared };

struct TranslationSettings : TaskSettings {
    std::optional<std::string> pairs{}, source{}, target{};  // files; none: the grammar's sentences
    LowerCase lower = LowerCase::source;
    Vocabularies vocabularies = Vocabularies::separate;
    TokenSettings tokens{};
    index_t longest = 40;  // tokens of a sentence
    DrawnSettings drawn{.examples = 130'000, .validation = 500, .test = 1000};

    TranslationSettings()
        : TaskSettings{.stack = {.d_model = 96, .heads = 4, .layers = 2},
                       .training = {{.epochs = 3, .schedule = {.rate = 0.003, .warmup = 200}}}} {}

    bool is_generated() const { return !pairs && !source && !target; }
};

void declare(SettingTable& table, TranslationSettings& settings);

template <>
struct EnumWords<LowerCase> {
    static constexpr const char* what = "lower";
    static constexpr Word<LowerCase> all[] = {
        {LowerCase::none, "none"}, {LowerCase::source, "source"}, {LowerCase::both, "both"}};
};

template <>
struct EnumWords<Vocabularies> {
    static constexpr const char* what = "vocabularies";
    static constexpr Word<Vocabularies> all[] = {{Vocabularies::separate, "separate"},
                                                 {Vocabularies::shared, "shared"}};
};

}  // namespace glassbox
