# The table of a room, made from the files that are there: NAME.cpp in `folder` defines `TYPE NAME()` in `namespace` (a
# hyphen in the value's own name is an underscore there), and `std::vector<TYPE> every_ROOM()` there returns them all. A list
# that nobody keeps by hand, and no object that registers itself, which a linker drops from a static library.
#     glassbox_table(sources glassbox conventions Convention glassbox/conventions/convention.h lib/glassbox/conventions/sources)
function(glassbox_table sources namespace room type header folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  set(declared "")
  set(listed "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declared "${type} ${name}();\n")
    string(APPEND listed "        ${name}(),\n")
  endforeach()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/tables/${room}.cpp)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT "#include <@header@>

namespace @namespace@ {

@declared@
std::vector<@type@> every_@room@() {
    return {
@listed@    };
}

}  // namespace @namespace@
")
  set(${sources} ${${sources}} ${table} PARENT_SCOPE)
endfunction()
