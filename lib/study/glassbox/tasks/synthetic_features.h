#pragma once
#include <cstdint>

#include <glassbox/tasks/features.h>

namespace glassbox {

// Synthetic features, for use without a data set of images: 100 classes in 20 groups of 5, as in CIFAR-100,
// and 512 numbers per image that are not negative and mostly 0, as after a ReLU.
struct SyntheticFeaturesConfig {
    index_t classes = 100, groups = 20, width = 512;
    index_t per_class = 500;
    double spread = 1.4;  // deviation of an image's content from its class's: the difficulty
    double style = 2.0;   // deviation of the numbers that do not depend on the class
    std::uint64_t seed = 42;
    std::uint64_t part = 0;  // which images of the same classes: 0 for training, 1 for the test
};

// features = ReLU(W (content ‖ style) + b), W fixed and random. An image's content, 16 numbers, is its
// group's code + its class's code + spread · ε; its style, 32 numbers, is style · ε. A model has to learn
// to separate the two: distances between features are mostly style.
//
// Only content and style are stored, one byte per number (2.9 MB for 60,000 images, instead of 123 MB of
// features); features are computed on demand. Their sums are exact in any order of addition, so that they
// are the same on every machine.
LabelledImages synthetic_features(const SyntheticFeaturesConfig& config);

}  // namespace glassbox
