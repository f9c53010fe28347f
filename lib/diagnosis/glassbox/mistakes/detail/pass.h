#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <glassbox/mistakes/computation.h>
#include <glassbox/mistakes/mistake_scope.h>
#include <glassbox/mistakes/precision.h>

// Runs of a computation in which steps are changed.
namespace glassbox::detail {

// By how much each number of a step may be rounded, by the step's path.
using HalfWidths = std::map<std::string, std::vector<double>, std::less<>>;

// Random rounding: every step is multiplied by 1 + unit · u, with u from −1 to 1.
struct RandomRounding {
    double unit;
    std::uint64_t seed;
    bool one_way = false;        // always up: as an error that does not cancel in a sum
    bool other_moments = false;  // computes the variances of layer norms by the other formula
};

// Below it a score can only be that of a hidden key.
constexpr double lowest_score = -1e6;

struct Pass {
    const StepValues* given = nullptr;  // take the place of these steps
    const HalfWidths* half_widths = nullptr;
    std::vector<PlacedMistake> mistakes{};
    std::optional<RandomRounding> rounding{};
    bool infinite_fill = false;  // hidden scores are −∞
    const std::set<std::string>* nudged =
        nullptr;  // each number of these steps is passed on changed by up to a half

    // Runs up to the step at `path` and calls look(frame, its value), if it can be computed.
    void look_at(const Computation& computation, const std::string& path,
                 const std::function<void(const Frame& frame, const Tensor& made)>& look) const;
    // What the step at `path` is computed as, from given steps and mistaken ones; undefined if a step before
    // it cannot be computed. Nothing after it is computed.
    Tensor value_at(const Computation& computation, const std::string& path) const;
    // What each step is computed as, whatever is given for it. Ends early if a step cannot be computed.
    StepValues values(const Computation& computation) const;
};

}  // namespace glassbox::detail
