#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/computation.h>

// Computations on general inputs: all sizes differ, masks, batches, a row of low variance, large scores.
// Every mistake of the catalogue must change at least one of them.
namespace specimens {

struct Specimen {
    std::string name;  // "multihead, causal"
    glassbox::Computation computation;
};

const std::vector<Specimen>& all();  // of these groups

std::vector<Specimen> of_attention();  // attention, multi-head, and the two below
std::vector<Specimen> of_masks();      // masks, projections, additive attention, online softmax
std::vector<Specimen> of_inputs();     // positions, times, embedding, pooling, normed windows
std::vector<Specimen> of_models();     // blocks, norms, networks, predictor, transformer
std::vector<Specimen> of_training();   // loss, clipping, schedules, optimisers, averaging
std::vector<Specimen> of_text();       // byte pairs, and a decoder that reads tokens
std::vector<Specimen> of_data();       // shift, decoding, windows, scaling, errors of a forecast
std::vector<Specimen> of_tasks();      // what a task asks, and how answers are counted

}  // namespace specimens
