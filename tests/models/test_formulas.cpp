// Parses each step's formula and evaluates it on the traced values: the result must match the step, in every
// layer, convention and setting. A formula that cannot be evaluated is a failure.
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <glassbox/conventions/made.h>
#include <glassbox/layers/multi_head_attention.h>
#include <glassbox/layers/score_functions.h>
#include <glassbox/layers/time2vec.h>
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/classified.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/tensor/format.h>

#include "support/compare.h"
#include "support/random.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// "softmax(Q Kᵀ / √d_k)" → softmax ( Q Kᵀ / √d_k ). A slash within a word is part of a path.
std::vector<std::string> words_of(const std::string& formula) {
    std::vector<std::string> words{""};
    for (const char c : formula) {
        if (c == ' ') words.emplace_back();
        else if (c == '(' || c == ')' || c == ',') words.insert(words.end(), {std::string(1, c), ""});
        else words.back() += c;
    }
    std::erase(words, "");
    return words;
}

Tensor with_last_axes(const Tensor& x, const Shape& last) {
    Shape shape = x.shape().leading(x.rank() - 1);
    for (int i = 0; i < last.rank(); ++i) shape = shape.with_appended(last[i]);
    return reshape(x, shape);
}

Tensor with_axis_before(const Tensor& x) {
    const Shape front = x.shape().leading(x.rank() - 2);
    return reshape(x, front.with_appended(1).with_appended(x.size(-2)).with_appended(x.size(-1)));
}

// One formula of one step.
class Reader {
  public:
    // The only setting needed of a model: how heads are laid out in a projection.
    Reader(const Trace& trace, const Trace::Step& step, index_t heads, QkvLayout layout)
        : trace_(trace),
          step_(step),
          scope_(step.path.substr(0, step.path.rfind('/') + 1)),
          heads_(heads),
          layout_(layout),
          operation_(trace.operation_of(step.made)) {}

    Tensor value(const std::string& formula) {
        for (const auto& [ending, work] : in_words())
            if (formula.ends_with(ending)) return work(formula.substr(0, formula.size() - ending.size()));
        words_ = words_of(formula);
        at_ = 0;
        const Tensor result = sum_of();
        if (at_ != words_.size()) fail("'{}': nothing known after '{}'", formula, words_[at_ - 1]);
        return result;
    }

  private:
    using Work = std::function<Tensor(const std::string& before)>;

    // Formulas in words, recognised by their ending.
    std::vector<std::pair<std::string, Work>> in_words() {
        return {
            {" where the mask is 0",
             [this](const std::string& text) {  // "scaled, but −9e15"
                 const std::size_t comma = text.find(", but ");
                 const std::string fill = text.substr(comma + 6 + std::string("−").size());
                 const double value = fill == "∞" ? HUGE_VAL : std::stod(fill);
                 const Tensor seen = operation_->inputs[1];
                 std::vector<real> result;
                 const Tensor scores = symbol(text.substr(0, comma));
                 const std::vector<real> visible = broadcast_to(seen, scores.shape()).values();
                 for (const real score : scores.values())
                     result.push_back(visible[result.size()] != 0 ? score : static_cast<real>(-value));
                 return Tensor(scores.shape(), result);
             }},
            {"'s part, one matrix per head",
             [this](const std::string& text) {  // "qkv, Q"
                 const std::size_t comma = text.find(", ");
                 return head_part(text.substr(0, comma), text.back());
             }},
            {"Concat(head_1, …, head_h)",
             [this](const std::string&) {
                 const Tensor by_position = swap_axes(symbol("values"), -3, -2);
                 return reshape(by_position, step_.value.shape());
             }},
            {"LayerNorm(the last block's output)", [this](const std::string&) { return normed(input(0)); }},
            {"table[tokens]", [this](const std::string&) { return embedding(input(0), symbol("tokens")); }},
            {"table[0 … T − 1]",
             [this](const std::string&) { return slice(input(0), 0, 0, step_.value.size(0)); }},
            {"mean over positions", [this](const std::string&) { return pooled(false); }},
            {"max over positions", [this](const std::string&) { return pooled(true); }},
            {"row 0, [CLS]", [this](const std::string&) { return select(input(0), -2, 0); }},
            {"linear[0], sin(linear[1…])",
             [this](const std::string&) {
                 const Tensor linear = symbol("linear");
                 return concat({slice(linear, -1, 0, 1), sin(slice(linear, -1, 1, linear.size(-1)))}, -1);
             }},
            {"sin(t ω_i), cos(t ω_i), ω_i = 10000^(−2i/d)",
             [this](const std::string&) {
                 std::vector<real> PE;
                 const index_t T = step_.value.size(0), d = step_.value.size(1);
                 for (index_t t = 0; t < T; ++t)
                     for (index_t j = 0; j < d; ++j) {
                         const double omega =
                             std::pow(10000.0, -2.0 * static_cast<double>(j / 2) / static_cast<double>(d));
                         const double angle = static_cast<double>(t) * omega;
                         PE.push_back(static_cast<real>(j % 2 == 0 ? std::sin(angle) : std::cos(angle)));
                     }
                 return Tensor({T, d}, PE);
             }},
            {"−ln softmax(logits)[label]",
             [this](const std::string&) {
                 const Tensor logs = log_softmax(input(0));
                 std::vector<real> losses;
                 const std::vector<real> labels = input(1).values(), all = logs.values();
                 for (std::size_t i = 0; i < labels.size(); ++i)
                     losses.push_back(-all[i * static_cast<std::size_t>(logs.size(-1)) +
                                           static_cast<std::size_t>(labels[i])]);
                 return Tensor(step_.value.shape(), losses);
             }},
            {"Σ losses", [this](const std::string&) { return sum(symbol("losses")); }},
        };
    }

