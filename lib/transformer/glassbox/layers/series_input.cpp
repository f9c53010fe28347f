#include <glassbox/layers/series_input.h>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::series_input;

// h = (x ‖ Time2Vec(τ)) W_inᵀ + b,  or  x W_inᵀ + b + PE
Tensor SeriesInput::operator()(const Tensor& x, const Tensor& time) const {
    if (x.rank() < 2 || x.size(-1) != config_.columns)
        fail("series input: needs x of shape (…, T, {}), got {}", config_.columns, x.shape());
    Tensor features = x;  // (…, T, c)
    if (config_.encoding == TimeEncoding::time2vec) {
        const Scope scope("time2vec");
        features = time2vec(x, time);  // (…, T, c + time_width)
    }
    Tensor h = named(step::input_net, input_net(features));  // (…, T, d_model)
    if (config_.encoding != TimeEncoding::sinusoidal) return h;
    const Scope scope("positional");
    return positional_(h);  // (…, T, d_model)
}

namespace {

index_t width_of(const SeriesInputConfig& config) {
    return config.columns + (config.encoding == TimeEncoding::time2vec ? config.time_width : 0);
}

}  // namespace

SeriesInput::SeriesInput(const SeriesInputConfig& config)
    : time2vec(config.time_width),
      input_net(Linear::zeros(width_of(config), config.d_model)),
      config_(config),
      positional_(config.d_model, config.positions) {
    if (config.columns < 1) fail("series input: needs at least 1 column, got {}", config.columns);
}

void SeriesInput::parameters(Parameters& all) {
    if (config_.encoding == TimeEncoding::time2vec) all("time2vec", time2vec);
    all("input_net", input_net);
}

}  // namespace glassbox
