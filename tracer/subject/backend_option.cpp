#include "subject/backend_option.h"

#include <glassbox/backend/backend.h>

namespace glassbox::tracer {

Device OptionValue<Device>::parse(const Typed& typed) {
    const std::string& word = one_of(typed.option, typed.text, values(typed.about).words);
    if (word == name(Device::xtensor)) return Device::xtensor;
    return word == name(Device::cuda) ? Device::cuda : Device::cpu;
}

Values OptionValue<Device>::values(const OptionInfo&) {
    return {{name(Device::cpu), name(Device::cuda), name(Device::xtensor)}, true, false, {}, ""};
}

void declare_backend(Options& options, Device& backend) {
    options.value("--backend", backend, {.help = "Backend that computes"});
}

void declare_products(Options& options, Products& products) {
    options.value("--products", products, {.help = "Precision of matrix products on cuda"});
}

Device ready(Device backend) {
    (void)glassbox::backend(backend);  // throws without one
    return backend;
}

void use_products(Products products, Device backend, std::optional<Device> compare) {
    if (products != Products::fp32 && backend != Device::cuda && compare != Device::cuda)
        fail<UsageError>("--products: {} needs a GPU: add --backend cuda",
                         glassbox::name<Products>(products));
    set_products(products);
}

}  // namespace glassbox::tracer
