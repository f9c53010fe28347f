# The CUDA backend: C++17 (CMake 3.25 has no CUDA C++20), without {fmt} and without xtensor. 75, 80 and 90 cover
# Turing to Hopper; CUDA 13 no longer supports older ones.
include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
  set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "GLASSBOX_CUDA is on, but there is no CUDA compiler. Install NVIDIA's CUDA toolkit (tested with 13.0), put "
                      "its nvcc on the PATH or name it in the environment as CUDACXX, or build with GLASSBOX_CUDA=OFF.")
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 75 80 90)
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
string(APPEND CMAKE_CUDA_FLAGS " --expt-relaxed-constexpr")  # kernels call the library's constexpr functions

file(GLOB_RECURSE glassbox_cuda_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/lib/transformer/glassbox/backend/cuda/*.cu)
if(NOT glassbox_cuda_sources)
  message(STATUS "backend/cuda/ has no kernels in this version: nvcc only checks the headers, Device::cuda is unavailable")
endif()
