#!/usr/bin/env bash
# Searches for inputs that break a reader, with libFuzzer and the address and undefined-behaviour sanitizers.
#   scripts/fuzz.sh SECONDS [TARGET...]      seconds for each target of tests/fuzz, by default all that clang compiles: not
#                                            safetensors and run, which stand on LibTorch and are only replayed by `make test`
# The search begins with tests/fuzz/seeds and keeps what it finds interesting in build-fuzz/corpus, from where the next one goes on.
# An input that fails stays in build-fuzz/found; mend the reader, and keep the input as tests/fuzz/seeds/TARGET/found_....
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:?usage: scripts/fuzz.sh SECONDS [TARGET...]}
targets=("${@:2}")
if ((!${#targets[@]})); then
  targets=(config links text scores subwords)
fi
for target in "${targets[@]}"; do
  [[ -e tests/fuzz/${target}_fuzz.cc ]] || { echo "fuzz: no target '$target' in tests/fuzz" >&2; exit 2; }
done
scripts/build.sh fuzz "${targets[@]/#/fuzz_}"

# LibTorch and the subword library keep memory until the end, which is no leak of ours.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 OMP_NUM_THREADS=1
failed=()
for target in "${targets[@]}"; do
  corpus=build-fuzz/corpus/$target found=build-fuzz/found/$target log=build-fuzz/$target.log
  mkdir -p "$corpus" "$found"
  # A subword model of a real run, where there is one: too large to be a seed of the repository.
  if [[ $target == subwords && -e runs/demo/gru/shared.spm ]]; then cp runs/demo/gru/shared.spm "$corpus/model"; fi
  if build-fuzz/bin/fuzz_"$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=100000 -print_final_stats=1 \
      -artifact_prefix="$found/" "$corpus" tests/fuzz/seeds/"$target" >"$log" 2>&1; then
    echo "$target: nothing found in $(awk '/number_of_executed_units/ { print $2 }' "$log") inputs, $(ls "$corpus" | wc -l) kept"
  else
    echo "$target: FAILED, see $log; the input is in $found:"
    grep -m 3 -E '^broken|ERROR|runtime error|SUMMARY' "$log" || true
    failed+=("$target")
  fi
done
((!${#failed[@]})) || { echo "fuzz: failed: ${failed[*]}" >&2; exit 1; }
