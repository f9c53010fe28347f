#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;

namespace {

Tensor bias(const Frame& f) { return input(f, 2); }
bool has_bias(const Frame& f) { return bias(f).defined(); }
// y without its bias.
Tensor product(const Frame& f) { return glassbox::linear(input(f, 0), input(f, 1)); }
Tensor plus_bias(const Tensor& y, const Frame& f) { return has_bias(f) ? y + bias(f) : y; }
bool has_square_weights(const Frame& f) { return is_square(input(f, 1)); }

}  // namespace

// y = x Wᵀ + b, in any layer
std::vector<Mistake> linear() {
    const WrongAt step = WrongAt::op("linear");
    return {
        {step, "no-bias", "x Wᵀ", "The bias b is missing.",
         [](const Frame& f, const Tensor&) { return has_bias(f) ? product(f) : not_here; }},
        {step, "bias-twice", "x Wᵀ + 2 b", "The bias is added twice, as if the layer had none.",
         [](const Frame& f, const Tensor& made) { return has_bias(f) ? made + bias(f) : not_here; }},
        {step, "bias-subtracted", "x Wᵀ − b", "The bias is subtracted instead of added.",
         [](const Frame& f, const Tensor&) { return has_bias(f) ? product(f) - bias(f) : not_here; }},
        {step, "running-sum", "Σ over this output and those before it of x Wᵀ, + b",
         "The total is not set to 0 for each output: each has the sums of those before it.",
         [](const Frame& f, const Tensor& made) {
             const Tensor products = has_bias(f) ? product(f) : made;  // (…, d_out)
             const index_t n = products.size(-1);
             if (n < 2 || n > 64) return not_here;
             std::vector<real> up_to;  // 1 where row ≤ column
             for (index_t i = 0; i < n; ++i)
                 for (index_t k = 0; k < n; ++k) up_to.push_back(i <= k ? 1 : 0);
             const Tensor sums = matmul(products, Tensor({n, n}, up_to, products.device()));
             return has_bias(f) ? sums + bias(f) : sums;
         }},
        {step, "bias-first", "(x + b) Wᵀ", "The bias is added to the input, so the weights mix it.",
         [](const Frame& f, const Tensor&) {
             return has_bias(f) && has_square_weights(f)
                        ? glassbox::linear(input(f, 0) + bias(f), input(f, 1))
                        : not_here;
         }},
        {step, "bias-over-positions", "x Wᵀ + b, one number of b for each position",
         "The bias runs down the positions: it has one number for each feature, the same at all positions.",
         [](const Frame& f, const Tensor& made) {
             return has_bias(f) && is_square(made) ? product(f) + reshape(bias(f), {-1, 1}) : not_here;
         }},
        {step, "not-transposed", "x W + b",
         "Rows and columns of W are swapped: a row of W holds the weights of one output.",
         [](const Frame& f, const Tensor&) {
             return has_square_weights(f) ? plus_bias(matmul(input(f, 0), input(f, 1)), f) : not_here;
         }},
        {step, "reshaped", "x V + b, V the numbers of W in rows of d_out",
         "W is reshaped to (d_in, d_out), which keeps the order of its numbers: it is to be transposed.",
         [](const Frame& f, const Tensor&) {
             const Tensor& W = input(f, 1);  // (d_out, d_in)
             if (is_square(W)) return not_here;
             return plus_bias(matmul(input(f, 0), reshape(contiguous(W), {W.size(1), W.size(0)})), f);
         }},
        {step, "left-out", "x", "The layer is missing: its input is passed on unchanged.",
         [](const Frame& f, const Tensor&) { return has_square_weights(f) ? input(f, 0) : not_here; }},
        {step, "applied-twice", "(x Wᵀ + b) Wᵀ + b", "The layer is applied twice.",
         [](const Frame& f, const Tensor& made) {
             return has_square_weights(f) ? glassbox::linear(made, input(f, 1), bias(f)) : not_here;
         }},
        {step, "absolute-weights", "x |W|ᵀ + b", "The weights lost their signs.",
         [](const Frame& f, const Tensor&) {
             return plus_bias(glassbox::linear(input(f, 0), abs(input(f, 1))), f);
         }},
        {step, "mean-of-products", "x Wᵀ / n + b, n the width of x",
         "The products are averaged instead of summed.",
         [](const Frame& f, const Tensor&) {
             return plus_bias(product(f) / static_cast<double>(size(input(f, 0), -1)), f);
         }},
        {step, "times-root-of-width", "√n x Wᵀ + b, n the width of x",
         "The products are multiplied by the root of the width, which belongs to an embedding.",
         [](const Frame& f, const Tensor&) {
             return plus_bias(product(f) * std::sqrt(size(input(f, 0), -1)), f);
         }},
        {step, "outputs-reversed", "the rows of W and b from the last to the first",
         "The outputs are in reverse order.",
         [](const Frame&, const Tensor& made) { return reversed(made, -1); }},
        {step, "first-row", "the first position's y at every position",
         "Every position gets the first one's result instead of its own.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -2); }},
        {step, "first-entry", "the first sequence's y for every sequence",
         "Every sequence of the batch gets the first one's result instead of its own.",
         [](const Frame&, const Tensor& made) {
             return made.rank() > 2 && made.size(0) > 1 ? broadcast_to(slice(made, 0, 0, 1), made.shape())
                                                        : not_here;
         }},
    };
}

}  // namespace glassbox::catalogue
