#include <cstdlib>

#include <glassbox/distributed/communicator.h>
#include <glassbox/io/module.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

struct Started {
    int ranks = 1;
    bool is_all = true;  // else those of this machine alone
};

// The number of ranks, from the environment variables set by the mpirun of Open MPI and MPICH, and by Slurm's
// srun --mpi=pmi2.
Started started() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
        if (const char* text = std::getenv(name)) return {std::atoi(text)};
    if (const char* text = std::getenv("MPI_LOCALNRANKS")) return {std::atoi(text), false};
    return {};
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
    const auto [ranks, is_all] = started();
    if (ranks <= 1) return alone;
    static Communicator& all = mpi(ranks);
    // Ranks that do not see each other would each train the whole model.
    if (is_all && all.size() != ranks)
        fail(
            "mpi: mpirun has started {} ranks, and MPI sees {}: it is not the mpirun of the MPI in this "
            "build",
            ranks, all.size());
    return all;
}

}  // namespace glassbox
