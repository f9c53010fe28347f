# The command. Everything but main() is a library, so that tests can link it.
file(GLOB tracer_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tracer/*/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/tracer/report/drawing/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/tracer/report/formats/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/tracer/report/spreadsheet/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/tracer/commands/shared/*.cpp
     ${CMAKE_CURRENT_SOURCE_DIR}/tracer/tasks/*/*.cpp)
list(FILTER tracer_sources EXCLUDE REGEX "/tracer/web/")  # in place of parts of the library, in the browser
list(FILTER tracer_sources EXCLUDE REGEX "/tracer/cli/address_space(_elsewhere)?.cpp$")  # part of the program only
glassbox_table(tracer_sources glassbox::tracer::commands commands Command cli/command.h tracer/commands)
glassbox_table(tracer_sources glassbox::tracer::formats formats Renderer report/renderer.h tracer/report/formats)
glassbox_table(tracer_sources glassbox tasks Task tasks/task.h tracer/tasks/all)
glassbox_page(tracer_sources)
glassbox_unity(tracer_sources tracer 12 FOLDERS tracer)
# The models that were trained for it (tracer/train/trained/make), each file as an array of its bytes.
set(trained "")
set(trained_list "")
file(GLOB models CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tracer/train/trained/*.safetensors)
foreach(file IN LISTS models)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(task ${file} NAME_WE)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND trained "const unsigned char ${task}[] = {${bytes}};\n")
  string(APPEND trained_list "        {\"${task}\", {${task}, sizeof(${task})}},\n")
endforeach()
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/trained_models.cpp CONTENT
"#include \"train/trained_run.h\"

namespace glassbox::tracer {
namespace {

${trained}
}  // namespace

const std::vector<TrainedModel>& trained_models() {
    static const std::vector<TrainedModel> models{
${trained_list}    };
    return models;
}

}  // namespace glassbox::tracer
")
list(APPEND tracer_sources ${CMAKE_CURRENT_BINARY_DIR}/trained_models.cpp)
# What people call a function's parameters stands in the Python module, and is needed where functions are graded.
set(naming "")
foreach(module errors names signature lone_input guesses made_masks optimiser_state)
  set(file ${CMAKE_CURRENT_SOURCE_DIR}/python/glassbox/${module}.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(APPEND naming "        {\"${module}.py\", R\"py(${text})py\"},\n")
endforeach()
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/naming_py.cpp CONTENT
"#include \"grade/run_function.h\"

namespace glassbox::tracer {

const std::vector<PythonFile>& naming_py() {
    static const std::vector<PythonFile> files{
        {\"__init__.py\", \"\"},
${naming}    };
    return files;
}

}  // namespace glassbox::tracer
")
list(APPEND tracer_sources ${CMAKE_CURRENT_BINARY_DIR}/naming_py.cpp)
add_library(tracer_parts STATIC ${tracer_sources})
set(tracer_optimisation -O1)  # it only formats; the library computes
if(EMSCRIPTEN)
  set(tracer_optimisation -Oz)
endif()
glassbox_compile_options(tracer_parts ${tracer_optimisation})
glassbox_harden(tracer_parts)
target_precompile_headers(tracer_parts PRIVATE <precompiled.h>)
target_include_directories(tracer_parts PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/cmake)
target_include_directories(tracer_parts PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/tracer)
target_link_libraries(tracer_parts PUBLIC glassbox::diagnosis nlohmann_json::nlohmann_json Threads::Threads)

set(address_space tracer/cli/address_space_elsewhere.cpp)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(address_space tracer/cli/address_space.cpp)
endif()
add_executable(tracer tracer/main.cpp ${address_space})
glassbox_compile_options(tracer ${tracer_optimisation})
glassbox_harden(tracer)
target_link_libraries(tracer PRIVATE tracer_parts)
if(EMSCRIPTEN)
  include(web_page)
  return()
endif()
if(GLASSBOX_STATIC)
  glassbox_link_statically(tracer)
endif()
# Static linking of the BLAS cuts the startup time by a third: no large library to load and relocate.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND UNIX AND NOT APPLE)
  get_target_property(blas glassbox::blas IMPORTED_LOCATION)
  string(REGEX REPLACE "\\.so$" ".a" static_blas ${blas})
  if(static_blas MATCHES "\\.a$" AND EXISTS ${static_blas})
    target_link_libraries(tracer PRIVATE glassbox::glassbox ${static_blas})
    target_link_options(tracer PRIVATE LINKER:--as-needed)  # drops the shared one
  endif()
endif()
# Where the BLAS is shared, the command uses the one it was linked with, not the system's default. The built one has the
# run path of the installed one: for one that differs CMake pads it with colons, and an empty element of a run path is the
# folder one stands in.
set_target_properties(tracer PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON)

# The command generates its man page and completions from the options it declares.
set(tracer_share ${CMAKE_CURRENT_BINARY_DIR}/share)
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  file(MAKE_DIRECTORY ${tracer_share})
  add_custom_command(TARGET tracer POST_BUILD VERBATIM
    COMMAND tracer manual -o ${tracer_share}/tracer.1
    COMMAND tracer completion bash -o ${tracer_share}/tracer.bash
    COMMAND tracer completion zsh -o ${tracer_share}/_tracer
    COMMAND tracer completion fish -o ${tracer_share}/tracer.fish)
endif()
