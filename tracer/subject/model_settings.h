#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/layers/encoder_block.h>
#include <glassbox/layers/pooling.h>
#include <glassbox/random/stream.h>

#include "report/scalar.h"
#include "subject/backend_option.h"
#include "subject/convention_option.h"
#include "subject/mask_option.h"
#include "subject/mistake_option.h"
#include "subject/show_settings.h"

// The options of the commands that show a model.
namespace glassbox::tracer {

// For those who take random weights for a trained model.
constexpr const char* ask_the_translator =
    "ask the trained translator: tracer predict translate 'je suis étudiant' --trained";

// A size that, if not given, is taken from the weight file, otherwise `value`, the command's default.
struct Size {
    index_t value = 0;
    bool is_given = false;
};

struct SizeSettings {
    index_t largest = 1 << 24;  // of --seq and --batch
    index_t seq = 3;
    std::optional<index_t> batch, memory;
    Size d_in, d_model, d_ff, layers, classes, width;
    index_t heads = 2;
};

struct SourceSettings {
    std::string text, target;  // words
    std::optional<Rng> rng;
    std::uint64_t seed = 42;
    std::filesystem::path input, weights, save_weights;
};

enum class ModelKind { encoder_decoder, decoder_only, encoder_only };
enum class Positions { yes, no };

struct ComputationSettings {
    const Convention* convention = &conventions().front();
    NormPlacement norm = NormPlacement::post;
    Activation activation = Activation::relu;
    Pooling pooling = Pooling::none;
    Positions positions = Positions::yes;
    std::optional<double> norm_epsilon;  // of every norm; the convention's where it is not given
    ModelKind kind = ModelKind::encoder_decoder;
    double dropout = 0;
    bool final_norm = false, no_bias = false;
    MaskOption mask;
    std::vector<index_t> lengths, other_lengths;  // of x, and of the memory or the target
    Device backend = Device::cpu;
    std::optional<Device> compare;
    Products products = Products::fp32;
    std::optional<ConventionPair> diff;
    std::vector<PlacedMistake> mistakes;
    bool grad = false;
    std::optional<Scalar> scalar;
};

struct ModelSettings : SizeSettings, SourceSettings, ComputationSettings, ShowSettings {
    // --rng, otherwise the convention's generator.
    Rng random_numbers() const { return rng.value_or(convention->rng); }
};

template <>
struct OptionValue<Size> {
    static constexpr const char* value_name = "N";
    static Size parse(const Typed& typed) { return {OptionValue<index_t>::parse(typed), true}; }
    static std::string text(const Size& size) { return size.value ? std::to_string(size.value) : ""; }
    static Values values(const OptionInfo&) { return {}; }
};

// The options of a command in addition to those that every model has.
struct ModelOptions {
    std::vector<std::string> shared;   // those that several models have, by name: "--memory", "--layers"
    std::string input_help;            // the arrays of --input: "x by name"
    std::vector<std::string> steps{};  // the steps, for completion; the last is the result
    std::function<void(Options&)> own_sizes{}, own_choices{};
    std::vector<std::string> without{};  // of those that every model has, what has no effect here
};
// Declares those that define the computation: sizes, input, choices.
void declare_model(Options& options, ModelSettings& settings, const ModelOptions& has);
// Declares these options and those that every model has.
void declare(Options& options, ModelSettings& settings, const ModelOptions& has);
// Throws UsageError for options that exclude each other or would have no effect.
void check(const ModelSettings& settings, const Options& options);

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::ModelKind> {
    static constexpr const char* what = "kind";
    static constexpr Word<glassbox::tracer::ModelKind> all[] = {
        {glassbox::tracer::ModelKind::encoder_decoder, "encoder-decoder"},
        {glassbox::tracer::ModelKind::decoder_only, "decoder-only"},
        {glassbox::tracer::ModelKind::encoder_only, "encoder-only"}};
};

template <>
struct glassbox::EnumWords<glassbox::tracer::Positions> {
    static constexpr const char* what = "positions";
    static constexpr Word<glassbox::tracer::Positions> all[] = {{glassbox::tracer::Positions::yes, "yes"},
                                                                {glassbox::tracer::Positions::no, "no"}};
};
