#include <glassbox/tasks/synthetic_features.h>

#include <algorithm>
#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/generators.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

constexpr index_t content = 16, style = 32, factors = content + style;  // numbers behind an image
// Factors are multiples of 1/16 and weights of 1/8; feature_scale brings features to a mean of about ½.
constexpr double factor_steps = 16, weight_steps = 8, feature_scale = 0.125;
// In standard deviations of a feature for standard normal factors; makes most features 0.
constexpr double bias = -0.5;

double rounded(double x, double steps) { return std::rint(x * steps) / steps; }

std::vector<double> normals(NumpyGenerator& generator, index_t count) {
    std::vector<double> x(static_cast<std::size_t>(count));
    generator.standard_normal(x);
    return x;
}

NumpyGenerator stream(std::uint64_t seed, std::uint64_t which) {
    const std::uint64_t seeds[] = {seed, which};
    return NumpyGenerator{std::span<const std::uint64_t>(seeds)};
}

// What all images share: the network W, b, and the content of every class, including its group's.
struct Generator {
    explicit Generator(const SyntheticFeaturesConfig& config);
    Tensor W, b;                // (width, factors), (width)
    std::vector<double> codes;  // (classes, content)
};

Generator::Generator(const SyntheticFeaturesConfig& config) {
    NumpyGenerator generator = stream(config.seed, 0);
    std::vector<real> weights;
    for (const double w : normals(generator, config.width * factors))
        weights.push_back(static_cast<real>(feature_scale * rounded(w, weight_steps)));
    W = Tensor({config.width, factors}, weights);
    const double b_each = rounded(bias * std::sqrt(factors), factor_steps * weight_steps);
    b = Tensor::full({config.width}, static_cast<real>(feature_scale * b_each));
    const std::vector<double> groups = normals(generator, config.groups * content);
    codes = normals(generator, config.classes * content);
    for (index_t c = 0; c < config.classes; ++c)
        for (index_t i = 0; i < content; ++i)
            codes[static_cast<std::size_t>(c * content + i)] +=
                groups[static_cast<std::size_t>(c * config.groups / config.classes * content + i)];
}

class SyntheticFeatures final : public Features {
  public:
    explicit SyntheticFeatures(const SyntheticFeaturesConfig& config);

    index_t count() const override { return static_cast<index_t>(factors_.size()) / factors; }
    index_t width() const override { return generator_.W.size(0); }
    Tensor of(const std::vector<index_t>& images) const override;

  private:
    Generator generator_;
    std::vector<std::int8_t> factors_;  // (images, factors)
};

std::int8_t as_steps(double factor) {
    return static_cast<std::int8_t>(std::clamp(std::rint(factor_steps * factor), -127.0, 127.0));
}

// content = code + spread · ε, style = style · ε
SyntheticFeatures::SyntheticFeatures(const SyntheticFeaturesConfig& config) : generator_(config) {
    NumpyGenerator generator = stream(config.seed, 1 + config.part);
    for (index_t c = 0; c < config.classes; ++c) {
        const double* code = generator_.codes.data() + c * content;
        for (index_t i = 0; i < config.per_class; ++i) {
            const std::vector<double> noise = normals(generator, factors);
            for (index_t f = 0; f < content; ++f)
                factors_.push_back(as_steps(code[f] + config.spread * noise[static_cast<std::size_t>(f)]));
            for (index_t f = content; f < factors; ++f)
                factors_.push_back(as_steps(config.style * noise[static_cast<std::size_t>(f)]));
        }
    }
}

// features = ReLU(W z + b). The sums are integer multiples of 2⁻¹⁰ with factors below 2²⁴, so that nothing is
// rounded.
Tensor SyntheticFeatures::of(const std::vector<index_t>& images) const {
    const NoRecording silence;  // generating data is not a step of the model
    Tensor z = Tensor::empty({static_cast<index_t>(images.size()), factors});
    real* out = z.writable().data;
    for (const index_t image : images) {
        if (image < 0 || image >= count()) fail("features: no image {}: there are {}", image, count());
        const std::int8_t* factor = factors_.data() + image * factors;
        for (index_t f = 0; f < factors; ++f) *out++ = static_cast<real>(factor[f]) / real(factor_steps);
    }
    Tensor features = linear(z, generator_.W, generator_.b);
    real* x = features.writable().data;
    for (index_t i = 0; i < features.numel(); ++i) x[i] = std::max(x[i], real(0));
    return features;
}

void check(const SyntheticFeaturesConfig& config) {
    const auto check_range = [](const char* what, index_t value, index_t max) {
        if (value < 1 || value > max) fail<UsageError>("features: 1 to {} {}, got {}", max, what, value);
    };
    check_range("classes", config.classes, 10000);
    check_range("groups", config.groups, config.classes);
    check_range("numbers per image", config.width, 65536);
    check_range("images per class", config.per_class, 100000);
    if (!(config.spread >= 0 && config.spread < 100) || !(config.style >= 0 && config.style < 100))
        fail<UsageError>("features: spread and style from 0 to 100, got {} and {}", config.spread,
                         config.style);
}

}  // namespace

LabelledImages synthetic_features(const SyntheticFeaturesConfig& config) {
    check(config);
    std::vector<index_t> labels;
    for (index_t c = 0; c < config.classes; ++c)
        labels.insert(labels.end(), static_cast<std::size_t>(config.per_class), c);
    return labelled(std::make_shared<SyntheticFeatures>(config), std::move(labels));
}

}  // namespace glassbox
