# How libraries and tests are declared: sources listed by hand, arrows drawn by LINK.

# ein_library(NAME SOURCES a.cpp b.cpp LINK ein::base): the static library ein_NAME, alias ein::NAME.
function(ein_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(ein_${name} STATIC ${ARG_SOURCES})
  add_library(ein::${name} ALIAS ein_${name})
  _ein_compile_together(ein_${name} "${ARG_SOURCES}")
  target_link_libraries(ein_${name} PUBLIC ein_flags ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
endfunction()

# Sources of a target are compiled together, in folders' order, in even groups of at most EIN_GROUP_BYTES of text: most
# of a compiler's time goes into headers and templates that all of them use. A group is a source that names its files as
# our headers are named, not by their place on this machine: a compiler cache finds it again from another checkout.
# (CMake's own UNITY_BUILD writes absolute paths.) Cold sources (ein_cold) have groups of their own.
# What has compile options of its own (kernels) or is added by target_sources is compiled alone.
# Two files of a group that define the same name in their anonymous namespaces: rename one of the two, or compile one
# alone with ein_alone(a.cpp).
set(EIN_GROUP_BYTES 163840)   # larger ones save little more, and are waited for at the end and after each change
set(EIN_COLD_FLAGS $<$<CONFIG:Release>:-Og>)

function(_ein_compile_together target sources)
  set_property(TARGET ${target} APPEND PROPERTY EIN_TOGETHER ${sources})
  get_target_property(deferred ${target} EIN_TOGETHER_DEFERRED)
  if(EIN_UNITY AND NOT deferred)   # when the folder's CMakeLists.txt ends: it may yet name files that stand alone
    set_property(TARGET ${target} PROPERTY EIN_TOGETHER_DEFERRED ON)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _ein_write_groups [[${target}]])")
  endif()
endfunction()

function(_ein_write_groups target)
  get_target_property(sources ${target} EIN_TOGETHER)
  list(SORT sources)
  foreach(source ${sources})
    get_source_file_property(alone ${source} EIN_ALONE)
    get_source_file_property(cold ${source} EIN_COLD)
    if(alone OR IS_ABSOLUTE ${source})   # the latter are generated
      continue()
    elseif(cold)
      list(APPEND cold_sources ${source})
    else()
      list(APPEND other_sources ${source})
    endif()
  endforeach()
  _ein_write_even_groups(${target} "" "${other_sources}")
  _ein_write_even_groups(${target} cold_ "${cold_sources}")
endfunction()

function(_ein_write_even_groups target kind sources)
  set(total 0)
  foreach(source ${sources})
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
    math(EXPR total "${total} + ${size}")
  endforeach()
  math(EXPR groups "${total} / ${EIN_GROUP_BYTES} + 1")
  set(bytes 0)
  foreach(source ${sources})
    math(EXPR group "${bytes} * ${groups} / (${total} + 1)")   # by where its text begins among all
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
    math(EXPR bytes "${bytes} + ${size}")
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    string(APPEND text_${group} "#include \"${path}\"\n")
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  foreach(number RANGE ${groups})
    if(DEFINED text_${number})
      set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_${kind}${number}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "${text_${number}}")
      target_sources(${target} PRIVATE ${source})
      if(kind STREQUAL cold_)
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${EIN_COLD_FLAGS}")
      endif()
    endif()
  endforeach()
endfunction()

