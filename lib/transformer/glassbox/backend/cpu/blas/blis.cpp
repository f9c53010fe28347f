#include <glassbox/backend/cpu/blas/blas.h>

#include <cstdlib>
#include <string_view>

extern "C" {
void bli_init();
void bli_thread_set_num_threads(long count);
int bli_arch_query_id();
const char* bli_arch_string(int id);
const char* bli_info_get_version_str();
}

namespace glassbox::blas {

namespace {

// Each architecture has a number, another one in each version; the last is "generic".
int number_of(std::string_view architecture) {
    int id = 0;
    while (bli_arch_string(id) != architecture && bli_arch_string(id) != std::string_view("generic")) ++id;
    return id;
}

const char* architecture_for(InstructionSet set) {
    return set == InstructionSet::avx512 ? "skx" : set == InstructionSet::avx2 ? "haswell" : "generic";
}

// Versions before 1.0 know no processor made after 2021, and would multiply there without vectors.
bool knows_recent_processors() { return std::string_view(bli_info_get_version_str()).substr(0, 2) != "0."; }

}  // namespace

std::string name() { return std::string("BLIS ") + bli_info_get_version_str(); }

std::string kernels() { return bli_arch_string(bli_arch_query_id()); }

// BLIS reads the environment when it is initialised, which happens here.
void choose_kernels(InstructionSet set) {
    const bool is_x86 = set != InstructionSet::neon && best_instruction_set() != InstructionSet::neon;
    const bool chooses_well = set == best_instruction_set() && knows_recent_processors();
    if (is_x86 && !chooses_well && !std::getenv("BLIS_ARCH_TYPE")) {
        setenv("BLIS_ARCH_TYPE", std::to_string(number_of(architecture_for(set))).c_str(), 1);
        bli_init();
        unsetenv("BLIS_ARCH_TYPE");
    } else {
        bli_init();
    }
}

void use_one_thread() { bli_thread_set_num_threads(1); }

bool is_thread_safe() { return true; }

}  // namespace glassbox::blas
