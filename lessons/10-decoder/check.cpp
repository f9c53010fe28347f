// Lesson 10: how the exercise is called, and the computation that it is.
#include "../support/check.h"

#include <glassbox/layers/decoder_block.h>

#include "../support/arrays.h"
#include "../support/blocks.h"
#include "../support/library.h"
#include "lesson.h"

namespace lesson {
namespace {

class DecoderCheck : public Check {
  public:
    Answer run(const Exercise& exercise, const Tensors& golden) const override {
        auto* block = exercise.function<decltype(decoder_block)>("decoder_block");
        const Matrix x = matrix_of(golden.at("x")), memory = matrix_of(golden.at("memory")),
                     memory_mask = matrix_of(golden.at("memory_mask"));
        const DecoderBlockWeights w = decoder_block_weights_of(golden);
        return run_each<Steps>(
            1, golden, [&](index_t, Steps& steps) { block(x, memory, memory_mask, w, steps); },
            [](Collected& all, const Steps& steps) {
                all.add("mask", steps.mask);
                all.add("self_attn/output", steps.self_attn.output);
                all.add("residual1", steps.residual1), all.add("norm1", steps.norm1);
                all.add("cross_attn/output", steps.cross_attn.output);
                all.add("residual2", steps.residual2), all.add("norm2", steps.norm2);
                all.add("mlp/output", steps.mlp.output);
                all.add("residual3", steps.residual3), all.add("norm3", steps.norm3);
            });
    }

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
                "norm3"};
    }
};

}  // namespace

const Check& the_check() {
    static const DecoderCheck check;
    return check;
}

}  // namespace lesson
