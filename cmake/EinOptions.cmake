# Options, flags shared by every target, and the packages that the product stands on.
option(EIN_BUILD_TESTS "Build the tests" ON)
option(EIN_WITH_MPI "Build the MPI transport (off: einrun runs as one rank only)" ON)
option(EIN_WITH_CUDA
  "Build the CUDA device, where CUDA's headers are found (libraries are loaded when a run asks for them)" ON)
option(EIN_FUZZ "Link the fuzz targets with libFuzzer (needs clang; off: they replay their corpus as plain tests)" OFF)
option(EIN_UNITY "Compile the sources of a folder together (off: each alone, as an editor or clang-tidy wants it)" ON)
option(EIN_PRECOMPILED "Read Catch2's header once for all tests (GCC)" ON)
set(EIN_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# -O3 makes no decision and no message faster; kernels ask for it (ein_kernels). Results are the same bits at every
# level.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")   # CMake's own choice, not the user's
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

find_program(EIN_CCACHE ccache)
mark_as_advanced(EIN_CCACHE)
if(EIN_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Without the first, ccache keeps nothing that is compiled with a precompiled header; without the second, it reads
  # that header (80 MB) for each test again; with the third, a checkout in another folder finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=true CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${EIN_CCACHE})
endif()

# Linkers that are quicker than the usual one, for some hundred programs of tests. Where neither is, nothing changes;
# fuzz targets and sanitizers keep the compiler's own choice.
find_program(EIN_LINKER NAMES mold ld.lld)
mark_as_advanced(EIN_LINKER)
if(EIN_LINKER AND NOT EIN_SANITIZE AND NOT EIN_FUZZ AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "fuse-ld")
  include(CheckCXXSourceCompiles)
  string(REGEX REPLACE ".*/(ld\\.)?" "" linker ${EIN_LINKER})
  set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=${linker})   # a compiler may be older than its linker
  check_cxx_source_compiles("int main() { return 0; }" EIN_LINKER_WORKS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(EIN_LINKER_WORKS)
    add_link_options(-fuse-ld=${linker})
  endif()
endif()

# Flags of our own code only: strict warnings, one include root, no hidden contraction of a*b+c
# (every rank and every vector width must round alike).
add_library(ein_flags INTERFACE)
target_include_directories(ein_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
  $<INSTALL_INTERFACE:include>)
target_compile_features(ein_flags INTERFACE cxx_std_20)
target_compile_options(ein_flags INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -ffp-contract=off>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 finds it in its own std::string.
  target_compile_options(ein_flags INTERFACE $<BUILD_INTERFACE:-Wno-restrict>)
  # GCC's own garbage collector runs later: a twelfth less time, up to 1 GiB a compiler.
  target_compile_options(ein_flags INTERFACE
    $<BUILD_INTERFACE:--param=ggc-min-expand=200 --param=ggc-min-heapsize=524288>)
  if(EIN_UNITY)   # a parameter may be called as something in a file compiled beside it
    target_compile_options(ein_flags INTERFACE $<BUILD_INTERFACE:-Wno-shadow -Wshadow=local>)
  endif()
endif()

if(EIN_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)   # instrumented code confuses this warning, in the standard library too
    target_compile_options(ein_flags INTERFACE $<BUILD_INTERFACE:-Wno-maybe-uninitialized>)
  endif()
  target_compile_options(ein_flags INTERFACE
    $<BUILD_INTERFACE:-fsanitize=${EIN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(ein_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=${EIN_SANITIZE}>)
  # Every program keeps MPI's plug-ins loaded (the file says why); libraries need not.
  set(keep ${PROJECT_SOURCE_DIR}/tests/support/sanitizer_keep.cpp)
  target_sources(ein_flags INTERFACE
    $<BUILD_INTERFACE:$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${keep}>>)
endif()
if(EIN_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR
      "EIN_FUZZ needs clang, found ${CMAKE_CXX_COMPILER_ID}; configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # Calls at each comparison take a quarter of the time; texts are compared by memcmp, which libFuzzer sees anyway.
  target_compile_options(ein_flags INTERFACE
    $<BUILD_INTERFACE:-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp>)
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(FlatBuffers REQUIRED)
find_package(ZLIB REQUIRED)
find_program(FLATC flatc REQUIRED)
if(EIN_WITH_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
  # mpi.h also declares the C++ interface that MPI 3 removed, whose library we do not link.
  target_compile_definitions(MPI::MPI_C INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endif()
find_library(EIN_OPENBLAS openblas REQUIRED)
find_path(EIN_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas REQUIRED)
find_path(EIN_XXHASH_INCLUDE xxhash.h REQUIRED)
mark_as_advanced(EIN_XXHASH_INCLUDE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  find_path(EIN_XBYAK_INCLUDE xbyak/xbyak.h)
  mark_as_advanced(EIN_XBYAK_INCLUDE)
  if(NOT EIN_XBYAK_INCLUDE)
    message(STATUS "xbyak (libxbyak-dev) not found: joins run an operation at a time instead of as one loop")
  endif()
endif()
if(EIN_WITH_CUDA)
  find_path(EIN_CUDA_INCLUDE cublas_v2.h HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include)
  find_path(EIN_CUDA_DRIVER_INCLUDE cuda.h HINTS ${EIN_CUDA_INCLUDE} $ENV{CUDA_HOME}/include /usr/local/cuda/include)
  find_path(EIN_NVRTC_INCLUDE nvrtc.h HINTS ${EIN_CUDA_INCLUDE} $ENV{CUDA_HOME}/include /usr/local/cuda/include)
  mark_as_advanced(EIN_CUDA_INCLUDE EIN_CUDA_DRIVER_INCLUDE EIN_NVRTC_INCLUDE)
  if(EIN_CUDA_INCLUDE AND EIN_CUDA_DRIVER_INCLUDE AND EIN_NVRTC_INCLUDE)
    message(STATUS "CUDA device: built with the headers in ${EIN_CUDA_INCLUDE}")
  else()
    message(STATUS
      "CUDA device: not built, because cuda.h, nvrtc.h or cublas_v2.h is missing (CUDA_HOME names another folder)")
    set(EIN_WITH_CUDA OFF)   # here; the option stays, so that configuring again looks again
  endif()
else()
  message(STATUS "CUDA device: not built (EIN_WITH_CUDA is OFF)")
endif()
