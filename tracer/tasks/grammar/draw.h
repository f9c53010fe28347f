#pragma once
#include <glassbox/random/generators.h>

#include "tasks/grammar/clause.h"

namespace glassbox::grammar {

// A random sentence. What is drawn is decided here, how it is said in french.cpp and english.cpp.
Sentence draw_sentence(NumpyGenerator& generator);

}  // namespace glassbox::grammar
