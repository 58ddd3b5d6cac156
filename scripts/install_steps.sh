# What scripts/setup.sh and bench/setup_peers.sh share: steps that write to a log, Debian packages, CUDA wheels.
# Source it from the root of the repository, with `log` set to the file that the steps write to and versions.env read.
# shellcheck shell=bash disable=SC2154

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

# lock_folder DIR: two set-ups at once would write into one folder, so the second waits.
lock_folder() {
  exec 9>"$1/setup.lock"
  flock --nonblock 9 || { echo "set-up: waiting for another one in this folder"; flock 9; }
}

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

# setup_packages LIST: installs those of the Debian packages in LIST, words in one string, that are missing.
setup_packages() {
  local missing
  if ! command -v dpkg-query >/dev/null; then
    echo "  no dpkg-query here, so these Debian packages are not looked for: $1" >&2
    return 0
  fi
  # shellcheck disable=SC2086  # the list is words
  mapfile -t missing < <(missing_packages $1)
  ((${#missing[@]})) || return 0
  find_root || fail "these Debian packages are missing and may not be installed from here; an administrator does it with:" \
                    "apt-get install --no-install-recommends ${missing[*]}"
  run_step "Debian packages (${#missing[@]})" install_packages "${missing[@]}"
}

# --- wheels ------------------------------------------------------------------------------------------------------

# Where there is no home folder to keep a cache in, pip keeps none.
[[ -n ${HOME:-} && -w ${HOME:-} ]] || export PIP_NO_CACHE_DIR=1

# pip_install PYTHON OPTION...: the user's settings say where packages come from, but must not say where they go.
pip_install() {
  PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 "$1" -m pip install --root-user-action=ignore --disable-pip-version-check \
    --no-input --progress-bar off --no-deps --only-binary=:all: "${@:2}"
}

# missing_cuda_wheels FOLDER...: prints the wheels of the libraries in CUDA_WHEELS that are neither in the folders nor
# known to the loader.
missing_cuda_wheels() {
  local known library wheel
  known=$(/sbin/ldconfig -p 2>/dev/null; (($# == 0)) || ls -- "$@" 2>/dev/null) || true
  while read -r library wheel; do
    [[ -z $library || $known == *"$library"* ]] || echo "$wheel"
  done <<<"$CUDA_WHEELS" | sort -u
}
