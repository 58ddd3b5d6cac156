#!/usr/bin/env bash
# Makes the virtual environments of the programs that the benchmarks compare with, one a program, since their versions do
# not agree, in .deps/peers: joeynmt (JoeyNMT, and the PyTorch that the plain loop runs on), eole, ctranslate2 and sacrebleu.
# Versions: versions.env and bench/peers/*.txt. Runs again in a second when all is there, without network.
#   bench/setup_peers.sh joeynmt eole ctranslate2 sacrebleu
#   PEERS=/path bench/setup_peers.sh ctranslate2
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source versions.env

readonly peers=${PEERS:-.deps/peers}
readonly log=$peers/setup.log
source scripts/install_steps.sh

# A python3 that makes virtual environments: Debian's, which the pinned wheels are for, or else the user's.
find_python() {
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then return 0; fi
  done
  fail "no python3 with venv; expected the one of Debian's package python3-venv"
}

# check_peer NAME: the program starts. An import is enough: it loads every library.
check_peer() {
  case $1 in
    joeynmt) "$peers/$1/bin/python" -m joeynmt --help ;;
    eole) "$peers/$1/bin/eole" train --help ;;
    ctranslate2) "$peers/$1/bin/python" -c 'import ctranslate2, safetensors, yaml' ;;
    sacrebleu) "$peers/$1/bin/python" -m sacrebleu --version ;;
  esac
}

# The CUDA half of PyTorch loads its libraries even where there is no GPU; those that the loader does not know come as
# wheels.
install_peer() {
  local name=$1 pip_python=$peers/$1/bin/python wheels torch=()
  if needs_torch "$name"; then
    # shellcheck disable=SC2119  # no folder of libraries to look into
    mapfile -t wheels < <(missing_cuda_wheels)
    torch=("torch==$TORCH_VERSION" "nvidia-cuda-runtime==$CUDA_RUNTIME_VERSION"
           "nvidia-cuda-cupti==$CUDA_CUPTI_VERSION" "${wheels[@]}")
  fi
  rm -rf "${peers:?}/$name" &&
    "$python" -m venv "$peers/$name" &&
    pip_install "$pip_python" "${torch[@]}" --requirement "bench/peers/$name.txt" &&
    check_peer "$name" &&
    wanted_versions "$name" >"$peers/$name/versions"
}

needs_torch() { [[ $1 == joeynmt || $1 == eole ]]; }

# `versions` inside an environment says what it was made from, and is the last file written.
wanted_versions() {
  needs_torch "$1" && echo "torch==$TORCH_VERSION nvidia-cuda-runtime==$CUDA_RUNTIME_VERSION nvidia-cuda-cupti==$CUDA_CUPTI_VERSION"
  cat "bench/peers/$1.txt"
}

setup_peer() {
  local name=$1
  if [[ $(cat "$peers/$name/versions" 2>/dev/null) == "$(wanted_versions "$name")" ]]; then return 0; fi
  find_python
  run_step "environment of $name" install_peer "$name"
}

(($#)) || fail "which peers? joeynmt, eole, ctranslate2, sacrebleu"
mkdir -p "$peers"
lock_folder "$peers"
setup_packages "$DEBIAN_PEERS"
for name in "$@"; do
  [[ -f bench/peers/$name.txt ]] || fail "no peer \"$name\"; expected joeynmt, eole, ctranslate2 or sacrebleu"
  setup_peer "$name"
done
echo "set-up of the peers: all there ($SECONDS s)"
