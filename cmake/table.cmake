# Generates the table of a room from its files: NAME.cpp in `folder` defines `TYPE NAME()` in `namespace` (with an
# underscore for a hyphen in the value's name), and `std::vector<TYPE> every_ROOM()` in it returns all of them;
# `one_of_ROOM(name)` returns the function that makes one. No list to maintain by hand, and no self-registering objects,
# which linkers drop from static libraries.
#     glassbox_table(sources glassbox conventions Convention glassbox/conventions/convention.h lib/study/glassbox/conventions/sources)
function(glassbox_table sources namespace room type header folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  set(declared "")
  set(listed "")
  set(chosen "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declared "${type} ${name}();\n")
    string(APPEND listed "        ${name}(),\n")
    string(REPLACE "_" "-" word ${name})
    string(APPEND chosen "    if (name == \"${word}\") return ${name};\n")
  endforeach()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/tables/${room}.cpp)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT "#include <@header@>

#include <string>
#include <vector>

namespace @namespace@ {

@declared@
std::vector<@type@> every_@room@() {
    return {
@listed@    };
}

@type@ (*one_of_@room@(const std::string& name))() {
@chosen@    return nullptr;
}

}  // namespace @namespace@
")
  set(${sources} ${${sources}} ${table} PARENT_SCOPE)
endfunction()
