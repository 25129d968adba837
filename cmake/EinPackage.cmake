# A .deb: `cpack --config build/CPackConfig.cmake` (scripts/release.sh does it from a clean build). It holds all that
# `cmake --install` does. Libraries that the programs are linked with are found by dpkg-shlibdeps; CUDA is none of them:
# it is loaded when a run asks for it.
if(NOT EIN_WITH_MPI OR EIN_SANITIZE OR EIN_FUZZ)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME einloom)
set(CPACK_PACKAGE_VENDOR Einloom)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# No address is ours alone: who gives the package to others says theirs.
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Einloom developers <developers@einloom.invalid>" CACHE STRING
  "Who answers for the .deb")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin, python3 (>= 3.9), python3-numpy")   # mpirun; the Python module
set(CPACK_DEBIAN_PACKAGE_SUGGESTS   # sparse results; programs that link the library
  "python3-scipy, cmake, g++, libopenmpi-dev, libopenblas-dev, zlib1g-dev")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "plans and runs graphs of extended Einstein summations on MPI ranks")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Tensor computations that outgrow one machine are written once, as a graph
of Einstein summations in JSON or in Python with NumPy's names. einplan
decides how every tensor is cut and where its blocks live, einrun does it on
the ranks that MPI or Slurm gives it, eintool is everything around them. With
a Python module, and a C++ library for programs that are MPI jobs of their own.")

# Python compiles the module when it is installed; what it made is taken away again.
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/postinst
  ${PROJECT_SOURCE_DIR}/packaging/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What Debian wants beside: changelog, copyright, and everything that it wants compressed.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/finish_tree.cmake)
set(CPACK_EIN_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
