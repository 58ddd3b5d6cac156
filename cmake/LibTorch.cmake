# LibTorch as imported targets on the libraries themselves: find_package(Torch) of the wheel asks for a CUDA
# toolkit even when only the CPU half is wanted. Gives the target nmt::torch.
if(NOT NMT_LIBTORCH)
  set(NMT_LIBTORCH ${PROJECT_SOURCE_DIR}/.deps/libtorch/torch)
endif()
find_library(NMT_TORCH_CPU torch_cpu PATHS ${NMT_LIBTORCH}/lib NO_DEFAULT_PATH)
find_library(NMT_C10 c10 PATHS ${NMT_LIBTORCH}/lib NO_DEFAULT_PATH)
if(NOT NMT_TORCH_CPU OR NOT NMT_C10)
  message(FATAL_ERROR "no LibTorch in ${NMT_LIBTORCH}: expected lib/libtorch_cpu.so and lib/libc10.so; "
                      "run `make setup`, or name yours with -DNMT_LIBTORCH=DIR")
endif()

function(nmt_import_library name file)
  add_library(${name} SHARED IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${file})
endfunction()

nmt_import_library(nmt_torch_cpu ${NMT_TORCH_CPU})
nmt_import_library(nmt_c10 ${NMT_C10})
add_library(nmt_torch INTERFACE)
add_library(nmt::torch ALIAS nmt_torch)
target_include_directories(nmt_torch SYSTEM INTERFACE ${NMT_LIBTORCH}/include
                                                      ${NMT_LIBTORCH}/include/torch/csrc/api/include)
target_link_libraries(nmt_torch INTERFACE nmt_torch_cpu nmt_c10)

if(NMT_CUDA)
  find_library(NMT_TORCH_CUDA torch_cuda PATHS ${NMT_LIBTORCH}/lib NO_DEFAULT_PATH)
  find_library(NMT_C10_CUDA c10_cuda PATHS ${NMT_LIBTORCH}/lib NO_DEFAULT_PATH)
  if(NOT NMT_TORCH_CUDA OR NOT NMT_C10_CUDA)
    message(FATAL_ERROR "NMT_CUDA=ON, but ${NMT_LIBTORCH}/lib has no libtorch_cuda.so and libc10_cuda.so")
  endif()
  # Nothing in our code names a symbol of these two: they register themselves when loaded, so the linker must keep them.
  target_link_options(nmt_torch INTERFACE "LINKER:--no-as-needed,${NMT_TORCH_CUDA},${NMT_C10_CUDA},--as-needed"
                                          "LINKER:--allow-shlib-undefined")
endif()
