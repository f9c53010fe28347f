#include <glassbox/models/forecaster.h>

#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::forecaster;

namespace {

// τ = time − time[t], for the window and, after it, for the values to come: 0 at the last known value.
Tensor since(const Tensor& origin, const Tensor& time) {
    return time - slice(origin, -1, origin.size(-1) - 1, origin.size(-1));
}

void check_window(const ForecasterConfig& config, const Tensor& x) {
    if (x.rank() < 2 || x.size(-2) != config.window || x.size(-1) != config.input.columns)
        fail("forecaster: needs x of shape (…, {}, {}), got {}", config.window, config.input.columns,
             x.shape());
}

}  // namespace

// forecast = Head(Encoder(InputNet(x ‖ Time2Vec(τ))))
Tensor Forecaster::operator()(const Tensor& series, const Tensor& time) const {
    check_window(config_, series);
    Tensor x = named(step::x, series);                    // (…, L, c)
    const NormedWindow window = normed(x, config_.norm);  // (…, L, c)
    Tensor tau = named(step::tau, since(time, time));     // (…, L) or (L)
    Tensor h = encoder(input(window.x, tau));             // (…, L, d_model)
    const Shape batch = h.shape().leading(h.rank() - 2);  // (…)
    const index_t L = config_.window, d = h.size(-1);
    const bool is_flat = config_.head == ForecastHead::flatten;
    Tensor flat = is_flat ? named(step::flat, reshape(h, batch.with_appended(L * d)))  // (…, L d_model)
                          : named(step::last, select(h, -2, L - 1));                   // (…, d_model)
    Tensor output = named(step::output, head(flat));                                   // (…, H c)
    const Shape ahead = batch.with_appended(config_.horizon).with_appended(config_.input.columns);
    return restored(reshape(output, ahead), window);  // (…, H, c)
}

// forecast[h] = Head(Decoder(InputNet(before ‖ Time2Vec(τ)), Encoder(InputNet(x ‖ Time2Vec(τ)))))
Tensor StepForecaster::operator()(const Tensor& series, const Tensor& time, const Tensor& before,
                                  const Tensor& before_time) const {
    check_window(config_, series);
    Tensor x = named(step::x, series);                    // (…, L, c)
    const NormedWindow window = normed(x, config_.norm);  // (…, L, c)
    const Tensor memory = encoded(window.x, time);        // (…, L, d_model)
    return next(window, memory, time, before, before_time);
}

// Encoder(InputNet(x ‖ Time2Vec(τ)))
Tensor StepForecaster::encoded(const Tensor& x, const Tensor& time) const {
    Tensor tau = named(step::tau, since(time, time));  // (…, L)
    Tensor h = [&] {
        const Scope scope("source");
        return source(x, tau);  // (…, L, d_model)
    }();
    return encoder(h);  // (…, L, d_model)
}

// Head(Decoder(InputNet(before ‖ Time2Vec(τ)), memory))
Tensor StepForecaster::next(const NormedWindow& window, const Tensor& memory, const Tensor& time,
                            const Tensor& before, const Tensor& before_time) const {
    Tensor y = [&] {
        const Scope scope("target");
        return target(normed_as(before, window), since(time, before_time));  // (…, h, d_model)
    }();
    y = decoder(y, memory);                        // (…, h, d_model)
    Tensor output = named(step::output, head(y));  // (…, h, c)
    return restored(output, window);               // (…, h, c)
}

namespace {

// The first h of `before` and of their times: the last known value, then the forecasts so far.
Tensor first_times(const Tensor& time, const Tensor& target_time, index_t h) {
    const Tensor last = slice(time, -1, time.size(-1) - 1, time.size(-1));
    return h == 1 ? last : concat({last, slice(target_time, -1, 0, h - 1)}, -1);
}

}  // namespace

Tensor StepForecaster::forecast(const Tensor& x, const Tensor& time, const Tensor& target_time) const {
    const index_t H = target_time.size(-1);
    Tensor before = slice(x, -2, x.size(-2) - 1, x.size(-2));  // (…, 1, c)
    if (H > 1) {
        const NoRecording silence;  // earlier rows of the last pass are the same
        const NormedWindow window = normed(x, config_.norm);
        const Tensor memory = encoded(window.x, time);
        for (index_t h = 1; h < H; ++h) {
            const Tensor y = next(window, memory, time, before, first_times(time, target_time, h));
            before = concat({before, slice(y, -2, h - 1, h)}, -2);  // (…, h + 1, c)
        }
    }
    return (*this)(x, time, before, first_times(time, target_time, H));
}

Tensor values_before(const Tensor& x, const Tensor& targets) {
    const Tensor last = slice(x, -2, x.size(-2) - 1, x.size(-2));
    if (targets.size(-2) == 1) return last;
    return concat({last, slice(targets, -2, 0, targets.size(-2) - 1)}, -2);
}

// ---- making ----------------------------------------------------------------------------------------------

namespace {

const ForecasterConfig& checked(const ForecasterConfig& config, bool decodes) {
    if (config.window < 1 || config.horizon < 1)
        fail("forecaster: needs a window and a horizon of at least 1, got {} and {}", config.window,
             config.horizon);
    const index_t d = config.input.d_model, of_encoder = config.encoder.block.d_model();
    const index_t of_decoder = decodes ? config.decoder.block.d_model() : d;
    if (of_encoder != d || of_decoder != d)
        fail("forecaster: input, encoder and decoder need the same d_model, got {}, {} and {}", d, of_encoder,
             of_decoder);
    return config;
}

index_t head_width(const ForecasterConfig& config) {
    return config.head == ForecastHead::flatten ? config.window * config.input.d_model : config.input.d_model;
}

std::string embedded(const ForecasterConfig& config, const char* x) {
    switch (config.input.encoding) {
        case TimeEncoding::time2vec:
            return fmt::format("InputNet({} ‖ Time2Vec(τ))", x);
        case TimeEncoding::sinusoidal:
            return fmt::format("InputNet({}) + PE", x);
        case TimeEncoding::none:
            break;
    }
    return fmt::format("InputNet({})", x);
}

}  // namespace

std::string formula(const ForecasterConfig& config, bool decodes) {
    const char* x = config.norm == WindowNorm::none   ? "x"
                    : config.norm == WindowNorm::last ? "x − level"
                                                      : "(x − level) / spread";
    const char* back = config.norm == WindowNorm::none   ? ""
                       : config.norm == WindowNorm::last ? " + level"
                                                         : " spread + level";
    const std::string memory = fmt::format("Encoder({})", embedded(config, x));
    if (!decodes) return fmt::format("forecast = Head({}){}", memory, back);
    return fmt::format("forecast = Head(Decoder({}, {})){}", embedded(config, "before"), memory, back);
}

Forecaster::Forecaster(const ForecasterConfig& config)
    : input(checked(config, false).input),
      encoder(config.encoder),
      head(Linear::zeros(head_width(config), config.horizon * config.input.columns)),
      config_(config) {}

void Forecaster::parameters(Parameters& all) {
    all("input", input);
    all("encoder", encoder);
    all("head", head);
}

StepForecaster::StepForecaster(const ForecasterConfig& config)
    : source(checked(config, true).input),
      target(config.input),
      encoder(config.encoder),
      decoder(config.decoder),
      head(Linear::zeros(config.input.d_model, config.input.columns)),
      config_(config) {}

void StepForecaster::parameters(Parameters& all) {
    all("source", source);
    all("target", target);
    all("encoder", encoder);
    all("decoder", decoder);
    all("head", head);
}

}  // namespace glassbox
