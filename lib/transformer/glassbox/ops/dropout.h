#pragma once
#include <cstdint>
#include <span>

#include <glassbox/backend/recording.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

// RAII training mode: dropout() drops on this thread while one of these is alive, and is the identity
// otherwise.
//     { DropoutScope scope(seed, step);  loss(model(x)); }
// The mask comes from a counter-based generator (Threefry-2x32, 20 rounds) of the seed, the step, the piece
// of the batch, the number of earlier dropouts in this scope, and the element's index: it is the same on
// every backend and with any number of threads.
class DropoutScope {
  public:
    explicit DropoutScope(std::uint64_t seed, std::uint32_t step = 0, std::uint32_t piece = 0);
    // With keys in device memory, one per dropout in call order: for a step that is recorded once and run
    // with new keys each time.
    explicit DropoutScope(std::span<const TwoWords> device_keys);
    ~DropoutScope();
    DropoutScope(const DropoutScope&) = delete;
    DropoutScope& operator=(const DropoutScope&) = delete;
    static DropoutScope* current();  // this thread's innermost, or null

    // The key for the next dropout. Throws NotRecordable if the device has no more keys.
    Live<TwoWords> next_key();
    std::uint32_t calls() const { return calls_; }  // dropouts so far

  private:
    std::uint64_t seed_ = 0;
    std::uint32_t step_ = 0, piece_ = 0, calls_ = 0;
    std::span<const TwoWords> device_keys_;
    bool on_device_ = false;
    DropoutScope* outer_;
};

// 0 with probability p, else x / (1 − p) (Srivastava et al. 2014). p in [0, 1), else Error; only its first 24
// bits after the point count. Returns x itself if p is 0 or outside training.
Tensor dropout(const Tensor& x, double p);

}  // namespace glassbox
