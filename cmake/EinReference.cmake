# Man pages and completion, made of what the programs say with --help (scripts/reference), when they are built. Needs a
# Python 3.9 that any system has; where there is none, or programs cannot run here, they are left out.
find_program(EIN_PYTHON3 NAMES python3)
mark_as_advanced(EIN_PYTHON3)
if(NOT EIN_PYTHON3)
  message(STATUS "man pages and completion: not made, because python3 is missing")
elseif(CMAKE_CROSSCOMPILING OR EIN_SANITIZE OR EIN_FUZZ)
  message(STATUS "man pages and completion: not made, because the programs do not run here as they will be used")
elseif(TARGET einrun)
  set(EIN_REFERENCE ${PROJECT_BINARY_DIR}/reference)   # that EinInstall takes them from
  file(GLOB reference_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/reference/*.py)
  add_custom_command(OUTPUT ${EIN_REFERENCE}/made
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${EIN_PYTHON3}
      ${PROJECT_SOURCE_DIR}/scripts/reference/make_reference.py $<TARGET_FILE_DIR:einrun> --into ${EIN_REFERENCE}
    COMMAND ${CMAKE_COMMAND} -E touch ${EIN_REFERENCE}/made
    DEPENDS einplan einrun eintool ${reference_sources} ${PROJECT_SOURCE_DIR}/README.md
    COMMENT "Man pages and completion" VERBATIM)
  add_custom_target(reference ALL DEPENDS ${EIN_REFERENCE}/made)
endif()
