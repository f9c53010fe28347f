#pragma once
#include <functional>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

#include "support/random.h"
#include "support/tolerance.h"

namespace glassbox_test {

// A kernel, its inputs (undefined: absent), the shapes of what it writes.
struct KernelCall {
    using In = std::vector<glassbox::ConstView>;
    using Out = std::vector<glassbox::View>;

    const char* name;
    std::vector<glassbox::Tensor> inputs;
    std::vector<glassbox::Shape> outputs;
    std::function<void(glassbox::Backend&, const In&, const Out&)> run;
    Tolerance tolerance = chain;
    bool any_strides = true;  // of the inputs
};

// What a backend writes, into room that was full of NaN. With `scatter` the inputs lie anywhere, where the
// kernel takes any strides.
std::vector<glassbox::Tensor> results(const KernelCall& call, glassbox::Backend& kernels, Random* scatter);

// Each kernel of the interface but attention's masks (support/attention_case.h), with all its options, on
// small shapes. Of rows of n numbers:
KernelCall any_call(Random& random);
KernelCall reduction(Random& random, const glassbox::Shape& shape);
KernelCall softmaxes(Random& random, glassbox::index_t n);
KernelCall cross_entropies(Random& random, glassbox::index_t n);
KernelCall layer_norms(Random& random, glassbox::index_t n);

glassbox::Tensor whole_numbers(Random& random, const glassbox::Shape& shape, glassbox::index_t least,
                               glassbox::index_t most);
// One element becomes something that must not be lost on the way: NaN or an infinity.
void spoil(Random& random, glassbox::Tensor& x);

}  // namespace glassbox_test
