#include <glassbox/backend/cpu/product.h>

#include <glassbox/tensor/processor.h>

namespace glassbox {

namespace {

// From what bench/sizes prints; where both ways are within 3 % over a range of sizes, its lower end. (neon
// has not been measured: its tile is as large as that of avx2.)
constexpr Sizes plain{1.5e5, 16384, 65536, 65536, 1.7e7, 1e12},
    neon{2e5, 16384, 1300000, 65536, 1.3e8, 3.6e9}, avx2{2e5, 16384, 1300000, 65536, 1.3e8, 3.6e9},
    avx512{4e5, 16384, 1300000, 65536, 1.3e8, 1.1e9};

}  // namespace

const Sizes& sizes() {
    switch (instruction_set()) {
        case InstructionSet::avx512:
            return avx512;
        case InstructionSet::avx2:
            return avx2;
        case InstructionSet::neon:
            return neon;
        default:
            return plain;
    }
}

}  // namespace glassbox
