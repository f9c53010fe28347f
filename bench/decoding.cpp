// Greedy decoding of sentences of one length with the translation model: with a cache of keys and values, or
// without.
//     decoding [--sentences 500] [--length 64] [--source 20] [--batch 100] [--vocabulary 8000] [--dmodel 256]
//              [--heads 4] [--layers 3] [--dff 1024] [--no-cache] [--rounds 1] [--backend cpu|cuda|xtensor]
//              [--weights FILE.safetensors]
// One line of JSON for each round: seconds by the clock and of the processor for all sentences, tokens
// written per second, and a checksum of the tokens. --weights writes the model's parameters for the peer.
#include <ctime>
#include <map>
#include <string>

#include <glassbox/conventions/made.h>
#include <glassbox/decoding/decoding.h>

#include "place.h"

namespace {

using namespace glassbox;

struct Sizes {
    std::map<std::string, index_t> all = {
        {"--sentences", 500}, {"--length", 64}, {"--source", 20}, {"--batch", 100}, {"--vocabulary", 8000},
        {"--dmodel", 256},    {"--heads", 4},   {"--layers", 3},  {"--dff", 1024},  {"--rounds", 1}};
    bool cache = true;
    std::string weights;
    Place place;

    index_t operator[](const char* name) const { return all.at(name); }
};

Sizes parse(int argc, char** argv) {
    Sizes sizes;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto known = sizes.all.find(word);
        if (known != sizes.all.end() && i + 1 < argc) known->second = std::atoll(argv[++i]);
        else if (word == "--no-cache") sizes.cache = false;
        else if (word == "--weights" && i + 1 < argc) sizes.weights = argv[++i];
        else if (sizes.place.parse(word, i + 1 < argc ? argv[i + 1] : "")) ++i;
    }
    return sizes;
}

Transformer model_of(const Sizes& sizes) {
    TransformerChoices choices;
    choices.source_vocabulary = choices.target_vocabulary = sizes["--vocabulary"];
    choices.encoder = {
        {.d_model = sizes["--dmodel"], .heads = sizes["--heads"], .d_ff = sizes["--dff"], .dropout = 0},
        sizes["--layers"]};
    choices.decoder = choices.encoder;
    return made<Transformer>(choices, *make_stream(Rng::jax, 42));
}

// The same sentences as the peer's.
std::vector<index_t> sentence(const Sizes& sizes, index_t i) {
    std::vector<index_t> tokens;
    for (index_t t = 0; t < sizes["--source"]; ++t)
        tokens.push_back(3 + (i * 7919 + t * 104729) % (sizes["--vocabulary"] - 3));
    return tokens;
}

// The sum of token · (place + 1) over all sentences, modulo 10⁹ + 7: equal tokens have equal ones.
long long checksum(const std::vector<Decoded>& decoded, long long sum) {
    for (const Decoded& each : decoded)
        for (std::size_t t = 0; t < each.tokens.size(); ++t)
            sum = (sum + each.tokens[t] * static_cast<long long>(t + 1)) % 1'000'000'007;
    return sum;
}

void measure(const Sizes& sizes) {
    Transformer model = model_of(sizes);
    if (!sizes.weights.empty()) save(model, sizes.weights);
    parameters_of(model).move_to(sizes.place.device());
    DecodingConfig config{.max_tokens = sizes["--length"], .cache = sizes.cache, .keep_probabilities = false};
    config.end = -1;  // all sentences have one length
    const index_t count = sizes["--sentences"];
    for (index_t round = 0; round < sizes["--rounds"]; ++round) {
        long long sum = 0;
        const auto begin = std::chrono::steady_clock::now();
        const std::clock_t cpu = std::clock();
        for (index_t first = 0; first < count; first += sizes["--batch"]) {
            std::vector<std::vector<index_t>> sources;
            for (index_t i = first; i < std::min(count, first + sizes["--batch"]); ++i)
                sources.push_back(sentence(sizes, i));
            sum = checksum(decode(model, sources, config), sum);
        }
        const double ms = ms_since(begin),
                     cpu_ms = 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
        std::printf(
            "{\"way\": \"%s\", \"ms\": %.5g, \"cpu_ms\": %.5g, \"tokens_per_second\": %.0f, \"checksum\": "
            "%lld, %s}\n",
            sizes.cache ? "cache" : "no cache", ms, cpu_ms,
            1e3 * static_cast<double>(count * sizes["--length"]) / ms, sum, sizes.place.about().c_str());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return run_bench([&] {
        Sizes sizes = parse(argc, argv);
        sizes.place.start();
        measure(sizes);
    });
}
