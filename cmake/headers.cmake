# Public headers: all in lib/ except those in a detail/ folder and in the backends' own folders. Generated here, one header
# for each library includes its own: glassbox/glassbox.h, glassbox/study.h, glassbox/diagnosis.h. The headers that they need
# from detail/ are installed too.
set(glassbox_generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${glassbox_generated}/glassbox/version.h @ONLY)

# The folder of lib/ that has this header, in `result`; empty: none.
function(glassbox_folder_of header result)
  set(${result} "" PARENT_SCOPE)
  foreach(folder transformer study diagnosis)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/lib/${folder}/${header})
      set(${result} ${CMAKE_CURRENT_SOURCE_DIR}/lib/${folder} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

function(glassbox_headers_in_one folder name comment)
  file(GLOB_RECURSE public CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/lib/${folder} lib/${folder}/glassbox/*.h)
  list(FILTER public EXCLUDE REGEX "/detail/|/backend/.+/|/distributed/.+/")
  list(SORT public)
  set(glassbox_public_headers ${glassbox_public_headers} ${public} PARENT_SCOPE)
  set(included ${public} ${ARGN})
  list(REMOVE_ITEM included glassbox/tensor/xtensor.h)  # a program that includes it links xtensor
  list(TRANSFORM included REPLACE "(.+)" "#include <\\1>\n")
  string(CONCAT included ${included})
  file(CONFIGURE OUTPUT ${glassbox_generated}/glassbox/${name}.h @ONLY CONTENT "#pragma once
// @comment@
@included@")
endfunction()
glassbox_headers_in_one(transformer glassbox "All public headers of glassbox::glassbox except tensor/xtensor.h, for programs with xtensor."
                        glassbox/version.h)
glassbox_headers_in_one(study study "All public headers of glassbox::study, which programs link that include them.")
glassbox_headers_in_one(diagnosis diagnosis "All public headers of glassbox::diagnosis, which programs link that include them.")

# The public headers and, transitively, all headers that they include.
function(glassbox_installed_headers result)
  set(installed ${glassbox_public_headers})
  set(unread ${installed})
  while(unread)
    list(POP_FRONT unread header)
    glassbox_folder_of(${header} folder)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${header})
    file(STRINGS ${folder}/${header} lines REGEX "^#include <glassbox/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*<(.+)>.*" "\\1" needed "${line}")
      glassbox_folder_of(${needed} found)
      if(found AND NOT needed IN_LIST installed)
        list(APPEND installed ${needed})
        list(APPEND unread ${needed})
      endif()
    endforeach()
  endwhile()
  set(${result} ${installed} PARENT_SCOPE)
endfunction()
