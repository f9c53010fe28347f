# Defines the targets glassbox::blas, glassbox::libzip and glassbox::utf8proc. The installed package includes this file
# too: a static library's dependencies are needed at the final link.
#
# The BLAS is glassbox_blas_wanted: auto (OpenBLAS), blis, mkl, or the path of a library of one of the three, which is
# recognised by its functions. glassbox_blas_vendor says which it is. It is looked up by name, since the reference BLAS is
# slow. On Debian the pthread build comes first: the serial OpenBLAS gives wrong results when two threads call it.
# libzip is looked up with pkg-config first: the CMake files of Debian's libzip refer to programs not in the package.

find_package(PkgConfig QUIET)

if(NOT TARGET glassbox::blas)
  set(glassbox_blas_vendor openblas)
  if(glassbox_blas_wanted MATCHES "^(blis|mkl)$")
    set(glassbox_blas_vendor ${glassbox_blas_wanted})
  elseif(glassbox_blas_wanted AND NOT glassbox_blas_wanted MATCHES "^(auto|openblas)$")
    if(NOT EXISTS "${glassbox_blas_wanted}")
      message(FATAL_ERROR "GLASSBOX_BLAS is auto, blis, mkl or the path of a library, not ${glassbox_blas_wanted}")
    endif()
    include(CheckLibraryExists)
    set(CMAKE_REQUIRED_LIBRARIES -lpthread -lm)
    string(MD5 glassbox_hash "${glassbox_blas_wanted}")
    check_library_exists("${glassbox_blas_wanted}" openblas_set_num_threads "" GLASSBOX_IS_OPENBLAS_${glassbox_hash})
    check_library_exists("${glassbox_blas_wanted}" bli_thread_set_num_threads "" GLASSBOX_IS_BLIS_${glassbox_hash})
    check_library_exists("${glassbox_blas_wanted}" MKL_Set_Threading_Layer "" GLASSBOX_IS_MKL_${glassbox_hash})
    unset(CMAKE_REQUIRED_LIBRARIES)
    if(GLASSBOX_IS_BLIS_${glassbox_hash})
      set(glassbox_blas_vendor blis)
    elseif(GLASSBOX_IS_MKL_${glassbox_hash})
      set(glassbox_blas_vendor mkl)
    elseif(NOT GLASSBOX_IS_OPENBLAS_${glassbox_hash})
      message(FATAL_ERROR "GLASSBOX_BLAS: ${glassbox_blas_wanted} is none of OpenBLAS, BLIS and MKL")
    endif()
    set(glassbox_blas_library "${glassbox_blas_wanted}")
  endif()

  set(glassbox_builds openblas-pthread openblas-openmp)
  if(glassbox_blas_vendor STREQUAL "openblas")
    if(PkgConfig_FOUND)
      pkg_check_modules(PC_OPENBLAS QUIET openblas)
    endif()
    set(glassbox_places ${PC_OPENBLAS_LIBRARY_DIRS} /opt/homebrew/opt/openblas/lib /usr/local/opt/openblas/lib)
    if(NOT glassbox_blas_library)
      find_library(GLASSBOX_OPENBLAS_LIBRARY NAMES openblasp openblas PATH_SUFFIXES ${glassbox_builds} HINTS ${glassbox_places})
      set(glassbox_blas_library ${GLASSBOX_OPENBLAS_LIBRARY})
    endif()
    list(TRANSFORM glassbox_places REPLACE "/lib$" "/include")
    find_path(GLASSBOX_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES ${glassbox_builds} openblas
              HINTS ${PC_OPENBLAS_INCLUDE_DIRS} ${glassbox_places})
    set(glassbox_blas_include ${GLASSBOX_OPENBLAS_INCLUDE})
  elseif(glassbox_blas_vendor STREQUAL "blis")
    if(NOT glassbox_blas_library)
      find_library(GLASSBOX_BLIS_LIBRARY NAMES blis-mt blis PATH_SUFFIXES blis-pthread blis-openmp)
      set(glassbox_blas_library ${GLASSBOX_BLIS_LIBRARY})
    endif()
    find_path(GLASSBOX_CBLAS_INCLUDE cblas.h PATH_SUFFIXES blis-pthread blis-openmp blis ${glassbox_builds} openblas)
    set(glassbox_blas_include ${GLASSBOX_CBLAS_INCLUDE})
  else()  # mkl_rt loads the rest of MKL, which is beside it; PyPI's package has only the name with the version
    if(NOT glassbox_blas_library)
      find_library(GLASSBOX_MKL_LIBRARY NAMES mkl_rt libmkl_rt.so.3 libmkl_rt.so.2 PATH_SUFFIXES lib lib/intel64
                   HINTS $ENV{MKLROOT} $ENV{VIRTUAL_ENV} PATHS /opt/intel/oneapi/mkl/latest)
      set(glassbox_blas_library ${GLASSBOX_MKL_LIBRARY})
    endif()
    find_path(GLASSBOX_CBLAS_INCLUDE cblas.h PATH_SUFFIXES ${glassbox_builds} openblas)
    set(glassbox_blas_include ${GLASSBOX_CBLAS_INCLUDE})
  endif()
  mark_as_advanced(GLASSBOX_OPENBLAS_LIBRARY GLASSBOX_OPENBLAS_INCLUDE GLASSBOX_BLIS_LIBRARY GLASSBOX_MKL_LIBRARY
                   GLASSBOX_CBLAS_INCLUDE)
  if(glassbox_blas_library AND (glassbox_blas_include OR NOT glassbox_blas_vendor STREQUAL "openblas"))
    add_library(glassbox::blas UNKNOWN IMPORTED)
    set_target_properties(glassbox::blas PROPERTIES IMPORTED_LOCATION "${glassbox_blas_library}")
    if(glassbox_blas_include)  # for programs that call it themselves
      set_target_properties(glassbox::blas PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${glassbox_blas_include}")
    endif()
  endif()
endif()

# glassbox::<name> from the library and the header of a pkg-config package; nothing where one is missing.
macro(glassbox_system_library name package library header)
  if(NOT TARGET glassbox::${name})
    string(TOUPPER ${name} glassbox_upper)
    if(PkgConfig_FOUND)
      pkg_check_modules(PC_${glassbox_upper} QUIET ${package})
    endif()
    find_library(GLASSBOX_${glassbox_upper}_LIBRARY NAMES ${library} HINTS ${PC_${glassbox_upper}_LIBRARY_DIRS})
    find_path(GLASSBOX_${glassbox_upper}_INCLUDE ${header} HINTS ${PC_${glassbox_upper}_INCLUDE_DIRS})
    mark_as_advanced(GLASSBOX_${glassbox_upper}_LIBRARY GLASSBOX_${glassbox_upper}_INCLUDE)
    if(GLASSBOX_${glassbox_upper}_LIBRARY AND GLASSBOX_${glassbox_upper}_INCLUDE)
      add_library(glassbox::${name} UNKNOWN IMPORTED)
      set_target_properties(glassbox::${name} PROPERTIES
        IMPORTED_LOCATION ${GLASSBOX_${glassbox_upper}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${GLASSBOX_${glassbox_upper}_INCLUDE})
    endif()
  endif()
endmacro()
glassbox_system_library(libzip libzip zip zip.h)
glassbox_system_library(utf8proc libutf8proc utf8proc utf8proc.h)
