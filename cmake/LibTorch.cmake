# LibTorch as imported targets on the libraries themselves: find_package(Torch) of the wheel asks for a CUDA
# toolkit even when only the CPU half is wanted. Gives the target nmt::torch.
if(NOT NMT_LIBTORCH)
  set(NMT_LIBTORCH ${PROJECT_SOURCE_DIR}/.deps/libtorch/torch)
endif()

# nmt_import_torch(NAME...): an imported target nmt_<name> for each lib<name>.so of LibTorch. No find_library(): it would
# remember the first LibTorch when NMT_LIBTORCH changes.
function(nmt_import_torch)
  foreach(name ${ARGN})
    set(file ${NMT_LIBTORCH}/lib/lib${name}.so)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "no lib/lib${name}.so in ${NMT_LIBTORCH}: expected a LibTorch there; run `make setup`, or name "
                          "yours with -DNMT_LIBTORCH=DIR")
    endif()
    add_library(nmt_${name} SHARED IMPORTED GLOBAL)
    set_target_properties(nmt_${name} PROPERTIES IMPORTED_LOCATION ${file})
  endforeach()
endfunction()

nmt_import_torch(torch_cpu c10)
add_library(nmt_torch INTERFACE)
add_library(nmt::torch ALIAS nmt_torch)
target_include_directories(nmt_torch SYSTEM INTERFACE ${NMT_LIBTORCH}/include
                                                      ${NMT_LIBTORCH}/include/torch/csrc/api/include)
# LibTorch's include folder carries headers of a newer {fmt} than the system's library, and they come first: code that sees
# them takes {fmt} from the headers alone. The two versions live in different inline namespaces.
target_compile_definitions(nmt_torch INTERFACE FMT_HEADER_ONLY)
target_link_libraries(nmt_torch INTERFACE nmt_torch_cpu nmt_c10)

if(NMT_CUDA)
  nmt_import_torch(torch_cuda c10_cuda)
  # Our code names no symbol of these two; they register themselves when they are loaded, so the linker must keep them.
  # libcuda.so.1, which they name further down, comes with the driver: it is not there where a GPU is not.
  target_link_options(nmt_torch INTERFACE
    "LINKER:--push-state,--no-as-needed,${NMT_LIBTORCH}/lib/libtorch_cuda.so,${NMT_LIBTORCH}/lib/libc10_cuda.so,--pop-state"
    "LINKER:--allow-shlib-undefined")
  # Where a toolkit is unknown to the loader, the program says where it lies. Old tags: unlike RUNPATH, RPATH holds for the
  # libraries of libraries too.
  find_path(NMT_CUDA_LIBRARIES libcublas.so.13 HINTS $ENV{CUDA_HOME} /usr/local/cuda PATH_SUFFIXES lib64 NO_DEFAULT_PATH)
  if(NMT_CUDA_LIBRARIES)
    list(APPEND CMAKE_BUILD_RPATH ${NMT_CUDA_LIBRARIES})
    target_link_options(nmt_torch INTERFACE "LINKER:--disable-new-dtags")
  endif()
endif()
