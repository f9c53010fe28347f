#include <glassbox/io/detail/module.h>
#include <glassbox/tensor/errors.h>

#include "support/catch.h"

using namespace glassbox;

TEST_CASE("a missing module is reported with the caller's message") {
    try {
        function_of({"glassbox_no.so", "GLASSBOX_NO_MODULE", "none"}, "no: not here");
        FAIL("nothing was thrown");
    } catch (const Error& error) {
        const std::string message = error.what(), begin = "no: not here";
        CHECK((message == begin ||  // the second where no modules can be loaded
               message == begin + "\n  glassbox_no.so: this program is one file that loads no modules"));
    }
}
