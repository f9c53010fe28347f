#include <glassbox/tasks/decoding.h>

#include <glassbox/observe/scope.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/reduce.h>
#include <glassbox/ops/softmax.h>
#include <glassbox/ops/views.h>
#include <glassbox/tasks/vocabulary.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::decoding;

namespace {

Tensor as_row(const std::vector<index_t>& tokens) {
    return Tensor(Shape{1, static_cast<index_t>(tokens.size())},
                  std::vector<real>(tokens.begin(), tokens.end()));
}

// P(next token | source, target so far) = softmax(logits of the last position)
Tensor next_probabilities(const Transformer& model, const Tensor& source,
                          const std::vector<index_t>& target) {
    const Tensor logits = model(source, as_row(target));                          // (1, T, vocabulary)
    const Tensor last = slice(logits, -2, logits.size(-2) - 1, logits.size(-2));  // (1, 1, vocabulary)
    return named(step::next, softmax(select(last, 0, 0)));                        // (1, vocabulary)
}

}  // namespace

// target ← target, argmax P(next token | source, target), until that is <end>
Decoded greedy(const Transformer& model, const std::vector<index_t>& source, index_t max_tokens) {
    if (source.empty()) fail("decoding: an empty source");
    if (max_tokens < 1) fail("decoding: at least 1 token to write, got {}", max_tokens);
    Decoded decoded;
    std::vector<Tensor> rows;
    std::vector<index_t> target = {Vocabulary::start};
    while (!decoded.ended && static_cast<index_t>(decoded.tokens.size()) < max_tokens) {
        const Scope scope("step", static_cast<int>(decoded.tokens.size()));
        const Tensor next = next_probabilities(model, as_row(source), target);  // (1, vocabulary)
        const Tensor token = named(step::token, as_row(argmax(next, -1)));      // (1, 1)
        rows.push_back(next);
        target.push_back(static_cast<index_t>(token.item()));
        decoded.tokens.push_back(target.back());
        decoded.ended = target.back() == Vocabulary::end;
    }
    decoded.probabilities = concat(rows, 0);
    return decoded;
}

}  // namespace glassbox
