#pragma once
#include <glassbox/observe/trace.h>

#include "report/report.h"
#include "subject/model.h"

namespace tracer {

// The rest of a model's command, once its options make sense together.
void show_model(const ModelCommand& command, const ModelTyped& typed);

// A subject in the way that the options ask for: its steps, --explain, --summary or --map. `command` is what
// JSON calls it.
void show_subject(const std::string& command, const Subject& subject, const ModelTyped& typed,
                  const ModelInput& input);

// The options that say how a model is shown, --explain to -o; those of check_showing that say nothing
// together are refused.
void declare_showing(Options& options, ModelTyped& typed, bool has_map);
void check_showing(const ModelTyped& typed, const Options& options);

// x, memory …, as far as they come from the --input file or from words; what is drawn, a command adds
// (Making:: sequence). Throws FileError when the file does not have what the command needs.
ModelInput read_arrays(const ModelCommand& command, const ModelTyped& typed);

// The model with its weights, on the device that --backend names. The input is read or drawn first, then the
// weights; the subject looks at `input`, which must live as long.
Subject subject_of(const ModelCommand& command, const ModelTyped& typed,
                   const glassbox::Convention& convention, ModelInput& input);

// What there is to say of the steps that were computed.
Report model_report(const glassbox::Trace& trace, const Subject& subject, const ModelTyped& typed,
                    const ModelInput& input);
// --scope, --depth and --only, in this order. UsageError when nothing is left, with what there is.
void keep_wanted(Report& report, const ModelTyped& typed);

// The tree of layers with shapes, parameters and multiply–adds.
std::string summary_text(const glassbox::Trace& trace, const Subject& subject);

// Two conventions on the same weights and the same input, up to the first step that differs; why it does.
std::string diff_text(const ModelCommand& command, const ModelTyped& typed);

// The attention of every layer and head, on the terminal or into a file.
void draw_maps(const glassbox::Trace& trace, const Subject& subject, const ModelTyped& typed,
               const ModelInput& input);

}  // namespace tracer
