# Installing: the programs into bin, the Python module, the libraries of lib/ with their headers, and a package for
# find_package(Einloom).
# Another CMake project then links ein::base, ein::graph, ... and includes "lib/base/box.hpp" as we do.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

foreach(program einplan einrun eintool)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

# The Python module, where Debian's Python looks; it finds the programs in bin beside it.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/apps/python/einloom DESTINATION lib/python3/dist-packages
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# The arrows end in lib/: its libraries are whole without the planner, the scheduler and the executor.
set(exported ein_flags)
set_target_properties(ein_flags PROPERTIES EXPORT_NAME flags)
get_property(rooms DIRECTORY ${PROJECT_SOURCE_DIR}/lib PROPERTY SUBDIRECTORIES)
foreach(room ${rooms})
  get_property(targets DIRECTORY ${room} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(target MATCHES "^ein_" AND type MATCHES "STATIC_LIBRARY|INTERFACE_LIBRARY")
      string(REGEX REPLACE "^ein_" "" short ${target})
      set_target_properties(${target} PROPERTIES EXPORT_NAME ${short})
      list(APPEND exported ${target})
    endif()
  endforeach()
endforeach()
install(TARGETS ${exported} EXPORT einloom ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/einloom
  FILES_MATCHING PATTERN "*.hpp")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/einloom)
install(EXPORT einloom NAMESPACE ein:: FILE EinloomTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/EinloomConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/EinloomConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/EinloomConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/EinloomConfig.cmake ${PROJECT_BINARY_DIR}/package/EinloomConfigVersion.cmake
  DESTINATION ${package_dir})
