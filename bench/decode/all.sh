#!/usr/bin/env bash
# What `make bench-decode` measures, as tables on stdout: the demo's transformer, or RUN, against CTranslate2; both of the
# demo's translators against JoeyNMT and each other; the start of the program.
#   bench/decode/all.sh [RUN SOURCE]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly bin=${BUILD:-build}/bin demo=runs/demo work=runs/bench-decode
readonly run=${1:-$demo/transformer} text=$demo/data/test_seen.en
readonly source=${2:-$text}

echo "## $run against CTranslate2, the same weights"
bench/decode/compare.py ctranslate2 "$run" "$source" "$work/ctranslate2" --nmt "$bin/bench_decode"
for model in gru transformer; do
  printf '\n## %s against JoeyNMT, a model of its shape, 16 pieces a sentence\n' "$demo/$model"
  bench/decode/compare.py joeynmt "$demo/$model" "$text" "$work/joeynmt-$model" --nmt "$bin/bench_decode"
done
printf '\n## From the start of the program to the first translation\n'
bench/decode/startup.py "$demo/gru" "$run" --ctranslate2 "$work/ctranslate2/ctranslate2" --nmt "$bin/nmt"
