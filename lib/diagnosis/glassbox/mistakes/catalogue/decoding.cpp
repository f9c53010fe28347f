#include <glassbox/decoding/decoding.h>

#include <glassbox/mistakes/catalogue/choices.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox::catalogue {
namespace decoding_cpp {

using namespace wrong;

namespace {

// The scores that the step `next` is the softmax of, and those of earlier positions, (…, T, vocabulary):
// undefined where the model has read one token.
Tensor logits_at(const Frame& f, index_t position) {
    const Tensor all = step_at(f, scope_of(f.path()) + "logits");
    return all.defined() && all.size(-2) > 1 ? select(all, -2, position) : not_here;
}

}  // namespace
}  // namespace decoding_cpp

// token = argmax P(token | source, tokens so far)
std::vector<Mistake> decoding() {
    using namespace decoding_cpp;
    const StepInfo& next = steps::decoding::next;
    const StepInfo& token = steps::decoding::token;
    std::vector<Mistake> all = {
        choice(token, "smallest", "argmin(next)", "The least likely token is written.", smallest),
        choice(token, "second", "the second of next", "The second most likely token is written.", second),
        choice(token, "one-more", "argmax(next) + 1", "Tokens are counted from 1; they count from 0.",
               next_to_largest),
    };
    const std::vector<Mistake> those = {
        {token, "not-fed", "<start>", "What was written is not read: the decoder is given <start> again.",
         [](const Frame&, const Tensor& made) {
             return made * 0.0 + static_cast<double>(Vocabulary::start);
         }},
        {token, "first-sentence", "the first sentence's token in every row",
         "Every sentence goes on with the first one's token.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, 0); }},
        Mistake{next, "first-position", "softmax(logits), of row 0",
                "The probabilities are those of row 0, which says what comes after the first token.",
                [](const Frame& f, const Tensor&) {
                    const Tensor logits = logits_at(f, 0);
                    return logits.defined() ? softmax(logits) : not_here;
                }}
            .seen("https://github.com/xberg-io/xberg/issues/1210"),
    };
    all.insert(all.end(), those.begin(), those.end());
    return all;
}

}  // namespace glassbox::catalogue
