#pragma once
#include <string>
#include <vector>

#include <glassbox/train/trainer.h>

#include "cli/multi_index.h"

namespace tracer {

// What one training step read, found and wrote: the books of a single update.
struct Ledger {
    struct Piece {
        index_t examples = 0;
        double loss = 0;  // summed
    };
    struct Step {  // of the first piece
        std::string path;
        glassbox::Tensor value, gradient;
    };
    // One parameter's number, to be written out as arithmetic.
    struct Number {
        glassbox::ParameterBlock::Part parameter;
        std::vector<index_t> at;
    };

    glassbox::StepReport report;
    glassbox::TrainerConfig config;
    index_t steps_in_all = 0;
    glassbox::Examples batch;
    std::vector<Piece> pieces;
    std::vector<Step> steps;
    std::vector<std::string> loss_arithmetic;  // of the first element that counts
    // Blocks, before and after the update.
    glassbox::Tensor gradient, w_before, m_before, v_before, w, m, v;
    const glassbox::ParameterBlock* parameters = nullptr;
    std::vector<glassbox::ParameterBlock::Part> parts;  // its parts, by the names that the run's files have
    std::vector<Number> numbers;
};

// Makes all steps before `step`, and then this one with its books open. `numbers` are like
// "output_net.4.weight[0,0]", or a parameter's name alone for its first number; none: one of each of the
// first few parameters. Throws UsageError for a number that is not there. Parameters are called by `names`.
Ledger open_ledger(glassbox::Trainer& trainer, index_t step, const std::vector<std::string>& numbers,
                   int precision, const glassbox::FileNames& names);

}  // namespace tracer
