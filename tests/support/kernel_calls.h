#pragma once
#include <functional>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/tensor.h>

#include "support/compare.h"
#include "support/random.h"

namespace glassbox_test {

// A kernel call: its inputs (undefined where absent) and the shapes of its outputs.
struct KernelCall {
    using In = std::vector<glassbox::ConstView>;
    using Out = std::vector<glassbox::View>;

    const char* name;
    std::vector<glassbox::Tensor> inputs;
    std::vector<glassbox::Shape> outputs;
    std::function<void(glassbox::Backend&, const In&, const Out&)> run;
    Tolerance tolerance = chain;
    bool any_strides = true;     // inputs may have any strides
    bool same_by_layout = true;  // a BLAS may sum in another order where a factor lies otherwise in memory
};

// The outputs of a backend, written over NaN. With `scatter` the inputs are strided, where the kernel allows
// that.
std::vector<glassbox::Tensor> results(const KernelCall& call, glassbox::Backend& kernels, Random* scatter);

// Random calls of all kernels of the interface except attention's masks (support/attention_case.h), with all
// options, on small shapes. `n` is the length of rows.
KernelCall any_call(Random& random);
KernelCall reduction(Random& random, const glassbox::Shape& shape);
KernelCall softmaxes(Random& random, glassbox::index_t n);
KernelCall cross_entropies(Random& random, glassbox::index_t n);
KernelCall layer_norms(Random& random, glassbox::index_t n);

glassbox::Tensor integers(Random& random, const glassbox::Shape& shape, glassbox::index_t min,
                          glassbox::index_t max);
// Replaces one element by NaN or an infinity, which must propagate.
void spoil(Random& random, glassbox::Tensor& x);

}  // namespace glassbox_test
