#pragma once
#include <functional>
#include <string>
#include <vector>

#include <glassbox/models/predictor.h>
#include <glassbox/models/stack.h>

#include "subject/model_builder.h"

namespace glassbox::tracer {

// `forward` with the dropout of --dropout, if any; the same numbers are dropped on every call, by --seed.
std::function<void()> with_dropout(const ModelBuilder& making, std::function<void()> forward);

// UsageError for heads that do not divide the width, where both are options; of a file's the layer says it.
void check_heads(const ModelSettings& settings, index_t d_model);

// T of x (…, T, d); for an x of one axis its number of elements.
index_t positions(const Tensor& x);

// The last step of a stack: "encoder/1/norm2".
std::string stack_result(const std::string& name, const StackConfig& config);
// The formulas and sizes of a block, or of a stack of them.
std::vector<std::string> decoder_header(const BlockConfig& block, const Tensor& x, const Tensor& memory,
                                        index_t layers = 0);
std::vector<std::string> block_header(const BlockConfig& block, index_t T, index_t layers = 0);
std::vector<std::string> predictor_header(const PredictorConfig& config, index_t T);

}  // namespace glassbox::tracer
