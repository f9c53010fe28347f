# The command for a browser, and the page that it is part of: build/web/index.html.
set(web ${CMAKE_CURRENT_SOURCE_DIR}/tracer/web)
target_link_options(tracer PRIVATE
  -Oz -sMODULARIZE=1 -sEXPORT_NAME=createTracer -sENVIRONMENT=web,worker,node -sINVOKE_RUN=0 -sEXIT_RUNTIME=1
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sFORCE_FILESYSTEM=1 -sEXPORTED_RUNTIME_METHODS=FS,ENV,callMain
  --js-library ${web}/utf8proc.js)
set_target_properties(tracer PROPERTIES LINK_DEPENDS ${web}/utf8proc.js)

find_program(NODE node REQUIRED)
set(page_folder ${CMAKE_CURRENT_SOURCE_DIR}/build/web)
file(GLOB page_parts CONFIGURE_DEPENDS ${web}/page/* ${CMAKE_CURRENT_SOURCE_DIR}/lessons/*/README.md)
add_custom_command(OUTPUT ${page_folder}/index.html VERBATIM
  COMMAND ${NODE} ${web}/assemble.mjs --repo ${CMAKE_CURRENT_SOURCE_DIR} --program ${CMAKE_CURRENT_BINARY_DIR}
          --output ${page_folder}
  DEPENDS tracer ${page_parts} ${web}/assemble.mjs COMMENT "Assembling the page of the command")
add_custom_target(web DEPENDS ${page_folder}/index.html)
