#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <string>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/backend/products.h>
#include <glassbox/tensor/memory.h>
#include <glassbox/tensor/processor.h>

#include "measure.h"

// The device of a benchmark: --backend cpu|cuda|xtensor, and with --products tf32|bf16 the GPU's product
// precision. The device is synchronised before the clock is read.
class Place {
  public:
    // Parses either option; returns whether `word` was one of them.
    bool parse(const std::string& word, const std::string& value) {
        if (word == "--backend") name_ = value;
        else if (word == "--products") products_ = value;
        return word == "--backend" || word == "--products";
    }

    // Starts the device, so that creating a GPU's context is not part of the measurement.
    void start() {
        using glassbox::Device;
        using glassbox::Products;
        const Device known[] = {Device::cpu, Device::cuda, Device::xtensor};
        const Device* const found =
            std::find_if(std::begin(known), std::end(known), [this](Device d) { return name_ == name(d); });
        if (found == std::end(known))
            throw glassbox::Error("--backend: cpu, cuda or xtensor, got '" + name_ + "'");
        if (products_ != "fp32" && products_ != "tf32" && products_ != "bf16")
            throw glassbox::Error("--products: fp32, tf32 or bf16, got '" + products_ + "'");
        device_ = *found;
        glassbox::set_products(products_ == "tf32"   ? Products::tf32
                               : products_ == "bf16" ? Products::bf16
                                                     : Products::fp32);
        const auto begin = std::chrono::steady_clock::now();
        wait();
        start_ms_ = ms_since(begin);
    }

    glassbox::Device device() const { return device_; }
    glassbox::Backend& backend() const { return glassbox::backend(device_); }
    void wait() const { backend().wait(); }

    template <class F>
    Times time_of(double seconds, F f) const {
        return ::time_of(seconds, [&] { f(), wait(); });
    }

    // Peak of the device's memory, or of the process.
    double peak_memory_mb() const {
        if (device_ != glassbox::Device::cuda) return peak_mb();
        return static_cast<double>(glassbox::memory(device_).use().peak_in_use) / (1 << 20);
    }
    // Restarts the peak; the process's peak never goes down.
    void reset_peak_use() const { glassbox::memory(device_).reset_peak_use(); }

    // Common fields of every line of output, as JSON.
    std::string about() const {
        char text[360];
        std::snprintf(text, sizeof text,
                      "\"backend\": \"%s\", \"products\": \"%s\", \"start_ms\": %.1f, \"peak_mb\": %.3f, "
                      "\"held_mb\": %.3f, \"threads\": %d, \"core\": \"%s\", \"instructions\": \"%s\"",
                      name_.c_str(), products_.c_str(), start_ms_, peak_memory_mb(),
                      static_cast<double>(glassbox::memory(device_).use().held) / (1 << 20),
                      glassbox::num_threads(), glassbox::blas_core_name().c_str(),
                      std::string(name_of(glassbox::instruction_set())).c_str());
        return text;
    }

  private:
    std::string name_ = "cpu", products_ = "fp32";
    glassbox::Device device_ = glassbox::Device::cpu;
    double start_ms_ = 0;
};

// The body of main(): on an exception, one line on standard error and exit code 2.
template <class F>
int run_bench(F f) {
    try {
        f();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    }
}
