#!/usr/bin/env bash
# Installs what the build needs: Debian packages, and LibTorch into .deps/libtorch. Versions: versions.env.
# Runs again in a second when all is there, without network.
#   scripts/setup.sh                      everything, LibTorch from its PyPI wheel
#   LIBTORCH=/path scripts/setup.sh       a LibTorch of your own: the folder that holds lib/libtorch_cpu.so
#   NMT_CUDA=1 scripts/setup.sh           and what the CUDA half of LibTorch loads
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source versions.env

readonly deps=.deps log=.deps/setup.log libtorch=.deps/libtorch
readonly own_libtorch=${LIBTORCH:-} cuda=${NMT_CUDA:-0}

fail() {
  echo "set-up: $*" >&2
  exit 1
}

# run_step TITLE COMMAND...: one line with the time it took; a line every 20 s while it runs; what it prints goes to the
# log, whose end is shown when it fails.
run_step() {
  local title=$1 start=$SECONDS status=0
  shift
  [[ -n ${log_begun:-} ]] || : >"$log"
  log_begun=1
  echo "== $title: $*" >>"$log"
  while sleep 20 >/dev/null 2>&1; do
    printf '  %s ... %d s: %.80s\n' "$title" $((SECONDS - start)) "$(tail -n 1 "$log" | tr -dc '[:print:]')"
  done 9>&- &
  ticker=$!
  "$@" >>"$log" 2>&1 || status=$?
  stop_ticker
  if ((status != 0)); then
    tail -n 20 "$log" >&2
    fail "$title failed after $((SECONDS - start)) s (exit status $status); above is the end of $log"
  fi
  echo "  $title: $((SECONDS - start)) s"
}

stop_ticker() {
  [[ -n ${ticker:-} ]] || return 0
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  ticker=
}
trap stop_ticker EXIT

# --- Debian packages ---------------------------------------------------------------------------------------------

# Prints those of the given packages that are not installed.
missing_packages() {
  local installed package
  # The second letter is the state, i for installed. A package it never heard of is an error to dpkg-query, not to us.
  installed=$( (dpkg-query --show --showformat='${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true) |
    awk 'substr($1, 2, 1) == "i" { print $2 }')
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || echo "$package"
  done
}

# Sets `as_root` to the prefix that runs a command as root; fails when there is none.
find_root() {
  as_root=()
  if ((EUID == 0)); then return 0; fi
  command -v sudo >/dev/null || return 1
  as_root=(sudo)
  sudo -n true 2>/dev/null || { [[ -t 0 && -t 2 ]] && sudo -v; }
}

# A package source that does not answer need not matter: what it would have brought is missed by the install.
install_packages() {
  local options=(-q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  "${as_root[@]}" apt-get "${options[@]}" update || echo "apt-get update failed; going on with the lists that are there"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install -y --no-install-recommends "$@"
}

setup_packages() {
  local wanted missing
  wanted="$DEBIAN_BUILD $DEBIAN_LIBRARIES $DEBIAN_TESTS"
  [[ -n $own_libtorch ]] || wanted+=" $DEBIAN_FETCH"
  if ! command -v dpkg-query >/dev/null; then
    echo "  no dpkg-query here, so these Debian packages are not looked for: $wanted" >&2
    return 0
  fi
  # shellcheck disable=SC2086  # the lists are words
  mapfile -t missing < <(missing_packages $wanted)
  ((${#missing[@]})) || return 0
  find_root || fail "these Debian packages are missing and may not be installed from here; an administrator does it with:" \
                    "apt-get install --no-install-recommends ${missing[*]}"
  run_step "Debian packages (${#missing[@]})" install_packages "${missing[@]}"
}

# --- LibTorch ----------------------------------------------------------------------------------------------------

# A python3 with pip: the user's, or else Debian's.
find_pip() {
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then return 0; fi
  done
  fail "no python3 with pip; expected the one of Debian's package python3-pip"
}

# The user's settings say where packages come from, but must not say where they go.
pip_install() {
  PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 "$python" -m pip install --root-user-action=ignore --disable-pip-version-check \
    --no-input --progress-bar off --no-deps --no-compile --only-binary=:all: --target "$1" "${@:2}"
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
    pip_install "$libtorch.tmp" "$@" &&
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

# Prints the wheels of the libraries in CUDA_WHEELS that are neither beside LibTorch nor in a toolkit nor known to the
# loader.
missing_cuda_wheels() {
  local known library wheel
  known=$(/sbin/ldconfig -p 2>/dev/null; ls "$libtorch"/nvidia/*/lib "${CUDA_HOME:-/usr/local/cuda}/lib64" 2>/dev/null) || true
  while read -r library wheel; do
    [[ -z $library || $known == *"$library"* ]] || echo "$wheel"
  done <<<"$CUDA_WHEELS" | sort -u
}

# pip does not merge into a folder that is there (`nvidia/`), so the wheels take a folder of their own first.
install_cuda_wheels() {
  rm -rf "$deps/cuda.tmp" &&
    pip_install "$deps/cuda.tmp" "$@" &&
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
  mapfile -t wheels < <(missing_cuda_wheels)
  ((${#wheels[@]})) || return 0
  find_pip
  run_step "CUDA libraries (${#wheels[@]} wheels)" install_cuda_wheels "${wheels[@]}"
}

[[ $cuda == 0 || $cuda == 1 ]] || fail "NMT_CUDA is '$cuda'; expected 0 or 1"
mkdir -p "$deps"
# Two set-ups at once would write into one folder: the second waits.
exec 9>"$deps/setup.lock"
flock --nonblock 9 || { echo "set-up: waiting for another one in this folder"; flock 9; }
# Where there is no home folder to keep a cache in, pip keeps none.
[[ -n ${HOME:-} && -w ${HOME:-} ]] || export PIP_NO_CACHE_DIR=1
setup_packages
setup_libtorch
setup_cuda
echo "set-up: all there ($SECONDS s)"
