#include "tasks/shared/decoding_options.h"

#include <algorithm>
#include <numeric>

#include <glassbox/io/json.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

void add_decoding_options(Task& task) {
    task.options_title = "Writing token by token";
    task.options = {
        {"beam", "N", "Beam search: continue the N best sequences at each step"},
        {"length-penalty", "A", "Beam search: divide log-probabilities by ((5 + n) / 6)^A [default: 0.6]"},
        {"temperature", "T", "Draw each token, with logits divided by T"},
        {"top-k", "K", "Draw among the K most likely tokens"},
        {"top-p", "P", "Draw among the most likely tokens that together have this probability"},
        {"sample-seed", "N", "Seed of what is drawn [default: 42]"},
        {"no-cache", "", "Compute keys and values again at each step"},
        {"every-pass", "", "With --steps and the like: all passes, and the cache that grows"}};
}

DecodingConfig decoding_config(const PredictRequest& request, const DecodingConfig& defaults) {
    DecodingConfig config = defaults;
    const auto whole = [&](const char* name, index_t otherwise, index_t min) {
        return request.has(name) ? parse_integer(std::string("--") + name, request.text(name), min)
                                 : otherwise;
    };
    const auto number = [&](const char* name, double otherwise) {
        return request.has(name) ? parse_real(std::string("--") + name, request.text(name), 0) : otherwise;
    };
    config.beam = whole("beam", config.beam, 1);
    config.length_penalty = number("length-penalty", config.length_penalty);
    config.temperature = number("temperature", config.temperature);
    config.top_k = whole("top-k", config.top_k, 1);
    config.top_p = number("top-p", config.top_p);
    if (request.has("sample-seed")) config.seed = parse_seed("--sample-seed", request.text("sample-seed"));
    config.cache = !request.has("no-cache");
    if (config.beam > 1024) fail<UsageError>("--beam: expected at most 1024, got {}", config.beam);
    if (!(config.top_p > 0 && config.top_p <= 1))
        fail<UsageError>("--top-p: expected above 0 and at most 1, got {}", config.top_p);
    if (request.has("every-pass") && request.in_full.empty())
        fail<UsageError>("--every-pass: requires --steps, --only and the like, which show steps");
    const bool draws = config.temperature > 0;
    if (config.beam > 1 && draws) fail<UsageError>("--beam: cannot be combined with --temperature");
    if (request.has("length-penalty") && config.beam == 1)
        fail<UsageError>("--length-penalty: requires --beam of at least 2");
    for (const char* name : {"top-k", "top-p", "sample-seed"})
        if (request.has(name) && !draws) fail<UsageError>("--{}: requires a --temperature above 0", name);
    return config;
}

std::vector<index_t> ids_of(const Tensor& tokens) {
    const std::vector<real> values = tokens.values();
    return {values.begin(), values.end()};
}

namespace {

// "you 0.00002, We 0.00001": the most likely tokens besides the one written.
void say_runners_up(Answer& answer, const Tensor& p, index_t row, index_t written,
                    const std::function<std::string(index_t)>& name) {
    std::vector<index_t> order(static_cast<std::size_t>(p.size(1)));
    std::iota(order.begin(), order.end(), 0);
    std::erase(order, written);
    const std::size_t shown = std::min<std::size_t>(2, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](index_t a, index_t b) {
                          const real pa = p.at({row, a}), pb = p.at({row, b});
                          return pa > pb || (pa == pb && a < b);
                      });
    for (std::size_t i = 0; i < shown; ++i)
        answer.say((i ? ", " : "") + name(order[i]) + " ").probability(p.at({row, order[i]}));
}

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string without_end(const Decoded& decoded) {
    if (decoded.ended) return "";
    return fmt::format("stopped after {} without <end>\n",
                       counted(static_cast<index_t>(decoded.tokens.size()), "token"));
}

void say_tokens(Answer& answer, const Decoded& decoded, const std::function<std::string(index_t)>& name) {
    std::size_t width = 7;
    for (const index_t token : decoded.tokens) width = std::max(width, characters(name(token)));
    answer.say(fmt::format("  step   {:<{}}   probability   next most likely\n", "written", width));
    const Tensor p = decoded.probabilities.to(Device::cpu);  // (tokens, vocabulary)
    std::vector<std::string> names;
    std::vector<double> probabilities;
    for (std::size_t i = 0; i < decoded.tokens.size(); ++i) {
        const auto row = static_cast<index_t>(i);
        const std::string written = name(decoded.tokens[i]);
        probabilities.push_back(p.at({row, decoded.tokens[i]}));
        names.push_back(written);
        answer.say(fmt::format("{:>6}   {}{}   ", i, written, std::string(width - characters(written), ' ')))
            .probability(probabilities.back(), 11)
            .say("   ");
        say_runners_up(answer, p, row, decoded.tokens[i], name);
        answer.say("\n");
    }
    answer.field("written", names).field("probabilities", probabilities);
}

void say_beams(Answer& answer, const Decoded& decoded,
               const std::function<std::string(const std::vector<index_t>&)>& text) {
    JsonList json;
    if (!decoded.alternatives.empty()) answer.say("   score   ln P   sequence\n");
    for (const Hypothesis& each : decoded.alternatives) {
        answer.say(fmt::format("{:>8.4f} {:>6.2f}   {}{}\n", each.score, each.log_probability,
                               text(each.tokens), each.ended ? "" : " …"));
        json.add(JsonObject{
            {"score", each.score}, {"log_probability", each.log_probability}, {"text", text(each.tokens)}});
    }
    answer.field("beams", json);
}

}  // namespace glassbox
