# Two functions declare everything that is built: nmt_library() a part of the library, nmt_test() a test binary.

add_library(nmt_compile_options INTERFACE)
# -Wno-restrict: GCC 12 warns about its own std::string (GCC bug 105651). -Wno-missing-field-initializers: it warns about
# designated initializers that leave a member at its default, which is what they are for. Clang only fuzzes: its warnings are off.
target_compile_options(nmt_compile_options INTERFACE -fno-math-errno
  $<IF:$<CXX_COMPILER_ID:GNU>,-Wall;-Wextra;-Werror;-Wno-restrict;-Wno-missing-field-initializers,-w>)
# at::parallel_for is a template that runs on one thread where OpenMP is off.
if(NOT NMT_FUZZ)
  target_link_libraries(nmt_compile_options INTERFACE OpenMP::OpenMP_CXX)
endif()
if(NMT_NATIVE)
  target_compile_options(nmt_compile_options INTERFACE -march=native)
endif()
target_include_directories(nmt_compile_options INTERFACE ${PROJECT_SOURCE_DIR})

# <torch/torch.h> takes 17 s to compile; precompiled once here, every torch part and test reuses it.
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/torch_pch.cc CONTENT "// Owns the precompiled LibTorch header.\n")
add_library(nmt_torch_pch OBJECT ${PROJECT_BINARY_DIR}/torch_pch.cc)
target_link_libraries(nmt_torch_pch PRIVATE nmt_compile_options nmt::torch)
target_link_libraries(nmt_torch_pch PRIVATE fmt::fmt)
target_precompile_headers(nmt_torch_pch PRIVATE <torch/torch.h> <fmt/format.h>)

# nmt_library(NAME SOURCES a.cc ... [USES nmt_base ...] [PRIVATE_USES libs ...] [TORCH])
# USES are the parts below that this part's code may include: the linker and tests/check_layers.py hold it to them.
function(nmt_library name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_USES} PRIVATE nmt_compile_options ${ARG_PRIVATE_USES})
  if(ARG_TORCH)
    target_link_libraries(${name} PUBLIC nmt::torch)
    target_precompile_headers(${name} REUSE_FROM nmt_torch_pch)
  endif()
endfunction()

# nmt_test(NAME SOURCES a_test.cc ... USES nmt_base ... [TORCH]): one binary and one ctest entry (LibTorch takes 0.3 s to load).
function(nmt_test name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE nmt_compile_options ${ARG_USES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE NMT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(ARG_TORCH)
    target_link_libraries(${name} PRIVATE nmt::torch)
    target_precompile_headers(${name} REUSE_FROM nmt_torch_pch)
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()
