# cmake --install: the library with its headers, CMake package and pkg-config file (component dev), and the command with its
# man page and completions (component tracer). CPack makes Debian packages of them (cmake/debian.cmake).
include(CMakePackageConfigHelpers)

# The library that is compiled for the static command is on zlib and on a {fmt} of its own: it is no library for programs.
if(NOT GLASSBOX_STATIC)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/glassbox)
  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/glassboxConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/glassboxConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/glassboxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  set(libraries glassbox glassbox_study glassbox_diagnosis)
  add_custom_target(component_dev DEPENDS ${libraries})  # to be built before it is installed
  foreach(library ${libraries})  # each has a file of its own: find_package reads those of the components asked for
    install(TARGETS ${library} EXPORT ${library} COMPONENT dev)
    install(EXPORT ${library} NAMESPACE glassbox:: FILE ${library}Targets.cmake DESTINATION ${package_dir} COMPONENT dev)
  endforeach()
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/glassboxConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/glassboxConfigVersion.cmake
                ${CMAKE_CURRENT_LIST_DIR}/glassboxSystem.cmake DESTINATION ${package_dir} COMPONENT dev)
  glassbox_installed_headers(installed_headers)
  foreach(header IN LISTS installed_headers)
    glassbox_folder_of(${header} root)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${root}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT dev)
  endforeach()
  install(DIRECTORY ${glassbox_generated}/glassbox DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
  include(pkg_config)
endif()

if(TARGET tracer)
  install(TARGETS tracer COMPONENT tracer)
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    install(FILES ${tracer_share}/tracer.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tracer)
    install(FILES ${tracer_share}/tracer.bash
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tracer COMPONENT tracer)
    install(FILES ${tracer_share}/_tracer DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tracer)
    install(FILES ${tracer_share}/tracer.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tracer)
  endif()
  if(SKBUILD)  # pip puts a wheel's scripts beside its python
    install(PROGRAMS $<TARGET_FILE:tracer> DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
  endif()
endif()
include(debian)
