#!/usr/bin/env bash
# Installs what the build needs: Debian packages, and LibTorch into .deps/libtorch. Versions: versions.env.
# Runs again in a second when all is there, without network.
#   scripts/setup.sh                      everything, LibTorch from its PyPI wheel
#   scripts/setup.sh --tests              and what tests read runs with
#   scripts/setup.sh --fuzz               and the compiler that fuzzes
#   LIBTORCH=/path scripts/setup.sh       a LibTorch of your own: the folder that holds lib/libtorch_cpu.so
#   NMT_CUDA=1 scripts/setup.sh           and what the CUDA half of LibTorch loads
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source versions.env

readonly deps=.deps log=.deps/setup.log libtorch=.deps/libtorch
readonly own_libtorch=${LIBTORCH:-} cuda=${NMT_CUDA:-0}

source scripts/install_steps.sh

# --- LibTorch ----------------------------------------------------------------------------------------------------

# A python3 with pip: the user's, or else Debian's.
find_pip() {
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then return 0; fi
  done
  fail "no python3 with pip; expected the one of Debian's package python3-pip"
}

# check_libtorch DIR: DIR holds a LibTorch that can be linked and loaded.
check_libtorch() {
  local file missing
  for file in lib/libtorch_cpu.so lib/libc10.so include/torch/csrc/api/include/torch/torch.h; do
    [[ -e $1/$file ]] || { echo "no LibTorch in $1: expected $file there"; return 1; }
  done
  missing=$(LC_ALL=C ldd "$1/lib/libtorch_cpu.so" | awk '/not found/ { printf " %s", $1 }')
  [[ -z $missing ]] || { echo "$1/lib/libtorch_cpu.so asks for libraries that are not found:$missing"; return 1; }
}

# `versions` inside the folder says what was installed, and is the last file written: without it, or with another one,
# the folder is made anew. (&&: run_step reads the exit status, which turns `set -e` off in here.)
install_libtorch() {
  rm -rf "$libtorch.tmp" &&
    pip_install "$python" --no-compile --target "$libtorch.tmp" "$@" &&
    check_libtorch "$libtorch.tmp/torch" &&
    echo "$*" >"$libtorch.tmp/versions" &&
    rm -rf "$libtorch" &&
    mv "$libtorch.tmp" "$libtorch"
}

setup_libtorch() {
  local wheels=("torch==$TORCH_VERSION" "nvidia-cuda-runtime==$CUDA_RUNTIME_VERSION"
                "nvidia-cuda-cupti==$CUDA_CUPTI_VERSION")
  if [[ -n $own_libtorch ]]; then
    local message
    message=$(check_libtorch "$own_libtorch") || fail "LIBTORCH: $message"
    return 0
  fi
  if [[ $(cat "$libtorch/versions" 2>/dev/null) == "${wheels[*]}" ]]; then return 0; fi
  find_pip
  run_step "LibTorch $TORCH_VERSION" install_libtorch "${wheels[@]}"
}

# --- what the CUDA half loads ------------------------------------------------------------------------------------

# pip does not merge into a folder that is there (`nvidia/`), so the wheels take a folder of their own first.
install_cuda_wheels() {
  rm -rf "$deps/cuda.tmp" &&
    pip_install "$python" --no-compile --target "$deps/cuda.tmp" "$@" &&
    cp -alf "$deps/cuda.tmp/nvidia/." "$libtorch/nvidia/" &&
    rm -rf "$deps/cuda.tmp"
}

setup_cuda() {
  local wheels
  [[ $cuda == 1 ]] || return 0
  if [[ -n $own_libtorch ]]; then
    [[ -e $own_libtorch/lib/libtorch_cuda.so ]] ||
      fail "NMT_CUDA=1: no CUDA half in LIBTORCH=$own_libtorch: expected lib/libtorch_cuda.so there"
    return 0
  fi
  mapfile -t wheels < <(missing_cuda_wheels "$libtorch"/nvidia/*/lib "${CUDA_HOME:-/usr/local/cuda}/lib64")
  ((${#wheels[@]})) || return 0
  find_pip
  run_step "CUDA libraries (${#wheels[@]} wheels)" install_cuda_wheels "${wheels[@]}"
}

# --- what tests read runs with -----------------------------------------------------------------------------------

# Python's safetensors and TensorBoard, for the interpreter whose path stands beside them.
install_test_python() {
  rm -rf "$deps/test-python.tmp" &&
    pip_install "$python" --no-compile --target "$deps/test-python.tmp" "$@" &&
    "$python" -c 'import sys; print(sys.executable)' >"$deps/test-python.tmp/interpreter" &&
    echo "$*" >"$deps/test-python.tmp/versions" &&
    rm -rf "$deps/test-python" &&
    mv "$deps/test-python.tmp" "$deps/test-python"
}

setup_test_python() {
  # shellcheck disable=SC2206  # the list is words
  local wheels=($TEST_WHEELS)
  if [[ $(cat "$deps/test-python/versions" 2>/dev/null) == "${wheels[*]}" ]]; then return 0; fi
  find_pip
  run_step "Python packages of the tests" install_test_python "${wheels[@]}"
}

[[ ${1:-} == "" || ${1:-} == --tests || ${1:-} == --fuzz ]] || fail "unknown argument '$1'; expected none, --tests or --fuzz"
[[ $cuda == 0 || $cuda == 1 ]] || fail "NMT_CUDA is '$cuda'; expected 0 or 1"
mkdir -p "$deps"
lock_folder "$deps"
packages="$DEBIAN_BUILD $DEBIAN_LIBRARIES $DEBIAN_TESTS"
[[ -n $own_libtorch ]] || packages+=" $DEBIAN_FETCH"
[[ ${1:-} != --tests ]] || packages+=" $DEBIAN_PAGE_TESTS"
[[ ${1:-} != --fuzz ]] || packages+=" $DEBIAN_FUZZ"
setup_packages "$packages"
setup_libtorch
setup_cuda
[[ ${1:-} != --tests ]] || setup_test_python
echo "set-up: all there ($SECONDS s)"
