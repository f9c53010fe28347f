#include <glassbox/backend/cpu/blas/blas.h>

#include <dlfcn.h>

#include <cstdlib>

extern "C" {
void openblas_set_num_threads(int count);
int openblas_get_parallel();  // 0 serial, 1 its own threads, 2 OpenMP
char* openblas_get_corename();
char* openblas_get_config();  // "OpenBLAS 0.3.21 DYNAMIC_ARCH …"
#ifdef __ELF__
// In builds for many processors (DYNAMIC_ARCH).
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
#endif
}

namespace glassbox::blas {

namespace {

// How OpenBLAS chooses its kernels; null in builds for one processor.
struct KernelChoice {
    void (*quit)();
    void (*init)();
};

KernelChoice kernel_choice() {
#ifdef __ELF__
    return {gotoblas_dynamic_quit, gotoblas_dynamic_init};
#else  // macOS's linker refuses an undefined symbol, even a weak one
    const auto found = [](const char* name) {
        return reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, name));
    };
    return {found("gotoblas_dynamic_quit"), found("gotoblas_dynamic_init")};
#endif
}

// The oldest processors that have them, by OpenBLAS's names.
const char* core_with(InstructionSet set) {
#if defined(__aarch64__)
    static_cast<void>(set);
    return "ARMV8";
#else
    return set == InstructionSet::avx512 ? "SkylakeX" : set == InstructionSet::avx2 ? "Haswell" : "Prescott";
#endif
}

// On a processor newer than itself OpenBLAS takes its oldest kernels.
bool chooses_well(InstructionSet set) {
    return set == best_instruction_set() && (set == InstructionSet::plain || kernels() != "Prescott");
}

}  // namespace

std::string name() {
    const std::string config = openblas_get_config();
    const std::size_t end = config.find(' ', config.find(' ') + 1);
    return config.substr(0, end);
}

std::string kernels() { return openblas_get_corename(); }

// OpenBLAS chose its kernels itself when it was loaded: others are chosen as if the environment had named
// them then.
void choose_kernels(InstructionSet set) {
    const auto [quit, init] = kernel_choice();
    if (chooses_well(set) || std::getenv("OPENBLAS_CORETYPE") || !quit || !init) return;
    setenv("OPENBLAS_CORETYPE", core_with(set), 1);
    quit();
    init();
    unsetenv("OPENBLAS_CORETYPE");
}

// OpenMP builds keep this setting per thread, the others per process.
void use_one_thread() { openblas_set_num_threads(1); }

bool is_thread_safe() { return openblas_get_parallel() != 0; }

}  // namespace glassbox::blas
