#pragma once
// Catch2, version 2 or 3. Adds SKIP to version 2: the case ends immediately, the reason is printed, and as
// with version 3 a program exits with 4 when all selected cases were skipped, which ctest reports as skipped.
#include <string>
#include <string_view>

#if GLASSBOX_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>

#include <sstream>

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

namespace glassbox_test {

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace glassbox_test
