#include "nmt/config/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nmt/config/field.h"

namespace nmt {
namespace {

using Problems = std::vector<OptionProblem>;

void CheckRequired(const Options& options, Problems& problems) {
  Options copy = options;  // the visitor wants members that can be written
  for (const Field& field : ListFields(copy)) {
    if (!std::ranges::count(kRequiredKeys, field.key)) continue;
    if (field.get() != "\"\"" && field.get() != "[]") continue;
    problems.push_back(
        {{field.key}, fmt::format("{}: missing, expected the {}", field.key, field.help)});
  }
  const ParallelFiles& test = options.data.test;
  if (test.source.empty() != test.target.empty()) {
    const bool no_source = test.source.empty();
    problems.push_back(
        {{no_source ? "data.test.source" : "data.test.target",
          no_source ? "data.test.target" : "data.test.source"},
         fmt::format("data.test.{}: missing, but data.test.{} is given",
                     no_source ? "source" : "target", no_source ? "target" : "source")});
  }
}

// Lists that name one thing a text must be as long as that of the sources.
void CheckTrainingFiles(const TrainingFiles& train, Problems& problems) {
  const size_t texts = train.source.size();
  const auto check = [&](std::string_view name, size_t found, bool may_be_empty) {
    if (found == texts || texts == 0 || (may_be_empty && found == 0)) return;
    problems.push_back(
        {{fmt::format("data.train.{}", name), "data.train.source"},
         fmt::format("data.train.{}: found {}, expected {}, as data.train.source has", name, found,
                     texts)});
  };
  if (!train.target.empty()) check("target", train.target.size(), false);
  check("alignment", train.alignment.size(), true);
  check("weight", train.weight.size(), true);
}

// Layer and head are ones that the model has, and there are links.
void CheckGuidedAlignment(const Options& options, Problems& problems) {
  const GuidedAlignmentOptions& guided = options.training.alignment;
  if (guided.weight == 0) return;
  const auto at_most = [&](std::string_view key, int64_t found, std::string_view limit_key,
                           int64_t limit) {
    if (found <= limit) return;
    problems.push_back(
        {{fmt::format("training.alignment.{}", key), std::string(limit_key)},
         fmt::format("training.alignment.{}: found {}, expected at most {}, which is {}", key,
                     found, limit_key, limit)});
  };
  const bool gru = options.model.type == ModelType::kGru;
  at_most("layer", guided.layer, "model.decoder_layers", gru ? 1 : options.model.decoder_layers);
  if (!gru) at_most("head", guided.head, "model.heads", options.model.heads);
  if (gru && guided.head > 1) {
    problems.push_back(
        {{"training.alignment.head"},
         fmt::format("training.alignment.head: found {}, expected 1: a GRU has one", guided.head)});
  }
  const auto& links = options.data.train.alignment;
  if (std::ranges::all_of(links, [](const std::string& path) { return path.empty(); })) {
    problems.push_back(
        {{"training.alignment.weight", "data.train.alignment"},
         "training.alignment.weight: has no links to guide by, expected files of links "
         "in data.train.alignment"});
  }
}

void CheckTransformer(const ModelOptions& model, Problems& problems) {
  if (model.hidden_size % model.heads != 0) {
    problems.push_back(
        {{"model.heads", "model.hidden_size"},
         fmt::format("model.heads: found {}, expected a divisor of model.hidden_size, which is {}",
                     model.heads, model.hidden_size)});
  }
  if (model.embedding_size != model.hidden_size) {
    problems.push_back({{"model.embedding_size", "model.hidden_size"},
                        fmt::format("model.embedding_size: found {}, expected model.hidden_size, "
                                    "which is {}, for a transformer",
                                    model.embedding_size, model.hidden_size)});
  }
  if (model.positions == Positions::kSinusoidal && model.hidden_size % 2 != 0) {
    problems.push_back({{"model.hidden_size", "model.positions"},
                        fmt::format("model.hidden_size: found {}, expected an even number for "
                                    "model.positions sinusoidal",
                                    model.hidden_size)});
  }
}

// What a table of learned positions cannot number.
void CheckPositions(const Options& options, Problems& problems) {
  if (options.model.type != ModelType::kTransformer ||
      options.model.positions != Positions::kLearned)
    return;
  const int64_t longest = options.model.max_positions - 1, found = options.translation.max_length;
  if (found <= longest) return;
  problems.push_back({{"translation.max_length", "model.max_positions"},
                      fmt::format("translation.max_length: found {}, expected at most {}, one less "
                                  "than model.max_positions",
                                  found, longest)});
}

void CheckModel(const Options& options, Problems& problems) {
  const ModelOptions& model = options.model;
  if (model.type == ModelType::kTransformer) CheckTransformer(model, problems);
  if (model.type == ModelType::kGru && model.decoder_layers != 1) {
    problems.push_back({{"model.decoder_layers", "model.type"},
                        fmt::format("model.decoder_layers: found {}, expected 1 for model.type gru",
                                    model.decoder_layers)});
  }
  if (model.tie_embeddings != TieEmbeddings::kNone && model.type == ModelType::kGru &&
      model.ReadoutSize() != model.embedding_size) {
    problems.push_back({{"model.readout_size", "model.tie_embeddings"},
                        fmt::format("model.readout_size: found {}, expected 0 or "
                                    "model.embedding_size, which is {}, as tied embeddings need",
                                    model.readout_size, model.embedding_size)});
  }
  if (model.tie_embeddings == TieEmbeddings::kAll && !options.tokenizer.shared) {
    problems.push_back({{"model.tie_embeddings", "tokenizer.shared"},
                        "model.tie_embeddings: found all, expected none or target when "
                        "tokenizer.shared is false"});
  }
}

}  // namespace

bool IsDeviceName(std::string_view device) {
  if (device == "auto" || device == "cpu" || device == "cuda") return true;
  if (!device.starts_with("cuda:")) return false;
  const std::string_view number = device.substr(5);
  return !number.empty() && number.size() <= 3 &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<OptionProblem> FindProblems(const Options& options) {
  Problems problems;
  CheckRequired(options, problems);
  if (!IsDeviceName(options.device)) {
    problems.push_back(
        {{"device"},
         fmt::format("device: found {}, expected auto, cpu, cuda or cuda:N, as cuda:0",
                     QuoteYaml(options.device))});
  }
  CheckTrainingFiles(options.data.train, problems);
  CheckGuidedAlignment(options, problems);
  CheckModel(options, problems);
  CheckPositions(options, problems);
  if (options.training.schedule == Schedule::kPlateau && options.training.patience < 1) {
    problems.push_back({{"training.patience", "training.schedule"},
                        "training.patience: found 0, expected at least 1 for training.schedule "
                        "plateau"});
  }
  if (options.training.weight_decay > 0 && options.training.optimizer != Optimizer::kAdamW) {
    problems.push_back(
        {{"training.weight_decay", "training.optimizer"},
         fmt::format("training.weight_decay: found {}, expected 0 when "
                     "training.optimizer is {} (adamw has weight decay)",
                     options.training.weight_decay, EnumName(options.training.optimizer))});
  }
  return problems;
}

absl::Status CheckOptions(const Options& options) {
  std::vector<std::string> lines;
  for (const OptionProblem& problem : FindProblems(options)) lines.push_back(problem.message);
  if (lines.empty()) return absl::OkStatus();
  return UsageError(fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace nmt
