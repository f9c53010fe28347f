#pragma once
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>

#include "subject/model_input.h"
#include "subject/subject.h"
#include "worksheet/sheet.h"

namespace glassbox::tracer {

struct QuestionRequest {
    std::string scope;  // only about this part; empty: everything
    int decimals = 2;
    index_t most = 4;
    bool has_head_axis = false;  // of attention's steps, as their third axis from the end
};

// Questions about this pass, each with an answer computed from its numbers as they are printed: one that they
// do not answer beyond doubt, because two printed numbers are equal, is not asked. None where the pass gives
// no reason for any. Runs the pass again with other inputs; the inputs are afterwards as they were.
std::vector<SheetQuestion> questions_of(const Subject& subject, ModelInput& input, const Trace& trace,
                                        const QuestionRequest& request);

}  // namespace glassbox::tracer
