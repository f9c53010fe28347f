# The CUDA backend without a GPU: its files are compiled as C++17 against an emulator of CUDA, which runs every thread
# of every kernel on the CPU. It tests correctness only, not speed (docs/building.md).
if(GLASSBOX_CUDA)
  message(FATAL_ERROR "GLASSBOX_CUDA and GLASSBOX_CUDA_ON_HOST are both on: the CUDA backend is built for a GPU or for the host, not both.")
endif()
set(cuda_on_host_dir ${CMAKE_CURRENT_SOURCE_DIR}/tests/support/cuda_on_host)

file(GLOB cuda_on_host_sources CONFIGURE_DEPENDS ${cuda_on_host_dir}/*.cpp)
add_library(cuda_on_host OBJECT ${cuda_on_host_sources})
glassbox_compile_options(cuda_on_host)
# The emulator's code runs for each thread of each kernel, so it is optimised in every build type.
target_compile_options(cuda_on_host PRIVATE $<$<CONFIG:Debug>:-O2>)
target_link_libraries(cuda_on_host PRIVATE glassbox::blas)
set_target_properties(cuda_on_host PROPERTIES POSITION_INDEPENDENT_CODE ON)

# The emulated NCCL is linked into the module that calls it.
add_library(nccl_on_host OBJECT ${cuda_on_host_dir}/nccl/nccl.cpp ${cuda_on_host_dir}/nccl/sockets.cpp)
glassbox_compile_options(nccl_on_host)
target_include_directories(nccl_on_host PRIVATE ${cuda_on_host_dir}/include)
set_target_properties(nccl_on_host PROPERTIES POSITION_INDEPENDENT_CODE ON)

file(GLOB_RECURSE cuda_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/lib/transformer/glassbox/backend/cuda/*.cu)

# Compiles the .cu files of a target as plain C++17 with the emulator's CUDA headers.
function(glassbox_cuda_on_host target)
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${files} PROPERTIES LANGUAGE CXX)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17)
  glassbox_compile_options(${target})
  target_compile_options(${target} PRIVATE -Wno-unknown-pragmas)  # unroll
  # Before the library's, because it replaces one of the library's headers.
  target_include_directories(${target} BEFORE PRIVATE ${cuda_on_host_dir}/include)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/lib/transformer)
  if(GLASSBOX_DOUBLE)
    target_compile_definitions(${target} PRIVATE GLASSBOX_DOUBLE)
  endif()
endfunction()

set(glassbox_cuda_sources)
if(cuda_files)
  add_library(glassbox_cuda OBJECT ${cuda_files})
  glassbox_cuda_on_host(glassbox_cuda)
  set_target_properties(glassbox_cuda PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(glassbox_cuda_sources $<TARGET_OBJECTS:glassbox_cuda> $<TARGET_OBJECTS:cuda_on_host>)
endif()
