#include <glassbox/train/checkpoint.h>

#include <glassbox/backend/cpu/gemm.h>
#include <glassbox/tensor/processor.h>

#include "support/catch.h"

using namespace glassbox;

namespace {

std::vector<std::string> names_of(const std::vector<OtherBits>& all) {
    std::vector<std::string> found;
    for (const OtherBits& each : all) found.push_back(each.name);
    return found;
}

}  // namespace

TEST_CASE("made on: what bits depend on is named, and on the same machine nothing is otherwise") {
    const MadeOn here = made_on(Device::cpu);
    CHECK(here.at("instructions") == name_of(instruction_set()));
    CHECK(here.at("device") == "cpu");
    CHECK(other_bits(here, Device::cpu).empty());
    CHECK(other_bits({}, Device::cpu).empty());
}

TEST_CASE("made on: each thing that is otherwise is named with both, on another device that alone") {
    MadeOn before = made_on(Device::cpu);
    before["instructions"] = "other";
    const std::vector<OtherBits> found = other_bits(before, Device::cpu);
    REQUIRE(names_of(found) == std::vector<std::string>{"instructions"});
    CHECK(found[0].before == "other");
    CHECK(found[0].here == name_of(instruction_set()));
    CHECK(names_of(other_bits(before, Device::cuda)) == std::vector<std::string>{"device"});
}

TEST_CASE("made on: BLAS counts once it has multiplied, and its kernels with it") {
    MadeOn before = made_on(Device::cpu);
    before["blas"] = "another, kernels for none";
    CHECK(names_of(other_bits(before, Device::cpu)) == std::vector<std::string>{"blas"});
    const real one[1] = {1};
    real c[1] = {0};
    blas_gemm(1, 1, 1, 1, {one, 1, 1}, {one, 1, 1}, 0, c, 1);
    CHECK(blas_has_multiplied());
    CHECK(made_on(Device::cpu).at("blas") == blas_name() + ", kernels for " + blas_core_name());
    CHECK(other_bits(made_on(Device::cpu), Device::cpu).empty());
}
