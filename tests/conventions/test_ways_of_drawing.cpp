// Other ways to draw a seed's numbers: all of them, in the order in which they are tried, and what each
// draws.
#include <glassbox/conventions/ways_of_drawing.h>

#include <set>

#include <glassbox/conventions/choices.h>
#include <glassbox/conventions/convention.h>
#include <glassbox/conventions/draw.h>
#include <glassbox/random/generators.h>

#include "support/catch.h"

using namespace glassbox;

namespace {

using Sentences = std::vector<std::string>;

Sentences sentences(const std::vector<WayOfDrawing>& ways) {
    Sentences all;
    for (const WayOfDrawing& way : ways) all.push_back(way.sentence);
    return all;
}

const WayOfDrawing& way_of(const std::vector<WayOfDrawing>& ways, const std::string& sentence) {
    for (const WayOfDrawing& way : ways)
        if (way.sentence == sentence) return way;
    FAIL("no way: " << sentence);
    return ways.front();
}

std::string comma(const std::string& a, const std::string& b) {
    return a.empty() ? b : b.empty() ? a : a + ", " + b;
}

struct Source {
    std::string phrase;
    bool is_jax;
};

// Those of `rng` first; the first of them is expected and goes without saying.
std::vector<Source> sources(Rng rng) {
    const Source jax{"as JAX draws them", true},
        new_jax{"as JAX draws them since version 0.5 (jax_threefry_partitionable)", true},
        torch{"as PyTorch draws them", false}, numpy{"as NumPy's default_rng draws them", false},
        legacy{"as np.random.seed and np.random.randn draw them", false};
    if (rng == Rng::jax) return {{"", true}, new_jax, torch, numpy, legacy};
    if (rng == Rng::torch) return {{"", false}, jax, new_jax, numpy, legacy};
    return {{"", false}, legacy, jax, new_jax, torch};
}

// The numbers of three arrays of eight that are asked for together, as Q, K and V are.
std::vector<real> three(Stream& stream) {
    std::vector<real> all;
    for (const Tensor& each : stream.normals({{8}, {8}, {8}}))
        for (const real x : each.values()) all.push_back(x);
    return all;
}

}  // namespace

TEST_CASE("ways of drawing: inputs of each generator, in every order of Q, K and V") {
    for (const Rng rng : {Rng::jax, Rng::torch, Rng::numpy}) {
        Sentences expected;
        for (const Source& source : sources(rng)) {
            Sentences kinds{""};
            if (source.is_jax)
                kinds.insert(kinds.end(),
                             {"with the keys of split(key, 3)", "all with the same key, which is never split",
                              "with the first key of each split, where the second is meant",
                              "each array in its own draw"});
            else
                kinds.insert(kinds.end(),
                             {"all arrays in one draw", "in a second run without setting the seed again"});
            kinds.emplace_back("uniform in [0, 1), as rand draws them, not randn");
            for (const std::string& kind : kinds) {
                const std::string phrase = comma(source.phrase, kind);
                if (!phrase.empty()) expected.push_back(phrase);
                for (const char* order : {"Q, V, K", "K, Q, V", "K, V, Q", "V, Q, K", "V, K, Q"})
                    expected.push_back(comma(phrase, std::string("in the order ") + order));
            }
        }
        CHECK(sentences(ways_of_drawing_inputs(rng)) == expected);
        CHECK(expected.size() == 2 * 6 * 6 + 3 * 4 * 6 - 1);
    }
}

TEST_CASE("ways of drawing: in another order the arrays drawn first, second and third are the named ones") {
    for (const Rng rng : {Rng::jax, Rng::torch, Rng::numpy}) {
        const std::vector<WayOfDrawing> ways = ways_of_drawing_inputs(rng);
        const std::vector<real> drawn = three(*make_stream(rng, 7));
        for (const std::string order : {"Q, V, K", "K, Q, V", "K, V, Q", "V, Q, K", "V, K, Q"}) {
            INFO(order);
            const std::vector<real> asked =
                three(*way_of(ways, "in the order " + order).stream(7));  // Q, K, V
            for (std::size_t place = 0; place < 3; ++place)
                for (std::size_t i = 0; i < 8; ++i)
                    CHECK(asked[8 * std::string("QKV").find(order[3 * place]) + i] == drawn[8 * place + i]);
        }
    }
}

