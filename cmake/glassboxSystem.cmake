# Defines the targets glassbox::openblas, glassbox::libzip and glassbox::utf8proc. The installed package includes this file
# too: a static library's dependencies are needed at the final link.
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
