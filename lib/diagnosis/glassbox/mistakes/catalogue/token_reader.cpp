#include <glassbox/decoding/token_reader.h>

#include <glassbox/mistakes/catalogue/places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::token_reader;

namespace {

// The linear layer of the step with another one's weights, or on another input.
WrongValue by(const char* weight, const char* bias) {
    return [=](const Frame& f, const Tensor&) { return glassbox::linear(input(f, 0), f[weight], f[bias]); };
}
Tensor of_input(const Frame& f, const Tensor& x) { return glassbox::linear(x, input(f, 1), input(f, 2)); }

std::vector<Mistake> of_cache() {
    const WrongAt cached{"cached", {&step::K, &step::V}};
    return {
        {cached, "other", "W_V and b_V for keys, W_K and b_K for values",
         "Keys use the weights of values, or values those of keys.",
         [](const Frame& f, const Tensor& made) {
             return f.contains("K") ? by("W_K", "b_K")(f, made) : by("W_V", "b_V")(f, made);
         }},
        {cached, "queries", "W_Q and b_Q for keys or values",
         "Queries are cached instead; keys and values have their own weights.", by("W_Q", "b_Q")},
        {cached, "in-front", "the rows from the last token to the first",
         "Each new row is put on top; the cache is in the order of the tokens.",
         [](const Frame&, const Tensor& made) { return reversed(made, -2); }},
        {cached, "last-only", "the last token's row for all",
         "All rows are the last token's; earlier ones must not change.",
         [](const Frame&, const Tensor& made) { return entry_for_all(made, -2, made.size(-2) - 1); }},
        {cached, "no-position", "of table[tokens], without encoding",
         "Keys and values are computed from tokens without their positions.",
         [](const Frame& f, const Tensor&) {
             return of_input(f, step_at(f, scope_of(f.path()) + "positional/x"));
         }},
    };
}

std::vector<Mistake> of_choice() {
    const WrongAt logits{"read", {&step::logits}}, token{"read", {&step::token}};
    return {
        {logits, "x", "x Wᵀ + b",
         "The last layer is given the token itself: the sentence before it is not used.",
         [](const Frame& f, const Tensor&) { return of_input(f, f["x"]); }},
        {logits, "with-residual", "(x + values) Wᵀ + b",
         "x is added to the values, as in most blocks; this decoder has no residual.",
         [](const Frame& f, const Tensor&) { return of_input(f, f["x"] + input(f, 0)); }},
        {token, "most-seen", "argmax(attention)",
         "This is the position the token attends to most, not a token.",
         [](const Frame& f, const Tensor& made) {
             const Tensor attention = step_at(f, scope_of(f.path()) + "attention/attention");
             const std::vector<index_t> places = argmax(attention, -1);
             return Tensor(made.shape(), std::vector<real>(places.begin(), places.end()));
         }},
        {token, "token-read", "tokens", "This is the token that was read, not the next one.",
         [](const Frame& f, const Tensor& made) { return reshape(f["tokens"], made.shape()); }},
    };
}

}  // namespace

// K, V: a row for each token;  token = argmax(Attention(Q, K, V) Wᵀ + b)
std::vector<Mistake> token_reader() { return joined({of_cache(), of_choice()}); }

}  // namespace glassbox::catalogue
