#include <glassbox/backend/cpu/blas/blas.h>

#include <cstdlib>

extern "C" {
struct MKLVersion {
    int major, minor, update, patch;
    char *status, *build, *processor, *platform;
};
void MKL_Get_Version(MKLVersion* version);
int MKL_Set_Threading_Layer(int layer);  // 1: sequential
int MKL_Enable_Instructions(int set);    // 0: SSE4.2, 2: AVX2; before any other call
}

namespace glassbox::blas {

namespace {

MKLVersion version() {
    MKLVersion version{};
    MKL_Get_Version(&version);
    return version;
}

}  // namespace

std::string name() {
    const MKLVersion v = version();
    return "MKL " + std::to_string(v.major) + "." + std::to_string(v.update);
}

std::string kernels() { return version().processor; }

void choose_kernels(InstructionSet set) {
    if (set != best_instruction_set() && !std::getenv("MKL_ENABLE_INSTRUCTIONS"))
        MKL_Enable_Instructions(set == InstructionSet::avx2 ? 2 : 0);
    MKL_Set_Threading_Layer(1);
}

void use_one_thread() {}  // choose_kernels() has set it for all

bool is_thread_safe() { return true; }

}  // namespace glassbox::blas
