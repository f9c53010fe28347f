#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <glassbox/tensor/format.h>
#include <glassbox/train/communicator.h>

namespace glassbox {
namespace {

// How many ranks there are, by what Open MPI's and MPICH's mpirun (and Slurm's srun) leave in the
// environment.
int ranks_told() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
        if (const char* text = std::getenv(name)) return std::atoi(text);
    return 1;
}

// Beside the program as it is built, and where it is installed.
std::vector<std::string> places() {
    std::vector<std::string> result;
    if (const char* told = std::getenv("GLASSBOX_MPI_MODULE")) result.push_back(told);
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    for (const char* folder : {"", "..", "../lib/glassbox", "../lib64/glassbox"})
        result.push_back((program.parent_path() / folder / "glassbox_mpi.so").lexically_normal().string());
    return result;
}

Communicator& module_of(int ranks) {
    std::string reasons;
    for (const std::string& place : places()) {
        void* const module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!module) {
            if (std::filesystem::exists(place)) reasons += fmt::format("\n  {}", ::dlerror());
            continue;
        }
        if (void* const symbol = ::dlsym(module, "glassbox_mpi_communicator"))
            return *reinterpret_cast<Communicator* (*)()>(symbol)();
        reasons += fmt::format("\n  {} is no module of Glassbox", place);
    }
    fail(
        "mpi: mpirun has started {} ranks, and this build has no MPI: install Open MPI (libopenmpi-dev) and "
        "build "
        "again{}",
        ranks, reasons);
}

}  // namespace

Communicator& world() {
    static Alone alone;
    const int ranks = ranks_told();
    if (ranks <= 1) return alone;
    static Communicator& all = module_of(ranks);
    return all;
}

}  // namespace glassbox
