#pragma once
#include <map>
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/tensor/real.h>

namespace glassbox {

// What the bits of a run depend on besides its settings and its data, by name. The "device"; on the CPU
// "instructions", and "blas" once BLAS has multiplied (most products are Glassbox's own); on a GPU the
// precision of its "products".
using MadeOn = std::map<std::string, std::string>;

inline constexpr const char* made_on_names[] = {"device", "instructions", "blas", "products"};

// Those of this process.
MadeOn made_on(Device device);

// What differs from `before` in this process: a run continued here may end in other bits. On another device
// only that, which decides the rest. Unknown values, in older checkpoints, are ignored.
struct OtherBits {
    std::string name, before, here;
};
std::vector<OtherBits> other_bits(const MadeOn& before, Device device);

// The best validation so far.
struct BestScore {
    index_t epoch = 0;  // from 1; 0: none yet
    double accuracy = 0, loss = 0;
    std::string checksum{};  // of the parameters; empty: unknown
};

// The complete state of a training run after a step. Random numbers and the order of the data are functions
// of the seed and the step, so they need no state besides the step.
struct Checkpoint {
    // model.<parameter>; m.<parameter> and v.<parameter>, as in the optimiser; average.<parameter>
    NamedTensors tensors;
    index_t step = 0;  // updates made
    BestScore best;
    bool has_accuracy = true;                   // false: the learner does not count correct answers
    double seconds = 0;                         // spent training so far
    index_t validate_every = 0;                 // epochs; 0: unknown, in checkpoints of earlier versions
    bool validation_is_due = false;             // it was aborted, and is run first when the run is resumed
    std::map<std::string, std::string> config;  // the run's settings: "task", "seed", …
    MadeOn made_on{};  // what its bits depend on beside them; empty in checkpoints of earlier versions
};

}  // namespace glassbox
