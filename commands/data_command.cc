// nmt data generate: the bundled English-German corpus with gold word links.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "commands/command.h"
#include "data/grammar/corpus_generator.h"
#include "nmt/base/file.h"

namespace nmt {
namespace {

struct GenerateArguments {
  std::string out;
  uint64_t seed = 1;
  grammar::CorpusSizes sizes;
};

absl::Status WriteSet(const std::filesystem::path& out, const std::string& name,
                      const std::vector<grammar::SentencePair>& pairs, int asked) {
  std::string source, target, links;
  for (const grammar::SentencePair& pair : pairs) {
    source += pair.source + "\n";
    target += pair.target + "\n";
    links += pair.links + "\n";
  }
  NMT_RETURN_IF_ERROR(WriteFileAtomically(out / (name + ".en"), source));
  NMT_RETURN_IF_ERROR(WriteFileAtomically(out / (name + ".de"), target));
  NMT_RETURN_IF_ERROR(WriteFileAtomically(out / (name + ".links"), links));
  fmt::print(stderr, "{}: {} pairs{}\n", (out / name).string(), pairs.size(),
             static_cast<int>(pairs.size()) < asked
                 ? fmt::format(" (of the {} asked for: this training text leaves no more)", asked)
                 : "");
  return absl::OkStatus();
}

absl::Status Generate(const GenerateArguments& arguments) {
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(arguments.out));
  const grammar::Corpus corpus = grammar::Generate(arguments.seed, arguments.sizes);
  NMT_RETURN_IF_ERROR(WriteSet(arguments.out, "train", corpus.train, arguments.sizes.train));
  NMT_RETURN_IF_ERROR(WriteSet(arguments.out, "valid", corpus.valid, arguments.sizes.valid));
  NMT_RETURN_IF_ERROR(
      WriteSet(arguments.out, "test_seen", corpus.test_seen, arguments.sizes.test_seen));
  return WriteSet(arguments.out, "test_unseen", corpus.test_unseen, arguments.sizes.test_unseen);
}

}  // namespace

void AddDataCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* data = app.add_subcommand("data", "Make corpora");
  data->require_subcommand(1);
  CLI::App* command = data->add_subcommand(
      "generate", "English-German sentence pairs of a grammar, with gold word links");
  command
      ->add_option("--out", arguments->out,
                   "Folder for {train,valid,test_seen,test_unseen}.{en,de,links}")
      ->required();
  command
      ->add_option("--seed", arguments->seed, "The same seed gives the same bytes on every machine")
      ->capture_default_str();
  command->add_option("--train", arguments->sizes.train, "Training pairs")
      ->check(CLI::Range(1, 24000))
      ->capture_default_str();
  command->add_option("--valid", arguments->sizes.valid, "Validation pairs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--test-seen", arguments->sizes.test_seen,
                   "Test pairs of seen word combinations")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  command
      ->add_option("--test-unseen", arguments->sizes.test_unseen,
                   "Test pairs of combinations and lengths not in training")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  command->footer("Example:\n  nmt data generate --out runs/demo/data");
  command->callback([arguments, &run] { run = [arguments] { return Generate(*arguments); }; });
}

}  // namespace nmt
