#include <glassbox/blocks/blocks.h>
#include <glassbox/decoding/decoding.h>
#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>

namespace glassbox::catalogue {

using namespace wrong;

// The probabilities of a model's classes or of the next word. (Of attention's weights:
// scaled_dot_product_weights.cpp.)
std::vector<Mistake> softmax() {
    const WrongAt any{"softmax",
                      {&steps::softmax::softmax, &steps::predictor::softmax, &steps::transformer::softmax,
                       &steps::decoding::next}};
    return {
        {any, "wrong-axis", "softmax(xᵀ)ᵀ", "The softmax runs down the columns: they sum to 1, not the rows.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return x.rank() > 1 ? transpose(glassbox::softmax(transpose(x))) : not_here;
         }},
        {any, "left-out", "x", "The softmax is missing: these are scores, not probabilities.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {any, "everything", "softmax of all numbers together",
         "All numbers together sum to 1; each row should.",
         [](const Frame& f, const Tensor&) {
             const Tensor x = input(f, 0);
             return reshape(glassbox::softmax(reshape(x, {x.numel()})), x.shape());
         }},
        {any, "sigmoid", "1 / (1 + exp(−x))",
         "Each probability is computed on its own (a sigmoid): those of a row do not sum to 1.",
         [](const Frame& f, const Tensor&) { return sigmoid(input(f, 0)); }},
        {any, "log", "ln softmax(x)", "These are logarithms of the probabilities.",
         [](const Frame& f, const Tensor&) { return log_softmax(input(f, 0)); }},
        {any, "twice", "softmax(softmax(x))",
         "The softmax is applied twice: the second makes everything nearly equal.",
         [](const Frame&, const Tensor& made) { return glassbox::softmax(made); }},
        {any, "negated", "softmax(−x)", "The sign is wrong: the lowest score is the most probable.",
         [](const Frame& f, const Tensor&) { return glassbox::softmax(-input(f, 0)); }},
    };
}

}  // namespace glassbox::catalogue
