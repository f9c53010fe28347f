#pragma once
#include <map>
#include <string>
#include <vector>

#include <glassbox/mistakes/computation.h>
#include <glassbox/mistakes/mistake_scope.h>

#include "report/report.h"
#include "subject/subject.h"

namespace glassbox::tracer {

// A computation with mistakes, beside the right one.
class Mistaken {
  public:
    // Computes the right steps. Without mistakes it does nothing, here and below.
    Mistaken(const Subject& subject, const std::vector<PlacedMistake>& mistakes);

    // Computes the subject with the mistakes, under `trace`. Throws UsageError that names a mistake whose
    // step it does not have.
    void run(Trace& trace);
    // Adds to each step the right numbers and how far it is from them; to the report the mistakes, and what
    // changed.
    void add_to(Report& report) const;

  private:
    void check_acted() const;

    const Subject& subject_;
    std::vector<PlacedMistake> mistakes_;
    StepValues right_;
    std::map<std::string, const Mistake*> made_at_;  // by path
    std::string stopped_;  // why a later step could not be computed; empty if all were
};

}  // namespace glassbox::tracer
