// Lesson 10: the computation that the exercise is.
#include "../support/check.h"

#include <glassbox/layers/decoder_block.h>

#include "../support/arrays.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

class DecoderCheck : public Check {
  public:
    std::vector<std::string> paths_of(const std::string& step, const Tensors&) const override {
        return {step == "mask" ? "causal" : step};
    }

    // The block is handed the causal mask, which is a step.
    glassbox::Computation computation(const Tensors& golden) const override {
        const Tensor &x = golden.at("x"), &memory = golden.at("memory");
        const auto sizes = block_choices(golden, x.size(-1), golden.at("linear_net.0.bias").numel());
        glassbox::BlockConfig config = golden_convention().decoder_block(sizes);
        config.causal = false;
        const auto block = with_weights(glassbox::DecoderBlock(config), golden);
        const glassbox::Mask memory_mask = glassbox::Mask::given(golden.at("memory_mask"));
        return {[=] {
                    const Tensor mask = glassbox::Mask::causal().visible_by_steps({x.size(-2), x.size(-2)});
                    (void)(*block)(x, memory, glassbox::Mask::given(mask), memory_mask);
                },
                result_of(golden, "norm3", "residual3"), [=] { return glassbox::parameters_of(*block); }};
    }
};

}  // namespace

const Check& the_check() {
    static const DecoderCheck check;
    return check;
}

}  // namespace lesson
