#pragma once
#include <string>

#include <glassbox/train/checkpoint.h>

namespace tracer {

// What a run that goes on from a checkpoint in this process computes otherwise than where the checkpoint was
// made, and how to keep its bits; empty where nothing is known to be otherwise.
std::string other_bits_text(const std::string& file, const glassbox::Checkpoint& from,
                            glassbox::Device device);

}  // namespace tracer
