// nmt info: what a run directory holds. nmt config: every config key, explained.
#include <fmt/format.h>
#include <torch/torch.h>

#include <string>

#include "commands/command.h"
#include "nmt/alignment/selection.h"
#include "nmt/base/progress.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/config/printer.h"
#include "nmt/report/run_names.h"

namespace nmt {
namespace {

absl::Status PrintInfo(const std::string& path, bool parameters) {
  NMT_ASSIGN_OR_RETURN(const TrainedModel trained, LoadTrainedModel(path, "best", torch::kCPU));
  const TrainingState& state = trained.state;
  fmt::print("run:          {}\nmodel:        {}\nparameters:   {}\n", path,
             ModelTitle(trained.options.model), WithThousands(trained.model->ParameterCount()));
  fmt::print("vocabulary:   {} source, {} target pieces{}\n",
             WithThousands(trained.tokenizers.source.vocab_size()),
             WithThousands(trained.tokenizers.target.vocab_size()),
             trained.options.tokenizer.shared ? ", shared" : "");
  fmt::print(
      "checkpoint:   {}, after {} updates and {}\nbest BLEU:    {}\n", trained.checkpoint.string(),
      WithThousands(state.update), FormatDuration(state.seconds),
      state.best_update == 0 ? "not validated yet"
                             : fmt::format("{:.2f} on validation, at update {}", state.best_score,
                                           WithThousands(state.best_update)));
  const std::optional<TrainingFinish> finish = LoadFinish(RunDirectory(path));
  fmt::print("training:     {}\n", finish
                                       ? fmt::format("ended after {} updates: {}",
                                                     WithThousands(finish->update), finish->reason)
                                       : "not recorded as ended (nmt train --resume goes on)");
  NMT_ASSIGN_OR_RETURN(const AlignmentChoice choice,
                       LoadAlignmentChoice(RunDirectory(path).alignment(), *trained.model));
  fmt::print("alignments:   {}\n", choice.ToString());
  if (!parameters) return absl::OkStatus();
  for (const auto& parameter : trained.model->named_parameters()) {
    fmt::print("{:>12}  {:<18} {}\n", WithThousands(parameter.value().numel()),
               c10::str(parameter.value().sizes()), parameter.key());
  }
  return absl::OkStatus();
}

}  // namespace

void AddInfoCommand(CLI::App& app, Run& run) {
  const auto path = std::make_shared<std::string>();
  const auto parameters = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("info", "What a run directory holds");
  command->add_option("RUN", *path, "Run directory of nmt train")->required();
  command->add_flag("--parameters", *parameters, "List every weight with its shape");
  command->footer("Example:\n  nmt info runs/demo/gru");
  command->callback([path, parameters, &run] {
    run = [path, parameters] { return PrintInfo(*path, *parameters); };
  });
}

void AddConfigCommand(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("config", "Every config key with type, range, default and meaning");
  command->footer("Example:\n  nmt config > all-keys.yaml");
  command->callback([&run] {
    run = [] {
      fmt::print("{}", DescribeOptions());
      return absl::OkStatus();
    };
  });
}

}  // namespace nmt
