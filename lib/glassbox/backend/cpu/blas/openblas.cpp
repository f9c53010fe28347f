#include <glassbox/backend/cpu/blas/blas.h>

#include <cstdlib>

extern "C" {
void openblas_set_num_threads(int count);
int openblas_get_parallel();  // 0 serial, 1 its own threads, 2 OpenMP
char* openblas_get_corename();
char* openblas_get_config();  // "OpenBLAS 0.3.21 DYNAMIC_ARCH …"
// In builds for many processors (DYNAMIC_ARCH).
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
}

namespace glassbox::blas {

std::string name() {
    const std::string config = openblas_get_config();
    const std::size_t end = config.find(' ', config.find(' ') + 1);
    return config.substr(0, end);
}

std::string kernels() { return openblas_get_corename(); }

// OpenBLAS has chosen its kernels by itself when it was loaded: a smaller instruction set that was asked for
// is chosen as if the environment had named it then.
void choose_kernels(InstructionSet set) {
    if (set == best_instruction_set() || std::getenv("OPENBLAS_CORETYPE") || !gotoblas_dynamic_init ||
        !gotoblas_dynamic_quit)
        return;
    setenv("OPENBLAS_CORETYPE", set == InstructionSet::avx2 ? "Haswell" : "Prescott", 1);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv("OPENBLAS_CORETYPE");
}

// OpenMP builds keep this setting per thread, the others per process.
void use_one_thread() { openblas_set_num_threads(1); }

bool is_thread_safe() { return openblas_get_parallel() != 0; }

}  // namespace glassbox::blas
