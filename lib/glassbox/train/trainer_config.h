#pragma once
#include <glassbox/backend/clipping.h>
#include <glassbox/distributed/communicator.h>
#include <glassbox/train/optimiser.h>
#include <glassbox/train/schedule.h>

namespace glassbox {

struct TrainerConfig {
    index_t epochs = 10;
    index_t batch = 128;      // examples; what is left over at the end of an epoch is dropped
    std::uint64_t seed = 42;  // of the order of the data and of dropout
    OptimiserConfig optimiser{};
    ScheduleConfig schedule{};
    Clipping clipping{};
    bool recorded = true;  // a device that can record a step runs it by itself
    // On another device than the CPU: a batch is cut into so many, 0 for one a rank. So many GPUs, a rank
    // each, give the bits that one GPU gives.
    index_t pieces = 0;
};

index_t steps_of(const TrainerConfig& config, index_t examples);  // of the whole run
void check(const TrainerConfig& config, index_t examples);        // Error that names what makes no sense

// Everything that a step depends on but the data and the parameters themselves: what ranks must have alike.
Common common(const TrainerConfig& config, index_t examples);

}  // namespace glassbox
