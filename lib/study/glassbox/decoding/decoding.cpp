#include <glassbox/decoding/decoding.h>

#include <glassbox/decoding/detail/step_by_step.h>
#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

void check(const DecodingConfig& c, index_t vocabulary) {
    if (c.max_tokens < 1) fail("decoding: needs at least 1 token to write, got {}", c.max_tokens);
    if (c.beam < 1) fail("decoding: needs a beam of at least 1 sequence, got {}", c.beam);
    if (!(c.length_penalty >= 0))
        fail("decoding: needs a length penalty of at least 0, got {}", c.length_penalty);
    // Beyond these, logits / temperature is infinite for some model, and its softmax NaN.
    if (c.temperature != 0 && !(c.temperature >= 1e-20 && c.temperature <= 1e20))
        fail("decoding: needs a temperature of 0, or from 1e-20 to 1e20, got {}", c.temperature);
    if (c.top_k < 0) fail("decoding: needs top_k of at least 0, got {}", c.top_k);
    if (!(c.top_p > 0 && c.top_p <= 1)) fail("decoding: needs top_p above 0 and at most 1, got {}", c.top_p);
    if (!(c.repetition_penalty >= 1))
        fail("decoding: needs a repetition penalty of at least 1, got {}", c.repetition_penalty);
    if (c.beam > 1 && c.repetition_penalty > 1)
        fail("decoding: beam search has no repetition penalty: beam {} and penalty {}", c.beam,
             c.repetition_penalty);
    if (c.beam > 1 && c.temperature > 0)
        fail("decoding: beam search does not draw: beam {} and temperature {}", c.beam, c.temperature);
    if (c.temperature == 0 && (c.top_k > 0 || c.top_p < 1))
        fail("decoding: top_k {} and top_p {} need a temperature above 0, got 0", c.top_k, c.top_p);
    if (c.end && (*c.end < -1 || *c.end >= vocabulary))
        fail("decoding: needs an end from 0 to {}, or -1 for none, got {}", vocabulary - 1, *c.end);
}

// A translator's sentences end with <end>, unless the caller sets another.
DecodingConfig with_end(DecodingConfig config) {
    config.end = config.end.value_or(2);
    return config;
}

// `batch` sequences that begin with <start>.
Tensor starts(std::size_t batch, const DecodingConfig& config, Device device) {
    return as_column(std::vector<index_t>(batch, config.start), device);
}

// One sequence: (1, n)
Tensor as_row(const std::vector<index_t>& tokens, Device device) {
    return Tensor({1, static_cast<index_t>(tokens.size())}, std::vector<real>(tokens.begin(), tokens.end()))
        .to(device);
}

}  // namespace

Decoded decode(const Transformer& model, const std::vector<index_t>& source, const DecodingConfig& given) {
    check(given, model.generator.weight.size(0));
    const DecodingConfig config = with_end(given);
    TransformerSteps steps(model, {source}, config);
    const Tensor start = starts(1, config, model.generator.weight.device());
    return config.beam > 1 ? search_beams(steps, start, config) : write_greedily(steps, start, config)[0];
}

std::vector<Decoded> decode(const Transformer& model, const std::vector<std::vector<index_t>>& sources,
                            const DecodingConfig& given) {
    check(given, model.generator.weight.size(0));
    const DecodingConfig config = with_end(given);
    if (sources.empty()) return {};
    if (config.beam > 1) {
        std::vector<Decoded> decoded;
        for (const auto& source : sources) decoded.push_back(decode(model, source, config));
        return decoded;
    }
    TransformerSteps steps(model, sources, config);
    return write_greedily(steps, starts(sources.size(), config, model.generator.weight.device()), config);
}

Decoded decode(const Tensor& table, const std::vector<index_t>& prompt, const DecodingConfig& config) {
    if (table.rank() != 2 || table.size(0) != table.size(1))
        fail("decoding: needs a table (V, V), a row of logits after each token, got {}", table.shape());
    check(config, table.size(-1));
    if (prompt.empty()) fail("decoding: an empty prompt");
    namespace step = steps::decoding;
    const Tensor model = named(step::table, table);                            // (V, V)
    const Tensor first = named(step::prompt, as_row(prompt, table.device()));  // (1, n)
    TableSteps steps(model);
    Tensor last = first;
    Decoded decoded = config.beam > 1 ? search_beams(steps, first, config, &last)
                                      : write_greedily(steps, first, config, &last)[0];
    const auto no_pullback = [](const Tensor&) -> Tape::Gradients { return {}; };
    const Tensor tokens({static_cast<index_t>(decoded.tokens.size())},
                        std::vector<real>(decoded.tokens.begin(), decoded.tokens.end()));
    const bool ends =
        config.end.value_or(-1) >= 0 && config.temperature == 0 && config.repetition_penalty == 1;
    const Tensor written = ends ? record("written", tokens, {&last}, no_pullback,
                                         {{"tokens", static_cast<double>(config.max_tokens)},
                                          {"beam", static_cast<double>(config.beam)}})
                                : record("written", tokens, {&last}, no_pullback);
    (void)named(step::sequence, written);  // (tokens)
    return decoded;
}

Decoded decode(const LanguageModel& model, const std::vector<index_t>& prompt, const DecodingConfig& config) {
    check(config, model.generator.weight.size(0));
    if (prompt.empty()) fail("decoding: an empty prompt");
    model.check_tied();
    LanguageModelSteps steps(model, config);
    const Tensor first = as_row(prompt, model.generator.weight.device());  // (1, n)
    return config.beam > 1 ? search_beams(steps, first, config) : write_greedily(steps, first, config)[0];
}

}  // namespace glassbox
