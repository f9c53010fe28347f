#pragma once
#include <glassbox/backend/clipping.h>
#include <glassbox/distributed/communicator.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

namespace glassbox {

struct TrainerConfig {
    index_t epochs = 10;
    index_t batch = 128;      // examples; an incomplete last batch of an epoch is dropped
    std::uint64_t seed = 42;  // for the order of the data and dropout
    OptimiserConfig optimiser{};
    ScheduleConfig schedule{};
    Clipping clipping{};
    index_t average = 0;   // the parameters at the ends of this many last epochs are averaged; 0: none
    bool recorded = true;  // use recorded steps on devices that can record
    // On devices other than the CPU: the number of pieces of a batch; 0: one per rank. One GPU gives the same
    // bits as that many GPUs with one rank each.
    index_t pieces = 0;
};

index_t steps_of(const TrainerConfig& config, index_t examples);  // of the whole run
void check(const TrainerConfig& config, index_t examples);        // throws Error for an invalid setting

// The settings that a step depends on, which must be equal on all ranks.
Common common(const TrainerConfig& config, index_t examples);

}  // namespace glassbox
