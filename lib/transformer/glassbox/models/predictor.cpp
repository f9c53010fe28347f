#include <glassbox/models/predictor.h>

#include <glassbox/layers/detail/dropped.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace step = steps::predictor;

// logits = OutputNet(Encoder(InputNet(x) + PE))
Tensor Predictor::operator()(const Tensor& input, const Mask& mask) const {
    const bool has_cls = config_.pooling == Pooling::cls;
    Tensor h = embedded(input);                                                  // (…, T, d_model)
    if (has_cls) h = with_cls(cls, h);                                           // (…, 1 + T, d_model)
    if (config_.positional_encoding) h = with_positions(h);                      // (…, T, d_model)
    h = encoder(h, has_cls ? mask.with_prepended_token() : mask);                // (…, T, d_model)
    if (config_.pooling != Pooling::none) h = pooled(h, config_.pooling, mask);  // (…, d_model)
    Tensor logits = named(step::logits, output_net(h));                          // (…, T, classes)
    if (Trace::current() && config_.classes > 1)
        (void)named(step::softmax, softmax(logits));  // rows sum to 1; only for the trace
    return logits;
}

// The input network: one linear layer. For a one-hot x it selects one vector of its weights, like an
// embedding.
Tensor Predictor::embedded(const Tensor& input) const {
    if (input.rank() < 2 || input.size(-1) != config_.d_in)
        fail("predictor: needs x of shape (…, T, {}), got {}", config_.d_in, input.shape());
    const bool drops_after = config_.input_dropout_after;
    Tensor x = named(step::x, input);  // (…, T, d_in)
    if (!drops_after) x = dropped(step::input_dropout, x, config_.input_dropout);
    Tensor h = named(step::input_net, input_net(x));  // (…, T, d_model)
    return drops_after ? dropped(step::input_dropout, h, config_.input_dropout) : h;
}

Tensor Predictor::with_positions(const Tensor& h) const {
    const Scope scope("positional");
    return positional_(h);
}

// Linear, LayerNorm, ReLU, Linear in the tutorials; one Linear in the report.
Tensor Predictor::output_net(const Tensor& h) const {
    if (!config_.deep_output_net) return output_last(h);
    const Scope scope("output_net");
    Tensor hidden = named(step::linear, output_first(h));    // (…, d_model)
    Tensor normed = named(step::norm, output_norm(hidden));  // (…, d_model)
    Tensor active = named(step::relu, relu(normed));         // (…, d_model)
    active = dropped(step::dropout, active, config_.output_dropout);
    return output_last(active);  // (…, classes)
}

namespace {

const PredictorConfig& checked(const PredictorConfig& config) {
    if (config.d_in < 1 || config.classes < 1)
        fail("predictor: needs an input width and a number of classes of at least 1, got {} and {}",
             config.d_in, config.classes);
    return config;
}

}  // namespace

std::string formula(const PredictorConfig& config) {
    const bool has_cls = config.pooling == Pooling::cls;
    std::string h = has_cls ? "[CLS] ‖ InputNet(x)" : "InputNet(x)";
    if (config.positional_encoding) h = (has_cls ? "(" + h + ")" : h) + " + PE";
    const std::string encoded = fmt::format("Encoder({})", h);
    if (config.pooling == Pooling::none) return fmt::format("logits = OutputNet({})", encoded);
    if (has_cls) return fmt::format("logits = OutputNet({}[0])", encoded);
    return fmt::format("logits = OutputNet({}({}))", name(config.pooling), encoded);
}

Predictor::Predictor(const PredictorConfig& config)
    : input_net(Linear::zeros(checked(config).d_in, config.d_model())),
      cls(config.pooling == Pooling::cls ? Tensor::zeros({config.d_model()}) : Tensor()),
      encoder(config.encoder),
      output_last(Linear::zeros(config.d_model(), config.classes)),
      config_(config),
      positional_(config.d_model(), config.positions) {
    if (!config.deep_output_net) return;
    output_first = Linear::zeros(config.d_model(), config.d_model());
    output_norm = LayerNorm(config.d_model(), config.encoder.block.norm);
}

void Predictor::parameters(Parameters& all) {
    all("input_net.1", input_net);
    all("cls_token", cls);
    all("transformer", encoder);
    if (!config_.deep_output_net) return all("output_net", output_last);
    all("output_net.0", output_first);
    all("output_net.1", output_norm);
    all("output_net.4", output_last);
}

}  // namespace glassbox
