#include <glassbox/tasks/detail/teacher_forcing.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/softmax.h>
#include <glassbox/ops/views.h>
#include <glassbox/tasks/vocabulary.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::teacher_forcing;

namespace {

// 1 for a word, 0 for <pad>.
Tensor is_word(const Tensor& tokens) {
    std::vector<real> words;
    for (const real token : tokens.values())
        words.push_back(token == Vocabulary::padding ? real(0) : real(1));
    return Tensor(tokens.shape(), words, tokens.device());
}

}  // namespace

// targets_t = sentence_t,  labels_t = sentence_{t+1}
Shifted shifted(const Tensor& tokens) {
    if (tokens.rank() < 1 || tokens.size(-1) < 2)
        fail("teacher forcing: sentences of at least 2 tokens needed, got {}", tokens.shape());
    const index_t T = tokens.size(-1);
    Tensor sentence = named(step::sentence, tokens);                       // (…, T)
    Tensor targets = named(step::targets, slice(sentence, -1, 0, T - 1));  // (…, T − 1)
    Tensor next = slice(sentence, -1, 1, T);                               // (…, T − 1)
    Tensor labels = named(step::labels, masked_fill(next, is_word(next), -1));
    return {targets, labels};
}

}  // namespace glassbox
