#include "cli/memory.h"

#include "support/catch.h"

TEST_CASE("a machine has some memory, and less than a petabyte") {
    CHECK(glassbox::tracer::machine_memory() > 64.0 * (1 << 20));
    CHECK(glassbox::tracer::machine_memory() < 1e15);
}
