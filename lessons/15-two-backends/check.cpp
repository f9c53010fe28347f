// Lesson 15: the computation that the exercise is.
#include "../support/check.h"

#include <cmath>

#include <glassbox/layers/online_softmax.h>

#include "../support/arrays.h"

namespace lesson {
namespace {

class BackendsCheck : public Check {
  public:
    glassbox::Computation computation(const Tensors& golden) const override {
        return {[x = golden.at("x"), size = number_of(golden.at("size"))] {
                    (void)glassbox::online_softmax(x, size);
                },
                "softmax"};
    }

    // What s is where nothing has been seen is never asked, as long as it is a number.
    Tensor what_counts(const std::string& step, const Tensor& value, const Tensors& golden) const override {
        if (!step.ends_with("/s")) return value;
        const std::vector<glassbox::real> right = golden.at(step).values(),
                                          maxima = golden.at(step.substr(0, step.size() - 1) + "m").values();
        std::vector<glassbox::real> sums = value.values();
        for (std::size_t i = 0; i < sums.size(); ++i)
            if (std::isinf(maxima[i]) && std::isfinite(sums[i])) sums[i] = right[i];
        return Tensor(value.shape(), sums);
    }
};

}  // namespace

const Check& the_check() {
    static const BackendsCheck check;
    return check;
}

}  // namespace lesson
