#pragma once
#include <optional>
#include <string>

#include <glassbox/backend/products.h>
#include <glassbox/tensor/real.h>

#include "cli/options.h"

namespace glassbox::tracer {

// cpu, cuda or xtensor
template <>
struct OptionValue<Device> {
    static constexpr const char* value_name = "NAME";
    static Device parse(const Typed& typed);
    static std::string text(Device device) { return name(device); }
    static Values values(const OptionInfo&);
};

// --backend and --products
void declare_backend(Options& options, Device& backend);
void declare_products(Options& options, Products& products);

// Returns the device. Throws Error with the reason if this program has no such backend.
Device ready(Device backend);
// Sets the precision of products on cuda. Throws UsageError if neither backend is cuda.
void use_products(Products products, Device backend, std::optional<Device> compare = {});

}  // namespace glassbox::tracer
