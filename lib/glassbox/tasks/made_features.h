#pragma once
#include <cstdint>

#include <glassbox/tasks/features.h>

namespace glassbox {

// Features in place of a real network's, for whoever has no images: 100 classes in 20 groups of 5, as
// CIFAR-100 has them, and 512 numbers an image that are not negative, most of them 0, as behind a ReLU.
struct MadeFeaturesConfig {
    index_t classes = 100, groups = 20, width = 512;
    index_t per_class = 500;
    double spread = 1.4;  // how far an image strays from its class: the difficulty
    double style = 2.0;   // how much images differ in what has nothing to do with their class
    std::uint64_t seed = 42;
    std::uint64_t part = 0;  // images of the same world but other ones: 0 to train on, 1 to test on
};

// features = ReLU(W (content ‖ style) + b), W fixed and random. An image's content, 16 numbers, is its
// group's code + its class's code + spread · ε; its style, 32 numbers, is style · ε. A model has to learn
// what is content: distances between features are mostly style.
//
// Content and style alone are kept, a byte a number (2.9 MB for 60,000 images, whose features would fill
// 123); features are computed when they are asked for. Their sums are exact whatever the order of addition,
// so that they are the same on every machine.
LabelledImages made_features(const MadeFeaturesConfig& config);

}  // namespace glassbox
