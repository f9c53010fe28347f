# Dependencies, each with an error message that says how to install it.

function(glassbox_missing what debian fedora arch homebrew)
  message(FATAL_ERROR "Glassbox needs ${what}, which CMake did not find. Install it with one of\n"
                      "  Debian, Ubuntu   sudo apt-get install ${debian}\n"
                      "  Fedora           sudo dnf install ${fedora}\n"
                      "  Arch             sudo pacman -S ${arch}\n"
                      "  Homebrew         brew install ${homebrew}\n"
                      "or add its location to CMAKE_PREFIX_PATH.")
endfunction()

# glassbox_need(<package> <what> <debian> <fedora> <arch> <homebrew>)
macro(glassbox_need package)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    glassbox_missing(${ARGN})
  endif()
endmacro()

set(glassbox_blas_wanted ${GLASSBOX_BLAS})
include(${CMAKE_CURRENT_LIST_DIR}/glassboxSystem.cmake)
if(NOT TARGET glassbox::blas)
  if(glassbox_blas_vendor STREQUAL "blis")
    glassbox_missing("BLIS" libblis-pthread-dev blis-devel blis blis)
  elseif(glassbox_blas_vendor STREQUAL "mkl")
    message(FATAL_ERROR "Glassbox needs MKL, which CMake did not find. Install Debian's intel-mkl, or mkl-devel from PyPI "
                        "in a virtual environment, and add the folder with its lib/ to CMAKE_PREFIX_PATH.")
  endif()
  glassbox_missing("OpenBLAS" libopenblas-pthread-dev openblas-devel openblas openblas)
endif()
if(NOT TARGET glassbox::zlib)
  glassbox_missing("zlib" zlib1g-dev zlib-devel zlib zlib)
endif()
if(NOT TARGET glassbox::utf8proc)
  glassbox_missing("utf8proc" libutf8proc-dev utf8proc-devel libutf8proc utf8proc)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
glassbox_need(fmt "{fmt}" libfmt-dev fmt-devel fmt fmt)
set(glassbox_fmt fmt::fmt)
glassbox_need(xtensor "xtensor" libxtensor-dev xtensor-devel xtensor xtensor)
find_path(GLASSBOX_XTENSOR_BLAS_INCLUDE xtensor-blas/xblas.hpp)
mark_as_advanced(GLASSBOX_XTENSOR_BLAS_INCLUDE)
if(NOT GLASSBOX_XTENSOR_BLAS_INCLUDE)
  glassbox_missing("the headers of xtensor-blas" libxtensor-blas-dev xtensor-blas-devel xtensor-blas xtensor-blas)
endif()
glassbox_need(nlohmann_json "nlohmann-json" nlohmann-json3-dev json-devel nlohmann-json nlohmann-json)
if(GLASSBOX_TESTS)
  glassbox_need(Catch2 "Catch2, version 2 or 3" catch2 catch-devel catch2 catch2)
endif()
