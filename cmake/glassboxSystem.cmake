# Defines the targets glassbox::openblas and glassbox::libzip. The installed package includes this file too: a
# static library's dependencies are needed at the final link.
#
# OpenBLAS is looked up by name, since the reference BLAS is slow. On Debian the pthread build comes first: the
# serial one gives wrong results when two threads call it.
# libzip is looked up with pkg-config first: the CMake files of Debian's libzip refer to programs not in the package.

find_package(PkgConfig QUIET)

if(NOT TARGET glassbox::openblas)
  if(PkgConfig_FOUND)
    pkg_check_modules(PC_OPENBLAS QUIET openblas)
  endif()
  set(glassbox_builds openblas-pthread openblas-openmp)
  set(glassbox_places ${PC_OPENBLAS_LIBRARY_DIRS} /opt/homebrew/opt/openblas/lib /usr/local/opt/openblas/lib)
  find_library(GLASSBOX_OPENBLAS_LIBRARY NAMES openblasp openblas PATH_SUFFIXES ${glassbox_builds} HINTS ${glassbox_places})
  list(TRANSFORM glassbox_places REPLACE "/lib$" "/include")
  find_path(GLASSBOX_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES ${glassbox_builds} openblas
            HINTS ${PC_OPENBLAS_INCLUDE_DIRS} ${glassbox_places})
  mark_as_advanced(GLASSBOX_OPENBLAS_LIBRARY GLASSBOX_OPENBLAS_INCLUDE)
  if(GLASSBOX_OPENBLAS_LIBRARY AND GLASSBOX_OPENBLAS_INCLUDE)
    add_library(glassbox::openblas UNKNOWN IMPORTED)
    set_target_properties(glassbox::openblas PROPERTIES
      IMPORTED_LOCATION ${GLASSBOX_OPENBLAS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${GLASSBOX_OPENBLAS_INCLUDE})
  endif()
endif()

if(NOT TARGET glassbox::libzip)
  if(PkgConfig_FOUND)
    pkg_check_modules(PC_LIBZIP QUIET libzip)
  endif()
  find_library(GLASSBOX_LIBZIP_LIBRARY NAMES zip HINTS ${PC_LIBZIP_LIBRARY_DIRS})
  find_path(GLASSBOX_LIBZIP_INCLUDE zip.h HINTS ${PC_LIBZIP_INCLUDE_DIRS})
  mark_as_advanced(GLASSBOX_LIBZIP_LIBRARY GLASSBOX_LIBZIP_INCLUDE)
  if(GLASSBOX_LIBZIP_LIBRARY AND GLASSBOX_LIBZIP_INCLUDE)
    add_library(glassbox::libzip UNKNOWN IMPORTED)
    set_target_properties(glassbox::libzip PROPERTIES
      IMPORTED_LOCATION ${GLASSBOX_LIBZIP_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${GLASSBOX_LIBZIP_INCLUDE})
  endif()
endif()
