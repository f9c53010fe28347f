#include "subject/foreign_weights.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

namespace {

// "encoder.layer.N.attention.self.query.weight", and the first number in it; −1: none.
struct Pattern {
    std::string name;
    long layer = -1;

    explicit Pattern(const std::string& of) {
        for (std::size_t i = 0; i < of.size();) {
            if (!std::isdigit(static_cast<unsigned char>(of[i]))) {
                name += of[i++];
                continue;
            }
            std::size_t end = i;
            while (end < of.size() && std::isdigit(static_cast<unsigned char>(of[end]))) ++end;
            if (layer < 0 && end - i < 6) layer = std::stol(of.substr(i, end - i));
            name += 'N', i = end;
        }
    }
};

// The end of a parameter's name, and the axis that has a size. Numbers are N.
struct Where {
    const char* end = nullptr;
    int axis = 0;
};

constexpr const char* in_python =
    "the Python module knows these names: glassbox.trace(\"encoder\", x=x, weights=model)";
constexpr const char* by_hand =
    "docs/weights.md has the names and shapes that are needed; queries, keys and values are one matrix there";

struct Family {
    const char* what;
    Where width;  // of the model; its name marks the family
    Where hidden{};
    const char* advice = by_hand;
    bool (*fits)(const Tensor& width) = nullptr;
};

bool is_conv1d(const Tensor& c_attn) { return c_attn.rank() == 2 && c_attn.size(1) == 3 * c_attn.size(0); }

constexpr Family families[] = {
    {"a ViT of Hugging Face", {"attention.attention.query.weight", 0}, {"intermediate.dense.weight", 0}},
    {"a BERT of Hugging Face",
     {"attention.self.query.weight", 0},
     {"intermediate.dense.weight", 0},
     in_python},
    {"a GPT-2 of Hugging Face", {"attn.c_attn.weight", 0}, {"mlp.c_fc.weight", 1}, in_python, is_conv1d},
    {"a nanoGPT", {"attn.c_attn.weight", 1}, {"mlp.c_fc.weight", 0}, in_python},
    {"a Llama or one of its family",
     {"mlp.gate_proj.weight", 1},
     {"mlp.gate_proj.weight", 0},
     "its norm, gate and rotation are not in this model"},
    {"a GPT-NeoX", {"attention.query_key_value.weight", 1}, {"mlp.dense_h_to_4h.weight", 0}},
    {"a BART, Marian, OPT or fairseq model", {"self_attn_layer_norm.weight", 0}, {"fcN.weight", 0}},
    {"a T5", {"SelfAttention.q.weight", 1}, {"DenseReluDense.wi.weight", 0}},
    {"a DistilBERT", {"attention.q_lin.weight", 0}, {"ffn.linN.weight", 0}},
    {"a model of TransformerLens", {"attn.W_Q", 1}, {"mlp.W_in", 1}},
    {"a timm vision transformer", {"attn.qkv.weight", 1}, {"mlp.fcN.weight", 0}, in_python},
    {"the Annotated Transformer",
     {"self_attn.linears.N.weight", 0},
     {"feed_forward.w_N.weight", 0},
     in_python},
    {"an adapter (LoRA), without the weights that it changes", {"lora_A.weight", 1}, {}, "merge it first"},
    {"a quantised model (GPTQ or AWQ)", {"qweight", 1}, {}, "take the model in float16 or float32"},
    {"a quantised model (bitsandbytes)", {"weight.absmax", 0}, {}, "take the model in float16 or float32"},
    {"a quantised model (bitsandbytes)", {".SCB", 0}, {}, "take the model in float16 or float32"},
    {"torch.nn.MultiheadAttention with kdim or vdim",
     {"q_proj_weight", 1},
     {},
     "keys and values have the queries' width here"},
    {"torch.nn.MultiheadAttention with add_bias_kv", {"bias_k", 2}, {}, "there are no such biases here"},
    {"parameters of Flax", {"kernel", 0}, {}, "docs/weights_from_flax.py writes them by PyTorch's names"},
};

bool is_end(const std::string& name, const std::string& end) {
    if (!name.ends_with(end)) return false;
    if (name.size() == end.size() || end.front() == '.') return true;
    const char before = name[name.size() - end.size() - 1];
    return before == '.' || before == '/' || before == '_';
}

const Tensor* found(const NamedTensors& tensors, const Where& where) {
    if (where.end == nullptr) return nullptr;
    for (const auto& [name, value] : tensors)
        if (value.rank() > where.axis && is_end(Pattern(name).name, where.end)) return &value;
    return nullptr;
}

index_t layers_of(const NamedTensors& tensors, const Where& where) {
    std::set<long> layers;
    for (const auto& [name, value] : tensors)
        if (const Pattern pattern(name); is_end(pattern.name, where.end)) layers.insert(pattern.layer);
    layers.erase(-1);
    return static_cast<index_t>(layers.size());
}

}  // namespace

ForeignWeights foreign_weights(const NamedTensors& tensors) {
    for (const Family& family : families) {
        const Tensor* width = found(tensors, family.width);
        if (!width || (family.fits && !family.fits(*width))) continue;
        std::string what = family.what;
        if (family.hidden.end) what += fmt::format(", d_model {}", width->size(family.width.axis));
        if (const index_t layers = layers_of(tensors, family.width); layers > 0 && family.hidden.end)
            what += fmt::format(", {} layer{}", layers, layers == 1 ? "" : "s");
        if (const Tensor* hidden = found(tensors, family.hidden))
            what += fmt::format(", d_ff {}", hidden->size(family.hidden.axis));
        return {what, family.advice};
    }
    return {};
}

std::string why_no_weights(const std::vector<NamedWeights>& weights) {
    constexpr std::size_t least_different = 6;
    constexpr double large = 256, max_of_16_bits = 65535;  // beyond those of 8 bits
    for (const auto& [name, value] : weights) {
        const real *const begin = value->data(), *const end = begin + value->numel();
        const auto is_whole = [](real x) { return std::isfinite(x) && x == std::floor(x); };
        if (!std::all_of(begin, end, is_whole)) continue;
        std::set<real> different;
        double largest = 0;
        for (const real* at = begin; at < end; ++at) {
            const real x = *at;
            largest = std::max(largest, std::abs(static_cast<double>(x)));
            if (std::abs(static_cast<double>(x)) >= large && different.size() < least_different)
                different.insert(x);
        }
        if (different.size() < least_different) continue;
        const bool is_of_16_bits = largest <= max_of_16_bits;
        return fmt::format(
            "{} has whole numbers alone, up to {:.0f}: the bits of {}, kept as integers, or quantised "
            "weights, "
            "which need their scales; save the model in float32, bits as x.view(torch.{}).float() has them",
            printable(name), largest, is_of_16_bits ? "float16 or bfloat16" : "float32",
            is_of_16_bits ? "bfloat16" : "float32");
    }
    return "";
}

bool are_true_and_false(const std::vector<NamedWeights>& weights) {
    constexpr double many = 60, min_part = 0.3;  // an identity's ones and norms' of 1 are fewer
    double zeros = 0, ones = 0;
    for (const auto& [name, value] : weights) {
        const real *const begin = value->data(), *const end = begin + value->numel();
        if (std::any_of(begin, end, [](real x) { return x != 0 && x != 1; })) return false;
        ones += static_cast<double>(std::count(begin, end, real(1)));
        zeros += static_cast<double>(std::count(begin, end, real(0)));
    }
    const double all = zeros + ones;
    return all >= many && std::min(zeros, ones) >= min_part * all;
}

}  // namespace glassbox::tracer
