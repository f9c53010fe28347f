#pragma once
#include <array>
#include <string_view>

namespace glassbox {

// The vector instructions that the kernels use. `plain` are those that every processor of the architecture
// has.
enum class InstructionSet { plain, neon, avx2, avx512 };

constexpr std::array<std::string_view, 4> instruction_set_names{"plain", "neon", "avx2", "avx512"};
constexpr std::string_view name_of(InstructionSet set) {
    return instruction_set_names[static_cast<std::size_t>(set)];
}

// Those in use, chosen once: the best that the processor has, or fewer if the environment variable
// GLASSBOX_CPU names a set. Throws Error if it names none, or one that this processor does not have.
InstructionSet instruction_set();

// The best that the processor has.
InstructionSet best_instruction_set();

}  // namespace glassbox
