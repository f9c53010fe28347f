# Assembles the pages' scripts: the modules of tracer/report/html/ in the order of their names with main.js last, and for the
# page of a run those of run/ as well, become one script each, without import and export lines, comments and indents. Modules
# only declare, main.js starts; a test holds that no name is declared twice. As a script, into a folder:
#     cmake -DFOLDER=tracer/report/html -DOUTPUT=build/page -P cmake/page.cmake
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(glassbox_page sources)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/tracer/report/html)
    file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${folder}/*.js ${folder}/*.css ${folder}/*.html)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/page)
    add_custom_command(OUTPUT ${output}/page_parts.cpp VERBATIM
      COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${output} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/page.cmake
      DEPENDS ${parts} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/page.cmake COMMENT "Assembling the page")
    set(${sources} ${${sources}} ${output}/page_parts.cpp PARENT_SCOPE)
  endfunction()
  return()
endif()

function(assemble output)  # module…
  set(script "")
  foreach(module IN LISTS ARGN)
    file(READ ${module} text)
    string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n) *//[^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "\n[ \n]+" "\n" text "${text}")
    string(APPEND script "${text}")
  endforeach()
  file(WRITE ${OUTPUT}/${output} "\"use strict\";\n(() => {\n${script}})();\n")
endfunction()

file(GLOB modules ${FOLDER}/*.js)
file(GLOB of_run ${FOLDER}/run/*.js)
list(SORT modules)
list(SORT of_run)
list(REMOVE_ITEM modules ${FOLDER}/main.js)
list(REMOVE_ITEM of_run ${FOLDER}/run/run_main.js)
assemble(trace.js ${modules} ${FOLDER}/main.js)
assemble(run.js ${modules} ${of_run} ${FOLDER}/run/run_main.js)
file(READ ${FOLDER}/page.css style)
string(REGEX REPLACE "\n +" "\n" style "${style}")
file(WRITE ${OUTPUT}/page.css "${style}")

# The bytes as a character array: a string literal may not be as long as a page.
function(literal name file)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR size "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  file(SHA256 ${file} hash)
  string(APPEND code "const char ${name}_bytes[] = {${bytes}'\\0'};\n"
                     "const PagePart ${name}{{${name}_bytes, ${size}}, \"${hash}\"};\n")
  set(code "${code}" PARENT_SCOPE)
endfunction()
set(code "")
literal(html ${FOLDER}/page.html)
literal(style ${OUTPUT}/page.css)
literal(trace ${OUTPUT}/trace.js)
literal(run ${OUTPUT}/run.js)
file(WRITE ${OUTPUT}/page_parts.cpp "#include \"report/page.h\"

namespace tracer {
namespace {

${code}
}  // namespace

const PagePart& page_template() { return html; }
const PagePart& page_style() { return style; }
const PagePart& page_script(PageKind kind) { return kind == PageKind::run ? run : trace; }

}  // namespace tracer
")
