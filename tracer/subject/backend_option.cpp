#include "subject/backend_option.h"

#include <glassbox/backend/backend.h>

namespace tracer {

using glassbox::Device;

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

void declare_products(Options& options, glassbox::Products& products) {
    options.value("--products", products, {.help = "Precision of matrix products on cuda"});
}

Device ready(Device backend) {
    (void)glassbox::backend(backend);  // throws if there is none
    return backend;
}

void use_products(glassbox::Products products, Device backend, std::optional<Device> compare) {
    if (products != glassbox::Products::fp32 && backend != Device::cuda && compare != Device::cuda)
        glassbox::fail<glassbox::UsageError>("--products: {} needs a GPU: add --backend cuda",
                                             glassbox::name<glassbox::Products>(products));
    glassbox::set_products(products);
}

}  // namespace tracer
