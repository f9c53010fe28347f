#pragma once
// Catch2, version 2 or 3. Version 2 has no SKIP; here it has: the case ends at once, the reason is printed,
// and a program all of whose chosen cases were skipped ends with 4, as version 3's does, which ctest counts
// as skipped.
#if GLASSBOX_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>

#include <sstream>
#include <string>

namespace glassbox_test {

[[noreturn]] void skip(const char* file, int line, const std::string& reason);  // in main.cpp

}  // namespace glassbox_test

#define SKIP(...)                                                    \
    do {                                                             \
        std::ostringstream skip_reason_;                             \
        skip_reason_ << __VA_ARGS__;                                 \
        glassbox_test::skip(__FILE__, __LINE__, skip_reason_.str()); \
    } while (false)
#endif
