#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include <glassbox/distributed/communicator.h>

// A separate module, loaded when mpirun has started more than one rank. It uses only Glassbox's headers.
namespace {

using glassbox::real;

constexpr int sum_tag = 1;

MPI_Datatype type_of_real() { return sizeof(real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT; }

// MPI terminates all ranks when one of its calls fails (MPI_ERRORS_ARE_FATAL), and mpirun does when one dies.
class MpiCommunicator : public glassbox::Communicator {
  public:
    MpiCommunicator() {
        MPI_Init(nullptr, nullptr);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void continue_sum(std::span<real> total) override {
        if (rank_ == 0) return;
        MPI_Recv(total.data(), count(total.size()), type_of_real(), rank_ - 1, sum_tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }

    void share_sum(std::span<real> total) override {
        if (rank_ + 1 < size_)
            MPI_Send(total.data(), count(total.size()), type_of_real(), rank_ + 1, sum_tag, MPI_COMM_WORLD);
        MPI_Bcast(total.data(), count(total.size()), type_of_real(), size_ - 1, MPI_COMM_WORLD);
    }

    std::vector<double> gather(const std::vector<double>& own) override {
        const std::size_t ranks = static_cast<std::size_t>(size_);
        std::vector<int> counts(ranks), begins(ranks);
        const int mine = count(own.size());
        MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
        int total = 0;
        for (std::size_t i = 0; i < ranks; ++i) begins[i] = total, total += counts[i];
        std::vector<double> all(static_cast<std::size_t>(total));
        MPI_Allgatherv(own.data(), mine, MPI_DOUBLE, all.data(), counts.data(), begins.data(), MPI_DOUBLE,
                       MPI_COMM_WORLD);
        return all;
    }

    bool any(bool value) override {
        int here = value, anywhere = 0;
        MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
        return anywhere != 0;
    }

    void wait_for_all() override { MPI_Barrier(MPI_COMM_WORLD); }
    void abort(int exit_code) override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

  private:
    static int count(std::size_t n) {
        if (n <= static_cast<std::size_t>(INT32_MAX)) return static_cast<int>(n);
        std::fprintf(stderr, "mpi: %zu numbers are too many for one message\n", n);
        MPI_Abort(MPI_COMM_WORLD, 2);
        std::abort();
    }

    int rank_ = 0, size_ = 1;
};

void finalize() {
    int is_initialized = 0, is_finalized = 0;
    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    if (is_initialized && !is_finalized) MPI_Finalize();
}

}  // namespace

extern "C" glassbox::Communicator* glassbox_mpi_communicator() {
    static MpiCommunicator* const communicator = [] {
        auto* const made = new MpiCommunicator;
        std::atexit(finalize);
        return made;
    }();
    return communicator;
}
