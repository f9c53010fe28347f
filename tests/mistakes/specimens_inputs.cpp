#include <glassbox/layers/linear.h>
#include <glassbox/layers/pooling.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/series_input.h>
#include <glassbox/layers/time2vec.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

#include "mistakes/specimens.h"

using namespace glassbox;

namespace specimens {

namespace {

Tensor normal(const Shape& shape, std::uint64_t seed) { return make_stream(Rng::numpy, seed)->normal(shape); }

Specimen positions(const char* name, const Shape& shape, index_t first = 0) {
    const PositionalEncoding layer(shape[-1]);
    const Tensor x = normal(shape, 41);
    return {name, {[=] { (void)layer(x, first); }, "output"}};
}

// As the command shows a shift: M PE(t) and PE(t + φ).
Specimen shift(const char* name, const char* result) {
    namespace step = steps::shifted_encoding;
    return {name,
            {[] {
                 const Tensor PE = named(step::encoding, sinusoidal_encoding(5, 8));
                 const Tensor M = named(step::M, shift_matrix(3, 8));
                 const Tensor rotated = named(step::rotated, shifted_encoding(PE, M));
                 const Tensor later = named(step::later, sinusoidal_encoding(5, 8, false, 3));
                 (void)named(step::difference, rotated - later);
                 (void)named(step::dots, matmul(PE, transpose(PE)));
             },
             result}};
}

std::vector<Specimen> of_positions() {
    LearnedPositions learned(7, 4);
    learned.weight = normal({7, 4}, 42);
    const Tensor x = normal({2, 5, 4}, 43);
    return {
        positions("positions", {2, 5, 8}),
        positions("positions, an odd width", {4, 7}),
        positions("positions, square", {3, 6, 6}),
        positions("positions, behind a cache", {2, 3, 8}, 4),
        {"positions, learned", {[=] { (void)learned(x); }, "output"}},
        shift("shift", "rotated"),
        shift("shift, later", "later"),
        shift("shift, dots", "dots"),
    };
}

Tensor times() { return Tensor({2, 5}, {0.5, 1.25, 2, 3.5, 3.75, -1, 0.25, 0.75, 2.5, 4}); }

SeriesInput series_input(const SeriesInputConfig& config) {
    SeriesInput layer(config);
    layer.input_net = {normal(layer.input_net.weight.shape(), 44), normal(layer.input_net.bias.shape(), 45)};
    layer.time2vec.omega = normal({config.time_width}, 46) * 0.7;
    layer.time2vec.phi = normal({config.time_width}, 47);
    return layer;
}

std::vector<Specimen> of_series() {
    Time2Vec time2vec(4);
    time2vec.omega = normal({4}, 48) * 0.6;
    time2vec.phi = normal({4}, 49);
    const Tensor one = normal({2, 5, 1}, 50), three = normal({2, 5, 3}, 51);
    const SeriesInput with_times = series_input({.columns = 3, .d_model = 6, .time_width = 4});
    const SeriesInput with_positions =
        series_input({.columns = 3, .d_model = 6, .encoding = TimeEncoding::sinusoidal});
    return {
        {"time2vec", {[=] { (void)time2vec(one, times()); }, "output"}},
        {"time2vec, three series", {[=] { (void)time2vec(three, times()); }, "output"}},
        {"series", {[=] { (void)with_times(three, times()); }, "input_net"}},
        {"series, positions", {[=] { (void)with_positions(three, times()); }, "positional/output"}},
    };
}

std::vector<Specimen> of_tokens() {
    TokenEmbedding wide(9, 6), square(5, 5);
    wide.weight = normal({9, 6}, 52);
    square.weight = normal({5, 5}, 53);
    const Tensor ids({2, 4}, {3, 0, 8, 5, 1, 7, 2, 2}), few({3}, {4, 0, 2});
    return {
        {"embedding", {[=] { (void)wide(ids); }, "scaled"}},
        {"embedding, square", {[=] { (void)square(few); }, "scaled"}},
        {"embedding with positions",
         {[=] {
              const Tensor words = wide(ids);
              const Scope scope("positional");
              (void)PositionalEncoding(6)(words);
          },
          "positional/output"}},
    };
}

Specimen pool(const char* name, const Tensor& h, Pooling pooling, const Mask& mask = {}) {
    return {name, {[=] { (void)pooled(h, pooling, mask); }, "pooled"}};
}

std::vector<Specimen> of_pooling() {
    // The first feature is negative everywhere.
    const Tensor h = normal({3, 5, 4}, 54) - Tensor({9, 0, 0, 0}), token = normal({4}, 55);
    const Mask lengths = Mask::lengths({3, 5, 2});
    return {
        pool("mean", h, Pooling::mean), pool("mean, lengths", h, Pooling::mean, lengths),
        pool("max", h, Pooling::max),   pool("max, lengths", h, Pooling::max, lengths),
        pool("cls", h, Pooling::cls),   {"cls, in front", {[=] { (void)with_cls(token, h); }, "cls"}},
        pool("last", h, Pooling::last), pool("last, lengths", h, Pooling::last, lengths),
    };
}

// A model that is not linear: the level and the size of what it reads matter.
Specimen norm(const char* name, const Tensor& x, WindowNorm norm) {
    const Tensor output = normal({x.size(0), 2, x.size(-1)}, 56);
    return {name,
            {[=] {
                 const NormedWindow window = normed(x, norm);
                 (void)restored(output * sin(slice(window.x, -2, 0, 2)), window);
             },
             "forecast"}};
}

}  // namespace

std::vector<Specimen> of_inputs() {
    const Tensor x = normal({2, 5, 3}, 57) * 2 + 3;
    std::vector<Specimen> all{
        norm("window, its last value", x, WindowNorm::last),
        norm("window, its mean", x, WindowNorm::revin),
        norm("window, nearly constant", x * 0.001, WindowNorm::revin),
    };
    for (auto* group : {of_positions, of_series, of_tokens, of_pooling})
        for (Specimen& each : group()) all.push_back(std::move(each));
    return all;
}

}  // namespace specimens