TEST_CASE("ways of drawing: each draws other numbers than the one that is expected, and than every other") {
    for (const Rng rng : {Rng::jax, Rng::torch, Rng::numpy}) {
        std::set<std::vector<real>> all{three(*make_stream(rng, 7))};
        const std::vector<WayOfDrawing> ways = ways_of_drawing_inputs(rng);
        std::size_t same = 0;
        for (const WayOfDrawing& way : ways) {
            const std::vector<real> numbers = three(*way.stream(7));
            CHECK(three(*way.stream(7)) == numbers);
            if (!all.insert(numbers).second) ++same;
        }
        // With one key for all, the order makes no difference; nor does NumPy care how its numbers are cut.
        INFO(same << " of " << ways.size());
        CHECK(same < ways.size() / 4);
    }
    const auto other = [](Rng rng, const char* sentence) {
        return three(*way_of(ways_of_drawing_inputs(rng), sentence).stream(7));
    };
    CHECK(other(Rng::jax, "as PyTorch draws them") == three(*make_stream(Rng::torch, 7)));
    CHECK(other(Rng::torch, "as JAX draws them") == three(*make_stream(Rng::jax, 7)));
    CHECK(other(Rng::jax, "as NumPy's default_rng draws them") == three(*make_stream(Rng::numpy, 7)));
    for (const char* uniform : {"uniform in [0, 1), as rand draws them, not randn",
                                "as PyTorch draws them, uniform in [0, 1), as rand draws them, not randn"})
        for (const real x : other(Rng::jax, uniform)) CHECK((x >= 0 && x < 1));
    const std::vector<real> same = other(Rng::jax, "all with the same key, which is never split");
    CHECK((same[0] == same[8] && same[8] == same[16]));
    // A second run goes on where the first ended.
    const auto stream = make_stream(Rng::torch, 7);
    (void)three(*stream);
    CHECK(other(Rng::torch, "in a second run without setting the seed again") == three(*stream));
}

TEST_CASE("ways of drawing: first values in every combination, and what each changes") {
    for (const char* name : {"uva-jax", "report"}) {
        const Convention& own = convention(name);
        const std::vector<WayOfDrawing> ways = ways_of_drawing_weights(own.rng, own);
        CHECK(ways.size() == 5 * 2 * 5 * 2 - 1);
        std::size_t at = 0;
        for (const Source& source : sources(own.rng))
            for (const bool last : {false, true})
                for (const ProjectionDraw projections :
                     {ProjectionDraw::xavier, ProjectionDraw::linear, ProjectionDraw::separate_linear,
                      ProjectionDraw::separate_xavier, ProjectionDraw::xavier_alone})
                    for (const bool other : {false, true}) {
                        std::string phrase = comma(source.phrase, last ? "the input after the weights" : "");
                        if (projections == ProjectionDraw::linear)
                            phrase = comma(phrase,
                                           "attention's weights and biases as a linear layer draws them, not "
                                           "as Xavier does");
                        if (projections == ProjectionDraw::separate_linear)
                            phrase = comma(phrase,
                                           "W_Q, W_K and W_V each in its own linear layer, with that layer's "
                                           "weights and biases");
                        if (projections == ProjectionDraw::separate_xavier)
                            phrase = comma(phrase,
                                           "W_Q, W_K and W_V each in its own linear layer, in Xavier's "
                                           "limits for it");
                        if (projections == ProjectionDraw::xavier_alone)
                            phrase =
                                comma(phrase,
                                      "attention's weights without the numbers that a linear layer draws "
                                      "before Xavier's");
                        const bool first = own.draws_o_proj_first != other;
                        if (other)
                            phrase = comma(phrase, first ? "attention's output layer first"
                                                         : "attention's output layer last");
                        if (phrase.empty()) continue;
                        REQUIRE(at < ways.size());
                        const WayOfDrawing& way = ways[at++];
                        INFO(phrase);
                        CHECK(way.sentence == phrase);
                        CHECK(way.input_last == last);
                        Convention changed = own;
                        way.change(changed);
                        CHECK(changed.projections == projections);
                        CHECK(changed.draws_o_proj_first == first);
                    }
        CHECK(at == ways.size());
        // The input, which is drawn first, gets the numbers that follow those of the weights.
        const WayOfDrawing& last = way_of(ways, "the input after the weights");
        std::vector<real> input, weights;
        last.draw(own, 7, [&](const Convention&, Stream& stream) {
            input = stream.normal({2}).values(), weights = stream.normal({3}).values();
        });
        const auto stream = make_stream(own.rng, 7);
        CHECK(weights == stream->normal({3}).values());
        CHECK(input == stream->normal({2}).values());
    }
}

