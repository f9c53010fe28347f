#include <cstdlib>

#include <glassbox/distributed/communicator.h>
#include <glassbox/io/detail/module.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// How many ranks there are, by what Open MPI's and MPICH's mpirun (and Slurm's srun) leave in the
// environment.
int ranks_told() {
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
    static Alone alone;
    const int ranks = ranks_told();
    if (ranks <= 1) return alone;
    static Communicator& all = mpi(ranks);
    return all;
}

}  // namespace glassbox
