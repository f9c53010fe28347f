#pragma once
#include <memory>

#include <glassbox/conventions/made.h>
#include <glassbox/layers/mask.h>
#include <glassbox/layers/parameters.h>

#include "arrays.h"
#include "check.h"

// The library's layers and models, with golden's sizes and weights.
namespace lesson {

// The convention in whose layouts golden.npz has its weights.
inline const glassbox::Convention& golden_convention() { return glassbox::convention("uva-torch"); }

// The layer with golden's weights; with the [CLS] token where it has one.
template <class Layer>
std::shared_ptr<Layer> with_weights(Layer layer, const Tensors& golden, bool has_token = false) {
    glassbox::NamedTensors file;
    for (const auto& [name, value] : golden)
        if (name.ends_with(".weight") || name.ends_with(".bias") || (has_token && name == "cls_token"))
            file.emplace_back(name, value);
    const auto loaded = std::make_shared<Layer>(std::move(layer));
    glassbox::parameters_of(*loaded).load(file, golden_convention().file_names());
    return loaded;
}

// Blocks as wide as golden's, with "heads" of them, and without dropout.
// Post-norm, as the lessons have them, but with pre_norm_setting (check.h) among the arrays.
glassbox::BlockChoices block_choices(const Tensors& golden, index_t d_model, index_t d_ff);
// The last step of such a block.
std::string result_of(const Tensors& golden, const char* post, const char* pre);
// How many blocks a stack of golden's weights has: "transformer", "encoder", "decoder".
index_t layers_in(const Tensors& golden, const std::string& stack);

// Whether <pad> is written as a word, before <end>, in any row of tokens. No lesson defines whether later
// words see it as a word or as padding.
bool has_padding_inside(const Tensor& written, index_t pad, index_t end);

}  // namespace lesson
