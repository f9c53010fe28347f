#include "support/catch.h"  // compiled once, ahead of the tests, which all reuse it
