#pragma once
#include <chrono>
#include <map>
#include <string>

#include "forwarding_backend.h"

// Forwards every kernel to another backend, and adds up the time of each, including synchronisation.
class TimedBackend : public ForwardingBackend<TimedBackend> {
  public:
    struct Total {
        long calls = 0;
        double nanoseconds = 0;
    };
    using ForwardingBackend::ForwardingBackend;
    const std::map<std::string, Total>& totals() const { return totals_; }

    template <class Run>
    void kernel(const char* name, Run run) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        run();
        wait();
        Total& total = totals_[name];
        ++total.calls;
        total.nanoseconds += std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    }

  private:
    std::map<std::string, Total> totals_;
};
