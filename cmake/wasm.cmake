# Toolchain file: for WebAssembly, by Debian's emscripten. Vectors are those of SIMD128, and exceptions WebAssembly's own:
# both are in every browser since March 2023.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -fwasm-exceptions")
