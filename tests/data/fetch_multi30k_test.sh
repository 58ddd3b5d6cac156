#!/usr/bin/env bash
# Tests data/fetch_multi30k.sh on files made here; needs neither the corpus nor a network.
set -uo pipefail
fetch=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/data/fetch_multi30k.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

expect() { # expect WHAT COMMAND...
  local what=$1
  shift
  "$@" && return
  echo "FAILED: $what"
  sed 's/^/    /' output
  failures=$((failures + 1))
}

# run STATUS ARGUMENT...: calls the script with the table made here; its output is in the file `output`.
run() {
  local wanted=$1 status=0
  shift
  "$fetch" --table "$work/table" "$@" >output 2>&1 || status=$?
  expect "exit status $status, expected $wanted" test "$status" = "$wanted"
}

says() { grep -qF -- "$1" output; }
one_line() { [[ $(wc -l <output) == "$1" ]]; }
nothing_left() { [[ ! -e out ]] && ! compgen -G 'out.*' >/dev/null; }

mkdir -p 'a folder/multi30k/raw'
printf 'A dog.\nA cat.\n' >train.en
printf 'Ein Hund.\nEine Katze.\n' >train.de
for side in en de; do gzip -c "train.$side" >"a folder/multi30k/raw/train.$side.gz"; done
(cd 'a folder/multi30k/raw' && sha256sum -- *.gz) >table

run 0 --from 'a folder' --out out
expect "the files are unpacked under their own names" cmp train.en out/train.en
expect "both of them" cmp train.de out/train.de
expect "the licence is told" says "non-commercial"
expect "no packed file stays" test ! -e out/train.en.gz

mv 'a folder' elsewhere
run 0 --from 'a folder' --out out
expect "a second run reads nothing" says "out: complete"
echo changed >out/train.en
run 0 --from elsewhere/multi30k/raw --out out
expect "a changed file is brought again, from a folder that holds the files themselves" cmp train.en out/train.en

mkdir own && echo mine >own/notes
run 0 --from elsewhere --out own
expect "other files in the folder stay" grep -q mine own/notes

rm -r out
cp -r elsewhere damaged
echo 'Eine Maus.' | gzip -c >damaged/multi30k/raw/train.en.gz
run 1 --from damaged --out out
expect "a wrong checksum is told with the file" says "damaged/multi30k/raw/train.en.gz: its sha256 is $(sha256sum <damaged/multi30k/raw/train.en.gz | cut -c1-64)"
expect "and what was expected" says "expected $(grep train.en table | cut -c1-64)"
expect "in one line, after the place" one_line 2
expect "and leaves nothing" nothing_left

rm damaged/multi30k/raw/train.en.gz
run 1 --from damaged --out out
expect "a missing file is told" says "damaged/multi30k/raw/train.en.gz: not found; expected"
expect "and leaves nothing" nothing_left

run 1 --from nowhere --out out
expect "a folder that is not there is told" says "--from nowhere: no such folder"
run 2 --form elsewhere
expect "an option that is not there is told" says "'--form'; expected --from"
run 2 --from
expect "a value that is not there is told" says "--from needs a value"

# A path with all but the two downloaders; then with one that serves https://example.org/ from a folder here.
mkdir tools
for tool in bash dirname sha256sum wc mktemp mkdir rm mv cp tail gzip cat sed; do ln -s "$(command -v "$tool")" tools/; done
PATH=$work/tools run 1 --from https://example.org/raw --out out
expect "no downloader is told" says "neither curl nor wget"
for tool in curl wget; do
  cat >tools/$tool <<'SERVER'
#!/usr/bin/env bash
url=${*: -1} to=${*: -2:1}
[[ -e elsewhere/multi30k/raw/${url##*/} ]] || { echo "error 404" >&2; exit 22; }
cp "elsewhere/multi30k/raw/${url#https://example.org/raw/}" "$to"
SERVER
  chmod +x tools/$tool
  PATH=$work/tools run 0 --from https://example.org/raw --out out
  expect "$tool downloads" cmp train.de out/train.de
  rm -r out
  mv elsewhere/multi30k/raw/train.de.gz .
  PATH=$work/tools run 1 --from https://example.org/raw --out out
  expect "$tool's failure is told" says "https://example.org/raw/train.de.gz: download failed (error 404)"
  expect "and leaves nothing" nothing_left
  mv train.de.gz elsewhere/multi30k/raw/
  rm tools/$tool
done

expect "the committed table names 19 files" test "$(grep -cE '^[0-9a-f]{64}  [a-z0-9_]+\.(en|de|fr|cs)\.gz$' "${fetch%/*}/multi30k.sha256")" = 19
echo "$failures failures"
exit $((failures > 0))
