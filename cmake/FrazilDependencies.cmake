# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, each as one imported target.
#
# Arrow: a system installation where CMake finds one of the right version, else the C++ libraries and headers
# inside the pyarrow wheel that scripts/install-deps.sh put into .deps/python.

set(FRAZIL_ARROW_VERSION 26)
set(FRAZIL_ARROW_SO 2600)

find_package(Arrow ${FRAZIL_ARROW_VERSION} CONFIG QUIET)
find_package(Parquet ${FRAZIL_ARROW_VERSION} CONFIG QUIET)
find_package(ArrowCompute ${FRAZIL_ARROW_VERSION} CONFIG QUIET)
find_package(ArrowAcero ${FRAZIL_ARROW_VERSION} CONFIG QUIET)
add_library(frazil_arrow INTERFACE)
if(Arrow_FOUND AND Parquet_FOUND AND ArrowCompute_FOUND AND ArrowAcero_FOUND)
  message(STATUS "Arrow: system ${Arrow_VERSION}")
  target_link_libraries(frazil_arrow INTERFACE Arrow::arrow_shared Parquet::parquet_shared
                                               ArrowCompute::arrow_compute_shared ArrowAcero::arrow_acero_shared)
else()
  set(FRAZIL_DEPS_DIR "${CMAKE_SOURCE_DIR}/.deps" CACHE PATH "Where scripts/install-deps.sh puts the pyarrow wheel")
  file(GLOB _frazil_pyarrow "${FRAZIL_DEPS_DIR}/python/lib/python3*/site-packages/pyarrow")
  if(NOT _frazil_pyarrow)
    message(FATAL_ERROR "No Arrow ${FRAZIL_ARROW_VERSION} found: run scripts/install-deps.sh (or 'make deps'), "
                        "or point CMAKE_PREFIX_PATH at an Arrow installation")
  endif()
  list(GET _frazil_pyarrow 0 _frazil_pyarrow)
  message(STATUS "Arrow: pyarrow wheel in ${_frazil_pyarrow}")
  target_include_directories(frazil_arrow SYSTEM INTERFACE "${_frazil_pyarrow}/include")
  foreach(lib parquet arrow_acero arrow_compute arrow)
    set(_so "${_frazil_pyarrow}/lib${lib}.so.${FRAZIL_ARROW_SO}")
    if(NOT EXISTS "${_so}")
      message(FATAL_ERROR "The pyarrow wheel in ${_frazil_pyarrow} has no lib${lib}.so.${FRAZIL_ARROW_SO}: "
                          "another version than ${FRAZIL_ARROW_VERSION}? Run scripts/install-deps.sh")
    endif()
    add_library(frazil_arrow_${lib} SHARED IMPORTED)
    set_target_properties(frazil_arrow_${lib} PROPERTIES IMPORTED_LOCATION "${_so}")
    target_link_libraries(frazil_arrow INTERFACE frazil_arrow_${lib})
  endforeach()
endif()

find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
# The shell's line editor. libedit instead of readline: the same calls under a BSD licence.
pkg_check_modules(libedit REQUIRED IMPORTED_TARGET libedit)
if(FRAZIL_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
