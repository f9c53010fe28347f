#pragma once
#include "lesson_json.h"
#include "mistakes.h"

namespace lesson {

// The solution and all wrong ones as one source, each in a namespace with its own copy of lesson.h: the
// headers are compiled once, which takes most of the time. Throws FileError where an edit does not fit or a
// hint is unknown.
std::string mistakes_source(const Lesson& lesson);

}  // namespace lesson
