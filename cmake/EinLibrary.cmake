# ein_library(NAME SOURCES a.cpp b.cpp LINK ein::base): the static library ein_NAME, alias ein::NAME.
function(ein_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(ein_${name} STATIC ${ARG_SOURCES})
  add_library(ein::${name} ALIAS ein_${name})
  target_link_libraries(ein_${name} PUBLIC ein_flags ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
endfunction()

# ein_test(NAME SOURCES a_test.cpp LINK ein::base [LABELS fast]): a Catch2 program with Catch2's main.
function(ein_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ein_flags ein_test_support Catch2::Catch2WithMain ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "unit;${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "${EIN_TEST_ENVIRONMENT}")
endfunction()
