#include "commands/shared/decoding_options.h"

#include <fmt/format.h>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

void declare_choices(Options& o, DecodingConfig& how) {
    const bool draws = how.temperature > 0;
    o.value(
        "--temperature", how.temperature,
        {.help = "Logits are divided by it" + std::string(draws ? "" : ", then a token is drawn with --seed"),
         .default_text = draws ? "1" : "greedy"});
    o.value("--top-k", how.top_k,
            {.help = "Draw from the K most likely words", .default_text = "all", .max = 1 << 20});
    o.value("--top-p", how.top_p,
            {.help = "Draw from the most likely words that together have this probability",
             .default_text = "1, all"});
    o.value("--repetition-penalty", how.repetition_penalty,
            {.help = "Words that were there are less likely: θ, from 1", .default_text = "1, none"});
}

void check_choices(const DecodingConfig& how) {
    if (how.temperature != 0 && !(how.temperature >= 1e-20 && how.temperature <= 1e20))
        fail<UsageError>("--temperature: expected a number from 1e-20 to 1e20, got {}", how.temperature);
    if (!(how.top_p > 0 && how.top_p <= 1))
        fail<UsageError>("--top-p: expected a number above 0 and at most 1, got {}", how.top_p);
    if (!(how.repetition_penalty >= 1))
        fail<UsageError>("--repetition-penalty: expected a number of at least 1, got {}",
                         how.repetition_penalty);
}

std::string choices_text(const DecodingConfig& how) {
    std::string text = how.temperature > 0 ? fmt::format("temperature {}", how.temperature) : "greedy";
    if (how.repetition_penalty != 1)
        text += fmt::format(", repetition penalty θ = {}", how.repetition_penalty);
    if (how.top_k > 0) text += fmt::format(", of the {} most likely", how.top_k);
    if (how.top_p < 1) text += fmt::format(", of the most likely that together have {}", how.top_p);
    return text;
}

}  // namespace glassbox::tracer
