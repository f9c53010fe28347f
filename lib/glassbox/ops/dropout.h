#pragma once
#include <cstdint>
#include <span>

#include <glassbox/backend/detail/live.h>
#include <glassbox/random/detail/threefry.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// While one lives on this thread, dropout() drops; otherwise it is the identity: training is a scope.
//     { Dropping dropping(seed, step);  loss(model(x)); }
// Which numbers go is decided by a counter-based generator (Threefry-2x32, 20 rounds) from the seed, the
// step, the piece of the batch, how many dropouts came before in this scope, and the number's place: the same
// on every backend and with any number of threads.
class Dropping {
  public:
    explicit Dropping(std::uint64_t seed, std::uint32_t step = 0, std::uint32_t piece = 0);
    // The keys lie on the device, one for each dropout in their order: for a step that is recorded once and
    // run with other keys each time.
    explicit Dropping(std::span<const TwoWords> keys_there);
    ~Dropping();
    Dropping(const Dropping&) = delete;
    Dropping& operator=(const Dropping&) = delete;
    static Dropping* current();  // this thread's innermost, or null

    // Of the dropout that comes now. Throws NotRecordable for more dropouts than there are keys on the
    // device.
    Live<TwoWords> next_key();
    std::uint32_t calls() const { return calls_; }  // dropouts so far

  private:
    std::uint64_t seed_ = 0;
    std::uint32_t step_ = 0, piece_ = 0, calls_ = 0;
    std::span<const TwoWords> keys_there_;
    bool are_there_ = false;
    Dropping* outer_;
};

// 0 with probability p, else x / (1 − p) (Srivastava et al. 2014). p in [0, 1), else Error. x itself when
// nothing is dropped.
Tensor dropout(const Tensor& x, double p);

}  // namespace glassbox
