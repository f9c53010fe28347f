// Provides Catch2 version 3's header for the documents' tests, with version 2.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
