#pragma once
#include <optional>

#include <glassbox/conventions/convention.h>

#include "cli/options.h"
#include "report/report.h"
#include "subject/input.h"

// The parts of `tracer attention`, in the order in which they work.
namespace tracer {

// The command's options as they were typed.
struct AttentionTyped {
    std::string seq = "3", dk = "2", dv, keys, batch, heads, da;
    std::string rng, seed = "42", input, Q, K, V;
    std::string convention = glassbox::conventions().front().name, mask = "none", lengths, score = "scaled",
                backend = "cpu", scalar = "sum(values)";
    std::string compare, products = "fp32", explain, depth, only, precision = "8", color = "auto", format,
                         output;
    bool grad = false, step = false, predict = false;
};

struct AttentionDeclared {
    AttentionTyped typed;
    Options options;
    AttentionDeclared();
};

// Options that say nothing together are refused: none is left out silently.
void check_combination(const AttentionTyped& typed, const Options& options, const std::string& format);

// The numbers, on the device that --backend names: typed, read or drawn. Throws UsageError for what does not
// go together and for sizes that memory cannot hold.
AttentionInput input_of(const AttentionTyped& typed, const Options& options);
// Throws UsageError that names the option when the mask does not fit these numbers.
glassbox::Mask mask_of(const AttentionTyped& typed, const AttentionInput& input);

// What there is to say of the steps that were computed.
Report report_of(const glassbox::Trace& trace, const AttentionTyped& typed, const AttentionInput& input,
                 const glassbox::Mask& mask);
// --only: the named steps, in the order of the computation.
void keep_only(Report& report, const std::string& only);

}  // namespace tracer
