#include <cstdlib>

#include <glassbox/distributed/communicator.h>
#include <glassbox/io/detail/module.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// The number of ranks, from the environment variables set by the mpirun of Open MPI and MPICH, and by Slurm's
// srun.
int ranks_in_environment() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
        if (const char* text = std::getenv(name)) return std::atoi(text);
    return 1;
}

Communicator& mpi(int ranks) {
    void* const found =
        function_of({"glassbox_mpi.so", "GLASSBOX_MPI_MODULE", "glassbox_mpi_communicator"},
                    fmt::format("mpi: mpirun has started {} ranks, and this build has no MPI: install Open "
                                "MPI (libopenmpi-dev) and build again",
                                ranks));
    return *reinterpret_cast<Communicator* (*)()>(found)();
}

}  // namespace

Communicator& world() {
    static SingleProcess alone;
    const int ranks = ranks_in_environment();
    if (ranks <= 1) return alone;
    static Communicator& all = mpi(ranks);
    return all;
}

}  // namespace glassbox
