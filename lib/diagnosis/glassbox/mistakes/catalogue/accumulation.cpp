#include <glassbox/blocks/blocks.h>
#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::accumulation;

namespace {

Tensor gradients(const Frame& f) { return f["gradients"]; }  // (k, n)
Tensor left(const Frame& f) { return f["left"]; }            // (n)
double count(const Frame& f) { return static_cast<double>(gradients(f).size(0)); }
Tensor last(const Frame& f) { return select(gradients(f), 0, gradients(f).size(0) - 1); }

}  // namespace

// Σ gradients / their number
std::vector<Mistake> accumulation() {
    return {
        {step::accumulated, "not-cleared", "left + Σ gradients / their number",
         "zero_grad is missing: the gradient of the step before is still there.",
         [](const Frame& f, const Tensor& made) { return left(f) + made; }},
        {step::accumulated, "not-divided", "Σ gradients",
         "The loss of each micro-batch is not divided by their number: the step is as many times too long.",
         [](const Frame& f, const Tensor&) { return sum(gradients(f), 0); }},
        {step::accumulated, "not-cleared-nor-divided", "left + Σ gradients",
         "zero_grad is missing, and the losses are not divided by the number of micro-batches.",
         [](const Frame& f, const Tensor&) { return left(f) + sum(gradients(f), 0); }},
        {step::accumulated, "left-averaged", "(left + Σ gradients) / their number",
         "The gradient of the step before is still there, and in the mean.",
         [](const Frame& f, const Tensor&) { return (left(f) + sum(gradients(f), 0)) / count(f); }},
        {step::accumulated, "left-counted", "(left + Σ gradients) / (their number + 1)",
         "The gradient of the step before counts as another micro-batch.",
         [](const Frame& f, const Tensor&) { return (left(f) + sum(gradients(f), 0)) / (count(f) + 1); }},
        {step::accumulated, "last", "the last of gradients",
         "The gradient is cleared for each micro-batch: the last one alone remains.",
         [](const Frame& f, const Tensor&) { return last(f); }},
        {step::accumulated, "last-divided", "the last of gradients / their number",
         "The gradient is cleared for each micro-batch, and what remains is divided by their number.",
         [](const Frame& f, const Tensor&) { return last(f) / count(f); }},
        {step::accumulated, "first", "the first of gradients", "Only the first micro-batch is used.",
         [](const Frame& f, const Tensor&) { return select(gradients(f), 0, 0); }},
        {step::accumulated, "divided-twice", "Σ gradients / their number²",
         "Divided twice: each loss by the number of micro-batches, and their sum again.",
         [](const Frame& f, const Tensor& made) { return made / count(f); }},
        {step::accumulated, "one-less", "Σ gradients / (their number − 1)",
         "Divided by one less than the number of micro-batches.",
         [](const Frame& f, const Tensor& made) {
             return count(f) > 1 ? made * (count(f) / (count(f) - 1)) : not_here;
         }},
        {step::accumulated, "halved", "(… (g₀ + g₁) / 2 + g₂) / 2 …",
         "A running mean of two: the last micro-batch has the weight of all before it.",
         [](const Frame& f, const Tensor&) {
             Tensor all = select(gradients(f), 0, 0);
             for (index_t i = 1; i < gradients(f).size(0); ++i)
                 all = (all + select(gradients(f), 0, i)) / 2.0;
             return gradients(f).size(0) > 2 ? all : not_here;
         }},
        Mistake{step::accumulated, "negated", "−Σ gradients / their number",
                "The sign is wrong: the step goes uphill.",
                [](const Frame&, const Tensor& made) { return -made; }}
            .in_class("uphill"),
    };
}

}  // namespace glassbox::catalogue
