# The libraries beside the Transformer's own, a folder of lib/ each: glassbox::study and glassbox::diagnosis.
#     glassbox_library(<name> SOURCES file… LINKS library… [ONLY_TO_LINK library…])
# Includes of a library above, or calls into one, do not compile or link: what may use what is seen to by these lines.
function(glassbox_library name)
  cmake_parse_arguments(PARSE_ARGV 1 library "" "" "SOURCES;LINKS;ONLY_TO_LINK")
  set(target glassbox_${name})
  add_library(${target} STATIC ${library_SOURCES})
  add_library(glassbox::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  glassbox_library_options(${target} ${name})
  target_link_libraries(${target} PUBLIC ${library_LINKS} PRIVATE ${library_ONLY_TO_LINK})
endfunction()

# What all three have in common: options, the precompiled header, the folder of their headers.
function(glassbox_library_options target folder)
  glassbox_compile_options(${target})
  glassbox_harden(${target})
  # By its name in brackets: with its path in it, a precompiled header serves a compiler cache for one checkout alone.
  target_precompile_headers(${target} PRIVATE <precompiled.h>)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/cmake)
  if(NOT EMSCRIPTEN)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_compile_features(${target} PUBLIC cxx_std_20)
  # The generated headers are for others: without them the library compiles alike in every build folder, and a compiler
  # cache serves them all.
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/lib/${folder}>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                       INTERFACE $<BUILD_INTERFACE:${glassbox_generated}>)
endfunction()

# Folders of many small functions that only call ops: -O3 takes half as long again to compile them, and they run no faster.
#     glassbox_calling_folders(sources name folder…)
function(glassbox_calling_folders sources name)
  set(options $<$<NOT:$<CONFIG:Debug>>:-O1>)
  set(files ${${sources}})
  glassbox_unity(files ${name} 24 FOLDERS ${ARGN} OPTIONS "${options}")
  string(JOIN "|" folders ${ARGN})
  set(single ${files})
  list(FILTER single INCLUDE REGEX "/(${folders})/")
  set_source_files_properties(${single} PROPERTIES COMPILE_OPTIONS "${options}")
  set(${sources} ${files} PARENT_SCOPE)
endfunction()
