#pragma once
#include <glassbox/train/trainer.h>

#include "report/report.h"

namespace glassbox::tracer {

struct Ledger;

// A training step as a page: the pass of the batch's first examples, as many as fit into a page, the loss L
// of the whole batch, its gradients, and the update of every parameter: gradient, clipping, moments, new
// weight. What the examples that are not shown add to L and to each gradient is a step, too. Call it when the
// ledger has the gradient and before the update: the pass is computed again. `names` are those in files.
Report step_page(const Ledger& ledger, const Trainer& trainer, Learner& learner, const FileNames& names);

// Adds to each new weight on the page whether it is the optimiser's.
void check_update(Report& page, const Ledger& ledger);

}  // namespace glassbox::tracer
