#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/train/loss.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::loss;

namespace {

// ε of q = (1 − ε) · hot + counts · ε / C
double epsilon(const Frame& f) { return 1 - static_cast<double>(input_of(f, input(f, 0), 1).item()); }
Tensor smoothed_hot(const Frame& f) { return input_of(f, input(f, 0), 0); }
Tensor counted(const Frame& f) { return input_of(f, input(f, 1), 0); }
double classes(const Frame& f) { return static_cast<double>(size(f["logits"], -1)); }

}  // namespace

// q, what the probabilities should have been: (1 − ε) · hot + ε / C
std::vector<Mistake> label_smoothing() {
    return {
        {step::q_smoothed, "not-smoothed", "1 at the label, else 0",
         "No probability is spread over the classes.",
         [](const Frame& f, const Tensor&) { return smoothed_hot(f); }},
        Mistake{step::q_smoothed, "over-others", "1 − ε at the label, else ε / (C − 1)",
                "ε is spread only over the other classes instead of all C.",
                [](const Frame& f, const Tensor&) {
                    const Tensor hot = smoothed_hot(f), others = counted(f) - hot;
                    return hot * (1 - epsilon(f)) + others * (epsilon(f) / (classes(f) - 1));
                }}
            .seen("https://github.com/ZhugeKongan/torch-template-for-deep-learning/issues/2"),
        Mistake{step::q_smoothed, "over-others-and-label",
                "1 − ε + ε / (C − 1) at the label, else ε / (C − 1)",
                "ε is divided among the other classes, and the label gets a share as well: a row sums to "
                "more than 1.",
                [](const Frame& f, const Tensor&) {
                    return smoothed_hot(f) * (1 - epsilon(f)) + counted(f) * (epsilon(f) / (classes(f) - 1));
                }}
            .seen("https://github.com/bys0318/SQUIRE/issues/8"),
        Mistake{step::q_smoothed, "without-padding", "1 − ε at the label, else ε / (C − 2)",
                "ε is spread over C − 2 classes, all but the label and padding.",
                [](const Frame& f, const Tensor&) {
                    const Tensor hot = smoothed_hot(f), others = counted(f) - hot;
                    return hot * (1 - epsilon(f)) + others * (epsilon(f) / (classes(f) - 2));
                }}
            .seen("https://github.com/Thijsvanede/DeepCASE/issues/8"),
        {step::q_smoothed, "label-without-share", "1 − ε at the label, else ε / C",
         "The label lacks its own share ε / C: the row sums to less than 1.",
         [](const Frame& f, const Tensor&) {
             const Tensor hot = smoothed_hot(f);
             return hot * (1 - epsilon(f)) + (counted(f) - hot) * (epsilon(f) / classes(f));
         }},
        {step::q_smoothed, "label-keeps-all", "1 + ε / C at the label, else ε / C",
         "The label keeps its full weight: the row sums to 1 + ε.",
         [](const Frame& f, const Tensor&) { return smoothed_hot(f) + input(f, 1); }},
        Mistake{step::q_smoothed, "label-keeps-more", "1 at the label, else ε / C",
                "The label is multiplied by 1 − ε / C, not by 1 − ε: the row sums to more than 1.",
                [](const Frame& f, const Tensor&) {
                    return smoothed_hot(f) * (1 - epsilon(f) / classes(f)) + input(f, 1);
                }}
            .seen("https://github.com/ildoonet/pytorch-randaugment/issues/30"),
        Mistake{step::q_smoothed, "whole-spread", "1 − ε + 1 / C at the label, else 1 / C",
                "1 / C is added, not ε / C: the row sums to more than 1.",
                [](const Frame& f, const Tensor&) { return input(f, 0) + counted(f) / classes(f); }}
            .seen("https://github.com/TimDettmers/ConvE/issues/55"),
        {step::q_smoothed, "nothing-spread", "1 − ε at the label, else 0",
         "ε is taken from the label but given to no class.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {step::q_smoothed, "exchanged", "ε at the label and (1 − ε) / C everywhere",
         "ε and 1 − ε are swapped: nearly everything is spread.",
         [](const Frame& f, const Tensor&) {
             return smoothed_hot(f) * epsilon(f) + counted(f) * ((1 - epsilon(f)) / classes(f));
         }},
        {step::q_smoothed, "not-divided", "1 − ε at the label and ε everywhere",
         "Every class gets ε undivided instead of ε / C.",
         [](const Frame& f, const Tensor&) { return input(f, 0) + counted(f) * epsilon(f); }},
        Mistake{step::q_smoothed, "padding-too", "ε / C in the rows without a label too",
                "Rows without a label get ε / C too, so padding is trained as well.",
                [](const Frame& f, const Tensor&) { return input(f, 0) + epsilon(f) / classes(f); }}
            .seen("https://github.com/k-tahiro/bert-summarizer/pull/41"),
        {WrongAt("q", {&step::q, &step::q_smoothed}), "next-class", "1 at the class after the label",
         "The labels count from 1, but classes from 0.",
         [](const Frame&, const Tensor& made) { return reversed(rolled(reversed(made, -1), -1), -1); }},
    };
}

}  // namespace glassbox::catalogue
