# How everything of Glassbox is compiled. -O3 because g++ hardly vectorises at -O2; no errno because it keeps
# maths from being vectorised; never -ffast-math: it breaks infinities and NaN, which masks are made of.
function(glassbox_compile_options target)
  # g++ 12 and 13 warn of overlaps in std::string's own headers: GCC bug 105651.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -fno-math-errno>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O3>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GLASSBOX_WERROR}>>:-Werror>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GLASSBOX_ARCH}>>:-march=${GLASSBOX_ARCH}>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${target} PRIVATE cxx_std_20)
endfunction()
