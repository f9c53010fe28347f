#pragma once
#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

// The process's peak memory so far, in MB.
inline double peak_mb() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmHWM:") {
            double kb = 0;
            status >> kb;
            return kb / 1024;
        }
    return 0;
}

inline double ms_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// Warms up, at least once and for a tenth of `seconds`; then runs f at least 3 times and for about `seconds`.
// Median and minimum in ms.
struct Times {
    double median, min;
};
template <class F>
Times time_of(double seconds, F f) {
    using Clock = std::chrono::steady_clock;
    const auto cold = Clock::now();
    do f();
    while (ms_since(cold) < 100 * seconds);
    std::vector<double> times;
    const auto begin = Clock::now();
    while (times.size() < 3 || ms_since(begin) < 1000 * seconds) {
        const auto start = Clock::now();
        f();
        times.push_back(ms_since(start));
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times[0]};
}
