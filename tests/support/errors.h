#pragma once
#include <string>
#include <typeinfo>

#include <glassbox/tensor/errors.h>

#include "support/catch.h"

namespace glassbox_test {

// Checks that f throws exactly an E, not a derived class, with this message.
template <class E = glassbox::Error, class F>
void check_error(F f, const std::string& message) {
    try {
        f();
        FAIL_CHECK("nothing was thrown, expected: " << message);
    } catch (const E& error) {
        CHECK(typeid(error) == typeid(E));
        CHECK(error.what() == message);
    }
}

// The exception of f, which must be an E or derived from it.
template <class E, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    FAIL_CHECK("nothing was thrown");
    return "";
}

}  // namespace glassbox_test
