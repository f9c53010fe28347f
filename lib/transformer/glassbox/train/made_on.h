#pragma once
#include <map>
#include <string>
#include <vector>

#include <glassbox/tensor/device.h>

namespace glassbox {

// What the bits of a run depend on beside its settings and its data, by name. The "device"; on the CPU
// "instructions", and "blas" once BLAS has multiplied (most products are Glassbox's own); on a GPU the
// precision of its "products".
using MadeOn = std::map<std::string, std::string>;

inline constexpr const char* made_on_names[] = {"device", "instructions", "blas", "products"};

// Those of this process.
MadeOn made_on(Device device);

// What of `before` is otherwise in this process: a run that goes on here may end in other bits. On another
// device that alone, which decides about the rest. Unknown things, of an older checkpoint, are none.
struct OtherBits {
    std::string name, before, here;
};
std::vector<OtherBits> other_bits(const MadeOn& before, Device device);

}  // namespace glassbox
