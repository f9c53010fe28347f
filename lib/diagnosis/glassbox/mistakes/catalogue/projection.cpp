#include <glassbox/layers/multi_head_attention.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::projection;

namespace {

// x W, W another of the three weights.
WrongValue by(const char* weight) {
    return [=](const Frame& f, const Tensor&) { return matmul(f["x"], f[weight]); };
}

// x itself, if the number of features stays.
Tensor not_projected(const Frame& f, const Tensor& made) {
    return f["x"].shape() == made.shape() ? f["x"] : not_here;
}

}  // namespace

// Q = x W_Q,  K = x W_K,  V = x W_V
std::vector<Mistake> projection() {
    const WrongAt all{"projection", {&step::Q, &step::K, &step::V}};
    const WrongAt queries{"projection", {&step::Q}}, keys{"projection", {&step::K}},
        values{"projection", {&step::V}};
    return {
        Mistake{queries, "exchanged", "Q = x W_K, K = x W_Q", "The weights of queries and keys are swapped.",
                by("W_K")}
            .and_at(step::K, by("W_Q")),
        Mistake{keys, "keys-and-values-exchanged", "K = x W_V, V = x W_K",
                "The weights of keys and values are swapped.", by("W_V")}
            .and_at(step::V, by("W_K")),
        {queries, "queries-by-W_K", "Q = x W_K",
         "Queries use the keys' weights: a position then looks for what it offers.", by("W_K")},
        {keys, "keys-by-W_Q", "K = x W_Q",
         "Keys use the queries' weights: a position then offers what it looks for.", by("W_Q")},
        {keys, "keys-by-W_V", "K = x W_V", "Keys use the values' weights.", by("W_V")},
        Mistake{values, "values-by-W_K", "V = x W_K", "Values use the keys' weights.", by("W_K")}.seen(
            "https://github.com/yflyzhang/AnnotatedTransformer/issues/1"),
        {values, "values-by-W_Q", "V = x W_Q", "Values use the queries' weights.", by("W_Q")},
        {all, "transposed", "Q = x W_Qᵀ, …",
         "The weights are transposed: here each column, not each row, belongs to one output.",
         [](const Frame& f, const Tensor&) {
             const Tensor W = input(f, 1);
             return is_square(W) ? matmul(input(f, 0), transpose(W)) : not_here;
         }},
        {all, "left-out", "Q = K = V = x", "Nothing is projected: x itself is query, key and value.",
         not_projected},
        {queries, "queries-not-projected", "Q = x", "The queries are x itself.", not_projected},
        {keys, "keys-not-projected", "K = x", "The keys are x itself.", not_projected},
        {values, "values-not-projected", "V = x",
         "The values are x itself: the result is a weighted average of the sequence.", not_projected},
        {keys, "keys-of-queries", "K = Q W_K", "The keys are computed from the queries instead of x.",
         [](const Frame& f, const Tensor&) {
             return f["Q"].size(-1) == f["W_K"].size(0) ? matmul(f["Q"], f["W_K"]) : not_here;
         }},
        {values, "values-of-keys", "V = K W_V", "The values are computed from the keys instead of x.",
         [](const Frame& f, const Tensor&) {
             return f["K"].size(-1) == f["W_V"].size(0) ? matmul(f["K"], f["W_V"]) : not_here;
         }},
    };
}

}  // namespace glassbox::catalogue
