#pragma once
#include <optional>
#include <string>

#include <glassbox/backend/products.h>
#include <glassbox/tensor/real.h>

#include "cli/options.h"

namespace tracer {

// cpu, cuda or xtensor
template <>
struct OptionValue<glassbox::Device> {
    static constexpr const char* value_name = "NAME";
    static glassbox::Device parse(const Typed& typed);
    static std::string text(glassbox::Device device) { return name(device); }
    static Values values(const OptionInfo&);
};

// --backend and --products
void declare_backend(Options& options, glassbox::Device& backend);
void declare_products(Options& options, glassbox::Products& products);

// Returns the device. Throws Error with the reason if this program has no such backend.
glassbox::Device ready(glassbox::Device backend);
// Sets the precision of products on cuda. Throws UsageError if neither backend is cuda.
void use_products(glassbox::Products products, glassbox::Device backend,
                  std::optional<glassbox::Device> compare = {});

}  // namespace tracer
