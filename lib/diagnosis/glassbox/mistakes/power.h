#pragma once
#include <optional>
#include <string>
#include <vector>

#include <glassbox/mistakes/computation.h>
#include <glassbox/mistakes/mistake.h>
#include <glassbox/mistakes/precision.h>

namespace glassbox {

// What a test on one input shows about one mistake.
struct MistakePower {
    const Mistake* mistake;
    bool is_seen;     // some compared step leaves its tolerance
    double distance;  // the largest difference, in units of the tolerance
};

// A tolerance as tests state it: |actual − expected| ≤ absolute + relative · |expected|.
struct StatedTolerance {
    double absolute = 0, relative = 0;
};

// Returns which mistakes a comparison of these steps (none: of the result) would see on this input. Only
// mistakes that can be made in the computation and change any of its steps are listed. Without a stated
// tolerance, the computed one of diagnose() is used. Steps that were submitted `rounded` are compared with
// these numbers, within their half widths, or as precisely as was computed.
std::vector<MistakePower> test_power(const Computation& computation,
                                     const std::vector<std::string>& steps = {},
                                     const std::optional<StatedTolerance>& tolerance = {},
                                     const std::vector<SubmittedStep>& rounded = {});

}  // namespace glassbox
