#pragma once
#include <functional>
#include <string>
#include <vector>

#include <glassbox/models/encoder.h>
#include <glassbox/models/predictor.h>

#include "subject/making.h"

namespace tracer {

// `forward`, with dropout where --dropout asks for it: the same numbers go every time, by --seed.
std::function<void()> trained(const Making& making, std::function<void()> forward);

// T of x (…, T, d); of an x that has no such axis, how many numbers there are.
index_t positions(const Tensor& x);

// The formulas and sizes of a block, or of a stack of them.
// The step in which a stack ends: "encoder/1/norm2".
std::string stack_result(const std::string& name, const glassbox::StackConfig& config);
std::vector<std::string> decoder_header(const glassbox::BlockConfig& block, const Tensor& x,
                                        const Tensor& memory, index_t layers = 0);
std::vector<std::string> block_header(const glassbox::BlockConfig& block, index_t T, index_t layers = 0);
std::vector<std::string> predictor_header(const glassbox::PredictorConfig& config, index_t T);

}  // namespace tracer
