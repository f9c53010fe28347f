#pragma once
#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>

namespace glassbox {

// The choices a caller makes whatever the source: sizes, and what every source leaves open. A Convention
// fills in the rest and turns them into a plain config.

struct MultiHeadChoices {
    index_t d_model = 512, heads = 8;  // the width of a head is d_h = d_model / heads
    index_t d_in = 0;                  // width of x; 0: d_model
    bool bias = true;
};

struct FeedForwardChoices {
    index_t d_model = 512, d_ff = 2048;
    double dropout = 0.1;
    Activation activation = Activation::relu;  // gelu: the convention's form, exact or tanh
};

struct BlockChoices {
    index_t d_model = 512, heads = 8, d_ff = 2048;
    double dropout = 0.1;
    NormPlacement norm = NormPlacement::post;
    Activation activation = Activation::relu;
    bool bias = true;  // in attention
};

struct StackChoices {
    BlockChoices block{};
    index_t layers = 6;
    bool final_norm = false;  // one more norm after the last block
};

struct PredictorChoices {
    index_t d_in = 10, classes = 10;
    StackChoices encoder{};  // d_ff is 2·d_model in the sources
    double input_dropout = 0;
    bool positional_encoding = true;
    Pooling pooling = Pooling::none;
};

struct TransformerChoices {
    index_t source_vocabulary = 1000, target_vocabulary = 1000;
    StackChoices encoder{}, decoder{};  // the same d_model in both
    TiedTables tied = TiedTables::none;
};

struct LanguageModelChoices {
    index_t vocabulary = 1000;
    StackChoices decoder{};
    bool tied = false;
};

}  // namespace glassbox
