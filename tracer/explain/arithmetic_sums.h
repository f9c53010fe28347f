#pragma once
#include <string>
#include <vector>

#include "explain/arithmetic.h"

// Ops that reduce many numbers: matrix products, sums, maxima, softmax.
namespace tracer::arithmetic {

Arithmetic matmul(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic linear(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic total(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic extreme(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic softmax(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic log_softmax(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic cross_entropy(const Element& y, const glassbox::Operation& op, const Labels& labels);

// Also used by arithmetic_layers.cpp.
// x's row at y's position, along the last axis.
std::vector<Element> row_of(const Element& y, const Tensor& x, const Labels& labels);
// The terms that are written out when a long sum is shortened.
std::vector<Element> written_terms(const std::vector<Element>& terms);
// The label of a sum's first term with a letter as the summation index: Q[0,c].
std::string running_label(const Element& first, const Element& next, char letter, const Labels& labels);
// "a + b - c", with "… (90 more terms) …" in the middle when there are many.
std::string summed(const std::vector<std::string>& terms);

}  // namespace tracer::arithmetic
