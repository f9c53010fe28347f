// {fmt} for the command that is linked statically (static.cmake): its functions, kept although they are
// inline in this file, are those that other files expect from the library.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

// What other files expect of templates: those of numbers with a locale's separators, and of both
// floating-point types.
std::string glassbox_formatted(int number, float single_number, double number_of_double) {
    return fmt::format("{:L} {} {} {:L}", number, single_number, number_of_double, number_of_double);
}
