#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <glassbox/conventions/convention.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/mistakes/computation.h>
#include <glassbox/text/vocabulary.h>

#include "figures/figure.h"

namespace glassbox::tracer {

// A model with its input, ready to run any number of times.
struct Subject {
    std::string title;                             // "Multi-head attention"
    std::vector<std::string> header;               // formula and sizes
    std::shared_ptr<void> model;                   // owns what `forward` and `parameters` refer to
    std::shared_ptr<const Convention> convention;  // that it follows
    std::function<void()> forward;                 // an active Trace records every step
    ListParameters parameters = [] { return glassbox::Parameters(); };
    std::string result;                   // the last step: "output"
    std::string scalar;                   // the step that --grad sums by default; empty: the result
    std::string score;                    // for attention: the score function, as in JSON
    const Vocabulary* answers = nullptr;  // the classes of the logits, if they are words
    bool classifies = false;              // the words, or with pooling the sentence; classes may be unnamed
    std::string answer;                   // what the model answered, "2 5 3 7 1  →  1 7 3 5 2   right"
    index_t first_answer = 0;             // the row of the result that has its first part
    std::string untrained;                // why its patterns mean nothing; empty with weights from a file
    std::function<Figure()> figure;       // what --map draws; empty: the attention maps of every layer

    glassbox::Computation computation() const { return {forward, result, parameters}; }
};

}  // namespace glassbox::tracer
