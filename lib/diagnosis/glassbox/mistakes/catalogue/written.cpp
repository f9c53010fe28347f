#include <glassbox/decoding/written.h>

#include <algorithm>

#include <glassbox/layers/linear.h>
#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::decoding;

namespace {

// Row by row, `change` of the tokens before and from the place after <end>.
template <class Change>
Tensor with_rows(const Tensor& tokens, Change change) {
    std::vector<real> all = tokens.values();
    for (auto row = all.begin(); row != all.end(); row += tokens.size(1)) {
        const auto last = row + tokens.size(1), end = std::find(row, last, Vocabulary::end);
        change(row, end, last);
    }
    return Tensor(tokens.shape(), all);
}

// The most likely token at each place when the right ones came before it.
Tensor teacher_forced(const Frame& f, const Tensor& made) {
    const Tensor logits = step_at(f, "logits");  // (B, T, vocabulary), or (T, vocabulary) of one sentence
    const index_t V = logits.defined() ? logits.size(-1) : 1, T = logits.defined() ? logits.size(-2) : 0;
    if (!logits.defined() || logits.numel() != made.size(0) * T * V) return not_here;
    const std::vector<index_t> best = argmax(logits, -1);
    const index_t width = made.size(1);
    std::vector<real> tokens(static_cast<std::size_t>(made.numel()), Vocabulary::padding);
    for (index_t b = 0; b < made.size(0); ++b)
        for (index_t t = 0; t < std::min(T, width); ++t) {
            tokens[static_cast<std::size_t>(b * width + t)] =
                static_cast<real>(best[static_cast<std::size_t>(b * T + t)]);
            if (best[static_cast<std::size_t>(b * T + t)] == Vocabulary::end) break;
        }
    return Tensor(made.shape(), tokens);
}

// What the softmax was taken of, and the tokens that were read in it.
Tensor scores(const Frame& f) { return step_at(f, scope_of(f.path()) + "read/logits"); }
Tensor at_written(const Frame& f, const Tensor& numbers) {
    const Tensor written = f["written"];
    return sum(one_hot(written, numbers.size(-1)) * numbers, -1) * (written > 0.0);
}

std::vector<Mistake> of_tokens() {
    return {
        {step::written, "with-start", "<start>, then the tokens",
         "<start> is included; the model reads it but did not generate it.",
         [](const Frame&, const Tensor& made) {
             const Tensor start = slice(made, 1, 0, 1) * 0.0 + static_cast<double>(Vocabulary::start);
             return concat({start, slice(made, 1, 0, made.size(1) - 1)}, 1);
         }},
        {step::written, "no-end", "the tokens before <end>",
         "<end> is missing: the sentence may be complete or cut off.",
         [](const Frame&, const Tensor& made) {
             return with_rows(made, [](auto, auto end, auto last) {
                 if (end != last) *end = Vocabulary::padding;
             });
         }},
        {step::written, "not-filled", "the tokens up to <end>, −1 after it",
         "After <end> there is −1, which is only for labels, instead of <pad>.",
         [](const Frame&, const Tensor& made) {
             return with_rows(made, [](auto, auto end, auto last) {
                 if (end != last) std::fill(end + 1, last, real(-1));
             });
         }},
        {step::written, "not-stopped", "the tokens, and what follows <end>",
         "It continues after <end>, where the model was never trained.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::written, "teacher-forced", "argmax(logits) of the right tokens so far",
         "This is what the model predicts from the correct tokens; in use it reads its own.", teacher_forced},
        {step::translation, "no-start", "the tokens, <pad> after them",
         "<start> is missing: a translation starts with it.",
         [](const Frame&, const Tensor& made) {
             const Tensor pad = slice(made, 1, 0, 1) * 0.0 + static_cast<double>(Vocabulary::padding);
             return concat({slice(made, 1, 1, made.size(1)), pad}, 1);
         }},
        {steps::token_embedding::embedding, "only-last", "table[the last token]",
         "The decoder is given only the last token; without a cache it forgets the earlier ones.",
         [](const Frame& f, const Tensor& made) {
             const bool is_written = f.path().find("step/") != std::string::npos;
             return is_written && made.size(-2) > 1 ? slice(made, -2, made.size(-2) - 1, made.size(-2))
                                                    : not_here;
         }},
    };
}

std::vector<Mistake> of_certainty() {
    return {
        {step::certainty, "score", "logits[written]", "These are scores; the softmax is missing.",
         [](const Frame& f, const Tensor&) { return at_written(f, scores(f)); }},
        {step::certainty, "first-row", "softmax(logits)[written], of row 0",
         "Row 0 predicts what follows <start>; each token was chosen from the row before it.",
         [](const Frame& f, const Tensor&) {
             return at_written(f, first_for_all(glassbox::softmax(scores(f)), -2));
         }},
        {step::certainty, "logarithm", "ln softmax(logits)[written]",
         "These are logarithms of the probabilities.",
         [](const Frame& f, const Tensor&) { return at_written(f, log_softmax(scores(f))); }},
        {step::certainty, "product", "the product up to each place",
         "This is the probability of everything so far, not of each token.",
         [](const Frame&, const Tensor& made) {
             std::vector<real> p = made.values();
             for (auto row = p.begin(); row != p.end(); row += made.size(1))
                 for (auto at = row + 1; at != row + made.size(1); ++at) *at *= *(at - 1);
             return Tensor(made.shape(), p);
         }},
        {step::certainty, "behind-end", "softmax(logits)[written], after <end> too",
         "What follows <end> was not generated: it should be 0 there.",
         [](const Frame& f, const Tensor&) {
             const Tensor p = glassbox::softmax(scores(f));
             return sum(one_hot(f["written"], p.size(-1)) * p, -1);
         }},
    };
}

}  // namespace

// What a model writes by itself: tokens up to <end>.
std::vector<Mistake> written() { return joined({of_tokens(), of_certainty()}); }

}  // namespace glassbox::catalogue