    // [q‖k‖v] per head, or all queries, all keys, all values.
    Tensor head_part(const std::string& from, char which) {
        const Tensor stacked = symbol(from);
        const bool both = from == "kv", alone = from == "q";
        const index_t parts = alone ? 1 : both ? 2 : 3, d_h = stacked.size(-1) / parts / heads_;
        const index_t part = alone ? 0 : which == 'Q' ? 0 : which == 'K' ? (both ? 0 : 1) : (both ? 1 : 2);
        const bool per_head = layout_ == QkvLayout::per_head;
        const Tensor split =
            with_last_axes(stacked, per_head ? Shape{heads_, parts, d_h} : Shape{parts, heads_, d_h});
        return swap_axes(select(split, per_head ? -2 : -3, part), -3, -2);
    }

    // Over real positions: padding is known only from the operation.
    Tensor pooled(bool largest) {
        const Operation* op = operation_;
        if (!largest && std::string(op->op) == "div" && op->inputs[1].rank() > 0) {
            const Operation* total = trace_.operation_of(op->inputs[0]);
            const Operation* product = trace_.operation_of(total->inputs[0]);
            const Tensor h = product->inputs[0], seen = product->inputs[1];
            return glassbox::sum(h * seen, -2) / glassbox::sum(broadcast_to(seen, h.shape()), -2);
        }
        Tensor h = op->inputs[0];
        if (!largest) {
            while (const Operation* below = trace_.operation_of(h)) {
                if (trace_.step_of(h)) break;
                h = below->inputs[0];
            }
            return mean(h, -2);
        }
        return max(h, -2);
    }

    Tensor normed(const Tensor& x) const {
        const double epsilon = (*operation_)["epsilon"];
        const Tensor off = x - mean(x, -1, true);
        const Tensor variance = mean(off * off, -1, true);
        return off / sqrt(variance + epsilon) * input(1) + input(2);
    }

    Tensor sum_of() {
        Tensor result = product_of();
        while (at_ < words_.size() && (words_[at_] == "+" || words_[at_] == "−")) {
            const bool adds = words_[at_++] == "+";
            const Tensor next = product_of();
            result = adds ? result + next : result - next;
        }
        return result;
    }

    bool ends() const {
        static const std::set<std::string> all{"+", "−", ")", ","};
        return at_ == words_.size() || all.count(words_[at_]);
    }

    Tensor product_of() {
        Tensor result = factor();
        while (!ends()) {
            if (words_[at_] == "/") {
                ++at_;
                result = result / factor();
            } else if (words_[at_] == "·") {
                ++at_;
                result = result * factor();
            } else {
                const Tensor next = factor();
                result = result.rank() == 1 ? result * next : matmul(result, next);  // ω τ: each ω_i times τ
            }
        }
        return result;
    }

    Tensor factor() {
        const std::string word = words_[at_++];
        if (at_ == words_.size() || words_[at_] != "(") return transposed(word);
        std::vector<Tensor> arguments;
        do {
            ++at_;
            arguments.push_back(sum_of());
        } while (words_.at(at_) == ",");
        ++at_;
        const Tensor& last = arguments.back();
        if (word == "softmax") return softmax(last);
        if (word == "tanh") return tanh(last);
        if (word == "max") return relu(last);  // max(0, x)
        if (word == "LayerNorm") return normed(last);
        if (word == "Concat") return concat(arguments, -1);
        if (word == "Dropout") return dropped_as_here(last);
        if (word == "Φ")
            return gelu(last, (*operation_)["erf"] != 0 ? Activation::gelu : Activation::gelu_tanh) / last;
        fail("no function '{}'", word);
    }

