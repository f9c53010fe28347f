#pragma once
#include <map>
#include <string>

#include <glassbox/io/named_tensors.h>

namespace glassbox {

// The best validation so far.
struct BestScore {
    index_t epoch = 0;  // from 1; 0: none yet
    double accuracy = 0, loss = 0;
    std::string checksum{};  // of the parameters; empty: not known
};

// All that a training run is at the end of a step. Random numbers and the order of the data follow from the
// seed and the step, so the step is their state too.
struct Checkpoint {
    NamedTensors tensors;  // model.<parameter>, m.<parameter>, v.<parameter>
    index_t step = 0;      // updates made
    BestScore best;
    double seconds = 0;                         // spent training so far
    bool validation_is_due = false;             // it was cut off: it comes first when the run goes on
    std::map<std::string, std::string> config;  // what the run was told, in its own words: "task", "seed", …
};

}  // namespace glassbox
