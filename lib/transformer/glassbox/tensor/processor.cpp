#include <glassbox/tensor/processor.h>

#include <algorithm>
#include <cstdlib>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// neon and avx2 are of different processors, so "up to the best" means those of this one.
bool has(InstructionSet best, InstructionSet set) {
    return set == InstructionSet::plain || set == best ||
           (set == InstructionSet::avx2 && best == InstructionSet::avx512);
}

}  // namespace

InstructionSet asked_instruction_set(const char* asked, InstructionSet best) {
    if (!asked || !*asked) return best;
    const auto found = std::find(instruction_set_names.begin(), instruction_set_names.end(), asked);
    if (found == instruction_set_names.end())
        fail<UsageError>("GLASSBOX_CPU: expected plain, neon, avx2 or avx512, got '{}'", asked);
    const auto set = static_cast<InstructionSet>(found - instruction_set_names.begin());
    if (!has(best, set))
        fail<UsageError>("GLASSBOX_CPU: this processor has no {}; its best is {}", asked, name_of(best));
    return set;
}

InstructionSet best_instruction_set() {
#if defined(__x86_64__)
    // All that compilers use for x86-64-v3 and -v4 as far as they can ask for it; a virtual processor may
    // lack some.
    static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                                 __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    static const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
    return has_avx512 ? InstructionSet::avx512 : has_avx2 ? InstructionSet::avx2 : InstructionSet::plain;
#elif defined(__aarch64__)
    return InstructionSet::neon;
#else
    return InstructionSet::plain;
#endif
}

InstructionSet instruction_set() {
    static const InstructionSet set =
        asked_instruction_set(std::getenv("GLASSBOX_CPU"), best_instruction_set());
    return set;
}

}  // namespace glassbox
