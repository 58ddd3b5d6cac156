#!/usr/bin/env bash
# The whole product on the bundled corpus: two translators, their translations, alignments and heatmaps, and the report
# that compares them, all in runs/demo/. `make demo` does set-up and build first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly nmt=${NMT:-build/bin/nmt} demo=runs/demo
readonly data=$demo/data

headline() { printf '\n== %s (%d:%02d)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

headline "An English-German corpus with gold word links"
"$nmt" data generate --out "$data" --seed 1

for model in gru transformer; do
  headline "Training: $model"
  "$nmt" train "configs/demo-$model.yaml" --overwrite
done

for model in gru transformer; do
  run=$demo/$model
  headline "Translating and aligning the test sentences: $model"
  for part in test_seen test_unseen; do
    "$nmt" translate "$run" <"$data/$part.en" >"$run/$part.de"
  done
  "$nmt" align "$run" --source "$data/test_seen.en" --target "$data/test_seen.de" \
    --heatmaps "$run/heatmaps" >"$run/test_seen.links"
done

# The sentences shown: separable verbs, a compound, a contraction, a subordinate clause first, a question, a negation.
headline "Comparing"
"$nmt" compare "$demo/gru" "$demo/transformer" \
  --source "$data/test_seen.en" --reference "$data/test_seen.de" --gold "$data/test_seen.links" \
  --part "unseen combinations and lengths=$data/test_unseen.en,$data/test_unseen.de,$data/test_unseen.links" --lines 112,66,74,141,203 --out "$demo/report"

headline "Done"
echo "Report:   $demo/report/index.html (open it in a browser), report.md, report.json"
echo "Pictures of both models side by side:"
find "$demo/report" -name '*.png' | sort
echo "Pictures of one model: $demo/{gru,transformer}/heatmaps/"
