#include <glassbox/text/teacher_forcing.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::teacher_forcing;

namespace {

// 0 where it is this token, 1 elsewhere.
Tensor is_other_than(index_t excluded, const Tensor& tokens) {
    std::vector<real> others;
    for (const real token : tokens.values())
        others.push_back(token == static_cast<real>(excluded) ? real(0) : real(1));
    return Tensor(tokens.shape(), others, tokens.device());
}

using Sentences = std::vector<std::vector<index_t>>;

// <start> sentence <end>, as requested.
Sentences framed(const Sentences& sentences, bool has_start) {
    Sentences all;
    for (const std::vector<index_t>& sentence : sentences) {
        std::vector<index_t>& ids = all.emplace_back();
        if (has_start) ids.push_back(Vocabulary::start);
        ids.insert(ids.end(), sentence.begin(), sentence.end());
        ids.push_back(Vocabulary::end);
    }
    return all;
}

}  // namespace

// targets_t = sentence_t,  labels_t = sentence_{t+1}
Shifted shifted(const Tensor& tokens) {
    if (tokens.rank() < 1 || tokens.size(-1) < 2)
        fail("teacher forcing: needs sentences of at least 2 tokens, got {}", tokens.shape());
    const index_t T = tokens.size(-1);
    Tensor sentence = named(step::sentence, tokens);  // (…, T)
    Tensor so_far = slice(sentence, -1, 0, T - 1);    // (…, T − 1)
    Tensor targets = named(step::targets,
                           masked_fill(so_far, is_other_than(Vocabulary::end, so_far), Vocabulary::padding));
    Tensor next = slice(sentence, -1, 1, T);  // (…, T − 1)
    Tensor labels = named(step::labels, masked_fill(next, is_other_than(Vocabulary::padding, next), -1));
    return {targets, labels};
}

// inputs = source <end>,  targets = <start> target,  labels = target <end>
TeacherForcing teacher_forcing(const Sentences& source, const Sentences& target) {
    if (source.empty()) fail("teacher forcing: needs at least one pair of sentences, got none");
    if (source.size() != target.size())
        fail("teacher forcing: needs as many target sentences as sources, {}, got {}", source.size(),
             target.size());
    TeacherForcing batch;
    batch.inputs = padded(framed(source, false));
    batch.inputs.tokens = named(step::inputs, batch.inputs.tokens);         // (B, longest source + 1)
    auto [targets, labels] = shifted(padded(framed(target, true)).tokens);  // (B, longest target + 1)
    batch.targets.tokens = targets;
    for (const std::vector<index_t>& sentence : target)
        batch.targets.lengths.push_back(static_cast<index_t>(sentence.size()) + 1);
    batch.labels = labels;
    return batch;
}

}  // namespace glassbox
