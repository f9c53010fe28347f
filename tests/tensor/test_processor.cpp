#include <glassbox/tensor/processor.h>

#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("a processor has the plain instructions, its best, and AVX2 below AVX-512") {
    using enum InstructionSet;
    struct Case {
        InstructionSet best;
        std::array<bool, 4> has;  // plain, neon, avx2, avx512
    };
    for (const auto& [best, has] :
         {Case{plain, {true, false, false, false}}, Case{neon, {true, true, false, false}},
          Case{avx2, {true, false, true, false}}, Case{avx512, {true, false, true, true}}})
        for (std::size_t i = 0; i < 4; ++i) {
            const std::string asked(instruction_set_names[i]);
            const InstructionSet found_best = best;
            if (has[i]) CHECK(asked_instruction_set(asked.c_str(), best) == static_cast<InstructionSet>(i));
            else
                check_error<UsageError>([&] { asked_instruction_set(asked.c_str(), found_best); },
                                        "GLASSBOX_CPU: this processor has no " + asked + "; its best is " +
                                            std::string(name_of(best)));
        }
}

TEST_CASE("without a name the best instructions are taken, and an unknown name is refused") {
    for (const InstructionSet best : {InstructionSet::plain, InstructionSet::avx2}) {
        CHECK(asked_instruction_set(nullptr, best) == best);
        CHECK(asked_instruction_set("", best) == best);
    }
    check_error<UsageError>([] { asked_instruction_set("AVX2", InstructionSet::avx512); },
                            "GLASSBOX_CPU: expected plain, neon, avx2 or avx512, got 'AVX2'");
}

TEST_CASE("the instructions in use are among those that the processor has") {
    CHECK_NOTHROW(
        asked_instruction_set(std::string(name_of(instruction_set())).c_str(), best_instruction_set()));
}
