#!/usr/bin/env bash
# Writes docs/config.md, the page of all config keys, from what `nmt config` prints: a table a section.
#   scripts/make_config_page.sh > docs/config.md            with build/bin/nmt
#   scripts/make_config_page.sh build-cuda/bin/nmt > ...    with another one
set -euo pipefail
readonly nmt=${1:-$(dirname "${BASH_SOURCE[0]}")/../build/bin/nmt}

cat <<'HEAD'
# Config keys

Every key of a training config with its default, its type and range, and its meaning. This page is made from `nmt config`,
which prints the same as one YAML file, by `scripts/make_config_page.sh > docs/config.md`; a test fails when it is stale.

A config names the required keys and those that it changes. Paths are relative to the folder of the config file. On the
command line a key is written with dots: `nmt train my.yaml --set training.learning_rate=1e-3`. A key that is misspelt, a
value out of range and a file that is missing are refused before any work. What the keys are for: [training](training.md),
[translating](translating.md), [attention](attention.md); configs to start from: [guide](guide.md#sizes-to-start-from).
HEAD

# A comment says `type: meaning` of the key below it, or the meaning of a section, which has no value.
"$nmt" config | awk '
  function escaped(text) {
    gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/\|/, "\\|", text); gsub(/\*/, "\\*", text)
    return text
  }
  /^ *#/ { sub(/^ *# ?/, ""); comment = comment (comment == "" ? "" : " ") $0; next }
  /^ *$/ { comment = first ? comment : ""; first = 1; next }  # the first comment is of the file
  {
    match($0, /^ */)
    depth = RLENGTH / 2
    name = substr($0, RLENGTH + 1)
    value = name
    sub(/:.*/, "", name)
    sub(/^[^:]*: ?/, "", value)
    key = name
    if (depth > 0) key = section[depth] "." name
    if (value == "") {  # its keys stand in one table, those below a section in it in one of their own
      section[depth + 1] = key
      order[++sections] = key
      text[key] = "\n" (depth ? "###" : "##") " " key "\n\n" toupper(substr(comment, 1, 1)) escaped(substr(comment, 2)) ".\n"
    } else {
      at = index(comment, ": ")
      rows[section[depth]] = rows[section[depth]] sprintf("| `%s` | `%s` | %s | %s |\n", key, value,
        escaped(substr(comment, 1, at - 1)), escaped(substr(comment, at + 2)))
    }
    comment = ""
  }
  END {
    for (i = 0; i <= sections; ++i) {
      printf "%s", text[order[i]]
      if (rows[order[i]] != "") printf "\n| key | default | is | meaning |\n|---|---|---|---|\n%s", rows[order[i]]
    }
  }'
