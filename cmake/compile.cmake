# Compile options of all targets: glassbox_compile_options(<target> [<optimisation>]). -O3 because g++ hardly vectorises
# at -O2; no errno because it prevents vectorised maths; never -ffast-math, which breaks infinities and NaN, used in masks.
function(glassbox_compile_options target)
  set(optimisation -O3)
  if(ARGN)
    set(optimisation ${ARGN})
  elseif(EMSCRIPTEN)
    set(optimisation -O2)  # clang vectorises at -O2, too, and a page is downloaded
  endif()
  # At -O3, g++ 12 and 13 give false warnings of overlaps and overflows in std::string and std::vector: GCC bugs 105651
  # and 105329.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
  endif()
  target_compile_options(${target} PRIVATE
    # Members left out of {.member = …} intentionally have their defaults.
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wno-missing-field-initializers -fno-math-errno>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:${optimisation}>
    # Targets with their own, lower optimisation have none in a debug build, for quick compilation.
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Debug>,$<BOOL:${ARGN}>>:-O0>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GLASSBOX_WERROR}>>:-Werror>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GLASSBOX_ARCH}>>:-march=${GLASSBOX_ARCH}>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  get_target_property(standard ${target} CXX_STANDARD)
  if(NOT standard)  # unless the target has set another standard
    target_compile_features(${target} PRIVATE cxx_std_20)
  endif()
endfunction()

# What reads files of others is hardened as Debian's packages are: glassbox_harden(<target>). Not under sanitizers, which
# look closer, nor unoptimised, where fortified functions do not exist.
# Kernels, which read nothing but numbers, are excepted: their files have glassbox_kernel_options.
set(glassbox_kernel_options "")
set(glassbox_hardens ON)
if(CMAKE_CXX_FLAGS MATCHES "fsanitize" OR EMSCRIPTEN OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(glassbox_hardens OFF)
else()
  set(glassbox_kernel_options -fno-stack-protector)
endif()
function(glassbox_harden target)
  if(NOT glassbox_hardens)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fstack-protector-strong
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
  get_target_property(type ${target} TYPE)
  if(type MATCHES "EXECUTABLE|MODULE_LIBRARY")
    target_link_options(${target} PRIVATE LINKER:-z,relro LINKER:-z,now)
  endif()
endfunction()
