#pragma once
#include <string>

#include "subject/model_input.h"
#include "subject/subject.h"
#include "worksheet/blanks.h"
#include "worksheet/sheet.h"

namespace glassbox::tracer {

struct SheetRequest {
    Blanks blanks;
    bool asks_all = false;  // every number of every step, where `blanks` name none; else some of each
    index_t questions = 4;  // at most
    int decimals = 2;
    std::string scope;           // "encoder/0": only this part, and what its blanks need; empty: everything
    bool has_head_axis = false;  // of attention's steps, as their third axis from the end
    bool is_key = false;
};

// The steps of a subject as a worksheet that can be solved with what is printed on it: the input, the weights
// and every step that is given are rounded to the decimals that are shown before anything is computed with
// them. Changes the subject's weights and input. Throws UsageError for blanks that do not exist, and for more
// numbers than a sheet can have.
Sheet make_sheet(const Subject& subject, ModelInput& input, const SheetRequest& request);

}  // namespace glassbox::tracer