# ein_program(NAME SOURCES a.cpp b.cpp LINK ein::base): a program of apps/.
function(ein_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _ein_compile_together(${name} "${ARG_SOURCES}")
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

function(ein_alone)
  set_source_files_properties(${ARGN} PROPERTIES EIN_ALONE ON)
endfunction()

# ein_cold(a.cpp folder): sources, or all below a folder, that run once a program, or once a file, message or page:
# little optimised, which takes a third less of the compiler's time.
function(ein_cold)
  foreach(name ${ARGN})
    if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${name})
      file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${name}/*.cpp)
    else()
      set(sources ${name})
    endif()
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${EIN_COLD_FLAGS}" EIN_COLD ON)
  endforeach()
endfunction()

# ein_kernels(a.cpp b.cpp): sources whose loops run once an element; they are optimised most, and each is compiled alone
# so that a change of one is soon tried.
function(ein_kernels)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> EIN_ALONE ON)
endfunction()

# ein_instruction_sets(TARGET STEM SCOPE DEFINITION [SET...]): adds STEM.cpp compiled once for each instruction set, its
# name in EIN_INSTRUCTION_SET: baseline and, on x86, avx2, avx512 and the further ones named (then DEFINITION is set);
# which is used is chosen when the program runs. The flags give up nothing but errno and floating-point exceptions, that
# nobody reads: results are the same bits in every set, but where a further set's instructions round otherwise.
function(ein_instruction_sets target stem scope definition)
  set(flags -O3 -fno-math-errno -fno-trapping-math)
  set(flags_of_baseline)
  set(flags_of_avx2 -mavx2 -mfma)
  set(flags_of_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
  # Frames that AddressSanitizer keeps, to find uses after return, have vectors of 64 bytes at places for 32 bytes where
  # GCC 12 makes them, which then stores them as if they were aligned.
  if(EIN_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND flags_of_avx512 --param=asan-use-after-return=0)
  endif()
  foreach(set avx512vnni avx512bf16)
    set(flags_of_${set} ${flags_of_avx512} -m${set})
  endforeach()
  set(flags_of_amx ${flags_of_avx512} -mamx-tile -mamx-int8 -mamx-bf16)
  set(sets baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND sets avx2 avx512 ${ARGN})
    target_compile_definitions(${target} ${scope} ${definition})
  endif()
  foreach(set ${sets})
    file(RELATIVE_PATH loops ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${stem}.cpp)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${set}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#define EIN_INSTRUCTION_SET ${set}\n#include \"${loops}\"\n")
    target_sources(${target} PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags};${flags_of_${set}}")
  endforeach()
endfunction()

# ein_test(NAME [IN PROGRAM] SOURCES a_test.cpp LINK ein::base [LABELS fast]): a test with Catch2's main.
# One that starts ranks of its own (through mpirun) says LABELS mpi. Tests of a folder that need the same headers are IN
# one program: it is compiled and linked once, and each of them runs the test cases of its own files.
# With SIDE_BY_SIDE the test's files run at the same time: most of it is waiting for programs that it starts.
function(ein_test name)
  cmake_parse_arguments(ARG "SIDE_BY_SIDE" "IN;TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  set(command ${name})
  list(TRANSFORM ARG_SOURCES REPLACE "^.*/|[.]cpp$" "" OUTPUT_VARIABLE files)
  list(FILTER files INCLUDE REGEX "_test$")   # others help them
  list(TRANSFORM files REPLACE "(.+)" "[#\\1]")
  if(ARG_IN)
    list(JOIN files "," files)
    set(command ${ARG_IN} --filenames-as-tags --warn NoTests ${files})
  else()
    set(ARG_IN ${name})
  endif()
  if(ARG_SIDE_BY_SIDE)
    set(command ${PROJECT_SOURCE_DIR}/tests/support/side_by_side.sh $<TARGET_FILE:${ARG_IN}> ${files})
  endif()
  if(TARGET ${ARG_IN})
    target_sources(${ARG_IN} PRIVATE ${ARG_SOURCES})
    target_link_libraries(${ARG_IN} PRIVATE ${ARG_LINK})
    _ein_compile_together(${ARG_IN} "${ARG_SOURCES}")
  else()
    _ein_test_program(${ARG_IN} "${ARG_SOURCES}" "Catch2::Catch2WithMain;${ARG_LINK}")
  endif()
  add_test(NAME ${name} COMMAND ${command})
  set_property(GLOBAL PROPERTY EIN_COMMAND_OF_${name} ${command})   # for who runs it once more in another way
  _ein_test_properties(${name} "unit;${ARG_LABELS}" "${ARG_TIMEOUT}" 1)
endfunction()

# ein_mpi_test(NAME RANKS 1 2 3 SOURCES a_test.cpp LINK ein::executor): a Catch2 program with a main of its own, which
# starts MPI; run as NAME.np1, NAME.np2, ...
function(ein_mpi_test name)
  if(NOT EIN_WITH_MPI)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "RANKS;SOURCES;LINK;LABELS" ${ARGN})
  _ein_test_program(${name} "${ARG_SOURCES}" "ein_run_catch;MPI::MPI_C;${ARG_LINK}")
  foreach(ranks ${ARG_RANKS})
    add_test(NAME ${name}.np${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} --tag-output $<TARGET_FILE:${name}>)
    _ein_test_properties(${name}.np${ranks} "mpi;${ARG_LABELS}" "${ARG_TIMEOUT}" ${ranks})
  endforeach()
endfunction()

function(_ein_test_program name sources link)
  add_executable(${name} ${sources})
  _ein_compile_together(${name} "${sources}")
  if(TARGET ein_catch)
    target_precompile_headers(${name} REUSE_FROM ein_catch)
  endif()
  target_link_libraries(${name} PRIVATE ein_flags ein_test_support ${link})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

# Sanitizers slow a test several times: its time limit grows with them.
# Those with a limit of their own take long: ctest begins with them, so that none is left alone at the end.
function(_ein_test_properties name labels timeout processors)
  set(cost 0)
  if(timeout)
    set(cost ${timeout})
  else()
    set(timeout 120)
  endif()
  if(EIN_SANITIZE)
    math(EXPR timeout "${timeout} * 5")
  endif()
  set(environment "${EIN_TEST_ENVIRONMENT}")
  if(NOT "mpi" IN_LIST labels)   # only MPI's own leaks need it, and it makes every allocation ten times as slow
    string(REPLACE ":fast_unwind_on_malloc=0" "" environment "${environment}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} PROCESSORS ${processors}
    COST ${cost} ENVIRONMENT "${environment}")
endfunction()
