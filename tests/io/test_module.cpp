#include <glassbox/io/detail/module.h>

#include "support/catch.h"
#include "support/errors.h"

using namespace glassbox;
using glassbox_test::check_error;

TEST_CASE("a missing module is reported with the caller's message") {
    check_error(
        [] {
            function_of({"glassbox_no.so", "GLASSBOX_NO_MODULE", "none"}, "no: not here");
        },
        "no: not here");
}
