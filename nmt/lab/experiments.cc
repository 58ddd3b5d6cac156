#include "nmt/lab/experiments.h"

#include <fmt/format.h>

namespace nmt {

const std::vector<Experiment>& Experiments() {
  static const auto& experiments = *new std::vector<Experiment>{
      {"worked-example", "Attention by hand", WorkedExample},
      {"similarity", "What a dot product measures", Similarity},
      {"scaling", "Why the scores are divided by √d", Scaling},
      {"saturation", "What large scores do to the gradient", Saturation},
      {"masking", "Where a query may look", Masking},
      {"context", "One word, two meanings, and no order", Context},
      {"recall", "A task that needs attention", Recall},
      {"additive-vs-dot", "Additive against dot-product attention", AdditiveVersusDot},
      {"multi-head", "Several heads, and what length costs", MultiHead},
  };
  return experiments;
}

std::string LabDocument(const std::vector<LabReport>& reports, const LabOptions& options) {
  std::string text = fmt::format(
      R"(# The lab: attention, from the formula to the translators

Nine small experiments show what the papers and tutorials say of attention. Each calls the functions that train and
translate (`nmt/attention/`), prints what theory expects beside what came out, and passes or fails by a stated tolerance.

This file and its plots are written by

    nmt lab --seed {} --out DIR

where `nmt` is `build/bin/nmt`, which `make build` makes. In the tables of results, a tolerance of "exactly" or "equal" allows
no difference, and "bound" says that the expected value is the least or the most allowed.

Times and memory are those of the machine that ran it; everything else comes out again, from the same seed, to the digits
shown or nearly so. `nmt lab NAME` runs one experiment, `nmt lab --help` lists them.

)",
      options.seed);
  for (const LabReport& report : reports) {
    text +=
        fmt::format("- [{}](#lab-{}): {} checks\n", report.title(), report.name(), report.checks());
  }
  text += "\n";
  for (const LabReport& report : reports) {
    text += fmt::format("<a id=\"lab-{}\"></a>\n\n", report.name()) + ReportAsMarkdown(report);
  }
  text += R"(## From here to the translators

Nothing has to be added to the formula to translate with it; what differs is where queries, keys and values come from.

| | GRU encoder-decoder | transformer |
|---|---|---|
| query | the decoder's state before it writes a word | each target word so far |
| key, value | the annotation of each source word, forward and backward | each source word, after its own self-attention |
| score | `additive`, one head | `scaled_dot`, several heads |
| order of the words | the recurrence reads them one by one | position encodings; a causal mask for the past |
| in the code | `nmt/models/gru/gru_decoder.h`, `Attend` | `nmt/models/transformer/transformer_layers.h` |

Either takes any of the five scores: `model.attention: additive | dot | scaled_dot | cosine | general` in the config.

`make demo` trains both on the bundled corpus in minutes. What the division by √d is worth in a translator, and where a
trained one looks:

    nmt train configs/demo-transformer.yaml --set run_dir=../runs/scaled
    nmt train configs/demo-transformer.yaml --set run_dir=../runs/unscaled --set model.attention=dot
    nmt align runs/scaled --source FILE --target FILE --heatmaps DIR

In the pictures that `align` draws the weights point from each target word to the source words it came from, as the recall
network's point to the letter that was asked. `docs/attention.md` uses the same functions in a program of fifteen lines,
and `docs/architecture.md` follows one sentence through the whole of a translator.
)";
  return text;
}

}  // namespace nmt
