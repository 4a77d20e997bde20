# SPDX-License-Identifier: Apache-2.0
# Compiler flags, sanitizers, compiler cache and linker: everything that is the same for all targets.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# x86-64-v2 (SSE4.2, 2009) is what Arrow itself assumes; wider SIMD is chosen at run time by the libraries.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-march=x86-64-v2)
endif()
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -fdiagnostics-color=auto)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(FRAZIL_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize= (address,undefined or thread)")
if(FRAZIL_SANITIZE)
  add_compile_options(-fsanitize=${FRAZIL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FRAZIL_SANITIZE})
endif()

# Precompiled headers and ccache agree only when time stamps and defines of the PCH are not compared.
find_program(FRAZIL_CCACHE ccache)
if(FRAZIL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${FRAZIL_CCACHE})
  add_compile_options(-fpch-preprocess)
endif()

foreach(linker mold lld)
  find_program(FRAZIL_LINKER_${linker} ${linker})
  if(FRAZIL_LINKER_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()
