// What a document's test includes and links of version 3, by version 2.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
