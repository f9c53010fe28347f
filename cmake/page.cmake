# Assembles the pages' scripts: main.js with the modules of tracer/report/html/ that it imports, and for the page of a run
# run/run_main.js with its own, become one script each, without import and export lines, comments, spaces
# line ends and brackets that say nothing (every statement ends with a semicolon); let is shorter than const, $0 than a name.
# Modules only declare, the main one starts and comes last; a test holds that no name is declared twice. As a script, into a
# folder:
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

cmake_minimum_required(VERSION 3.25)

# The module and those that it imports, in `found`, full paths.
function(reach module found)
  set(reached ${${found}})
  if(NOT module IN_LIST reached)
    list(APPEND reached ${module})
    file(STRINGS ${module} imports REGEX "^import ")
    get_filename_component(folder ${module} DIRECTORY)
    foreach(import IN LISTS imports)
      string(REGEX REPLACE ".*from \"([^\"]+)\".*" "\\1" path "${import}")
      get_filename_component(path ${folder}/${path} ABSOLUTE)
      reach(${path} reached)
    endforeach()
  endif()
  set(${found} ${reached} PARENT_SCOPE)
endfunction()

function(assemble output main)
  set(modules "")
  get_filename_component(main ${FOLDER}/${main} ABSOLUTE)
  reach(${main} modules)
  list(REMOVE_ITEM modules ${main})
  list(SORT modules)
  set(script "")
  list(APPEND modules ${main})
  foreach(module IN LISTS modules)
    file(READ ${module} text)
    string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n) *//[^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE " +// [^\n]*" "" text "${text}")
    string(REGEX REPLACE "\n[ \n]+" "\n" text "${text}")
    # Strings, templates and regular expressions stay as they are.
    string(REGEX REPLACE [==[[ 
]*("([^"\\
]|\\.)*"|`[^`]*`|[[(,=:] ?/([^/\\
]|\\.)+/|[][=,;:?{}()<>&|*!+-])[ 
]*]==] "\\1" text "${text}")
    string(REGEX REPLACE "(^|[;{}()\n])const([ {[])" "\\1let\\2" text "${text}")
    string(REGEX REPLACE "([^A-Za-z0-9_$])\\(([A-Za-z]+)\\)=>" "\\1\\2=>" text "${text}")
    foreach(twice 1 2) # neighbours share a comma
      string(REGEX REPLACE "([=(,:?>[])true([],;)}:])" "\\1!0\\2" text "${text}")
      string(REGEX REPLACE "([=(,:?>[])false([],;)}:])" "\\1!1\\2" text "${text}")
    endforeach()
    string(REGEX REPLACE "([!=]==)undefined" "\\1void 0" text "${text}")
    foreach(each 1 2 3 4) # one let for several
      string(REGEX REPLACE "([;{}\n]let[ {[][^;{}]*);let " "\\1," text "${text}")
      string(REGEX REPLACE "([;{}\n]let[ {[][^;{}]*);let([{[])" "\\1,\\2" text "${text}")
    endforeach()
    string(REPLACE ";}" "}" text "${text}")
    string(APPEND script "${text}")
  endforeach()
  foreach(tag button div p span) # what is made most often
    string(SUBSTRING ${tag} 0 1 short)
    string(REPLACE "make(\"${tag}\"," "$${short}(" script "${script}")
    string(PREPEND script "let $${short}=(...all)=>make(\"${tag}\",...all);\n")
  endforeach()
  set(members querySelector addEventListener getBoundingClientRect setAttribute textContent clientWidth clientHeight
              replaceChildren getPropertyValue offsetHeight offsetWidth ownerDocument documentElement startsWith classList
              scrollLeft scrollTop includes)
  set(number 0)
  foreach(name visible make compiled placeOf oncePerFrame FormulaWriter outlineCells elementOf operandFigure forEachPlace
          scopeOf parseAddress placesThatReach lastPart formulaView outlineRegion heatMapSize drawHeatMap spoken lineText
          isParameter isSymbols cellWidth cellHeight byTensor isOneColumn isOnTheRight focusNumber firstDifference unfolded
          gradientTerms hasOwnScale columnSample rowSample rightValue parameterOf gradientReaders isLecture
          axisNames cellSettings isDifference isInSum largestDifference isRevealed otherTensor hoverFactor distancesOf
          contributions withUsers placesInView fromEquation differsAt hasGradients differenceScale isVeiled byLetter
          termOfGradient likeliestOf tellMore quizView hasHidden hasColors resolvedGradient mapShowsGradient scaleInView
          isMadeOfGradients hasNoHeads functionsByName condition builder isHidden numberOf elementAt isNamed sourcesOf
          producer placesOf enclosed columnHead forEachTerm valueAt isBelow togglePredict isApart isTurned operandTensors
          notFiniteColor tensorNamed isWhole clearChosen symbolPattern ownTensor openSheet onchoose strides reduction
          elements distances) # the page's own, and in no text
    foreach(twice 1 2) # neighbours share a bracket
      string(REGEX REPLACE "([^A-Za-z0-9_$])${name}([^A-Za-z0-9_$])" "\\1$${number}\\2" script "${script}")
    endforeach()
    math(EXPR number "${number} + 1")
  endforeach()
  set(letters A B C D E F G H I J K L M N O P Q R)
  foreach(member letter IN ZIP_LISTS members letters) # the browser's, [$A] for .querySelector
    string(REGEX REPLACE "([A-Za-z0-9_$)]|])\\.${member}([^A-Za-z0-9_$])" "\\1[$${letter}]\\2" script "${script}")
    string(PREPEND script "let $${letter}=\"${member}\";\n")
  endforeach()
  file(WRITE ${OUTPUT}/${output} "\"use strict\";\n(() => {\n${script}})();\n")
endfunction()

assemble(trace.js main.js)
assemble(run.js run/run_main.js)
# The style of both pages, and for the page of a run its own behind it.
set(style "")
foreach(part page.css run/run.css)
  file(READ ${FOLDER}/${part} text)
  string(REGEX REPLACE "/\\*[^*]*\\*/\n" "" text "${text}")
  string(REGEX REPLACE "\n +" "\n" text "${text}")
  string(REGEX REPLACE " ?([{:;,>]) " "\\1" text "${text}")
  string(REGEX REPLACE ";}" "}" text "${text}")
  string(REGEX REPLACE "}\n+" "}" text "${text}")
  string(REGEX REPLACE "([ :,(])0\\." "\\1." text "${text}")
  foreach(name paper grey line wash)
    string(SUBSTRING ${name} 0 1 short)
    string(REPLACE --${name} --${short} text "${text}")
  endforeach()
  string(APPEND style "${text}")
  get_filename_component(name ${part} NAME)
  file(WRITE ${OUTPUT}/${name} "${style}")
endforeach()

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
literal(run_style ${OUTPUT}/run.css)
literal(trace ${OUTPUT}/trace.js)
literal(run ${OUTPUT}/run.js)
file(WRITE ${OUTPUT}/page_parts.cpp "#include \"report/page.h\"

namespace glassbox::tracer {
namespace {

${code}
}  // namespace

const PagePart& page_template() { return html; }
const PagePart& page_style(PageKind kind) { return kind == PageKind::run ? run_style : style; }
const PagePart& page_script(PageKind kind) { return kind == PageKind::run ? run : trace; }

}  // namespace glassbox::tracer
")
