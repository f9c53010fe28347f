#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <glassbox/layers/parameters.h>
#include <glassbox/tasks/vocabulary.h>

#include "figures/figure.h"

namespace tracer {

// A model on its input, ready to run as often as one likes.
struct Subject {
    std::string title;                // "Multi-head attention"
    std::vector<std::string> header;  // formula and sizes
    std::shared_ptr<void> model;      // keeps alive what `forward` and `parameters` look at
    std::function<void()> forward;    // whoever listens sees every step
    glassbox::ListParameters parameters = [] { return glassbox::Parameters(); };
    std::string result;  // the step that --grad sums unless told otherwise: "output"
    std::string score;   // of attention: how it scores, as JSON has it
    const glassbox::Vocabulary* answers = nullptr;  // the words that logits choose from
    bool classifies = false;         // each word, or with pooling the sentence: then a class may have no name
    std::function<Figure()> figure;  // what --map draws; empty: the attention of every layer
};

}  // namespace tracer
