# cmake --install: the library with its headers and CMake package, the command, its man page and completions.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/glassbox)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/glassboxConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/glassboxConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/glassboxConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS glassbox glassbox_testing EXPORT glassbox)
install(EXPORT glassbox NAMESPACE glassbox:: FILE glassboxTargets.cmake DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/glassboxConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/glassboxConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/glassboxSystem.cmake DESTINATION ${package_dir})
glassbox_installed_headers(installed_headers)
foreach(header IN LISTS installed_headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES lib/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(DIRECTORY ${glassbox_generated}/glassbox DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET tracer)
  install(TARGETS tracer)
  if(NOT CMAKE_CROSSCOMPILING)
    install(FILES ${tracer_share}/tracer.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${tracer_share}/tracer.bash
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tracer)
    install(FILES ${tracer_share}/_tracer DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${tracer_share}/tracer.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
