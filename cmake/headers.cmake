# Public headers: all in lib/glassbox except those in a detail/ folder and in the backends' own folders.
# `glassbox/glassbox.h`, generated here, includes them all. The headers that they need from detail/ are installed too.
set(glassbox_generated ${CMAKE_CURRENT_BINARY_DIR}/generated)

file(GLOB_RECURSE glassbox_public_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/lib lib/glassbox/*.h)
list(FILTER glassbox_public_headers EXCLUDE REGEX "/detail/|/backend/.+/|/distributed/.+/")
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${glassbox_generated}/glassbox/version.h @ONLY)

list(SORT glassbox_public_headers)
# The xtensor header and those for tests are opt-in: a program that includes them links xtensor, or glassbox::testing.
set(included ${glassbox_public_headers} glassbox/version.h)
list(REMOVE_ITEM included glassbox/tensor/xtensor.h)
list(FILTER included EXCLUDE REGEX "^glassbox/testing/")
list(TRANSFORM included REPLACE "(.+)" "#include <\\1>\n")
string(CONCAT included ${included})
file(CONFIGURE OUTPUT ${glassbox_generated}/glassbox/glassbox.h @ONLY CONTENT "#pragma once
// All public headers except tensor/xtensor.h, for programs with xtensor, and testing/, for those with glassbox::testing.
@included@")

# The public headers and, transitively, all headers that they include.
function(glassbox_installed_headers result)
  set(installed ${glassbox_public_headers})
  set(unread ${installed})
  while(unread)
    list(POP_FRONT unread header)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/lib/${header})
    file(STRINGS lib/${header} lines REGEX "^#include <glassbox/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*<(.+)>.*" "\\1" needed "${line}")
      if(NOT needed IN_LIST installed AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/lib/${needed})
        list(APPEND installed ${needed})
        list(APPEND unread ${needed})
      endif()
    endforeach()
  endwhile()
  set(${result} ${installed} PARENT_SCOPE)
endfunction()
