#include "library.h"

#include <glassbox/tensor/format.h>

namespace lesson {

glassbox::BlockChoices block_choices(const Tensors& golden, index_t d_model, index_t d_ff) {
    glassbox::BlockChoices choices;
    choices.d_model = d_model;
    choices.heads = number_of(golden.at("heads"));
    choices.d_ff = d_ff;
    choices.dropout = 0;
    return choices;
}

index_t layers_in(const Tensors& golden, const std::string& stack) {
    index_t layers = 0;
    while (golden.count(fmt::format("{}.layers.{}.norm1.weight", stack, layers))) ++layers;
    return layers;
}

}  // namespace lesson
