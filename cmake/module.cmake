# A part of Glassbox with extra dependencies: a module next to the program, loaded when it is needed
# (lib/transformer/glassbox/io/module.h), so that neither the library nor the command links those dependencies.
function(glassbox_module name source)
  add_library(${name} MODULE ${source})
  glassbox_compile_options(${name})
  glassbox_harden(${name})
  target_include_directories(${name} PRIVATE lib/transformer)
  if(GLASSBOX_DOUBLE)
    target_compile_definitions(${name} PRIVATE GLASSBOX_DOUBLE)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
                                           INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON)
  if(GLASSBOX_TRACER)
    add_dependencies(tracer ${name})
  endif()
  if(GLASSBOX_INSTALL)
    install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glassbox COMPONENT modules)
  endif()
endfunction()
