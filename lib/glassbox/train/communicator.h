#pragma once
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Several processes that train one model together, each on its share of every batch. Every rank must make the
// same calls in the same order.
class Communicator {
  public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0;  // from 0
    virtual int size() const = 0;

    // A sum over all ranks' contributions in the ranks' order, to the bit what one rank would add up. `total`
    // passes from rank to rank: continue_sum brings what the ranks before have added (false on the first:
    // nothing yet); the caller adds its own; share_sum hands it on and returns with the whole sum everywhere.
    virtual bool continue_sum(Tensor& total) = 0;
    virtual void share_sum(Tensor& total) = 0;

    // Every rank's numbers, one rank after the other, on every rank.
    virtual std::vector<double> gather(const std::vector<double>& own) = 0;
    virtual bool any(bool value) = 0;  // whether it is true on some rank
    virtual void wait_for_all() = 0;
};

// One process.
class Alone : public Communicator {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    bool continue_sum(Tensor&) override { return false; }
    void share_sum(Tensor&) override {}
    std::vector<double> gather(const std::vector<double>& own) override { return own; }
    bool any(bool value) override { return value; }
    void wait_for_all() override {}
};

}  // namespace glassbox
