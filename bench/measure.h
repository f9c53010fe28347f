#pragma once
#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

// The most memory the process has had so far, in MB.
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

// Runs f at least 3 times and for about the given time: median and least in ms.
struct Times {
    double median, least;
};
template <class F>
Times time_of(double seconds, F f) {
    using Clock = std::chrono::steady_clock;
    f();
    std::vector<double> times;
    const auto begin = Clock::now();
    while (times.size() < 3 || Clock::now() - begin < std::chrono::duration<double>(seconds)) {
        const auto start = Clock::now();
        f();
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times[0]};
}
