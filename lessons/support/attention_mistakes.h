#pragma once
#include <string>
#include <vector>

#include "check.h"

// What lessons with attention have in common: the usual mistakes, by what they do to the numbers. Each gives
// a reason as the hints name it, or "".
namespace lesson {

// The lessons' score of a key that must not be seen.
constexpr double hidden = -9e15;

// A hidden score may be any that is low enough, for the sources differ in it: golden's replaces it.
Tensor with_hidden_as_in(const Tensor& golden, const Tensor& masked);

// not-divided, no-root, or wrong-size when it is the root of one of the other sizes.
std::string why_scaled(const Tensor& logits, const Tensor& scaled, glassbox::index_t d_k,
                       const std::vector<glassbox::index_t>& other_sizes);
// inverted, after-softmax, ignored, zero. The mask broadcasts to the scores.
std::string why_masked(const Tensor& scaled, const Tensor& masked, const Tensor& attention,
                       const Tensor& mask);
// overflow, wrong-axis, not-normalised.
std::string why_attention(const Tensor& masked, const Tensor& attention);

}  // namespace lesson
