// Headers that a CUDA backend includes must be C++17, without {fmt} and xtensor: compiled with nvcc where
// available, else with the C++ compiler.
#include <glassbox/backend/backend.h>
#include <glassbox/backend/recording.h>
#include <glassbox/random/threefry.h>
#include <glassbox/tensor/detail/free_list.h>
#include <glassbox/tensor/detail/size_class.h>
#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/memory.h>
#include <glassbox/tensor/real.h>
#include <glassbox/tensor/shape.h>

static_assert(__cplusplus < 202002L, "this must be compiled as C++17");
#if defined(FMT_VERSION) || defined(XTENSOR_VERSION_MAJOR)
#error "a header that CUDA includes has let in {fmt} or xtensor"
#endif
