#pragma once
// For call.cpp and check.cpp.
#include <glassbox/tensor/format.h>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "lesson.h"

namespace lesson {

// golden's, as the exercise has them.
inline ForecasterWeights weights_of(const Tensors& golden) {
    ForecasterWeights w{vector_of(golden.at("omega")),
                        vector_of(golden.at("phi")),
                        matrix_of(golden.at("input_net.weight")),
                        vector_of(golden.at("input_net.bias")),
                        {},
                        matrix_of(golden.at("output_net.weight")),
                        vector_of(golden.at("output_net.bias"))};
    const auto path = [&] { return fmt::format("encoder.layers.{}.", w.encoder.size()); };
    while (golden.count(path() + "norm1.weight"))
        w.encoder.push_back(encoder_block_weights_of(golden, path()));
    return w;
}

}  // namespace lesson
