#pragma once
#include <string>
#include <vector>

#include <glassbox/train/trainer.h>

#include "explain/tensor_element.h"
#include "report/report.h"

namespace glassbox::tracer {

struct TextStyle;

// A record of one training step: its batch, loss, gradients, and the parameters and moments before and after.
struct Ledger {
    struct Piece {
        index_t examples = 0;
        double loss = 0;  // summed
    };
    struct Step {  // of the first piece
        std::string path;
        Tensor value, gradient;
    };
    // An element of a parameter whose update is to be shown as arithmetic.
    struct Number {
        ParameterBlock::Part parameter;
        std::vector<index_t> at;
    };

    StepReport report;
    TrainerConfig config;
    index_t steps_in_all = 0;
    glassbox::Examples batch;
    std::vector<Piece> pieces;
    std::vector<Step> steps;
    std::vector<std::string> loss_arithmetic;  // of the first element with a label
    // Parameter blocks, before and after the update.
    Tensor gradient, w_before, m_before, v_before, w, m, v;
    const ParameterBlock* parameters = nullptr;
    std::vector<ParameterBlock::Part> parts;  // of `parameters`, by their names in files
    std::vector<Number> numbers;
    Report page;  // if requested
};

// Runs all steps before `step`, then records this one. `numbers` are elements, "output_net.4.weight[0,0]", or
// names of parameters for their first element; empty: the first elements of the first and last parameter.
// Throws UsageError for unknown ones. `names` translates the parameters' names. With `on_page`, the trainer's
// learner, Ledger::page is filled in.
Ledger open_ledger(Trainer& trainer, index_t step, const std::vector<std::string>& numbers, int precision,
                   const FileNames& names, Learner* on_page = nullptr);

// How far from the optimiser's weight one may be that was computed step by step.
double update_tolerance(const Ledger& ledger, double weight);

std::string ledger_json(const Ledger& ledger);
// Every STEP and grad/STEP of the first piece; batch/…; weights/NAME, grad/weights/NAME, before/m/NAME and
// before/v/NAME; and the values after the update: after/weights/NAME, after/m/NAME, after/v/NAME.
NamedTensors ledger_arrays(const Ledger& ledger);

struct LedgerText {
    std::string text;
    bool agrees = true;  // the arithmetic shown gives the optimiser's results
};
LedgerText ledger_text(const Ledger& ledger, const TextStyle& style);
// Only its part after the loss: gradient, clipping, learning rate and update, as notes on the page.
LedgerText update_text(const Ledger& ledger, const TextStyle& style);

}  // namespace glassbox::tracer
