# Assembles the page: the modules of tracer/report/html/ become one script, in the order of their names with main.js last,
# without their import and export lines; a test holds that no name is declared twice. Run as a script by the build:
#     cmake -DFOLDER=tracer/report/html -DOUTPUT=page_parts.cpp -P page.cmake
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(glassbox_page sources)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/tracer/report/html)
    file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.js ${folder}/*.css ${folder}/*.html)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/page/page_parts.cpp)
    add_custom_command(OUTPUT ${output} VERBATIM
      COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${output} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/page.cmake
      DEPENDS ${parts} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/page.cmake COMMENT "Assembling the page")
    set(${sources} ${${sources}} ${output} PARENT_SCOPE)
  endfunction()
  return()
endif()

# A raw string literal for each line would be long, one for all is longer than compilers take: pieces of bytes.
function(literal name file)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR size "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND code "const char ${name}[] = {${bytes}'\\0'};\nconstexpr std::size_t ${name}_size = ${size};\n")
  set(code "${code}" PARENT_SCOPE)
endfunction()

file(GLOB modules ${FOLDER}/*.js)
list(SORT modules)
list(FILTER modules EXCLUDE REGEX "/main\\.js$")
list(APPEND modules ${FOLDER}/main.js)
get_filename_component(built ${OUTPUT} DIRECTORY)
file(WRITE ${built}/page.js "\"use strict\";\n")
foreach(module IN LISTS modules)
  file(READ ${module} text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  file(APPEND ${built}/page.js "${text}")
endforeach()
configure_file(${FOLDER}/page.css ${built}/page.css COPYONLY)
file(SHA256 ${built}/page.js script_hash)
file(SHA256 ${built}/page.css style_hash)
literal(html ${FOLDER}/page.html)
literal(style ${built}/page.css)
literal(script ${built}/page.js)
file(WRITE ${OUTPUT} "#include \"report/page.h\"

namespace tracer {
namespace {

${code}
}  // namespace

PageParts page_parts() {
    return {{html, html_size}, {style, style_size}, {script, script_size}, \"${style_hash}\", \"${script_hash}\"};
}

}  // namespace tracer
")
