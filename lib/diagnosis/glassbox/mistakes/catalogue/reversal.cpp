#include <algorithm>
#include <functional>

#include <glassbox/mistakes/catalogue/places.h>
#include <glassbox/models/predictor.h>
#include <glassbox/tasks/reversal.h>
#include <glassbox/train/loss.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::reversal;

namespace {

Tensor numbers(const Frame& f) { return step_at(f, "numbers"); }
bool has_labels_like(const Frame& f, const Tensor& labels) {
    return numbers(f).defined() && numbers(f).shape() == labels.shape();
}

Tensor sorted_down(const Tensor& x) {
    std::vector<real> values = x.values();
    const index_t width = x.size(-1);
    for (auto row = values.begin(); row != values.end(); row += width)
        std::sort(row, row + width, std::greater<real>());
    return Tensor(x.shape(), values);
}

std::vector<Mistake> of_input() {
    const StepInfo& x = steps::predictor::x;
    return {
        {x, "shifted", "1 in the column after its own",
         "Every 1 is one column too far right: categories and columns both count from 0.",
         [](const Frame&, const Tensor& made) { return reversed(rolled(reversed(made, -1), -1), -1); }},
        {x, "shifted-back", "1 in the column before its own",
         "Every 1 is one column too far left: categories and columns both count from 0.",
         [](const Frame&, const Tensor& made) { return rolled(made, -1); }},
        {x, "flipped", "x from its last row to its first", "The input is reversed.",
         [](const Frame&, const Tensor& made) { return reversed(made, -2); }},
    };
}

std::vector<Mistake> of_labels() {
    return {
        {step::labels, "not-flipped", "numbers",
         "The labels are the unreversed numbers, which a model can repeat without attention.",
         [](const Frame& f, const Tensor&) { return numbers(f); }},
        {step::labels, "wrong-axis", "numbers, the last sequence first",
         "The batch is reversed instead of the sequences.",
         [](const Frame& f, const Tensor&) { return reversed(numbers(f), 0); }},
        {step::labels, "both-axes", "each sequence backwards, the last one first",
         "The batch is reversed as well as the sequences.",
         [](const Frame&, const Tensor& made) { return made.rank() > 1 ? reversed(made, 0) : not_here; }},
        {step::labels, "values", "C − 1 − numbers",
         "The values are complemented (C − 1 − number) instead of their order reversed.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = step_at(f, "x");
             return x.defined() ? size(x, -1) - 1 - numbers(f) : not_here;
         }},
        {step::labels, "rotated", "numbers_{(T − t) mod T}",
         "The sequence is reversed from its second number on.",
         [](const Frame&, const Tensor& made) { return reversed(rolled(reversed(made, -1), -1), -1); }},
        {step::labels, "sorted", "numbers, the largest first",
         "The numbers are sorted; only their order should be reversed.",
         [](const Frame& f, const Tensor&) { return sorted_down(numbers(f)); }},
    };
}

// What is compared with the numbers as they come, where the labels belong.
std::vector<Mistake> of_answers() {
    const auto log_probabilities = [](const Frame& f) { return log_softmax(f["logits"]); };
    return {
        {steps::loss::losses, "against-input", "−ln of the probabilities of the unreversed numbers",
         "The loss compares with the input instead of the labels.",
         [=](const Frame& f, const Tensor& made) {
             if (!has_labels_like(f, made)) return not_here;
             return -sum(one_hot(numbers(f), f["logits"].size(-1)) * log_probabilities(f), -1);
         }},
        {steps::accuracy::answers, "input", "numbers", "This is the input, not the model's answer.",
         [](const Frame& f, const Tensor& made) { return has_labels_like(f, made) ? numbers(f) : not_here; }},
        {steps::accuracy::accuracy, "against-input", "the share of answers that are the unreversed numbers",
         "The answers are compared with the input instead of the labels.",
         [](const Frame& f, const Tensor&) {
             const Tensor answers = f["answers"], asked = numbers(f);
             return has_labels_like(f, answers) ? mean(1 - (answers > asked) - (asked > answers)) : not_here;
         }},
    };
}

// The attention that goes to another place than the answer's.
std::vector<Mistake> of_mirrored() {
    const auto places = [](const Frame& f) { return size(f.trace()["encoder/0/self_attn/attention"], -1); };
    const auto looked_at = [](const Frame& f, auto place) {
        const Tensor attention = step_at(f, "encoder/0/self_attn/attention");
        const index_t T = attention.size(-1);
        Tensor there = Tensor::zeros({T, T});
        for (index_t t = 0; t < T; ++t) there.writable().data[t * T + place(t, T)] = 1;
        return mean(sum(attention * there, -1));
    };
    return {
        {step::mirrored, "diagonal", "the mean of attention[t, t]",
         "This is how much each position attends to itself.",
         [=](const Frame& f, const Tensor&) { return looked_at(f, [](index_t t, index_t) { return t; }); }},
        {step::mirrored, "shifted", "the mean of attention[t, (T − t) mod T]",
         "Off by one column: position 0 should attend to T − 1.",
         [=](const Frame& f, const Tensor&) {
             return looked_at(f, [](index_t t, index_t T) { return (T - t) % T; });
         }},
        {step::mirrored, "sum", "the sum of attention[t, T−1−t]", "This is the sum instead of the mean.",
         [=](const Frame& f, const Tensor& made) {
             const Tensor attention = step_at(f, "encoder/0/self_attn/attention");
             return made * (static_cast<double>(attention.numel()) / size(attention, -1));
         }},
        {step::mirrored, "per-sequence", "the sum of attention[t, T−1−t] of each sequence",
         "Divided only by the number of sequences, not of positions.",
         [=](const Frame& f, const Tensor& made) { return made * places(f); }},
    };
}

}  // namespace

// The first task: x = one_hot(numbers), labels_t = numbers_{T−1−t}
std::vector<Mistake> reversal() { return joined({of_input(), of_labels(), of_answers(), of_mirrored()}); }

}  // namespace glassbox::catalogue
