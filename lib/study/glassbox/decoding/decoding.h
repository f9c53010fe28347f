#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include <glassbox/decoding/beam_search.h>
#include <glassbox/models/transformer.h>

namespace glassbox {

namespace steps::decoding {
inline constexpr const char* layer = "decoding";
inline constexpr StepInfo next{layer, "next", "softmax({0})",
                               "The probability of each word of the vocabulary to come next."};
inline constexpr StepInfo table{layer, "table", "",
                                "The whole model: row i has the logits of what comes after token i."};
inline constexpr StepInfo sequence{layer, "written", "the tokens, one after the other",
                                   "What was written, from the first token to the last."};
inline constexpr StepInfo prompt{layer, "prompt", "", "The tokens that are read first."};
inline constexpr StepInfo logits{layer, "logits", "table[token]",
                                 "A score for each word to come after this one."};
inline constexpr StepInfo token{layer, "token", "argmax(next)",
                                "The most likely token is written, and read at the next step."};
}  // namespace steps::decoding

// How tokens are chosen: the most likely one (greedy), the best of several sequences (beam > 1), or one that
// is drawn (temperature > 0).
struct DecodingConfig {
    index_t max_tokens = 64;      // to write at most, <end> included
    index_t beam = 1;             // the number of sequences that beam search continues at each step
    double length_penalty = 0.6;  // α of beam search's scores (see length_penalty)
    LengthPenalty penalty_form = LengthPenalty::wu;
    bool early = false;             // beam search ends when as many sequences are complete as it has beams
    double temperature = 0;         // logits are divided by it before one is drawn; 0: greedy
    index_t top_k = 0;              // only the k most likely tokens are drawn; 0: all
    double repetition_penalty = 1;  // θ: tokens that were read or written are less likely (see penalised)
    double top_p = 1;         // only the most likely tokens that together have this probability are drawn
    std::uint64_t seed = 42;  // of the draws
    bool cache = true;        // keeps keys and values instead of computing them again at each step
    bool keep_probabilities = true;  // false saves memory, and greedy decoding the softmax of each step
    index_t start = 1;               // the token before the first
    // The token after the last; −1: none. Not set: <end>, 2, for a Transformer; no token for a LanguageModel,
    // whose token 2 is an ordinary letter.
    std::optional<index_t> end{};
};

// One of the sequences that beam search compares.
struct Hypothesis {
    std::vector<index_t> tokens{};  // <end> last, if it was written
    double log_probability = 0;     // ln P(tokens) = Σ ln P(token | tokens before it)
    double score = 0;               // log_probability / length penalty
    bool ended = false;             // <end> was written
};

// The tokens that a model wrote: the best hypothesis of beam search, else the only one.
struct Decoded : Hypothesis {
    // (tokens, vocabulary): the softmax from which each token was chosen (for a drawn one with temperature,
    // top k and top p); undefined without keep_probabilities.
    Tensor probabilities{};
    // Beam search only: those that were continued after each step, and those that were complete or left over
    // at the end; best first.
    std::vector<std::vector<Hypothesis>> beams{};
    std::vector<Hypothesis> alternatives{};
};

// The probability of each word to come next, by temperature, top k and top p: logits (rows, vocabulary).
// Steps: [tempered] [top_k] [top_p] next.
Tensor next_probabilities(const Tensor& logits, const DecodingConfig& config);

// Writes token by token, from <start> until <end> or max_tokens. The memory is computed once, before the
// first step. Without keep_probabilities log_probability and score of greedy decoding are not computed: NaN.
// Steps: source/… encoder/…, then at each step, under step/0/ step/1/ …, those of the decoder and of the
// choice: [penalised] next token; when drawn [penalised] tempered [top_k] [top_p] next u token; for a beam
// next log_probability beam token score. Throws Error for an empty source, for a setting out of range, and if
// a logit is NaN or +∞.
Decoded decode(const Transformer& model, const std::vector<index_t>& source, const DecodingConfig& config);
// A batch, padded to the longest source; sentences that have ended are dropped from it. Sentence i draws its
// own numbers. Beam search takes the sentences one by one.
std::vector<Decoded> decode(const Transformer& model, const std::vector<std::vector<index_t>>& sources,
                            const DecodingConfig& config);
// Continues a prompt, which is not part of the result, up to max_tokens, or to config.end where that is set.
// Throws Error for an empty prompt.
Decoded decode(const LanguageModel& model, const std::vector<index_t>& prompt, const DecodingConfig& config);
// The same for the smallest model, whose next token depends on the last one alone: row i of the table (V, V)
// has the logits of what comes after token i. With an end, beam search goes on to max_tokens, and its last
// steps are sequences complete length penalty score. Throws Error for another shape, and a prompt outside of
// it.
Decoded decode(const Tensor& table, const std::vector<index_t>& prompt, const DecodingConfig& config);

}  // namespace glassbox
