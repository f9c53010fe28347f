# Run by CPack once the files of a Debian package are in its folder: what Debian's policy asks for beside them.
set(package tracer)
if(CPACK_COMPONENTS_ALL STREQUAL "dev")
  set(package libglassbox-dev)
endif()
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${CPACK_COMPONENTS_ALL}/usr)
set(doc ${root}/share/doc/${package})
file(MAKE_DIRECTORY ${doc})

# Everything in the package has the time of the release, so that the same sources make the same bytes.
set(moment "$ENV{SOURCE_DATE_EPOCH}")
if(NOT moment)
  string(TIMESTAMP moment "%s" UTC)
  set(ENV{SOURCE_DATE_EPOCH} ${moment})
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog.Debian "glassbox (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
  "  * Made by CPack; changelog.gz says what has changed.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(COPY_FILE ${CPACK_GLASSBOX_SOURCE}/CHANGELOG.md ${doc}/changelog)
file(COPY_FILE ${CPACK_GLASSBOX_SOURCE}/LICENSE ${doc}/copyright)
if(package STREQUAL "tracer" AND EXISTS ${CPACK_GLASSBOX_LICENCES})
  file(READ ${CPACK_GLASSBOX_LICENCES} others)
  file(APPEND ${doc}/copyright "\n${others}")
endif()

# What Debian asks of its own packages and this one does not do, with the reason.
set(overrides "# It is in no archive of Debian's, whose list of bugs it could close.\n${package}: initial-upload-closes-no-bugs\n")
if(package STREQUAL "tracer")
  string(APPEND overrides "# The command is linked statically, so that one package runs on every release.\n"
    "tracer: embedded-library\ntracer: shared-library-lacks-prerequisites\n")
else()
  string(APPEND overrides "# The folder is the one in which every compiler and pkg-config looks, whatever the system.\n"
    "libglassbox-dev: pkg-config-unavailable-for-cross-compilation\n")
endif()
file(WRITE ${root}/share/lintian/overrides/${package} "${overrides}")

# Debian's zsh looks elsewhere for what packages bring.
if(EXISTS ${root}/share/zsh/site-functions)
  file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
endif()
file(GLOB pages ${root}/share/man/man*/*)
execute_process(COMMAND gzip -9n ${doc}/changelog ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND chmod -R u=rwX,go=rX ${root} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${root}/.. -exec touch -h -d @${moment} "{}" + COMMAND_ERROR_IS_FATAL ANY)
