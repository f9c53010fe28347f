#pragma once
#include "tasks/setting_table.h"

// The settings that tasks share; a name means the same in all.
namespace glassbox::names {

inline constexpr const char *model = "Model", *data = "Data", *training = "Training";  // groups

inline constexpr SettingName convention{"convention", model, "NAME",
                                        "Convention to follow (docs/conventions.md)"},
    dmodel{"dmodel", model, "N", "Width of the model, d_model"},
    heads{"heads", model, "N", "Number of attention heads, h"},
    layers{"layers", model, "N", "Number of blocks"},
    dff{"dff", model, "N", "Width of the feed-forward network's hidden layer, d_ff"},
    norm{"norm", model, "PLACE", "Norm after the residual or before the sublayer"},
    activation{"activation", model, "NAME", "Activation of the feed-forward network"},
    dropout{"dropout", model, "P", "Dropout probability in blocks and output network"},
    input_dropout{"input-dropout", model, "P", "Dropout probability of the input"};

inline constexpr SettingName seq{"seq", data, "N", "Length of a sequence, T, or size of a set"},
    categories{"categories", data, "N", "Number of different symbols"},
    examples{"examples", data, "N", "Number of training examples; for anomaly, of images per class"},
    validation{"validation", data, "N", "Number of validation examples"},
    test{"test", data, "N", "Number of test examples; for anomaly, of images per class"},
    data_seed{"data-seed", data, "N", "Seed of the training data; validation and test use the next two"};

inline constexpr SettingName epochs{"epochs", training, "N", "Number of passes through the training data"},
    batch{"batch", training, "N", "Number of examples per step"},
    pieces{"pieces", training, "N",
           "On cuda, number of pieces of each batch; results are the same on up to N GPUs (one per rank)"},
    rate{"rate", training, "R", "Peak learning rate, η"},
    schedule{"schedule", training, "NAME", "Schedule of the learning rate"},
    warmup{"warmup", training, "N", "Number of warm-up steps"},
    optimiser{"optimiser", training, "NAME", "Optimiser"},
    beta1{"beta1", training, "B", "Adam's decay rate of the first moment, β₁"},
    beta2{"beta2", training, "B", "Adam's decay rate of the second moment, β₂"},
    epsilon{"epsilon", training, "E", "Term added to Adam's denominator, ε"},
    momentum{"momentum", training, "M", "Momentum of SGD"},
    weight_decay{"weight-decay", training, "L", "Weight decay, λ; decoupled from the gradient in AdamW"},
    clip{"clip", training, "N", "Maximum norm of the gradient (0: no clipping)"},
    label_smoothing{"label-smoothing", training, "E", "Probability spread over all classes in each label"},
    average{"average", training, "N",
            "Also validate the mean of the parameters at the ends of the last N epochs"},
    seed{"seed", training, "N", "Seed of the initial weights, the order of the data, and dropout"};

}  // namespace glassbox::names