    // Each number is 0 or scaled by 1/(1 − p).
    Tensor dropped_as_here(const Tensor& x) const {
        std::vector<real> result;
        const std::vector<real> before = x.values(), after = step_.value.values();
        const double p = (*operation_)["p"];
        for (std::size_t i = 0; i < before.size(); ++i)
            result.push_back(after[i] == 0 ? real(0)
                                           : static_cast<real>(static_cast<double>(before[i]) / (1 - p)));
        return Tensor(x.shape(), result);
    }

    Tensor transposed(const std::string& word) {
        const std::string mark = "ᵀ";
        if (!word.ends_with(mark)) return symbol(word);
        return transpose(symbol(word.substr(0, word.size() - mark.size())));
    }

    Tensor input(std::size_t i) const {
        if (!operation_ || i >= operation_->inputs.size()) fail("no input {}", i);
        return operation_->inputs[i];
    }

    Tensor symbol(const std::string& word) const {
        if (word == "0") return Tensor(real(0));
        if (word == "√d_k") return Tensor(static_cast<real>(std::sqrt(symbol("K").size(-1))));
        if (word == "√d_model") return Tensor(static_cast<real>(std::sqrt(symbol("embedding").size(-1))));
        if (word == "τ") {
            const Tensor time = symbol("time");
            return reshape(time, time.shape().with_appended(1));
        }
        if (word == "ω" || word == "φ") {  // linear = column · ω + φ
            const Operation* product = trace_.operation_of(input(0));
            return word == "φ" ? input(1) : product->inputs[1];
        }
        if (word == "[CLS]") return input(0);
        if (trace_.contains(scope_ + word) && scope_ + word != step_.path) {
            const Tensor& found = trace_[scope_ + word];
            if (word == "v") return reshape(found, {found.size(0), 1});
            // For every pair of query and key.
            if (word == "query_part") return with_last_axes(found, {1, found.size(-1)});  // (…, n_q, 1, d_a)
            if (word == "key_part") return with_axis_before(found);  // (…, 1, n_k, d_a)
            return found;
        }
        if (word == "x" || word == "h") return input(0);
        if (word.starts_with("W_")) return input(1);
        if (word == "b" || word.starts_with("b_")) return input(2);
        fail("no symbol '{}'", word);
    }

    const Trace& trace_;
    const Trace::Step& step_;
    std::string scope_;
    index_t heads_;
    QkvLayout layout_;
    const Operation* operation_;
    std::vector<std::string> words_;
    std::size_t at_ = 0;
};

struct Looked {
    std::set<std::string> layers, formulas;
};

void check_formulas(const Trace& trace, index_t heads, const Convention& convention, Looked& looked) {
    const QkvLayout layout = convention.qkv;
    const NoRecording silence;
    for (const Trace::Step& step : trace.steps()) {
        const std::string formula = formula_of(trace, step);
        INFO(step.path << " = " << formula);
        REQUIRE(step.info);
        CHECK(std::string(step.info->name) == step.path.substr(step.path.rfind('/') + 1));
        CHECK_FALSE(std::string(step.info->sentence).empty());
        if (formula.empty()) continue;
        looked.layers.insert(step.info->layer);
        looked.formulas.insert(formula);
        const std::size_t both = formula.find(" ‖ ");
        Tensor expected;
        if (both != std::string::npos) {  // "[CLS] ‖ input_net", one row in front
            expected = concat(
                {Reader(trace, step, heads, layout).value(formula.substr(0, both)),
                 Reader(trace, step, heads, layout).value(formula.substr(both + std::string(" ‖ ").size()))},
                -2);
        } else {
            expected = Reader(trace, step, heads, layout).value(formula);
        }
        REQUIRE(expected.numel() == step.value.numel());
        const bool in_float = convention.encoding_in_float && std::string(step.info->name) == "encoding";
        check_close(step.value, reshape(expected, step.value.shape()),
                    in_float ? golden_float_positions : chain.with_nan(), step.path);
    }
}

template <class Run>
void look(const Convention& convention, Looked& looked, Run run, index_t heads = 2) {
    INFO("convention " << convention.name);
    Trace trace;
    run();
    check_formulas(trace, heads, convention, looked);
}

