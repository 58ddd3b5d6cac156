#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json, with ccache if it is there. Set-up comes first: scripts/setup.sh.
#   scripts/build.sh release [TARGET...]
# LIBTORCH=/path takes a LibTorch of your own, JOBS=N sets the number of compilers at work (default: one a core).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
targets=("${@:2}")
options=(-DNMT_LIBTORCH="${LIBTORCH:+$(realpath -- "$LIBTORCH")}")
if command -v ccache >/dev/null; then
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # The LibTorch header is precompiled: ccache takes such files only when told that its own date does not matter.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  [[ -n ${HOME:-} && -w ${HOME:-} ]] || export CCACHE_DIR=${CCACHE_DIR:-$PWD/.deps/ccache}
fi

# What CMake finds is of interest only when it does not find it.
if ! configured=$(cmake --preset "$preset" "${options[@]}" 2>&1); then
  echo "$configured" >&2
  exit 1
fi
cmake --build --preset "$preset" -j "${JOBS:-$(nproc)}" ${targets[@]:+--target "${targets[@]}"}
echo "build: done ($SECONDS s)"