TEST_CASE("ways of drawing: JAX's keys are used in each way, with old and new arrays of bits") {
    const std::vector<WayOfDrawing> ways = ways_of_drawing_inputs(Rng::jax);
    const std::string is_new = "as JAX draws them since version 0.5 (jax_threefry_partitionable)";
    const std::vector<std::pair<std::string, JaxKeys>> uses = {
        {"", JaxKeys::split},
        {"with the keys of split(key, 3)", JaxKeys::three},
        {"all with the same key, which is never split", JaxKeys::one},
        {"with the first key of each split, where the second is meant", JaxKeys::first_half}};
    for (const auto& [phrase, keys] : uses)
        for (const bool partitionable : {false, true}) {
            const std::string sentence = partitionable ? comma(is_new, phrase) : phrase;
            if (sentence.empty()) continue;
            INFO(sentence);
            JaxStream stream(7, keys, partitionable), other(7, keys, !partitionable);
            const std::vector<real> numbers = three(*way_of(ways, sentence).stream(7));
            CHECK(numbers == three(stream));
            CHECK(numbers != three(other));
        }
}

TEST_CASE("drawing: three layers' rows are put together as the convention stacks them") {
    for (const char* name : {"uva-torch", "paper"})
        for (const ProjectionDraw projections :
             {ProjectionDraw::separate_linear, ProjectionDraw::separate_xavier}) {
            INFO(name);
            Convention c = convention(name);
            c.projections = projections;
            MultiHeadChoices choices;
            choices.d_model = 6, choices.heads = 2, choices.d_in = 4;
            MultiHeadAttention attention(c.config(choices));
            const auto stream = make_stream(Rng::torch, 5), same = make_stream(Rng::torch, 5);
            draw(attention, c, *stream);
            if (projections ==
                ProjectionDraw::separate_xavier)  // torch.nn.Linear has drawn for itself before
                for (const index_t d_in : {4, 4, 4, 6}) (void)make_linear(*same, d_in, 6, c.init);
            const auto made = projections == ProjectionDraw::separate_linear ? make_linear : xavier_linear;
            for (index_t part = 0; part < 3; ++part) {
                const Linear layer = made(*same, 4, 6, c.init, true);
                for (index_t row = 0; row < 6; ++row) {
                    const bool by_head = c.qkv == QkvLayout::per_head;
                    const index_t at = by_head ? row / 3 * 9 + part * 3 + row % 3 : part * 6 + row;
                    CHECK(attention.qkv_proj.bias.at({at}) == layer.bias.at({row}));
                    for (index_t i = 0; i < 4; ++i)
                        CHECK(attention.qkv_proj.weight.at({at, i}) == layer.weight.at({row, i}));
                }
            }
            const Linear output = made(*same, 6, 6, c.init, true);
            CHECK(attention.o_proj.weight.values() == output.weight.values());
        }
}

TEST_CASE("differences: only a mask that is not passed on takes steps away") {
    Convention other = convention("uva-jax");
    other.passes_mask = false, other.shares_norm = true, other.deep_output_net = false;
    std::vector<std::string> adding;
    for (const Difference& each : differences(convention("uva-jax"), other))
        if (each.adds_steps) adding.push_back(each.choice);
    CHECK(adding == std::vector<std::string>{"encoder blocks pass their mask on to attention"});
}
