#pragma once
#include <array>
#include <string_view>
#include <utility>

#include <glassbox/tensor/real.h>

namespace glassbox {

// The vector instructions that the kernels use. `plain` are those that every processor of the architecture
// has.
enum class InstructionSet { plain, neon, avx2, avx512 };

constexpr std::array<std::string_view, 4> instruction_set_names{"plain", "neon", "avx2", "avx512"};
constexpr std::string_view name_of(InstructionSet set) {
    return instruction_set_names[static_cast<std::size_t>(set)];
}

// Those in use, chosen once: the best that the processor has, or fewer if the environment variable
// GLASSBOX_CPU names a set. Throws Error if it names none, or one that this processor does not have.
InstructionSet instruction_set();

// The best that the processor has.
InstructionSet best_instruction_set();

// The set of this name, on a processor whose best is `best`; the best if `asked` is null or empty. Throws
// UsageError, for GLASSBOX_CPU, if there is no such set, or this processor lacks it.
InstructionSet asked_instruction_set(const char* asked, InstructionSet best);

}  // namespace glassbox

// Hot loops, written once and compiled for every instruction set.
namespace glassbox {

// What a kernel may need to know of an instruction set: the bytes of a vector register, and a tile of a
// product, `down` rows by `across` registers, that leaves enough of them for its operands (16 registers, but
// 32 of avx512 and neon).
struct Plain {
    static constexpr int bytes = 16, down = 4, across = 2;
};
struct Neon {
    static constexpr int bytes = 16, down = 6, across = 4;
};
struct Avx2 {
    static constexpr int bytes = 32, down = 6, across = 2;
};
struct Avx512 {
    static constexpr int bytes = 64, down = 12, across = 2;
};

template <class T, int bytes>
struct VectorOf {
    typedef T type __attribute__((vector_size(bytes)));
};
// One vector register.
template <class Set>
using Vector = typename VectorOf<real, Set::bytes>::type;
template <class Set>
constexpr index_t width = Set::bytes / sizeof(real);  // numbers in it

// Without this, clang splits a register of AVX-512 into two of AVX2, as it does in loops that it vectorises
// itself.
#if defined(__clang__)
#define GLASSBOX_WHOLE_REGISTERS clang::min_vector_width(512)
#else
#define GLASSBOX_WHOLE_REGISTERS
#endif

// For a function that a kernel calls: it is inlined, and so is what it calls. g++ does that for all that a
// kernel reaches, clang one call deep: a lambda left as a function for any processor would be slow, and a
// register it returns would be lost, because it is passed in another way.
#define GLASSBOX_INLINED gnu::always_inline, gnu::flatten

// A kernel from its body, a lambda whose first argument is the instruction set:
//     constexpr Kernel scale = [](auto, real* x, index_t n, real factor) { … };
//     scale(x, n, 2);
// The body, with what it calls, is inlined into a function for each set, of which a call takes the one in
// use.
template <class Body>
class Kernel {
  public:
    constexpr Kernel(Body) {}

    template <class... A>
    auto operator()(A... a) const {
        return function<A...>()(a...);
    }

    // The function for the instruction set in use.
    template <class R, class... A>
    using Function = R (*)(A...);
    template <class R, class... A>
    operator Function<R, A...>() const {
        return function<A...>();
    }

  private:
    template <class... A>
    static auto function() {
        switch (instruction_set()) {
#if defined(__x86_64__)
            case InstructionSet::avx512:
                return &on_avx512<A...>;
            case InstructionSet::avx2:
                return &on_avx2<A...>;
#elif defined(__aarch64__)
            case InstructionSet::neon:
                return &on_neon<A...>;
#endif
            default:
                return &on_plain<A...>;
        }
    }

    template <class... A>
    [[gnu::noinline, gnu::flatten]] static auto on_plain(A... a) {
        return Body{}(Plain{}, a...);
    }
#if defined(__x86_64__)
    template <class... A>
    [[gnu::noinline, gnu::flatten, gnu::target("arch=x86-64-v3")]] static auto on_avx2(A... a) {
        return Body{}(Avx2{}, a...);
    }
    template <class... A>
    [[gnu::noinline, gnu::flatten, gnu::target("arch=x86-64-v4"), GLASSBOX_WHOLE_REGISTERS]] static auto
    on_avx512(A... a) {
        return Body{}(Avx512{}, a...);
    }
#elif defined(__aarch64__)
    template <class... A>
    [[gnu::noinline, gnu::flatten]] static auto on_neon(A... a) {
        return Body{}(Neon{}, a...);
    }
#endif
};

// Goes before a loop with a small fixed trip count that should compile to one vector instruction: g++ would
// otherwise unroll it completely first and then fail to vectorise it.
#if defined(__GNUC__) && !defined(__clang__)
#define GLASSBOX_VECTOR_LOOP _Pragma("GCC unroll 1")
#else
#define GLASSBOX_VECTOR_LOOP
#endif

}  // namespace glassbox
