#include <glassbox/layers/scaled_dot_product.h>

#include <algorithm>

#include <glassbox/mistakes/catalogue/bands.h>
#include <glassbox/mistakes/catalogue/lines.h>
#include <glassbox/ops/testing.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::scaled_dot_product;

namespace {

// x / ‖x‖, row by row.
Tensor unit_rows(const Tensor& x) { return x / sqrt(sum(x * x, -1, true)); }

// −‖q − k‖² of every query and key.
Tensor minus_squared_distances(const Tensor& Q, const Tensor& K) {
    return 2 * matmul(Q, transpose(K)) - sum(Q * Q, -1, true) - transpose(sum(K * K, -1, true));
}

// Whether something has divided the logits by √d_k.
bool is_divided_already(const Frame& f) {
    const Tensor &logits = f["logits"], &right = f.operation("logits").output;
    return logits.shape() == right.shape() &&
           static_cast<bool>(all_close(logits * std::sqrt(size(f["K"], -1)), right));
}

real heads_of(const Frame& f) { return f["Q"].rank() > 2 ? size(f["Q"], -3) : real(1); }
real width_of_x(const Frame& f) { return f.contains("x") ? size(f["x"], -1) : real(1); }

// The sizes whose roots are taken for √d_k.
enum WrongSize { d_model, n_k, d_v, d_in, n_q, heads, all_three };

std::vector<real> wrong_sizes(const Frame& f) {
    const real d_k = size(f["K"], -1);
    return {heads_of(f) * d_k, size(f["K"], -2), size(f["V"], -1), width_of_x(f),
            size(f["Q"], -2),  heads_of(f),      3 * d_k};
}

// The logits over the root of another size; not where that is another mistake's number.
WrongValue over_root_of(WrongSize which) {
    return [=](const Frame& f, const Tensor&) {
        const std::vector<real> sizes = wrong_sizes(f);
        const real d_k = size(f["K"], -1), other = sizes[which];
        const auto end = sizes.begin() + which;
        if (other == 1 || other == d_k || std::find(sizes.begin(), end, other) != end) return not_here;
        return f["logits"] / std::sqrt(other);
    };
}

// Whether K and V have one shape. Those of several heads are exchanged where they are split: K/exchanged.
bool has_square_heads(const Frame& f) {
    return are_split_into_heads(f) && has_several(f["Q"], -3) && f["Q"].size(-2) == f["K"].size(-2);
}
bool are_exchangeable(const Frame& f) { return !are_split_into_heads(f) && f["K"].shape() == f["V"].shape(); }

// logits = Q Kᵀ
std::vector<Mistake> of_logits() {
    return {
        {step::logits, "k-not-transposed", "Q K",
         "K is transposed: query i meets column j of K, which is not a key.",
         [](const Frame& f, const Tensor&) { return is_square(f["K"]) ? matmul(f["Q"], f["K"]) : not_here; }},
        {step::logits, "k-reshaped", "Q R, R the numbers of K in rows of n_k",
         "K is reshaped to (d_k, n_k), which keeps the order of its numbers: it is to be transposed.",
         [](const Frame& f, const Tensor&) {
             const Tensor& K = f["K"];
             if (is_square(K)) return not_here;
             return matmul(f["Q"], reshape(contiguous(K), transpose(K).shape()));
         }},
        Mistake{step::logits, "divided", "Q Kᵀ / √d_k, and scaled is logits",
                "The products are already divided by √d_k, which is the next step.",
                [](const Frame& f, const Tensor& made) { return made / std::sqrt(size(f["K"], -1)); }}
            .and_at(
                step::scaled,
                [](const Frame& f, const Tensor&) { return is_divided_already(f) ? f["logits"] : not_here; }),
        {step::logits, "exchanged", "K Qᵀ",
         "Keys and queries are swapped: the scores are transposed, so query i's are in column i.",
         [](const Frame& f, const Tensor&) { return matmul(f["K"], transpose(f["Q"])); }},
        {step::logits, "with-values", "Q Vᵀ",
         "The queries are compared with the values, which hold what a position passes on, not what it "
         "offers.",
         [](const Frame& f, const Tensor&) {
             return f["V"].size(-1) == f["Q"].size(-1) ? matmul(f["Q"], transpose(f["V"])) : not_here;
         }},
        Mistake{
            step::logits, "keys-for-values", "Q Vᵀ, and attention K",
            "Keys and values are swapped: the queries are compared with the values, and the keys averaged.",
            [](const Frame& f, const Tensor&) {
                return are_exchangeable(f) ? matmul(f["Q"], transpose(f["V"])) : not_here;
            }}
            .seen("https://github.com/tenstorrent/tt-mlir/issues/8958")
            .and_at(step::values,
                    [](const Frame& f, const Tensor&) {
                        return are_exchangeable(f) ? matmul(f["attention"], f["K"]) : not_here;
                    }),
        {step::logits, "keys-with-keys", "K Kᵀ", "The keys are compared with each other, and Q is not used.",
         [](const Frame& f, const Tensor&) { return matmul(f["K"], transpose(f["K"])); }},
        {step::logits, "queries-with-queries", "Q Qᵀ",
         "The queries are compared with each other, and K is not used.",
         [](const Frame& f, const Tensor&) { return matmul(f["Q"], transpose(f["Q"])); }},
        {step::logits, "cosine", "Q Kᵀ / (‖q‖ ‖k‖)",
         "The products of unit vectors: the length of a query or a key no longer counts, and no score is "
         "above 1.",
         [](const Frame& f, const Tensor&) {
             return matmul(unit_rows(f["Q"]), transpose(unit_rows(f["K"])));
         }},
        {step::logits, "distance", "−‖q − k‖²", "Squared distances are used instead of dot products.",
         [](const Frame& f, const Tensor&) { return minus_squared_distances(f["Q"], f["K"]); }},
        {step::logits, "negated", "−Q Kᵀ", "The sign is wrong: the best match gets the lowest score.",
         [](const Frame&, const Tensor& made) { return -made; }},
        {step::logits, "one-head", "Q K_1ᵀ",
         "Every head's queries meet the first head's keys instead of their own.",
         [](const Frame& f, const Tensor&) {
             const Tensor K = first_for_all(f["K"], -3);
             return K.defined() ? matmul(f["Q"], transpose(K)) : not_here;
         }},
        {step::logits, "one-heads-queries", "Q_1 Kᵀ", "The first head's queries meet the keys of every head.",
         [](const Frame& f, const Tensor&) {
             const Tensor Q = first_for_all(f["Q"], -3);
             return Q.defined() ? matmul(Q, transpose(f["K"])) : not_here;
         }},
        {step::logits, "one-sequences-keys", "Q Kᵀ, K of the first sequence",
         "Every sequence of the batch meets the first one's keys.",
         [](const Frame& f, const Tensor&) {
             const Tensor K = first_for_all(f["K"], -4);
             return K.defined() ? matmul(f["Q"], transpose(K)) : not_here;
         }},
    };
}

// scaled = logits / √d_k
std::vector<Mistake> of_scaled() {
    return {
        Mistake{step::scaled, "not-divided", "logits", "The division by √d_k is missing.",
                [](const Frame& f, const Tensor&) { return f["logits"]; }}
            .seen("https://github.com/PAIR-code/tiny-transformers/issues/71"),
        Mistake{step::scaled, "no-root", "logits / d_k",
                "Divided by d_k, but the typical size of a dot product is √d_k.",
                [](const Frame& f, const Tensor&) { return f["logits"] / size(f["K"], -1); }}
            .seen("https://github.com/delzac/cntkx/issues/10"),
        {step::scaled, "multiplied", "logits √d_k",
         "Multiplied by √d_k: the spread of the scores grows with d_k instead of staying the same.",
         [](const Frame& f, const Tensor&) { return f["logits"] * std::sqrt(size(f["K"], -1)); }},
        {step::scaled, "fourth-root", "logits / d_k^¼",
         "Divided by the fourth root: only the queries are scaled by it, not the keys, too.",
         [](const Frame& f, const Tensor&) { return f["logits"] / std::sqrt(std::sqrt(size(f["K"], -1))); }},
        {step::scaled, "squared", "logits / d_k²", "Divided by d_k squared: all scores are nearly 0.",
         [](const Frame& f, const Tensor&) { return f["logits"] / std::pow(size(f["K"], -1), real(2)); }},
        {step::scaled, "whole-root", "logits / ⌊√d_k⌋",
         "The root is rounded down to an integer, as integer arithmetic does.",
         [](const Frame& f, const Tensor&) {
             const real whole = std::floor(std::sqrt(size(f["K"], -1)));
             return whole > 1 && whole * whole < size(f["K"], -1) ? f["logits"] / whole : not_here;
         }},
        {step::scaled, "wrong-size", "logits / √n_k",
         "Divided by the root of the number of keys: a dot product has d_k terms, however many keys there "
         "are.",
         over_root_of(n_k)},
        {step::scaled, "root-of-n", "logits / √(i + 1)",
         "Divided by the root of the number of keys that query i sees; a dot product has d_k terms for each "
         "of them.",
         [](const Frame& f, const Tensor& made) {
             if (!is_square(made)) return not_here;
             std::vector<real> roots;
             for (index_t i = 1; i <= made.size(-2); ++i) roots.push_back(std::sqrt(static_cast<real>(i)));
             return f["logits"] / Tensor({made.size(-2), 1}, roots).to(made.device());
         }},
        {step::scaled, "number-of-queries", "logits / √n_q",
         "Divided by the root of the number of queries: a dot product has d_k terms.", over_root_of(n_q)},
        {step::scaled, "width-of-values", "logits / √d_v",
         "Divided by the root of the width of the values, which are not part of a dot product.",
         over_root_of(d_v)},
        Mistake{
            step::scaled, "d_model", "logits / √(h d_k)",
            "Divided by the root of the width of the model: one head's dot product has d_model / h terms.",
            over_root_of(d_model)}
            .seen("https://github.com/FareedKhan-dev/train-llm-from-scratch/pull/3"),
        {step::scaled, "multiplied-d_model", "logits √(h d_k)",
         "Multiplied, not divided, and by the root of the width of the model, not of a head.",
         [](const Frame& f, const Tensor&) {
             const real width = heads_of(f) * size(f["K"], -1);
             return heads_of(f) > 1 ? f["logits"] * std::sqrt(width) : not_here;
         }},
        {step::scaled, "number-of-heads", "logits / √h", "Divided by the root of the number of heads.",
         over_root_of(heads)},
        {step::scaled, "width-of-all-three", "logits / √(3 d_k)",
         "Divided by the root of the width of query, key and value together.", over_root_of(all_three)},
        {step::scaled, "width-of-x", "logits / √d_in",
         "Divided by the root of the width of x: a dot product has as many terms as a head is wide.",
         over_root_of(d_in)},
    };
}

// softmax(Q Kᵀ / √d_k) V, with nothing hidden, and no steps.
Tensor unmasked(const Tensor& Q, const Tensor& K, const Tensor& V) {
    return matmul(softmax(matmul(Q, transpose(K)) / std::sqrt(size(K, -1))), V);
}

// The same with the batch in the place of the positions.
Tensor attention_over_batch(const Frame& f) {
    const int batch = batch_axis(f);
    if (are_split_into_heads(f)) return not_here;  // of multi-head attention it is Q/batch-first
    if (!has_several(f["Q"], batch) || f["Q"].size(-2) != f["K"].size(-2)) return not_here;
    const auto turned = [&](const Tensor& x) { return swap_axes(x, batch, -2); };
    return turned(unmasked(turned(f["Q"]), turned(f["K"]), turned(f["V"])));
}

// The op that computed a value, or what was submitted for it, whatever its name.
const Operation* operation_by_any_name(const Frame& f, const Tensor& value) {
    const auto& steps = f.trace().steps();
    Tensor made = value;
    const auto names = [&](const Trace::Step& step) {
        return step.value.id() == made.id() && step.made.id() != made.id();
    };
    for (auto step = std::find_if(steps.begin(), steps.end(), names); step != steps.end();
         step = std::find_if(steps.begin(), steps.end(), names))
        made = step->made;
    return f.trace().operation_of(made);
}

// values = attention V
// Where heads are split off without a transpose, (…, T, h, d), the heads of one position attend to each
// other.
Tensor attention_among_heads(const Frame& f) {
    if (!has_square_heads(f)) return not_here;
    const auto of_position = [&](const char* name) { return contiguous(swap_axes(f[name], -3, -2)); };
    return swap_axes(unmasked(of_position("Q"), of_position("K"), of_position("V")), -3, -2);
}

// The numbers of all positions are cut into h parts, (…, h, T, d), in the order that they have, and put back
// so.
Tensor attention_of_pieces(const Frame& f) {
    if (!has_square_heads(f)) return not_here;
    const auto cut = [&](const char* name) {
        return reshape(contiguous(swap_axes(f[name], -3, -2)), f[name].shape());
    };
    const Tensor values = unmasked(cut("Q"), cut("K"), cut("V"));  // (…, h, T, d)
    return swap_axes(reshape(contiguous(values), swap_axes(values, -3, -2).shape()), -3, -2);
}

std::vector<Mistake> of_values() {
    return {
        {step::values, "transposed", "attentionᵀ V",
         "The weights are read by columns; query i's weights are row i.",
         [](const Frame& f, const Tensor&) {
             return is_square(f["attention"]) ? matmul(transpose(f["attention"]), f["V"]) : not_here;
         }},
        {step::values, "v-transposed", "attention Vᵀ", "V is transposed.",
         [](const Frame& f, const Tensor&) {
             return is_square(f["V"]) ? matmul(f["attention"], transpose(f["V"])) : not_here;
         }},
        Mistake{step::values, "keys", "attention K", "The keys are averaged, and V is not used.",
                [](const Frame& f, const Tensor&) { return matmul(f["attention"], f["K"]); }}
            .in_class("keys for values"),
        {step::values, "queries", "attention Q", "The queries are averaged, and V is not used.",
         [](const Frame& f, const Tensor&) {
             return f["Q"].size(-2) == f["K"].size(-2) ? matmul(f["attention"], f["Q"]) : not_here;
         }},
        Mistake{step::values, "one-head", "attention_1 V",
                "Every head uses the first head's weights: one head with wider values.",
                [](const Frame& f, const Tensor&) {
                    const Tensor A = first_for_all(f["attention"], -3);
                    return A.defined() ? matmul(A, f["V"]) : not_here;
                }}
            .in_class("one head's weights"),
        {step::values, "one-value", "attention V_1", "Every head collects the first head's values.",
         [](const Frame& f, const Tensor&) {
             const Tensor V = first_for_all(f["V"], -3);
             return V.defined() ? matmul(f["attention"], V) : not_here;
         }},
        {step::values, "mean-of-heads", "mean of attention over the heads, V",
         "The weights are averaged over the heads first, so all heads attend to the same positions.",
         [](const Frame& f, const Tensor&) {
             const Tensor& A = f["attention"];
             if (!has_several(A, -3)) return not_here;
             return matmul(broadcast_to(mean(A, -3, true), A.shape()), f["V"]);
         }},
        {step::values, "next-head", "attention_{i+1} V_i", "Each head's values get another head's weights.",
         [](const Frame& f, const Tensor&) {
             const Tensor A = rolled(f["attention"], -3);
             return A.defined() ? matmul(A, f["V"]) : not_here;
         }},
        {step::values, "one-sequences-values", "attention V, V of the first sequence",
         "Every sequence of the batch collects the first one's values.",
         [](const Frame& f, const Tensor&) {
             const Tensor V = first_for_all(f["V"], -4);
             return V.defined() ? matmul(f["attention"], V) : not_here;
         }},
        Mistake{step::values, "over-batch", "attention over the batch, position by position",
                "The axes of batch and positions are confused: a position attends to the same position of "
                "the other sequences, not to its own sequence (torch.nn.MultiheadAttention without "
                "batch_first=True).",
                [](const Frame& f, const Tensor&) { return attention_over_batch(f); }}
            .seen("https://github.com/IBM/TabFormer/pull/14"),
        {step::values, "among-heads", "attention of each position's heads to each other",
         "The heads are split without a transpose, (…, T, h, d): the heads of a position attend to each "
         "other, "
         "and no position to another.",
         [](const Frame& f, const Tensor&) { return attention_among_heads(f); }},
        {step::values, "view-for-transpose",
         "attention of h pieces of the sequence, (T · h · d) viewed as (h, T, d)",
         "view cuts the numbers into h pieces as they lie: a head gets whole positions, not its part of "
         "each.",
         [](const Frame& f, const Tensor&) { return attention_of_pieces(f); }},
        {step::values, "scaled-too", "attention V / √d_k",
         "The values are divided by √d_k too, which belongs only to the scores.",
         [](const Frame& f, const Tensor& made) { return made / std::sqrt(size(f["K"], -1)); }},
        {step::values, "mean", "attention V / n_k",
         "Divided by the number of keys, although the weights already sum to 1.",
         [](const Frame& f, const Tensor& made) { return made / size(f["K"], -2); }},
        Mistake{step::values, "values-reversed", "attention V, V from its last row to its first",
                "The values are in reverse order: each key's weight goes to another key's value.",
                [](const Frame& f, const Tensor&) {
                    const Tensor V = reversed(f["V"], -2);
                    return V.defined() ? matmul(f["attention"], V) : not_here;
                }}
            .in_class("weights and values in opposite orders"),
        {step::values, "x", "attention x",
         "The inputs from which the values are computed are averaged, and V is not used.",
         [](const Frame& f, const Tensor&) {
             const Operation* projection = operation_by_any_name(f, f["V"]);
             if (!projection || projection->op != std::string_view("linear")) return not_here;
             return matmul(f["attention"], projection->inputs[0]);
         }},
        {step::values, "own-alone", "attention_ii V_i",
         "Each query takes only its own value, times its weight.",
         [](const Frame& f, const Tensor&) {
             if (!is_square(f["attention"])) return not_here;
             return matmul(f["attention"] * band_like(f["attention"], 0, 0), f["V"]);
         }},
        {step::values, "not-weighted", "Σ of V over the keys that are seen",
         "The values are summed without their weights.",
         [](const Frame& f, const Tensor&) { return matmul(f["attention"] > 0.0, f["V"]); }},
        Mistake{step::values, "evenly-weighted", "the mean of V over the keys that are seen",
                "The values are averaged without their weights.",
                [](const Frame& f, const Tensor&) {
                    const Tensor seen = f["attention"] > 0.0;
                    return matmul(seen, f["V"]) / sum(seen, -1, true);
                }}
            .in_class("equal weights"),
        {step::values, "zero", "0", "The values stay 0: nothing is ever written there.",
         [](const Frame&, const Tensor& made) { return made * 0.0; }},
        {step::values, "left-out", "V", "The values are passed on unchanged: no position has seen another.",
         [](const Frame& f, const Tensor& made) {
             return f["V"].shape() == made.shape() ? f["V"] : not_here;
         }},
    };
}

}  // namespace

// softmax(Q Kᵀ / √d_k) V; the mask and the softmax are in files beside this one.
std::vector<Mistake> scaled_dot_product() { return joined({of_logits(), of_scaled(), of_values()}); }

}  // namespace glassbox::catalogue
