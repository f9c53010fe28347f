# The command as one file that needs no library of the system's and runs on any Linux of its processor (GLASSBOX_STATIC).
# Debian has static libraries of zlib and utf8proc, but none of {fmt}, which is compiled here from its headers. The objects
# of library and command are those of the other presets, so that a compiler cache serves both.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "GLASSBOX_STATIC needs g++, not ${CMAKE_CXX_COMPILER_ID}: only it keeps unused inline functions")
endif()

# glassbox_static_library(<name> <library> <header> <debian> <fedora> <arch> <homebrew>): glassbox::<name>
function(glassbox_static_library name library header)
  find_library(GLASSBOX_STATIC_${library} lib${library}.a)
  find_path(GLASSBOX_STATIC_${library}_INCLUDE ${header})
  mark_as_advanced(GLASSBOX_STATIC_${library} GLASSBOX_STATIC_${library}_INCLUDE)
  if(NOT GLASSBOX_STATIC_${library} OR NOT GLASSBOX_STATIC_${library}_INCLUDE)
    glassbox_missing("the static library lib${library}.a and ${header}" ${ARGN})
  endif()
  if(NOT TARGET glassbox::${name})
    add_library(glassbox::${name} UNKNOWN IMPORTED)
  endif()
  set_target_properties(glassbox::${name} PROPERTIES IMPORTED_LOCATION ${GLASSBOX_STATIC_${library}}
    INTERFACE_INCLUDE_DIRECTORIES ${GLASSBOX_STATIC_${library}_INCLUDE})
endfunction()
glassbox_static_library(zlib z zlib.h zlib1g-dev zlib-static zlib zlib)
glassbox_static_library(utf8proc utf8proc utf8proc.h libutf8proc-dev utf8proc-devel libutf8proc utf8proc)

get_target_property(fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(fmt_definitions fmt::fmt INTERFACE_COMPILE_DEFINITIONS)
if(NOT fmt_definitions)
  set(fmt_definitions "")
endif()
add_library(glassbox_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/static_fmt.cpp)
target_include_directories(glassbox_fmt SYSTEM PUBLIC ${fmt_headers})
target_compile_features(glassbox_fmt PUBLIC cxx_std_20)
target_compile_definitions(glassbox_fmt INTERFACE ${fmt_definitions})
target_compile_options(glassbox_fmt PRIVATE -O2 -fno-inline -fkeep-inline-functions -ffunction-sections)
set(glassbox_fmt glassbox_fmt)

# Position-independent, as other programs are. What nobody calls is dropped, of {fmt} and of templates, and all names.
function(glassbox_link_statically program)
  set_target_properties(${program} PROPERTIES POSITION_INDEPENDENT_CODE ON LINK_SEARCH_START_STATIC ON)
  # What the linker has opened is the list of what is in the program (cmake/packages/contents.py).
  target_link_options(${program} PRIVATE -static-pie LINKER:--gc-sections LINKER:--strip-all LINKER:--dependency-file=${program}.linked)
endfunction()
