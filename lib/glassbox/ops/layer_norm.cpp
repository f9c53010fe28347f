#include <glassbox/ops/layer_norm.h>

#include <glassbox/ops/check.h>
#include <glassbox/ops/elementwise.h>
#include <glassbox/ops/reduce.h>

namespace glassbox {

// y = (x − E[x]) / √(Var[x] + ε) ∘ γ + β
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon, Moments moments) {
    common_device("layer_norm", x, gamma);
    common_device("layer_norm", x, beta);
    if (x.rank() < 1 || x.size(-1) < 1) fail("layer_norm: rows of at least 1 number needed, x is {}", x.shape());
    if (gamma.shape() != Shape{x.size(-1)} || beta.shape() != gamma.shape())
        fail("layer_norm: γ and β of shape ({},) needed for x of shape {}, got {} and {}", x.size(-1), x.shape(),
             gamma.shape(), beta.shape());
    Tensor mu = mean(x, -1, true);                                                   // (…, 1)
    Tensor centred = x - mu;                                                         // (…, d)
    Tensor variance = moments == Moments::two_pass ? mean(centred * centred, -1, true)
                                                   : relu(mean(x * x, -1, true) - mu * mu);  // (…, 1)
    return centred / sqrt(variance + epsilon) * gamma + beta;                        // (…, d)
}

}  // namespace glassbox
