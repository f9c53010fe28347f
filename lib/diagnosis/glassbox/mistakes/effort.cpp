#include <algorithm>
#include <cmath>
#include <string_view>

#include <glassbox/mistakes/diagnosis.h>
#include <glassbox/observe/trace.h>

namespace glassbox {

namespace {

// Multiplications of an operation that has many more of them than numbers.
double products_of(const Operation& operation) {
    const std::string_view op = operation.op;
    const auto numbers = static_cast<double>(operation.output.numel());
    if (op == "matmul") return numbers * static_cast<double>(operation.inputs[0].size(-1));
    if (op != "linear" && op != "feed_forward") return 0;
    double weights = 0;
    for (std::size_t i = 1; i < operation.inputs.size(); ++i)
        if (operation.inputs[i].defined()) weights += static_cast<double>(operation.inputs[i].numel());
    return numbers / static_cast<double>(std::max<index_t>(1, operation.output.size(-1))) * weights;
}

}  // namespace

index_t passes_in(const Computation& computation, double seconds) {
    Trace trace;
    computation.forward();
    double numbers = 0, products = 0;
    for (const Trace::Step& step : trace.steps()) numbers += static_cast<double>(step.value.numel());
    for (const Operation& operation : trace.operations()) products += products_of(operation);
    // Microseconds of one core, within a factor of 2: on an AMD EPYC (Zen 3) a pass of an encoder block takes
    // 71 µs at width 64, estimated here as 95, and 2.5 ms at 512, estimated as 1.5.
    constexpr double of_a_step = 2.5, of_a_number = 0.008, of_a_product = 2e-4;
    const double microseconds = of_a_step * static_cast<double>(trace.steps().size()) +
                                of_a_number * numbers + of_a_product * products;
    return static_cast<index_t>(std::ceil(1e6 * std::max(0.0, seconds) / std::max(1.0, microseconds)));
}

}  // namespace glassbox