StackChoices stack_of(NormPlacement norm, Activation activation) {
    StackChoices config;
    config.layers = 2;
    config.block = {6, 2, 8, 0.25, norm, activation, true};
    config.final_norm = norm == NormPlacement::pre;
    return config;
}

}  // namespace

TEST_CASE("formulas: those of every model evaluate to its steps, in each convention and setting") {
    Looked looked;
    for_seeds(2, [&](Random& random) {
        for (const Convention& convention : conventions())
            for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre})
                for (const Activation activation : {Activation::relu, Activation::gelu})
                    for (const bool drops : {false, true}) {
                        const auto stream = make_stream(Rng::jax, 3);
                        const StackChoices stack = stack_of(norm, activation);
                        const std::optional<DropoutScope> dropping =
                            drops ? std::optional<DropoutScope>(std::in_place, 1) : std::nullopt;
                        for (const Pooling pooling :
                             {Pooling::none, Pooling::mean, Pooling::max, Pooling::cls}) {
                            const auto model =
                                made<Predictor>(convention, {3, 4, stack, 0.25, true, pooling}, *stream);
                            const Tensor x = random.normal({2, 5, 3});
                            for (const Mask& mask : {Mask::none(), Mask::lengths({5, 3})})
                                look(convention, looked, [&] { model(x, mask); });
                        }
                        const auto model = made<Transformer>(convention, {7, 9, stack, stack}, *stream);
                        look(convention, looked, [&] {
                            const Tensor logits = model(Tensor{{1, 2, 3}}, Tensor{{4, 5}});
                            classified(logits, Tensor{{0, 8}});
                        });
                    }
    });
    CHECK(looked.layers == std::set<std::string>{"classified", "decoder_block", "encoder_block",
                                                 "feed_forward", "multi_head_attention", "pooling",
                                                 "positional_encoding", "predictor", "scaled_dot_product",
                                                 "stack", "token_embedding", "transformer"});
    for (const char* each :
         {"x + self_attn/output", "norm1 + cross_attn/output", "residual1 + mlp/output",
          "norm_dropout1 + mlp/output", "x + dropout1", "LayerNorm(x)", "LayerNorm(residual1)",
          "softmax(masked)", "softmax(scaled)", "scaled, but −9e15 where the mask is 0",
          "scaled, but −∞ where the mask is 0", "gelu W_2ᵀ + b_2", "dropout W_2ᵀ + b_2", "[CLS] ‖ input_net"})
        CHECK(looked.formulas.count(each) == 1);
}

TEST_CASE("formulas: those of attention, its scores, projections, learned positions and Time2Vec") {
    Looked looked;
    for_seeds(3, [&](Random& random) {
        const auto stream = make_stream(Rng::jax, 3);
        for (const Convention& convention : conventions()) {
            const AttentionConfig config{convention.mask_fill};
            const Tensor x = random.normal({3, 4});
            look(convention, looked, [&] {
                const auto [Q, K, V] =
                    project(x, {random.normal({4, 2}), random.normal({4, 2}), random.normal({4, 5})});
                scaled_dot_product(Q, K, V, Mask::causal(), config);
            });
            const Tensor Q = random.normal({2, 3, 4}), K = random.normal({2, 5, 4});
            look(convention, looked, [&] { dot_product(Q, K, K, {}, config); });
            look(convention, looked, [&] {
                additive_attention(
                    Q, K, K, {random.normal({4, 6}), random.normal({4, 6}), random.normal({6})}, {}, config);
            });
            look(convention, looked, [&] {
                const auto without_bias = made<MultiHeadAttention>(convention, {4, 2, 0, false}, *stream);
                without_bias(Q);
            });
        }
        look(convention("uva-jax"), looked, [&] {
            LearnedPositions positions(6, 4);
            draw(positions, *stream);
            positions(random.normal({3, 4}));
        });
        look(convention("uva-jax"), looked, [&] {
            Time2Vec time2vec(3);
            draw(time2vec, *stream);
            time2vec(random.normal({5, 2}), random.normal({5}));
        });
    });
    CHECK(looked.layers == std::set<std::string>{"additive_attention", "learned_positions",
                                                 "multi_head_attention", "projection", "scaled_dot_product",
                                                 "time2vec"});
    for (const char* each :
         {"x W_Q", "softmax(logits)", "hidden v", "x W_qkvᵀ", "concat W_Oᵀ", "table[0 … T − 1]"})
        CHECK(looked.formulas.count(each) == 1);
}
