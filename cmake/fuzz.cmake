# One libFuzzer program for each tests/fuzz/fuzz_<name>.cpp. They are linked with the parts of the command, too: it has
# parsers of its own.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "GLASSBOX_FUZZ is on, but only clang has libFuzzer: configure with CXX=clang++.")
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/fuzz_*.cpp)
foreach(library glassbox glassbox_study glassbox_diagnosis tracer_parts)
  target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
endforeach()
# The catalogue of mistakes reads nothing, and clang would take as long for it as for all the rest: its memory only.
get_target_property(reading_nothing glassbox_diagnosis SOURCES)
list(FILTER reading_nothing INCLUDE REGEX "mistakes.catalogue")
set_source_files_properties(${reading_nothing} PROPERTIES COMPILE_OPTIONS "-O0;-fno-sanitize=all;-fsanitize=address"
                            SKIP_PRECOMPILE_HEADERS ON)
set(with_fuzz_lesson lessons/support/lesson_json.cpp)  # which is no part of the command
add_custom_target(fuzz_targets)  # without the command itself
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source} ${with_${name}})
  glassbox_compile_options(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE tracer_parts)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
  add_dependencies(fuzz_targets ${name})
endforeach()
