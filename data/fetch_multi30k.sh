#!/usr/bin/env bash
# Brings Multi30k, task 1, as raw text (English, German, French, Czech) into data/multi30k: train.en, train.de, ...,
# val.*, test_2016_flickr.*, test_2017_flickr.*, test_2018_flickr.*. A second run does nothing.
#   data/fetch_multi30k.sh                     from its public repository, by curl or wget
#   data/fetch_multi30k.sh --from DIR_OR_URL   from a folder, or another address, that holds train.en.gz, ...
#   --out DIR     where to put it              --table FILE   the files to bring, as `sha256  name.gz` lines
# Every file must have the checksum in data/multi30k.sha256; nothing is left where one does not.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
from=https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw
out=$here/multi30k
table=$here/multi30k.sha256

usage_error() {
  echo "data/fetch_multi30k.sh: $*" >&2
  exit 2
}

fail() {
  echo "data/fetch_multi30k.sh: $*" >&2
  exit 1
}

while (($#)); do
  case $1 in
    --from | --out | --table)
      [[ -n ${2:-} ]] || usage_error "$1 needs a value"
      printf -v "${1#--}" '%s' "$2"
      shift 2
      ;;
    -h | --help)
      sed -n '2,/^set/{s/^# \?//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) usage_error "'$1'; expected --from DIR_OR_URL, --out DIR, --table FILE or --help" ;;
  esac
done
[[ -r $table ]] || fail "$table: not found; expected a table of checksums there"

# `complete` lists what was unpacked, and is the last file written.
is_complete() {
  [[ -e $out/complete && $(wc -l <"$out/complete") == $(wc -l <"$table") ]] &&
    (cd "$out" && sha256sum --check --status complete 2>/dev/null)
}
if is_complete; then
  echo "$out: complete"
  exit 0
fi

# get_file NAME TO: copies the file from the folder or address.
get_file() {
  local message
  if [[ -n $folder ]]; then
    [[ -r $folder/$1 ]] || fail "$folder/$1: not found; expected a file with sha256 $expected"
    cp -- "$folder/$1" "$2"
  else
    message=$("${download[@]}" "$2" "$from/$1" 2>&1) ||
      fail "$from/$1: download failed ($(tail -n 1 <<<"$message")); expected a file with sha256 $expected"
  fi
}

folder=
if [[ -d $from ]]; then
  folder=$from
  [[ ! -d $from/multi30k/raw ]] || folder=$from/multi30k/raw
elif [[ $from != *://* ]]; then
  fail "--from $from: no such folder, and no address either; expected one that holds train.en.gz"
elif command -v curl >/dev/null; then
  download=(curl --fail --silent --show-error --location --retry 3 --connect-timeout 30 --output)
elif command -v wget >/dev/null; then
  download=(wget --no-verbose --tries=3 --timeout=30 -O)
else
  fail "neither curl nor wget is here: install one of them, or name a folder with --from"
fi

# Everything is put together in a folder beside, and moved when all of it is right.
mkdir -p "$(dirname "$out")"
part=$(mktemp -d "$out.part.XXXXXX")
trap 'rm -rf "$part"' EXIT
echo "Multi30k from ${folder:-$from}"
while read -r expected name; do
  get_file "$name" "$part/$name"
  found=$(sha256sum <"$part/$name")
  [[ ${found%% *} == "$expected" ]] ||
    fail "${folder:-$from}/$name: its sha256 is ${found%% *}; expected $expected (from $table)"
  gzip -d "$part/$name"
done <"$table"
(cd "$part" && sha256sum -- * >.complete)

mkdir -p "$out"
rm -f "$out/complete"
mv -f -- "$part"/* "$out"
mv -f -- "$part/.complete" "$out/complete"
echo "$out: $(($(wc -l <"$out/complete"))) files"
echo "Licence: for non-commercial research and education only (Elliott et al., 2016); do not pass the sentences on."
