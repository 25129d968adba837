# Installing: programs, their man pages and completion, the Python module, documents, examples and machines, and the
# library (docs/library.md): one public header and a package for find_package(einloom).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(EinReference)

set(programs)
foreach(program einplan einrun eintool)
  if(TARGET ${program})
    list(APPEND programs ${program})
  endif()
endforeach()
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(EIN_REFERENCE)
  foreach(program ${programs})
    install(FILES ${EIN_REFERENCE}/man1/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${EIN_REFERENCE}/bash/${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  endforeach()
endif()

# What depends on the prefix: the Python module, which finds the programs in bin beside it, and zsh's completion.
set(EIN_PYTHON_DIR "" CACHE STRING "Where the Python module goes, below the prefix (empty: where the system's looks)")
find_program(EIN_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(EIN_SYSTEM_PYTHON)
configure_file(${PROJECT_SOURCE_DIR}/cmake/install_by_prefix.cmake.in
  ${PROJECT_BINARY_DIR}/package/install_by_prefix.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/package/install_by_prefix.cmake)

# Documents beside each other as in the sources, so that their links hold.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples configs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY docs/schema configs packaging/modules DESTINATION ${CMAKE_INSTALL_DATADIR}/einloom)   # fixed places

# The library: what ein_einloom is linked of, as static libraries, and the one header that programs include.
function(_ein_linked_by target found)
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(link ${links})
    string(REPLACE "ein::" "ein_" name "${link}")
    if(name MATCHES "^ein_" AND TARGET ${name} AND NOT name IN_LIST ${found})
      list(APPEND ${found} ${name})
      _ein_linked_by(${name} ${found})
    endif()
  endforeach()
  set(${found} ${${found}} PARENT_SCOPE)
endfunction()
set(exported ein_einloom)
_ein_linked_by(ein_einloom exported)
foreach(target ${exported})
  string(REGEX REPLACE "^ein_" "" short ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${short})
endforeach()
install(TARGETS ${exported} EXPORT einloom ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/einloom)
install(FILES apps/library/einloom.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Both find_package(einloom) and find_package(Einloom) find these names.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/einloom)
install(EXPORT einloom NAMESPACE ein:: FILE einloom-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/einloom-config.cmake.in
  ${PROJECT_BINARY_DIR}/package/einloom-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/einloom-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/einloom-config.cmake
  ${PROJECT_BINARY_DIR}/package/einloom-config-version.cmake DESTINATION ${package_dir})
