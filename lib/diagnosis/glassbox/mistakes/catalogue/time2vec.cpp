#include <glassbox/layers/time2vec.h>

#include <numbers>

#include <glassbox/layers/positional_encoding.h>
#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::time2vec;

namespace {

Tensor phi(const Frame& f) { return input(f, 1); }
Tensor omega(const Frame& f) { return input_of(f, input(f, 0), 1); }
Tensor tau(const Frame& f) { return input_of(f, input(f, 0), 0); }  // (…, T, 1)

// The places of the rows, first, first + 1, …, in the shape of τ.
Tensor places(const Tensor& tau, real first) {
    const index_t T = tau.size(-2);
    std::vector<real> numbers;
    for (index_t t = 0; t < T; ++t) numbers.push_back(first + static_cast<real>(t));
    return broadcast_to(Tensor({T, 1}, numbers, tau.device()), tau.shape());
}

// x, but the first column as computed.
Tensor with_first_of(const Tensor& made, const Tensor& x) {
    return concat({slice(made, -1, 0, 1), slice(x, -1, 1, x.size(-1))}, -1);
}

// ω τ + φ, the line with another τ.
Tensor linear_of(const Frame& f, const Tensor& other_tau) {
    return other_tau.defined() ? other_tau * omega(f) + phi(f) : not_here;
}

std::vector<Mistake> of_linear() {
    const WrongAt linear{"time2vec", {&step::linear}};
    return {
        {linear, "no-phase", "ω τ", "φ is missing: all waves are at 0 at time 0.",
         [](const Frame& f, const Tensor&) { return input(f, 0); }},
        {linear, "phase-in-brackets", "ω (τ + φ)", "φ is added to the time, before ω.",
         [](const Frame& f, const Tensor&) { return (tau(f) + phi(f)) * omega(f); }},
        {linear, "minus", "ω τ − φ", "φ is subtracted instead of added.",
         [](const Frame& f, const Tensor&) { return input(f, 0) - phi(f); }},
        {linear, "no-omega", "τ + φ", "ω is missing: every wave has the period 2π.",
         [](const Frame& f, const Tensor&) { return tau(f) + phi(f); }},
        {linear, "divided", "τ / ω + φ", "Divided by ω, as if it were a period.",
         [](const Frame& f, const Tensor&) { return tau(f) / omega(f) + phi(f); }},
        {linear, "exchanged", "φ τ + ω", "ω and φ are swapped.",
         [](const Frame& f, const Tensor&) { return tau(f) * phi(f) + omega(f); }},
        {linear, "place", "ω t + φ, t = 0, 1, …", "Row numbers are used as times; a time may be any number.",
         [](const Frame& f, const Tensor&) { return linear_of(f, places(tau(f), 0)); }},
        {linear, "place-from-one", "ω t + φ, t = 1, 2, …", "Row numbers, counted from 1, are used as times.",
         [](const Frame& f, const Tensor&) { return linear_of(f, places(tau(f), 1)); }},
        {linear, "ahead", "−ω τ + φ", "The times have the wrong sign.",
         [](const Frame& f, const Tensor&) { return phi(f) - input(f, 0); }},
        {linear, "backwards", "ω τ + φ, the times in reverse order",
         "The times are reversed; row t belongs to its own time.",
         [](const Frame& f, const Tensor&) { return linear_of(f, reversed(tau(f), -2)); }},
        Mistake{linear, "from-the-first", "ω (τ − τ_0) + φ", "The times are counted from the first row.",
                [](const Frame& f, const Tensor&) { return linear_of(f, tau(f) - slice(tau(f), -2, 0, 1)); }}
            .in_class("times from the first on"),
        {linear, "first-sequence", "ω τ + φ, τ of the first sequence",
         "Every sequence of the batch has the first one's times.",
         [](const Frame& f, const Tensor&) { return linear_of(f, first_for_all(tau(f), -3)); }},
        {linear, "turns", "2π ω τ + φ", "ω is multiplied by 2π, although it is already in radians.",
         [](const Frame& f, const Tensor&) { return 2 * std::numbers::pi * input(f, 0) + phi(f); }},
    };
}

std::vector<Mistake> of_waves() {
    return {
        Mistake{step::time2vec, "all-sines", "sin(linear)",
                "All are sines; the first should stay linear, as it alone tells how long ago something was.",
                [](const Frame& f, const Tensor&) { return sin(f["linear"]); }}
            .seen("https://github.com/ojus1/Time2Vec-PyTorch/issues/6"),
        {step::time2vec, "no-sine", "linear", "All are linear: none of them is periodic.",
         [](const Frame& f, const Tensor&) { return f["linear"]; }},
        {step::time2vec, "last-linear", "sin(linear[…k − 2]), linear[k − 1]",
         "The last stays linear instead of the first.",
         [](const Frame& f, const Tensor&) {
             const Tensor& linear = f["linear"];
             const index_t last = linear.size(-1) - 1;
             return concat({sin(slice(linear, -1, 0, last)), slice(linear, -1, last, last + 1)}, -1);
         }},
        {step::time2vec, "cosine", "linear[0], cos(linear[1…])", "These are cosines instead of sines.",
         [](const Frame& f, const Tensor& made) { return with_first_of(made, cos(f["linear"])); }},
        {step::time2vec, "degrees", "linear[0], sin(linear[1…] in degrees)",
         "The angle is treated as degrees; ω and φ are in radians.",
         [](const Frame& f, const Tensor& made) {
             return with_first_of(made, sin(f["linear"] * (std::numbers::pi / 180)));
         }},
        {step::time2vec, "no-trend", "0, sin(linear[1…])",
         "The linear part is missing: only the waves remain.",
         [](const Frame&, const Tensor& made) { return with_first_of(made * 0, made); }},
        {step::time2vec, "behind", "sin(linear[1…]), linear[0]",
         "The linear part comes after the waves instead of first.",
         [](const Frame&, const Tensor& made) { return rolled(made, -1); }},
        {step::time2vec, "sinusoidal", "linear[0], sin and cos of t 10000^(−2i/k)",
         "This is the fixed encoding with its own frequencies; here ω and φ are learned.",
         [](const Frame&, const Tensor& made) {
             const Tensor fixed = sinusoidal_encoding(made.size(-2), made.size(-1)).to(made.device());
             return with_first_of(made, broadcast_to(fixed, made.shape()));
         }},
    };
}

// Concat(x, time2vec)
std::vector<Mistake> of_output() {
    const WrongAt output{"input", {&step::output}};
    return {
        {output, "order", "Concat(time2vec, x)", "The time comes before the values.",
         [](const Frame& f, const Tensor&) {
             return concat({f["time2vec"], f["x"]}, -1);
         }},
        {output, "no-value", "Concat(0, time2vec)", "The values are missing and replaced by 0.",
         [](const Frame& f, const Tensor&) {
             return concat({f["x"] * 0, f["time2vec"]}, -1);
         }},
        {output, "no-time", "Concat(x, 0)",
         "The times are missing: attention treats the sequence as a bag of values.",
         [](const Frame& f, const Tensor&) {
             return concat({f["x"], f["time2vec"] * 0}, -1);
         }},
        {output, "last-time", "Concat(x, time2vec), the last row's time in every row",
         "Every row has the time of the last one.",
         [](const Frame& f, const Tensor&) {
             const Tensor& time = f["time2vec"];
             const Tensor last = entry_for_all(time, -2, time.size(-2) - 1);
             return last.defined() ? concat({f["x"], last}, -1) : not_here;
         }},
        {output, "first-window", "Concat(x, time2vec), the first sequence's values in every one",
         "Every sequence of the batch has the values of the first one.",
         [](const Frame& f, const Tensor&) {
             const Tensor first = first_for_all(f["x"], -3);
             return first.defined() ? concat({first, f["time2vec"]}, -1) : not_here;
         }},
        {output, "added", "Concat(x, x + time2vec)",
         "The value is added to its time instead of placed next to it.",
         [](const Frame& f, const Tensor&) {
             const Tensor& x = f["x"];
             return x.size(-1) == 1 ? concat({x, x + f["time2vec"]}, -1) : not_here;
         }},
    };
}

}  // namespace

// t2v(τ)[0] = ω₀ τ + φ₀,  t2v(τ)[i] = sin(ω_i τ + φ_i)
std::vector<Mistake> time2vec() { return joined({of_linear(), of_waves(), of_output()}); }

}  // namespace glassbox::catalogue
