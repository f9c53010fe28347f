#include "support/catch.h"  // the precompiled header of all tests
