#include <glassbox/io/module.h>
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

TEST_CASE("a library that is no module is named") {
    ::setenv("GLASSBOX_NO_MODULE", "libm.so.6", 1);
    try {
        function_of({"glassbox_no.so", "GLASSBOX_NO_MODULE", "none"}, "no: not here");
        FAIL("nothing was thrown");
    } catch (const Error& error) {
        const std::string message = error.what();
        CHECK((message == "no: not here\n  libm.so.6 is not a Glassbox module" ||
               message.find("loads no modules") != std::string::npos));
    }
    ::unsetenv("GLASSBOX_NO_MODULE");
}
