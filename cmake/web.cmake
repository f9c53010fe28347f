# The library and the command for WebAssembly (./dev web). What Debian has for this machine only is left out or stands in
# tracer/web/: Unicode is the browser's, products are all our own, and there are no compressed files, modules and threads.

# Debian's packages of headers lie beside headers of this machine's C library: the compiler gets a folder with links.
set(web_headers ${CMAKE_CURRENT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${web_headers})
file(GLOB machine_folders LIST_DIRECTORIES ON /usr/include/*-linux-gnu)
foreach(name fmt xtensor xtl xflens xtensor-blas nlohmann CLI utf8proc.h)
  find_file(header_${name} ${name} PATHS /usr/include ${machine_folders} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
  if(NOT header_${name})
    message(FATAL_ERROR "the headers ${name} are not in /usr/include: ./dev web installs Debian's packages of them")
  endif()
  file(CREATE_LINK ${header_${name}} ${web_headers}/${name} SYMBOLIC)
endforeach()

add_library(web_headers INTERFACE)
target_include_directories(web_headers SYSTEM INTERFACE ${web_headers})
# Before the compiler's own: its standard library lacks parts of C++20.
target_compile_options(web_headers INTERFACE -isystem ${CMAKE_CURRENT_SOURCE_DIR}/tracer/web/standard)
target_compile_definitions(web_headers INTERFACE FMT_HEADER_ONLY)
foreach(name fmt::fmt xtensor nlohmann_json::nlohmann_json glassbox::zlib glassbox::utf8proc
        glassbox::blas Threads::Threads)
  add_library(${name} INTERFACE IMPORTED)
  target_link_libraries(${name} INTERFACE web_headers)
endforeach()
set(GLASSBOX_XTENSOR_BLAS_INCLUDE ${web_headers})
set(glassbox_blas_vendor none)
set(glassbox_fmt fmt::fmt)
