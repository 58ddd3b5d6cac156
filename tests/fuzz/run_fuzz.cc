// One file of a run directory, in place of the right one: the first byte says which.
#include <torch/torch.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "nmt/alignment/selection.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/config/printer.h"
#include "nmt/report/training_cost.h"
#include "tests/fuzz/input.h"

namespace {

namespace fs = std::filesystem;

// A run as small as they come.
class TinyRun {
 public:
  TinyRun() {
    std::string folder = fs::temp_directory_path() / "nmt_fuzz_XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) std::abort();
    run_ = nmt::RunDirectory(folder);
    nmt::Options options;
    options.model = {.type = nmt::ModelType::kGru, .embedding_size = 4, .hidden_size = 4};
    options.tokenizer.vocab_size = 30;
    const std::vector<std::string> text(20, "the small dogs see a cat");
    fs::create_directories(run_.checkpoints());
    nmt::Promise(nmt::TrainTokenizer(options.tokenizer, {&text}, run_.tokenizer(true, true)).ok(),
                 "a model");
    const auto tokenizers = nmt::LoadTokenizers(run_, options.tokenizer);
    nmt::Promise(tokenizers.ok(), "subwords");
    std::ofstream(run_.config()) << nmt::PrintOptions(options);
    const int64_t size = tokenizers->source.vocab_size();
    const auto model = nmt::MakeModel(options.model, {size, size}, /*seed=*/1);
    nmt::Promise(nmt::SaveCheckpoint(run_, "update-00000001", *model, {}, {.update = 1},
                                     tokenizers->checksum)
                     .ok(),
                 "a checkpoint");
    for (const char* pointer : {"last", "best"})
      nmt::Promise(run_.Point(pointer, "update-00000001").ok(), "a pointer");
    const fs::path checkpoint = run_.checkpoints() / "update-00000001";
    files_ = {run_.config(),
              run_.checkpoints() / "best",
              checkpoint / "state.json",
              checkpoint / "manifest.json",
              run_.alignment(),
              run_.finish(),
              run_.metrics(),
              run_.tokenizer(true, true)};
  }
  ~TinyRun() { fs::remove_all(run_.root()); }

  const nmt::RunDirectory& run() const { return run_; }
  const fs::path& file(size_t i) const { return files_[i % files_.size()]; }

 private:
  nmt::RunDirectory run_{""};
  std::array<fs::path, 8> files_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static TinyRun tiny;
  if (size == 0) return 0;
  const fs::path& file = tiny.file(data[0]);
  const bool exists = fs::exists(file);
  const fs::path aside = file.string() + ".aside";
  if (exists) fs::rename(file, aside);
  std::ofstream(file, std::ios::binary) << nmt::TextOf(data + 1, size - 1);

  const auto trained = nmt::LoadTrainedModel(tiny.run().root(), "best", torch::kCPU);
  if (trained.ok()) {
    const auto choice = nmt::LoadAlignmentChoice(tiny.run().alignment(), *trained->model);
    if (choice.ok()) (void)choice->ToString();
  }
  (void)nmt::VerifyCheckpoint(tiny.run().checkpoints() / "update-00000001");
  (void)nmt::LoadFinish(tiny.run());
  (void)nmt::ReadTrainingCost(tiny.run().metrics());

  fs::remove(file);
  if (exists) fs::rename(aside, file);
  return 0;
}
