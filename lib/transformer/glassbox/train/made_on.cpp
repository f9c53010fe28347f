#include <glassbox/train/checkpoint.h>

#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/backend/products.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/processor.h>

namespace glassbox {
namespace {

MadeOn all_of(Device device, bool with_blas) {
    MadeOn all{{"device", name(device)}};
    if (device == Device::cpu) all["instructions"] = name_of(instruction_set());
    if ((device == Device::cpu || device == Device::xtensor) && with_blas)
        all["blas"] = fmt::format("{}, kernels for {}", blas_name(), blas_core_name());
    if (device == Device::cuda) all["products"] = name(products());
    return all;
}

}  // namespace

MadeOn made_on(Device device) { return all_of(device, blas_has_multiplied()); }

std::vector<OtherBits> other_bits(const MadeOn& before, Device device) {
    const MadeOn here = all_of(device, before.count("blas") > 0);
    std::vector<OtherBits> found;
    for (const char* name : made_on_names) {
        const auto was = before.find(name), is = here.find(name);
        if (was != before.end() && is != here.end() && was->second != is->second)
            found.push_back({name, was->second, is->second});
    }
    return found;
}

}  // namespace glassbox
