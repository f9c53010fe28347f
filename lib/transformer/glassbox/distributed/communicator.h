#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/real.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// The processes (ranks) that train one model together, each on its share of every batch. Every rank must make
// the same calls in the same order.
class Communicator {
  public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0;  // from 0
    virtual int size() const = 0;

    // An all-reduce in rank order, bitwise equal to the sum that a single rank would compute. `total` passes
    // from rank to rank: continue_sum receives the partial sum of the previous ranks (a no-op on the first);
    // the caller adds its own numbers; share_sum passes it on and returns with the full sum on every rank.
    // Ranks with nothing to add pass it on unchanged.
    virtual void continue_sum(std::span<real> total) = 0;
    virtual void share_sum(std::span<real> total) = 0;

    // All-gather: the concatenation of all ranks' numbers, in rank order.
    virtual std::vector<double> gather(const std::vector<double>& own) = 0;
    virtual bool any(bool value) = 0;  // whether it is true on any rank
    virtual void wait_for_all() = 0;

    // Terminates all ranks, because this one has failed and the others would wait for it forever. Report the
    // reason before calling; does not return if there are other ranks.
    virtual void abort(int exit_code) = 0;
};

// All-gather of strings, in rank order. A collective call.
std::vector<std::string> gather_texts(Communicator& ranks, const std::string& own);

// Settings that must be equal on all ranks, by name: {"--rate", "0.0005"}.
using Common = std::vector<std::pair<std::string, std::string>>;

// Throws Error unless these are equal on all ranks; otherwise ranks would deadlock or add unrelated numbers.
// "--rate: rank 0 has 0.0005, and rank 1 has 0.002". A collective call.
void check_ranks_agree(Communicator& ranks, const Common& own);

// The ranks started by mpirun together with this process, or this process alone. Loads the MPI module only if
// there are others, so that single processes start just as fast. Throws Error when mpirun has started several
// ranks and this build has no MPI.
Communicator& world();

// A single process.
class SingleProcess : public Communicator {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void continue_sum(std::span<real>) override {}
    void share_sum(std::span<real>) override {}
    std::vector<double> gather(const std::vector<double>& own) override { return own; }
    bool any(bool value) override { return value; }
    void wait_for_all() override {}
    void abort(int) override {}
};

// total = Σ blocks, all of equal size, added in list order: bitwise reproducible for any number of threads.
// With `onto` the contents of `total` are the first summand.
void add_in_order(const std::vector<Tensor>& blocks, Tensor& total, bool onto);

// ‖x‖ = √(Σ x²), summed in double, in an order that does not depend on the number of threads.
double norm(const Tensor& block);

}  // namespace glassbox
