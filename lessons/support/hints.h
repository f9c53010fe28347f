#pragma once
#include <string>
#include <vector>

#include <glassbox/mistakes/diagnosis.h>

#include "guard.h"
#include "lesson_json.h"

namespace lesson {

// The hint to the student about the first step that is not right.
struct Hint {
    std::string name;  // of the hint in lesson.json or of the mistake in the catalogue
    std::string text;
    bool is_known = false;  // a known mistake gives the numbers
    // Then: each as `tracer check` names it, "scaled/no-root: logits / d_k, not logits / √d_k".
    std::vector<std::string> mistakes{};
};

// A hint of lesson.json, or a more general one if it has none of this name: see Lesson::hint().
Hint hint_of(const Lesson& lesson, const std::string& name);
// For the step where the exercise stopped early, "" when every step had a value by then. The lesson's hints
// are about places that do not exist; the other kinds of stop are the same in all lessons.
Hint stopped_hint(const Lesson& lesson, const std::string& step, const Ended& ended);
// For a wrong step: its mistakes. Each gets lesson.json's hint "<step>/no-root" if it is made on the way to
// this step from the one before it in the lesson, else the hint "scaled/no-root", which is the mistake's name
// in the catalogue, else the catalogue's sentence and the step's general hint. Without a known mistake: what
// the numbers look like, and the step's general hint. `paths` are those of all of the lesson's steps, `place`
// names the numbers: "example/scaled".
Hint mistake_hint(const Lesson& lesson, const std::string& step, const glassbox::StepDiagnosis& diagnosis,
                  const glassbox::Computation& computation, const std::vector<std::string>& paths,
                  const std::string& place);

}  // namespace lesson
