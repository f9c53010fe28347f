#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox {

// Several processes that train one model together, each on its share of every batch. Every rank must make the
// same calls in the same order.
class Communicator {
  public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0;  // from 0
    virtual int size() const = 0;

    // A sum over all ranks' contributions in the ranks' order, to the bit what one rank would add up. `total`
    // passes from rank to rank: continue_sum brings what the ranks before have added (on the first, nothing);
    // the caller adds its own; share_sum hands it on and returns with the whole sum everywhere. Ranks that
    // have nothing to add hand it on as it came.
    virtual void continue_sum(std::span<real> total) = 0;
    virtual void share_sum(std::span<real> total) = 0;

    // Every rank's numbers, one rank after the other, on every rank.
    virtual std::vector<double> gather(const std::vector<double>& own) = 0;
    virtual bool any(bool value) = 0;  // whether it is true on some rank
    virtual void wait_for_all() = 0;

    // Ends all ranks at once: this one has failed, and the others would wait for it for ever. Says its reason
    // first; does not return when there are others.
    virtual void abort(int exit_code) = 0;
};

// Every rank's text, in the ranks' order, on every rank. All ranks call it together.
std::vector<std::string> gather_texts(Communicator& ranks, const std::string& own);

// What ranks that train together must have in common, by name: {"--rate", "0.0005"}.
using Common = std::vector<std::pair<std::string, std::string>>;

// Throws Error unless all ranks have the same: ranks that do not would wait for each other for ever, or add
// up what does not belong together. "--rate: rank 0 has 0.0005, and rank 1 has 0.002". All ranks call it
// together.
void check_ranks_agree(Communicator& ranks, const Common& own);

// The ranks that mpirun has started this process with, or Alone. Asks for the module that talks to MPI only
// when there are others, so that a program costs nothing more to start. Throws Error when mpirun has started
// several and this build has no MPI.
Communicator& world();

// One process.
class Alone : public Communicator {
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

}  // namespace glassbox
