# SPDX-License-Identifier: Apache-2.0
# frazil_room(NAME <room> SOURCES <file>... [DEPENDS <room>...] [LIBRARIES <target>...])
#
# Declares one room of the house as a static library frazil_<room>. DEPENDS is the one list of rooms whose headers this
# room may include: scripts/check-layers.py reads it from here and fails the test run on any other include.
# Nested rooms use their path: NAME connector/iceberg becomes frazil_connector_iceberg.
function(frazil_room)
  cmake_parse_arguments(ROOM "" "NAME" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" target "frazil_${ROOM_NAME}")
  add_library(${target} STATIC ${ROOM_SOURCES})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PUBLIC fmt::fmt frazil_arrow Threads::Threads ${ROOM_LIBRARIES})
  foreach(dep ${ROOM_DEPENDS})
    string(REPLACE "/" "_" dep_target "frazil_${dep}")
    target_link_libraries(${target} PUBLIC ${dep_target})
  endforeach()
  if(NOT ROOM_NAME STREQUAL "base")
    target_precompile_headers(${target} REUSE_FROM frazil_base)
  endif()
endfunction()

# frazil_test(<room> <file>... [LIBRARIES <target>...]): one test executable for a room, registered with CTest.
function(frazil_test ROOM)
  cmake_parse_arguments(TEST "" "" "LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" room_target "frazil_${ROOM}")
  set(target "${room_target}_test")
  add_executable(${target} ${TEST_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE ${room_target} frazil_test_support GTest::gtest_main ${TEST_LIBRARIES})
  target_precompile_headers(${target} REUSE_FROM frazil_test_support)
  add_test(NAME ${ROOM} COMMAND ${target})
  set_tests_properties(${ROOM} PROPERTIES TIMEOUT 300)
endfunction()
