#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/io/json.h>
#include <glassbox/io/numpy.h>
#include <glassbox/observe/trace.h>

#include "cli/data_format.h"
#include "commands/shared/named_model.h"

namespace glassbox::tracer {

// The command line of `tracer probe`.
struct ProbeOptions {
    std::string layer;
    std::filesystem::path output;
    DataFormat format = DataFormat::text;
    bool other = false;
    std::optional<std::uint64_t> seed;  // of a layer that draws nothing itself
};

void declare_probe(Options& options, ProbeOptions& own);

// The layer that the arguments name. Options not typed have values that distinguish mistakes: sizes that all
// differ, masks, settings that are neither 0 nor 1; as far as they go with what was typed.
NamedModel probed_model(const Arguments& arguments, ProbeOptions& own);

// The options that the arrays of a probe also give when it is read.
std::vector<std::string> probe_sizes();

// The settings of a probe's layer, for the user's own program, by name: its sizes and choices, and ε of its
// norms (probe_facts.cpp).
JsonObject probe_options_json(NamedModel& model, const Trace& trace);

// What else is needed to compute it by hand: in sentences. `arrays` are the probe's inputs and weights.
std::vector<std::string> probe_facts(NamedModel& model, const Trace& trace, const NamedTensors& arrays);

}  // namespace glassbox::tracer
