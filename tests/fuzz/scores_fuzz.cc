// Hypotheses and references in turn, a line each, under every score.
#include <cmath>

#include "nmt/metrics/bleu.h"
#include "nmt/metrics/chrf.h"
#include "nmt/metrics/ter.h"
#include "nmt/text/lines.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> hypotheses, references;
  for (const std::string& line : nmt::SplitLines(nmt::TextOf(data, size)))
    (hypotheses.size() > references.size() ? references : hypotheses).push_back(line);
  hypotheses.resize(references.size());
  for (const nmt::BleuTokenizer tokenizer :
       {nmt::BleuTokenizer::k13a, nmt::BleuTokenizer::kNone, nmt::BleuTokenizer::kIntl,
        nmt::BleuTokenizer::kChar, nmt::BleuTokenizer::kZh}) {
    nmt::BleuOptions options;
    options.tokenizer = tokenizer;
    options.lowercase = true;
    const auto bleu = nmt::CorpusBleu(hypotheses, references, options);
    nmt::Promise(!bleu.ok() || (bleu->score >= 0 && bleu->score <= 100 + 1e-9),
                 "BLEU is a percentage");
  }
  nmt::ChrfOptions chrf_options;
  chrf_options.word_ngrams = true;
  const auto chrf = nmt::CorpusChrf(hypotheses, references, chrf_options);
  nmt::Promise(!chrf.ok() || (chrf->score >= 0 && chrf->score <= 100 + 1e-9),
               "chrF is a percentage");
  const auto ter = nmt::CorpusTer(hypotheses, references);
  nmt::Promise(!ter.ok() || (std::isfinite(ter->score) && ter->score >= 0), "TER is a number");
  return 0;
}
