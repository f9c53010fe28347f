#include <glassbox/text/teacher_forcing.h>
#include <glassbox/train/loss.h>

#include <algorithm>

#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::teacher_forcing;

namespace {

constexpr real pad = static_cast<real>(Vocabulary::padding), start = static_cast<real>(Vocabulary::start),
               end = static_cast<real>(Vocabulary::end), ignored = -1;

Tensor is(const Tensor& tokens, real token) {
    return (1 - (tokens > static_cast<double>(token))) * (1 - (tokens < static_cast<double>(token)));
}
// One token for another.
Tensor with(const Tensor& tokens, real token, real other) {
    return where(is(tokens, token), static_cast<double>(other), tokens);
}
// sentence[from … to], counted from both ends: 0 to the first, −1 to before the last.
Tensor part(const Frame& f, index_t from, index_t to) {
    const Tensor& sentence = f["sentence"];
    return slice(sentence, -1, from, sentence.size(-1) + to);
}
// The sentence moved by two positions to the left, with a token after it.
Tensor moved_by_two(const Frame& f, real behind) {
    const Tensor& sentence = f["sentence"];
    const Tensor last = slice(sentence, -1, 0, 1) * 0.0 + static_cast<double>(behind);
    return concat({slice(sentence, -1, 2, sentence.size(-1)), last}, -1);
}

std::vector<Mistake> of_targets() {
    return {
        Mistake{step::targets, "no-shift", "sentence, all but the first",
                "The decoder is given its labels: it would learn to repeat them.",
                [](const Frame& f, const Tensor&) { return part(f, 1, 0); }}
            .seen("https://discuss.pytorch.org/t/nn-transformer-explaination/53175/20")
            .in_class("targets that are the labels"),
        Mistake{step::targets, "labels", "the labels, −1 where it is <pad>",
                "The decoder is given its labels, with −1 in place of padding.",
                [](const Frame& f, const Tensor&) { return with(part(f, 1, 0), pad, ignored); }}
            .in_class("targets that are the labels"),
        Mistake{step::targets, "no-start", "sentence, all but the first; <pad> where it is <end>",
                "<start> is missing, so everything is one position too early and the answer is given away.",
                [](const Frame& f, const Tensor&) { return with(part(f, 1, 0), end, pad); }}
            .in_class("targets without a start"),
        Mistake{step::targets, "start-is-padding", "<pad> where it is <start>",
                "<start> became <pad>: at the first position the decoder has nothing else.",
                [](const Frame&, const Tensor& made) { return with(made, start, pad); }}
            .in_class("targets without a start"),
        {step::targets, "wrong-way", "the token after the one to predict",
         "Shifted the wrong way: each position is given the word after the one to predict.",
         [](const Frame& f, const Tensor&) { return moved_by_two(f, pad); }},
        Mistake{step::targets, "with-end", "sentence, all but the last",
                "<end> is kept in shorter sentences, although nothing follows it.",
                [](const Frame& f, const Tensor&) { return part(f, 0, -1); }}
            .seen("https://github.com/bentrevett/pytorch-seq2seq/issues/46"),
        {step::targets, "ignored", "−1 where it is <pad> or <end>",
         "Padded with −1, which is only for labels: the decoder takes tokens.",
         [](const Frame& f, const Tensor&) {
             return with(with(part(f, 0, -1), end, ignored), pad, ignored);
         }},
        {step::targets, "start-everywhere", "<start> where it is <pad>",
         "Padded with <start> instead of <pad>.",
         [](const Frame&, const Tensor& made) { return with(made, pad, start); }},
        {step::targets, "start-twice", "<start>, then the sentence with its <start>",
         "A second <start> is prepended: every position gets the word before the last.",
         [](const Frame& f, const Tensor& made) {
             const Tensor first = slice(f["sentence"], -1, 0, 1);
             return concat({first, slice(made, -1, 0, made.size(-1) - 1)}, -1);
         }},
        {step::targets, "first-sentence", "the first sentence in every row",
         "Every row has the first sentence of the batch.",
         [](const Frame&, const Tensor& made) {
             return made.rank() > 1 ? first_for_all(made, 0) : not_here;
         }},
    };
}

std::vector<Mistake> of_labels() {
    return {
        Mistake{step::labels, "not-shifted", "sentence, all but the last; −1 where it is <pad>",
                "The labels are the targets: the model would learn to repeat its input.",
                [](const Frame& f, const Tensor&) { return with(part(f, 0, -1), pad, ignored); }}
            .seen("https://github.com/Project-MONAI/GenerativeModels/issues/314")
            .in_class("labels that are the targets"),
        Mistake{step::labels, "not-shifted-padded", "sentence, all but the last",
                "The labels are not shifted, and padding counts as a word.",
                [](const Frame& f, const Tensor&) { return part(f, 0, -1); }}
            .in_class("labels that are the targets"),
        Mistake{step::labels, "targets-themselves", "the targets; −1 where they are <pad>",
                "The labels are the targets, without an <end>.",
                [](const Frame& f, const Tensor&) { return with(f["targets"], pad, ignored); }}
            .in_class("labels that are the targets"),
        Mistake{step::labels, "targets-padded", "the targets",
                "The labels are the targets, and padding counts as a word.",
                [](const Frame& f, const Tensor&) { return f["targets"]; }}
            .in_class("labels that are the targets"),
        Mistake{step::labels, "no-end", "sentence, all but the first; −1 where it is <pad> or <end>",
                "<end> is missing: the model would never learn when to stop.",
                [](const Frame&, const Tensor& made) { return with(made, end, ignored); }}
            .in_class("labels without an end"),
        Mistake{step::labels, "end-is-padding", "sentence, all but the first; <pad> where it is <end>",
                "<end> became <pad>: the model would never learn when to stop.",
                [](const Frame&, const Tensor& made) { return with(with(made, end, pad), ignored, pad); }}
            .in_class("labels without an end"),
        {step::labels, "pad-counts", "sentence, all but the first",
         "Padded with <pad>, a token, which the model would learn to predict; −1 is ignored.",
         [](const Frame&, const Tensor& made) { return with(made, ignored, pad); }},
        Mistake{step::labels, "end-again", "<end> where it is <pad>",
                "<end> is repeated up to the last column instead of once.",
                [](const Frame&, const Tensor& made) { return with(made, ignored, end); }}
            .seen("https://github.com/asyml/texar-pytorch/issues/154"),
        {step::labels, "end-behind-padding", "<end> in the last column",
         "<end> comes after the padding; it belongs right after the last word.",
         [](const Frame&, const Tensor& made) {
             const Tensor last = slice(made, -1, made.size(-1) - 1, made.size(-1));
             return concat({slice(with(made, end, ignored), -1, 0, made.size(-1) - 1),
                            last * 0.0 + static_cast<double>(end)},
                           -1);
         }},
        Mistake{step::labels, "too-far", "sentence, all but the first two",
                "Shifted too far: at position 0, given <start>, the model should predict the first word.",
                [](const Frame& f, const Tensor&) { return with(moved_by_two(f, pad), pad, ignored); }}
            .seen("https://github.com/huggingface/transformers/pull/37830"),
        {step::labels, "first-sentence", "the first sentence in every row",
         "Every row has the first sentence's labels.",
         [](const Frame&, const Tensor& made) {
             return made.rank() > 1 ? first_for_all(made, 0) : not_here;
         }},
        {step::labels, "backwards", "the sentence reversed", "The labels are in reverse order.",
         [](const Frame&, const Tensor& made) { return reversed(made, -1); }},
    };
}

std::vector<Mistake> of_loss() {
    return {
        {steps::loss::losses, "target", "−ln of the probability of the target",
         "The loss compares with the decoder's input instead of the labels.",
         [](const Frame& f, const Tensor& made) {
             const Tensor targets = step_at(f, "targets");
             if (!targets.defined() || targets.shape() != made.shape()) return not_here;
             const Tensor log_p = log_softmax(f["logits"]);
             return -sum(one_hot(targets, log_p.size(-1)) * log_p, -1) * (f["labels"] > -0.5);
         }},
    };
}

std::vector<Mistake> of_inputs() {
    return {
        {step::inputs, "no-end", "<pad> where it is <end>",
         "<end> is missing; the encoder reads sentences including it.",
         [](const Frame&, const Tensor& made) { return with(made, end, pad); }},
        {step::inputs, "ignored", "−1 where it is <pad>",
         "Padded with −1, which is only for labels: the encoder takes tokens.",
         [](const Frame&, const Tensor& made) { return with(made, pad, ignored); }},
        {step::inputs, "with-start", "<start> and the sentence, all but its last column",
         "<start> is included; the encoder reads sentences without it.",
         [](const Frame&, const Tensor& made) {
             const Tensor first = slice(made, -1, 0, 1) * 0.0 + static_cast<double>(start);
             return concat({first, slice(made, -1, 0, made.size(-1) - 1)}, -1);
         }},
        {step::inputs, "end-dropped", "<start> and the sentence, without <end>",
         "<start> is kept and <end> dropped, as for targets.",
         [](const Frame&, const Tensor& made) {
             const Tensor first = slice(made, -1, 0, 1) * 0.0 + static_cast<double>(start);
             return concat({first, slice(with(made, end, pad), -1, 0, made.size(-1) - 1)}, -1);
         }},
        {step::inputs, "padding-in-front", "<pad> … <pad> sentence <end>",
         "The padding is at the front: every word's position depends on the longest sentence.",
         [](const Frame&, const Tensor& made) {
             const index_t T = made.size(-1);
             std::vector<real> values = made.values();
             for (std::size_t row = 0; row < values.size(); row += static_cast<std::size_t>(T)) {
                 const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row), last = begin + T;
                 std::rotate(begin, std::find(begin, last, pad), last);
             }
             return Tensor(made.shape(), values);
         }},
    };
}

}  // namespace

// inputs = source <end>,  targets = <start> target,  labels = target <end>
std::vector<Mistake> teacher_forcing() { return joined({of_inputs(), of_targets(), of_labels(), of_loss()}); }

}  // namespace glassbox::catalogue
