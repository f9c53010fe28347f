# Which headers are for programs: all of lib/glassbox but those in a folder detail/ and in the backends' own folders.
# `glassbox/glassbox.h` includes them, and is made here; so nobody keeps a list. What is installed besides is what they
# need of detail/.
set(glassbox_generated ${CMAKE_CURRENT_BINARY_DIR}/generated)

file(GLOB_RECURSE glassbox_public_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/lib lib/glassbox/*.h)
list(FILTER glassbox_public_headers EXCLUDE REGEX "/detail/|/backend/.+/|/distributed/.+/")
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${glassbox_generated}/glassbox/version.h @ONLY)

list(SORT glassbox_public_headers)
# xtensor is for who wants it: a program that includes that header links it.
set(included ${glassbox_public_headers} glassbox/version.h)
list(REMOVE_ITEM included glassbox/tensor/xtensor.h)
list(TRANSFORM included REPLACE "(.+)" "#include <\\1>\n")
string(CONCAT included ${included})
file(CONFIGURE OUTPUT ${glassbox_generated}/glassbox/glassbox.h @ONLY CONTENT "#pragma once
// All that programs use, but for tensor/xtensor.h, which one includes where xtensor is wanted.
@included@")

# The headers that these include, and so on.
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
