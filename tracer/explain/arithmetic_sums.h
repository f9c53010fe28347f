#pragma once
#include <string>
#include <vector>

#include "explain/arithmetic.h"

// Ops of many numbers at once: products of matrices, sums, maxima, softmax.
namespace tracer::arithmetic {

Arithmetic matmul(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic linear(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic total(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic extreme(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic softmax(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic log_softmax(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic cross_entropy(const Element& y, const glassbox::Operation& op, const Labels& of);

// What others that look at a row of numbers need, too: x's row in which y stands, the last axis running;
// those of its terms that are written out; the label of the first, with a letter in place of the index that
// runs, Q[0,c]; and "a + b - c", in the middle "… (90 more) …" when there are many.
std::vector<Element> row_of(const Element& y, const Tensor& x, const Labels& of);
std::vector<Element> those_written(const std::vector<Element>& terms);
std::string running_label(const Element& first, const Element& next, char letter, const Labels& of);
std::string summed(const std::vector<std::string>& terms);

}  // namespace tracer::arithmetic
