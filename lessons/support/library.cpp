#include "library.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace lesson {

glassbox::BlockChoices block_choices(const Tensors& golden, index_t d_model, index_t d_ff) {
    glassbox::BlockChoices choices;
    choices.d_model = d_model;
    choices.heads = number_of(golden.at("heads"));
    choices.d_ff = d_ff;
    choices.dropout = 0;
    if (golden.count(pre_norm_setting)) choices.norm = glassbox::NormPlacement::pre;
    return choices;
}

std::string result_of(const Tensors& golden, const char* post, const char* pre) {
    return golden.count(pre_norm_setting) ? pre : post;
}

index_t layers_in(const Tensors& golden, const std::string& stack) {
    index_t layers = 0;
    while (golden.count(fmt::format("{}.layers.{}.norm1.weight", stack, layers))) ++layers;
    return layers;
}

bool has_padding_inside(const Tensor& written, index_t pad, index_t end) {
    const std::vector<glassbox::real> tokens = written.values();
    for (auto row = tokens.begin(); row != tokens.end(); row += written.size(-1)) {
        const auto last = std::find(row, row + written.size(-1), static_cast<glassbox::real>(end));
        if (std::find(row, last, static_cast<glassbox::real>(pad)) != last) return true;
    }
    return false;
}

}  // namespace lesson
