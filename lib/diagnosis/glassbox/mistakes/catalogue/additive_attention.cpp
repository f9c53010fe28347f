#include <glassbox/layers/score_functions.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::additive_attention;

namespace {

// The hidden layer, from query_part + key_part.
WrongValue hidden_by(Tensor (*activation)(const Tensor&)) {
    return [=](const Frame& f, const Tensor&) { return activation(input(f, 0)); };
}

// query_part (…, n_q, 1, d_a) and key_part (…, 1, n_k, d_a), as the terms of their sum.
Tensor queries(const Frame& f) { return input_of(f, input(f, 0), 0); }
Tensor keys(const Frame& f) { return input_of(f, input(f, 0), 1); }

Tensor x_by(const Tensor& x, const Tensor& W) { return x.size(-1) == W.size(0) ? matmul(x, W) : not_here; }

// Σ over the hidden units, by these weights.
Tensor weighted(const Tensor& hidden, const Tensor& v) { return sum(hidden * v, -1); }

std::vector<Mistake> of_parts() {
    return {
        Mistake{step::query_part, "exchanged", "Q W_k, and K W_q",
                "The weights of queries and keys are swapped.",
                [](const Frame& f, const Tensor&) { return x_by(f["Q"], f["W_k"]); }}
            .and_at(step::key_part, [](const Frame& f, const Tensor&) { return x_by(f["K"], f["W_q"]); }),
        {step::query_part, "by-W_k", "Q W_k", "The queries have the keys' weights.",
         [](const Frame& f, const Tensor&) { return x_by(f["Q"], f["W_k"]); }},
        {step::key_part, "by-W_q", "K W_q", "The keys have the queries' weights.",
         [](const Frame& f, const Tensor&) { return x_by(f["K"], f["W_q"]); }},
        {step::key_part, "of-values", "V W_k", "The values are used in place of the keys.",
         [](const Frame& f, const Tensor&) { return x_by(f["V"], f["W_k"]); }},
        {step::query_part, "transposed", "Q W_qᵀ", "The queries' weights are transposed.",
         [](const Frame& f, const Tensor&) {
             return is_square(f["W_q"]) ? matmul(f["Q"], transpose(f["W_q"])) : not_here;
         }},
        {step::key_part, "transposed", "K W_kᵀ", "The keys' weights are transposed.",
         [](const Frame& f, const Tensor&) {
             return is_square(f["W_k"]) ? matmul(f["K"], transpose(f["W_k"])) : not_here;
         }},
    };
}

std::vector<Mistake> of_hidden() {
    const WrongAt hidden{"additive_hidden", {&step::hidden}};
    return {
        Mistake{hidden, "no-tanh", "query_part + key_part",
                "The tanh is missing: a query then adds one constant to all its scores, and has no effect.",
                hidden_by([](const Tensor& x) { return x; })}
            .seen("https://github.com/Seanny123/da-rnn/issues/3"),
        Mistake{hidden, "relu", "ReLU(query_part + key_part)", "The activation is ReLU, not tanh.",
                hidden_by([](const Tensor& x) { return relu(x); })}
            .seen("https://github.com/keon/seq2seq/issues/28"),
        {hidden, "sigmoid", "sigmoid(query_part + key_part)", "The activation is sigmoid, not tanh.",
         hidden_by([](const Tensor& x) { return sigmoid(x); })},
        {hidden, "twice", "tanh(tanh(query_part + key_part))", "The tanh is applied twice.",
         hidden_by([](const Tensor& x) { return tanh(tanh(x)); })},
        {hidden, "halved", "tanh((query_part + key_part) / 2)", "The parts are averaged instead of added.",
         hidden_by([](const Tensor& x) { return tanh(x / 2); })},
        {hidden, "multiplied", "tanh(query_part ∘ key_part)", "The parts are multiplied instead of added.",
         [](const Frame& f, const Tensor&) { return tanh(queries(f) * keys(f)); }},
        {hidden, "subtracted", "tanh(query_part − key_part)",
         "The keys' part is subtracted instead of added.",
         [](const Frame& f, const Tensor&) { return tanh(queries(f) - keys(f)); }},
        Mistake{hidden, "tanh-of-each", "tanh(query_part) + tanh(key_part)",
                "The tanh is applied to each part: a query then adds one constant to all its scores, and has "
                "no effect.",
                [](const Frame& f, const Tensor&) { return tanh(queries(f)) + tanh(keys(f)); }}
            .in_class("queries without effect"),
        Mistake{hidden, "without-queries", "tanh(key_part)",
                "The queries' part is missing: all queries have the same scores.",
                [](const Frame& f, const Tensor& made) { return broadcast_to(tanh(keys(f)), made.shape()); }}
            .in_class("queries without effect"),
        {hidden, "without-keys", "tanh(query_part)",
         "The keys' part is missing: all keys have the same score.",
         [](const Frame& f, const Tensor& made) { return broadcast_to(tanh(queries(f)), made.shape()); }},
        {hidden, "exchanged-axes", "query_part by columns, key_part by rows",
         "The axes of queries and keys are swapped.",
         [](const Frame&, const Tensor& made) {
             return made.size(-2) == made.size(-3) ? swap_axes(made, -3, -2) : not_here;
         }},
    };
}

std::vector<Mistake> of_logits() {
    const WrongAt logits{"additive_logits", {&step::logits}};
    return {
        Mistake{logits, "no-v", "Σ hidden", "The weights v are missing: every unit counts equally.",
                [](const Frame& f, const Tensor&) { return sum(f["hidden"], -1); }}
            .seen("https://github.com/tensorflow/tensorflow/issues/43471"),
        {logits, "mean", "mean of v ∘ hidden", "The units are averaged instead of summed.",
         [](const Frame& f, const Tensor& made) { return made / size(f["v"], 0); }},
        {logits, "divided", "hidden v / √d_a",
         "Divided by a square root, as dot products are; additive scores are not scaled.",
         [](const Frame& f, const Tensor& made) { return made / std::sqrt(size(f["v"], 0)); }},
        {logits, "v-of-unit-length", "hidden v / ‖v‖", "v is divided by its length.",
         [](const Frame& f, const Tensor& made) { return made / sqrt(sum(f["v"] * f["v"])); }},
        {logits, "v-reversed", "hidden v, v in reverse order", "The weights v are applied in reverse order.",
         [](const Frame& f, const Tensor&) {
             const Tensor v = reversed(f["v"], -1);
             return v.defined() ? weighted(f["hidden"], v) : not_here;
         }},
        Mistake{logits, "tanh-last", "tanh((query_part + key_part) v)",
                "The tanh is applied to the score, not to the hidden layer: one unit is left of d_a.",
                [](const Frame& f, const Tensor&) { return tanh(weighted(f["hidden"], f["v"])); }}
            .and_at(step::hidden, hidden_by([](const Tensor& x) { return x; })),
        {logits, "negated", "−hidden v", "The sign is wrong: the best match gets the lowest score.",
         [](const Frame&, const Tensor& made) { return -made; }},
    };
}

}  // namespace

// score(q, k) = v · tanh(q W_q + k W_k)
std::vector<Mistake> additive_attention() { return joined({of_parts(), of_hidden(), of_logits()}); }

}  // namespace glassbox::catalogue
