#include <glassbox/conventions/ways_of_drawing.h>

#include <algorithm>

#include <glassbox/random/generators.h>
#include <glassbox/random/stream.h>

namespace glassbox {

namespace {

using Made = std::unique_ptr<Stream>;
using Make = std::function<Made(std::uint64_t seed)>;

// What draws, and what its program may do with several arrays.
struct Generator {
    Rng kind;  // whose generator
    bool is_default;
    const char* phrase;
    Made (*make)(std::uint64_t seed);
};

template <Rng rng>
Made plain(std::uint64_t seed) {
    return make_stream(rng, seed);
}
template <JaxKeys keys, bool partitionable>
Made jax(std::uint64_t seed) {
    return std::make_unique<JaxStream>(seed, keys, partitionable);
}

constexpr Generator generators[] = {
    {Rng::jax, true, "as JAX draws them", plain<Rng::jax>},
    {Rng::jax, false, "as JAX draws them since version 0.5 (jax_threefry_partitionable)",
     jax<JaxKeys::split, true>},
    {Rng::torch, true, "as PyTorch draws them", plain<Rng::torch>},
    {Rng::numpy, true, "as NumPy's default_rng draws them", plain<Rng::numpy>},
    {Rng::numpy, false, "as np.random.seed and np.random.randn draw them", numpy_legacy_stream},
};

// JAX's keys, with the old and the new generator.
struct KeyUse {
    const char* phrase;
    Made (*make)(std::uint64_t seed);
    Made (*make_new)(std::uint64_t seed);
};
constexpr KeyUse key_uses[] = {
    {"with the keys of split(key, 3)", jax<JaxKeys::three, false>, jax<JaxKeys::three, true>},
    {"all with the same key, which is never split", jax<JaxKeys::one, false>, jax<JaxKeys::one, true>},
    {"with the first key of each split, where the second is meant", jax<JaxKeys::first_half, false>,
     jax<JaxKeys::first_half, true>},
};

// Operations on a stream of any generator.
struct StreamChange {
    const char* phrase;
    Made (*apply)(Made stream);
    bool is_for_jax, is_for_others;
};
constexpr StreamChange changes[] = {
    {"each array in its own draw", in_single_draws, true, false},
    {"all arrays in one draw", as_one_draw, false, true},
    {"in a second run without setting the seed again", in_second_run, false, true},
    {"uniform in [0, 1), as rand draws them, not randn", as_uniforms, true, true},
};

struct AxisOrder {
    const char* phrase;
    std::array<std::size_t, 3> of;
};
constexpr AxisOrder orders[] = {{"in the order Q, V, K", {0, 2, 1}},
                                {"in the order K, Q, V", {1, 0, 2}},
                                {"in the order K, V, Q", {1, 2, 0}},
                                {"in the order V, Q, K", {2, 0, 1}},
                                {"in the order V, K, Q", {2, 1, 0}}};

std::string joined(const std::string& a, const std::string& b) {
    return a.empty() || b.empty() ? a + b : a + ", " + b;
}

bool is_own(const Generator& each, Rng rng) { return each.kind == rng && each.is_default; }

// The expected generator needs no mention.
std::string phrase_of(const Generator& each, Rng rng) { return is_own(each, rng) ? "" : each.phrase; }

std::vector<Generator> own_first(Rng rng) {
    std::vector<Generator> all(std::begin(generators), std::end(generators));
    std::stable_partition(all.begin(), all.end(), [&](const Generator& each) { return each.kind == rng; });
    return all;
}

// Q, K and V as they come, and in every other order.
void add_in_all_orders(std::vector<WayOfDrawing>& all, const std::string& phrase, const Make& make) {
    if (!phrase.empty()) all.push_back({phrase, make});
    for (const AxisOrder& order : orders)
        all.push_back({joined(phrase, order.phrase),
                       [make, of = order.of](std::uint64_t seed) { return in_order(make(seed), of); }});
}

struct Projections {
    ProjectionDraw draw;
    const char* phrase;
};
constexpr Projections projections[] = {
    {ProjectionDraw::xavier, ""},
    {ProjectionDraw::linear,
     "attention's weights and biases as a linear layer draws them, not as Xavier does"},
    {ProjectionDraw::separate_linear,
     "W_Q, W_K and W_V each in its own linear layer, with that layer's weights and biases"},
    {ProjectionDraw::separate_xavier,
     "W_Q, W_K and W_V each in its own linear layer, in Xavier's limits for it"},
    {ProjectionDraw::xavier_alone,
     "attention's weights without the numbers that a linear layer draws before Xavier's"},
};

}  // namespace

void WayOfDrawing::draw(const Convention& convention, std::uint64_t seed,
                        const std::function<void(const Convention&, Stream&)>& make) const {
    Convention changed = convention;
    if (change) change(changed);
    if (input_last)
        return with_first_drawn_last([&] { return stream(seed); }, [&](Stream& s) { make(changed, s); });
    make(changed, *stream(seed));
}

std::vector<WayOfDrawing> ways_of_drawing_inputs(Rng rng) {
    std::vector<WayOfDrawing> all;
    for (const Generator& each : own_first(rng)) {
        const std::string phrase = phrase_of(each, rng);
        add_in_all_orders(all, phrase, each.make);
        const bool is_jax = each.kind == Rng::jax;
        if (is_jax)
            for (const KeyUse& use : key_uses)
                add_in_all_orders(all, joined(phrase, use.phrase), each.is_default ? use.make : use.make_new);
        for (const StreamChange& change : changes)
            if (is_jax ? change.is_for_jax : change.is_for_others)
                add_in_all_orders(all, joined(phrase, change.phrase),
                                  [make = each.make, apply = change.apply](std::uint64_t seed) {
                                      return apply(make(seed));
                                  });
    }
    return all;
}

std::vector<WayOfDrawing> ways_of_drawing_weights(Rng rng, const Convention& convention) {
    std::vector<WayOfDrawing> all;
    for (const Generator& each : own_first(rng))
        for (const bool last : {false, true})
            for (const Projections& of : projections)
                for (const bool other_first : {false, true}) {
                    const bool first = convention.draws_o_proj_first != other_first;
                    std::string phrase =
                        joined(phrase_of(each, rng), last ? "the input after the weights" : "");
                    phrase = joined(phrase, of.phrase);
                    if (other_first)
                        phrase = joined(phrase, first ? "attention's output layer first"
                                                      : "attention's output layer last");
                    if (phrase.empty()) continue;
                    all.push_back({phrase, each.make,
                                   [of, first](Convention& changed) {
                                       changed.projections = of.draw;
                                       changed.draws_o_proj_first = first;
                                   },
                                   last});
                }
    return all;
}

}  // namespace glassbox
