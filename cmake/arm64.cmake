# Toolchain file: for 64-bit ARM on another machine, with Debian's cross-compiler and its packages for arm64. The programs
# run on an emulator of a Cortex-A72, which has nothing beyond the first version of the architecture.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu cortex-a72)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)

# Debian has xtensor in a folder of this machine's architecture, although it has only headers.
file(GLOB xtensor_DIR /usr/lib/*/cmake/xtensor)
