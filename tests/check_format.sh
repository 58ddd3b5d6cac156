#!/usr/bin/env bash
# Checks that every C++ file and every script of the report's page is laid out as .clang-format says; with --fix, lays them out.
# The layout depends on the version of clang-format: it is Debian 12's, 14.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  '' | --fix) ;;
  *) echo "tests/check_format.sh: '$1'; expected --fix or nothing" >&2; exit 2 ;;
esac

clang_format=$(command -v clang-format-14 || command -v clang-format) ||
  { echo "tests/check_format.sh: no clang-format here; expected Debian 12's package clang-format" >&2; exit 1; }
[[ $("$clang_format" --version) == *" version 14."* ]] ||
  { echo "tests/check_format.sh: $("$clang_format" --version); expected version 14" >&2; exit 1; }

# Hidden and build folders hold files that are not ours.
mapfile -d '' files < <(find . \( -path './.*' -o -path './build*' -o -path ./runs \) -prune -o \
                          -type f \( -name '*.h' -o -name '*.cc' -o -name '*.js' \) -print0 | sort -z)
((${#files[@]})) || { echo "tests/check_format.sh: no source files found in $PWD" >&2; exit 1; }
if [[ ${1:-} == --fix ]]; then
  "$clang_format" -i "${files[@]}"
# A line a file, not one a blank: where it begins to differ.
elif ! found=$("$clang_format" --dry-run --Werror "${files[@]}" 2>&1); then
  grep -F '[-Wclang-format-violations]' <<<"$found" | sort -t: -k1,1 -k2,2n | sort -t: -u -k1,1 |
    cut -d: -f1,2 | sed 's/^\.\/\?//; s/$/: not laid out as .clang-format says: try "make format"/' >&2 || echo "$found" >&2
  exit 1
fi
echo "${#files[@]} files"
