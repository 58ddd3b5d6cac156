// Batches from a file, so that several programs are timed on the same ones: a batch a line, its pairs separated by tabs,
// source and target ids by a bar.
#ifndef NMT_BENCH_TRAIN_BATCH_FILE_H_
#define NMT_BENCH_TRAIN_BATCH_FILE_H_

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "nmt/models/batch.h"

namespace nmt {

inline Ids ParseIds(const std::string& text) {
  std::istringstream stream(text);
  Ids ids;
  for (int64_t id; stream >> id;) ids.push_back(id);
  return ids;
}

// At most `count` batches, from a file that bench/train/make_batches.py wrote.
inline std::vector<Batch> ReadBatches(const std::string& path, int64_t count) {
  std::ifstream file(path);
  std::vector<Batch> batches;
  for (std::string line;
       static_cast<int64_t>(batches.size()) < count && std::getline(file, line);) {
    std::vector<Ids> sources, targets;
    std::istringstream pairs(line);
    for (std::string pair; std::getline(pairs, pair, '\t');) {
      const size_t bar = pair.find('|');
      sources.push_back(ParseIds(pair.substr(0, bar)));
      targets.push_back(ParseIds(pair.substr(bar + 1)));
    }
    batches.push_back(MakeBatch(sources, targets));
  }
  TORCH_CHECK(!batches.empty(), path, ": no batches");
  return batches;
}

}  // namespace nmt

#endif  // NMT_BENCH_TRAIN_BATCH_FILE_H_
