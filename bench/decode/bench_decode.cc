// Times the translation of a text by a run: sentences and target pieces a second, the latency of one
// sentence, and the peak memory.
//
//   build/bin/bench_decode RUN SOURCE --beam-size 5 --batch-size 64 --rounds 3
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <vector>

#include "nmt/base/log.h"
#include "nmt/decoding/translator.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

using Clock = std::chrono::steady_clock;

int Main(int argc, char** argv) {
  CLI::App app("times the translation of a text");
  std::string run, source;
  int64_t beam = 5, batch = 64, rounds = 3, threads = 2, sentences = 0, length = 0, limit = 0;
  bool one_by_one = false;
  std::string ids, out, precision = "fp32";
  app.add_option("RUN", run)->required();
  app.add_option("SOURCE", source)->required();
  app.add_option("--beam-size", beam);
  app.add_option("--batch-size", batch);
  app.add_option("--rounds", rounds);
  app.add_option("--threads", threads);
  app.add_option("--sentences", sentences, "of the source, from its start; 0: all");
  app.add_option("--length", length,
                 "every translation has so many pieces; 0: as the model ends it");
  app.add_option("--precision", precision)->check(CLI::IsMember({"fp32", "bf16", "int8"}));
  app.add_option("--ids", ids, "file that gets each sentence's source ids, for other programs");
  app.add_option("--out", out, "file that gets each translation's ids");
  app.add_option("--limit", limit, "no translation has more pieces");
  app.add_flag("--one-by-one", one_by_one, "a call for each sentence: what a user waits for");
  CLI11_PARSE(app, argc, argv);
  at::set_num_threads(static_cast<int>(threads));
  const auto trained = LoadTrainedModel(run, "best", torch::kCPU);
  auto lines = ReadLines(source);
  for (const absl::Status& status : {trained.status(), lines.status()}) {
    if (status.ok()) continue;
    fmt::print(stderr, "bench_decode: {}\n", std::string(status.message()));
    return ExitCode(status);
  }
  if (sentences > 0) lines->resize(std::min(lines->size(), static_cast<size_t>(sentences)));
  TranslatorOptions options = FromConfig(trained->options.translation);
  options.search.beam_size = beam;
  options.search.length_penalty = 1;
  options.batch_size = batch;
  if (precision == "bf16") options.precision = InferencePrecision::kBf16;
  if (precision == "int8") options.precision = InferencePrecision::kInt8;
  if (limit > 0) options.search.max_length = {0, limit};
  if (length > 0) options.search.min_length = options.search.max_length = {0, length};
  const Translator translator({&*trained}, options);

  std::vector<double> rates;
  std::vector<Translation> found;
  double pieces = 0;
  for (int64_t round = 0; round <= rounds; ++round) {  // the first one does not count
    const auto begin = Clock::now();
    found.clear();
    if (one_by_one) {
      for (const std::string& line : *lines) found.push_back(translator.Translate({line}, {})[0]);
    } else {
      found = translator.Translate(*lines, {});
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (round > 0) rates.push_back(static_cast<double>(lines->size()) / seconds);
    pieces = 0;
    for (const Translation& translation : found) {
      if (!translation.hypotheses.empty())
        pieces += static_cast<double>(translation.hypotheses[0].ids.size() + 1);
    }
  }
  std::sort(rates.begin(), rates.end());
  for (const auto& [path, is_source] : {std::pair(ids, true), std::pair(out, false)}) {
    if (path.empty()) continue;
    std::ofstream file(path);
    for (const Translation& translation : found) {
      Ids ids = translation.source_ids;
      if (!is_source) ids = translation.hypotheses.empty() ? Ids() : translation.hypotheses[0].ids;
      file << fmt::format("{}\n", fmt::join(ids, " "));
    }
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const double median = rates[rates.size() / 2], each = pieces / static_cast<double>(lines->size());
  fmt::print(
      "sentences/s {:.1f} ({:.1f}-{:.1f})  target tokens/s {:.0f}  pieces a sentence {:.1f}  "
      "ms a sentence {:.2f}  peak MB {}\n",
      median, rates.front(), rates.back(), median * each, each, 1e3 / median,
      usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace nmt

int main(int argc, char** argv) { return nmt::Main(argc, argv); }
