#include "nmt/training/together.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "nmt/base/file.h"
#include "nmt/base/fnv1a.h"
#include "nmt/config/printer.h"
#include "nmt/config/reader.h"

namespace nmt {
namespace {

using nlohmann::json;

std::string Checksum(const ParallelCorpus& corpus) {
  Fnv1a hash;
  for (const auto* side : {&corpus.source, &corpus.target}) {
    for (const std::string& line : *side) hash.Add(line + "\n");
  }
  return hash.ToString();
}

// `options` where what may differ is as in `other`: places, and the machine.
Options InPlaceOf(const Options& other, Options options) {
  options.run_dir = other.run_dir;
  options.device = other.device;
  options.threads = other.threads;
  options.training.warm_start = other.training.warm_start;
  options.data.valid = other.data.valid;
  options.data.test = other.data.test;
  const std::vector<double> weight = options.data.train.weight;
  options.data.train = other.data.train;
  options.data.train.weight = weight;
  return options;
}

}  // namespace

namespace {

// What differs between this worker and the first; "" where nothing does.
absl::StatusOr<std::string> Differences(const std::string& version, const Options& options,
                                        const TrainingCorpora& corpora, Workers& workers) {
  const json own = {{"version", version},
                    {"options", PrintOptions(options)},
                    {"train", corpora.train.checksum()},
                    {"valid", Checksum(corpora.valid)}};
  const json first = json::parse(workers.FromFirst(own.dump()));
  if (own == first) return std::string();
  std::vector<std::string> differing;
  if (first["version"] != own["version"]) {
    differing.push_back(fmt::format("the program: {} here, {} in worker 0", version,
                                    first["version"].get<std::string>()));
  } else {
    NMT_ASSIGN_OR_RETURN(const Options there, ParseOptions(first["options"].get<std::string>(),
                                                           "the config of worker 0", {}));
    differing = DifferingKeys(InPlaceOf(there, options), there, "in worker 0");
  }
  for (const char* text : {"train", "valid"}) {
    if (first[text] == own[text]) continue;
    differing.push_back(
        fmt::format("data.{}: the files here do not hold what those of worker 0 hold", text));
  }
  return fmt::format("{}", fmt::join(differing, "; "));
}

}  // namespace

absl::Status CheckSameTraining(const std::string& version, const Options& options,
                               const TrainingCorpora& corpora, Workers& workers) {
  NMT_ASSIGN_OR_RETURN(const std::string differences,
                       Differences(version, options, corpora, workers));
  const std::vector<std::string> all = workers.Gather(differences);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    return UsageError(
        fmt::format("worker {} would train something else than worker 0: {}", rank, all[rank]));
  }
  return absl::OkStatus();
}

absl::Status ShareTokenizers(const RunDirectory& run, bool shared, Workers& workers) {
  for (const bool source : {true, false}) {
    std::string bytes;
    if (workers.is_first()) {
      NMT_ASSIGN_OR_RETURN(bytes, ReadFile(run.tokenizer(shared, source)));
    }
    bytes = workers.FromFirst(std::move(bytes));
    if (!workers.is_first())
      NMT_RETURN_IF_ERROR(WriteFileAtomically(run.tokenizer(shared, source), bytes));
  }
  return absl::OkStatus();
}

}  // namespace nmt
