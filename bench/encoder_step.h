#pragma once
#include <memory>

#include <glassbox/models/stack.h>
#include <glassbox/observe/tape.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/training_step.h>

#include "place.h"

// A training step of an encoder on one batch on the device: forward pass, backward pass from a given ∂L/∂y,
// AdamW on all parameters. Kernel by kernel, or recorded once and replayed.
class EncoderStep {
  public:
    EncoderStep(glassbox::Encoder& encoder, glassbox::Tensor x, glassbox::Tensor dy, bool recorded)
        : encoder_(encoder),
          x_(std::move(x)),
          dy_(std::move(dy)),
          parameters_([&encoder] { return glassbox::parameters_of(encoder); }),
          gradient_(parameters_.new_block()),
          buffers_(glassbox::gradient_buffers_in(gradient_, parameters_)),
          optimiser_(adamw(), parameters_.size(), parameters_.device()) {
        step();  // first-call allocations must not be recorded
        if (recorded) recording_ = glassbox::backend(parameters_.device()).record([this] { step(); });
    }

    bool is_recorded() const { return recording_ != nullptr; }
    void operator()() {
        if (recording_) recording_->run();
        else step();
    }

  private:
    static glassbox::OptimiserConfig adamw() {
        glassbox::OptimiserConfig config;
        config.kind = glassbox::OptimiserKind::adamw;
        config.weight_decay = 0.01;
        return config;
    }

    void step() {
        buffers_->begin();
        {
            glassbox::Tape tape(buffers_.get());
            tape.backward(encoder_(x_), dy_);
        }
        buffers_->finish();
        optimiser_.step(parameters_.writable(), gradient_, 1e-4);
    }

    const glassbox::Encoder& encoder_;
    glassbox::Tensor x_, dy_;  // (B, T, d_model)
    glassbox::ParameterBlock parameters_;
    glassbox::Tensor gradient_;
    std::unique_ptr<glassbox::GradientBuffers> buffers_;
    glassbox::Optimiser optimiser_;
    std::unique_ptr<glassbox::Recording> recording_;
};
