// A report that nobody measured, for tests of the page: sentences of a small grammar and some written by
// hand, translations with made-up mistakes, attention around made-up links. Scores and tests are those
// of the translations.
//
//   const Comparison report = MadeUpReport({.models = 6, .sentences = 10000});
#ifndef NMT_TESTS_REPORT_MADE_UP_REPORT_H_
#define NMT_TESTS_REPORT_MADE_UP_REPORT_H_

#include "nmt/report/comparison.h"

namespace nmt {

struct MadeUpOptions {
  int64_t models = 2;
  int64_t sentences = 60;
  bool gold = true;
  bool references = true;  // without: no reference text and no score
  bool attention = true;
  bool empty_translation = false;  // the first model says nothing to the first sentence
  bool long_sentence = false;      // the last one has some hundred words
  bool hostile = false;            // names, title, words that would act in a careless page
  uint64_t seed = 1;
};

Comparison MadeUpReport(const MadeUpOptions& options);

}  // namespace nmt

#endif  // NMT_TESTS_REPORT_MADE_UP_REPORT_H_
