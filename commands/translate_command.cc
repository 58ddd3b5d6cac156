// nmt translate: lines of text on stdin to their translations on stdout.
#include <fmt/format.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/line_input.h"
#include "commands/several_workers.h"
#include "commands/translation_output.h"
#include "nmt/alignment/selection.h"
#include "nmt/base/log.h"
#include "nmt/base/progress.h"
#include "nmt/checkpoint/run_directory.h"
#include "nmt/config/reader.h"
#include "nmt/decoding/translator.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

// Batches read at once: sentences of similar length are found among so many lines.
constexpr int64_t kBatchesPerChunk = 16;

struct TranslateArguments {
  std::vector<std::string> runs;
  std::string checkpoint = "best";
  std::string device = "auto";
  std::string alignment;
  std::string prefixes;
  std::string length_penalty_kind = "average";
  std::string precision = "fp32";
  int64_t beam_size = 0, n_best = 0, batch_size = 0, threads = 0;
  int64_t max_length = -1, min_length = 0, no_repeat_ngram = 0;
  double max_length_factor = -1, min_length_factor = 0;
  double length_penalty = -1, coverage_penalty = 0, diversity = 0;
  bool sample = false, interactive = false, jsonl = false;
  SamplingOptions sampling;
  WorkerArguments workers;
};

OutputFormat Format(const TranslateArguments& arguments) {
  OutputFormat format{.n_best = arguments.n_best > 0, .jsonl = arguments.jsonl};
  if (arguments.alignment == "hard") format.alignment = AlignmentFormat::kHard;
  if (arguments.alignment == "soft") format.alignment = AlignmentFormat::kSoft;
  if (arguments.alignment == "coverage") format.alignment = AlignmentFormat::kCoverage;
  return format;
}

// What can be wrong is said before a model is loaded.
absl::Status Check(const TranslateArguments& arguments) {
  if (!arguments.sample && arguments.n_best > 0 && arguments.beam_size > 0 &&
      arguments.n_best > arguments.beam_size) {
    return UsageError(fmt::format("--n-best {} is more than the beam holds: --beam-size is {}",
                                  arguments.n_best, arguments.beam_size));
  }
  if (arguments.interactive && !arguments.prefixes.empty())
    return UsageError("--interactive and --prefixes exclude each other");
  const bool draws = arguments.sampling.temperature != 1 || arguments.sampling.top_k != 0 ||
                     arguments.sampling.top_p != 1;
  if (draws && !arguments.sample)
    return UsageError("--temperature, --top-k and --top-p are of --sample, which is not given");
  if (arguments.sample && arguments.coverage_penalty > 0)
    return UsageError("--sample and --coverage-penalty exclude each other");
  if (arguments.sample && arguments.diversity > 0)
    return UsageError("--sample and --diversity exclude each other");
  if (arguments.runs.size() > 1 && !arguments.alignment.empty()) {
    return UsageError(fmt::format("--alignment shows one model's attention, but {} runs are given",
                                  arguments.runs.size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<TranslatorOptions> Resolve(const TranslateArguments& arguments,
                                          const TranslationOptions& defaults) {
  TranslatorOptions options = FromConfig(defaults);
  SearchOptions& search = options.search;
  if (arguments.beam_size > 0) search.beam_size = arguments.beam_size;
  if (arguments.length_penalty >= 0) search.length_penalty = arguments.length_penalty;
  if (arguments.length_penalty_kind == "gnmt") search.length_penalty_kind = LengthPenalty::kGnmt;
  search.coverage_penalty = arguments.coverage_penalty;
  const LengthRule usual = SearchOptions().max_length;
  if (arguments.max_length > 0) search.max_length = {0, arguments.max_length};
  if (arguments.max_length == 0) search.max_length = usual;
  if (arguments.max_length_factor >= 0) {
    search.max_length = {arguments.max_length_factor,
                         arguments.max_length > 0 ? arguments.max_length : usual.constant};
  }
  search.min_length = {arguments.min_length_factor, arguments.min_length};
  search.no_repeat_ngram = arguments.no_repeat_ngram;
  search.diversity = arguments.diversity;
  if (arguments.batch_size > 0) options.batch_size = arguments.batch_size;
  if (arguments.precision == "bf16") options.precision = InferencePrecision::kBf16;
  if (arguments.precision == "int8") options.precision = InferencePrecision::kInt8;
  search.n_best = std::max<int64_t>(1, arguments.n_best);
  if (arguments.sample) {
    search.sampling = arguments.sampling;
    search.beam_size = search.n_best;
  }
  if (search.n_best > search.beam_size) {
    return UsageError(fmt::format("--n-best {} is more than the beam holds: --beam-size is {}",
                                  search.n_best, search.beam_size));
  }
  return options;
}

// The lines of --prefixes that belong to some lines of the input.
absl::StatusOr<std::vector<std::string>> PrefixesOf(const std::vector<std::string>& prefixes,
                                                    const std::string& path, int64_t begin,
                                                    size_t count) {
  if (path.empty()) return std::vector<std::string>();
  const size_t end = static_cast<size_t>(begin) + count;
  if (end > prefixes.size()) {
    return DataError(fmt::format("{}: {} lines, but the input has more; expected one for each line",
                                 path, prefixes.size()));
  }
  return std::vector<std::string>(prefixes.begin() + begin,
                                  prefixes.begin() + static_cast<int64_t>(end));
}

// The models, and how their translations are printed.
struct Session {
  std::vector<TrainedModel> loaded;
  TranslatorOptions options;
  OutputFormat format;
  AlignmentChoice choice;
  const TrainedModel& first() const { return loaded[0]; }
};

absl::StatusOr<Session> Load(const TranslateArguments& arguments, torch::Device device) {
  if (arguments.precision != "fp32" && !device.is_cpu()) {
    return UsageError(fmt::format("--precision {} is for the CPU, not for {}", arguments.precision,
                                  device.str()));
  }
  Session session;
  if (const RunDirectory run(arguments.runs[0]); run.Exists()) {
    NMT_RETURN_IF_ERROR(run.CheckPlain());
    NMT_ASSIGN_OR_RETURN(const Options config, ReadOptions(run.config(), {}));
    NMT_ASSIGN_OR_RETURN(session.options, Resolve(arguments, config.translation));
  }
  for (const std::string& run : arguments.runs) {
    NMT_ASSIGN_OR_RETURN(TrainedModel trained, LoadTrainedModel(run, arguments.checkpoint, device));
    const int64_t longest = trained.model->max_length() - 1;
    if (arguments.max_length > longest) {
      return UsageError(fmt::format("--max-length {}: {} has positions for {} pieces at most",
                                    arguments.max_length, run, longest));
    }
    session.loaded.push_back(std::move(trained));
  }
  session.format = Format(arguments);
  if (session.format.alignment != AlignmentFormat::kNone) {
    const TrainedModel& first = session.first();
    NMT_ASSIGN_OR_RETURN(session.choice,
                         LoadAlignmentChoice(RunDirectory(first.path).alignment(), *first.model));
  }
  for (const TrainedModel& model : session.loaded) {
    if (session.options.precision == InferencePrecision::kFp32 || CanChoosePrecision(*model.model))
      continue;
    return DataError(fmt::format(
        "{}: --precision {} is for dot and scaled dot attention of a transformer and additive "
        "attention of a GRU, on a CPU with AVX-512",
        model.path.string(), arguments.precision));
  }
  return session;
}

// What is printed for some lines, the first of which has the number `first_line`.
std::string Print(const Session& session, const std::vector<std::string>& lines, int64_t first_line,
                  const std::vector<Translation>& translations) {
  const bool aligned = session.format.alignment != AlignmentFormat::kNone;
  const TrainedModel& first = session.first();
  std::vector<AlignedPair> pairs;
  for (size_t i = 0; aligned && i < lines.size(); ++i) {
    for (const Hypothesis& hypothesis : translations[i].hypotheses) {
      pairs.push_back(
          TranslatedPair(first.tokenizers, lines[i], translations[i].source_ids, hypothesis.ids));
    }
  }
  std::string text;
  CorpusAttention attention;  // of the pairs [begin, end)
  size_t pair = 0, begin = 0, end = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t hypotheses = translations[i].hypotheses.size();
    if (pair + hypotheses > end && !pairs.empty()) {
      begin = pair;
      end = std::max(PartEnd(first, pairs, begin), begin + hypotheses);
      attention = AttendPairs(
          first,
          {pairs.begin() + static_cast<int64_t>(begin), pairs.begin() + static_cast<int64_t>(end)},
          session.choice.attention.value_norms);
    }
    text += FormatTranslation(session.format, first_line + static_cast<int64_t>(i), lines[i],
                              translations[i], attention, pair - begin, session.choice);
    pair += hypotheses;
  }
  return text;
}

// Worker 0's lines, for all; they hold no line feed.
std::vector<std::string> ShareLines(std::vector<std::string> lines, Workers& workers) {
  if (workers.size() == 1) return lines;
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  text = workers.FromFirst(std::move(text));
  lines.clear();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Worker 0 reads, each worker translates a part of each chunk, and worker 0 writes the parts in order.
absl::Status Translate(const TranslateArguments& arguments, torch::Device device,
                       Workers& workers) {
  std::vector<std::string> prefixes;
  if (!arguments.prefixes.empty()) {
    NMT_ASSIGN_OR_RETURN(prefixes, ReadLines(arguments.prefixes));
  }
  NMT_ASSIGN_OR_RETURN(const Session session, Load(arguments, device));
  std::vector<const TrainedModel*> models;
  for (const TrainedModel& trained : session.loaded) models.push_back(&trained);
  NMT_RETURN_IF_ERROR(CheckEnsemble(models));
  const Translator translator(models, session.options);
  std::optional<LineInput> input;
  if (workers.is_first()) input.emplace();
  // A person who types wants an answer to each line.
  const bool line_by_line = arguments.interactive || isatty(STDIN_FILENO) != 0;
  const int64_t chunk_size =
      line_by_line ? 1 : kBatchesPerChunk * session.options.batch_size * workers.size();
  ProgressBar progress("translating", /*total=*/0);
  int64_t done = 0;
  bool said_ill_formed = false;
  while (true) {
    const std::vector<std::string> chunk =
        ShareLines(input ? input->NextChunk(chunk_size) : std::vector<std::string>(), workers);
    if (chunk.empty()) break;
    const auto size = static_cast<int64_t>(chunk.size());
    const int64_t begin = size * workers.rank() / workers.size();
    const std::vector<std::string> lines(
        chunk.begin() + begin, chunk.begin() + size * (workers.rank() + 1) / workers.size());
    NMT_ASSIGN_OR_RETURN(auto own_prefixes,
                         PrefixesOf(prefixes, arguments.prefixes, done + begin, lines.size()));
    const auto warn = [&](const std::string& message) {
      progress.Clear();
      Warn(message);
    };
    const int64_t first_line = done + begin + 1;
    const auto translations = translator.Translate(
        lines, {.first_line = first_line,
                .warn = warn,
                .progress =
                    [&](int64_t count) {
                      if (input) progress.Update(done + count * workers.size(), "sentences");
                    },
                .prefixes = std::move(own_prefixes)});
    progress.Clear();
    for (size_t i = 0; i < lines.size() && !said_ill_formed; ++i) {
      if (!translations[i].is_ill_formed) continue;
      warn(
          fmt::format("line {}: is not valid UTF-8; what is not, here and in later lines, is read "
                      "as U+FFFD",
                      first_line + static_cast<int64_t>(i)));
      said_ill_formed = true;
    }
    for (const std::string& text :
         workers.Gather(Print(session, lines, first_line, translations))) {
      if (input) std::fwrite(text.data(), 1, text.size(), stdout);
    }
    if (std::fflush(stdout) != 0) return DataError("cannot write to the standard output");
    done += size;
  }
  if (input && input->failed()) return DataError("cannot read the standard input");
  if (static_cast<size_t>(done) < prefixes.size()) {
    return DataError(fmt::format("{}: {} lines, but the input has {}", arguments.prefixes,
                                 prefixes.size(), done));
  }
  return absl::OkStatus();
}

void AddSearchOptions(CLI::App& command, TranslateArguments& arguments) {
  const char* group = "Search";
  command.add_option("--beam-size", arguments.beam_size, "Hypotheses kept a sentence; 1 is greedy")
      ->check(CLI::Range(1, 1000))
      ->group(group);
  command
      .add_option("--length-penalty", arguments.length_penalty,
                  "Scores are log-probabilities / length^this")
      ->check(CLI::Range(0.0, 10.0))
      ->group(group);
  command
      .add_option("--length-penalty-kind", arguments.length_penalty_kind,
                  "average: as above; gnmt: ((5 + length) / 6)^this (Wu et al. 2016)")
      ->check(CLI::IsMember({"average", "gnmt"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--coverage-penalty", arguments.coverage_penalty,
          "Weight of the penalty on source pieces that were little attended to (Wu et al. 2016)")
      ->check(CLI::Range(0.0, 10.0))
      ->group(group);
  command
      .add_option("--max-length", arguments.max_length,
                  "Longest output in pieces; 0: 2 x source pieces + 10")
      ->check(CLI::Range(0, 65536))
      ->group(group);
  command
      .add_option("--max-length-factor", arguments.max_length_factor,
                  "With it the longest output is this x source pieces + max-length (default 10)")
      ->check(CLI::Range(0.0, 100.0))
      ->group(group);
  command.add_option("--min-length", arguments.min_length, "Shortest output in pieces")
      ->check(CLI::Range(0, 65536))
      ->group(group);
  command
      .add_option("--min-length-factor", arguments.min_length_factor,
                  "Shortest output is this x source pieces + min-length")
      ->check(CLI::Range(0.0, 100.0))
      ->group(group);
  command
      .add_option("--no-repeat-ngram", arguments.no_repeat_ngram,
                  "No so many pieces in a row come twice in a translation; 0: no such limit")
      ->check(CLI::Range(0, 100))
      ->group(group);
  command
      .add_option(
          "--diversity", arguments.diversity,
          "The k-th best continuation of a hypothesis is taken for k x this worse as the beam is "
          "filled, so that n-best lists differ more (Li et al. 2016)")
      ->check(CLI::Range(0.0, 100.0))
      ->group(group);
  command
      .add_option("--prefixes", arguments.prefixes,
                  "File with a line for each line: the words that its translation begins with")
      ->check(CLI::ExistingFile)
      ->group(group);
  group = "Sampling";
  command
      .add_flag("--sample", arguments.sample, "Draw n-best translations in place of beam search")
      ->group(group);
  command
      .add_option("--temperature", arguments.sampling.temperature,
                  "Probabilities are taken to the power of 1/this; below 1 sharper")
      ->check(CLI::Range(0.01, 100.0))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--top-k", arguments.sampling.top_k, "Only the K most probable pieces; 0: all")
      ->check(CLI::Range(0, 1000000))
      ->group(group);
  command
      .add_option("--top-p", arguments.sampling.top_p,
                  "Only the most probable pieces that make up this mass")
      ->check(CLI::Range(0.0, 1.0))
      ->group(group);
  command.add_option("--seed", arguments.sampling.seed, "Of the draws")
      ->capture_default_str()
      ->group(group);
}

}  // namespace

void AddTranslateCommand(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<TranslateArguments>();
  CLI::App* command = app.add_subcommand(
      "translate", "Translate lines from stdin to stdout, one line for one line");
  command
      ->add_option("RUN", arguments->runs,
                   "Run directory of nmt train; several with one target vocabulary are an ensemble")
      ->required();
  command->add_option("--checkpoint", arguments->checkpoint, "Which weights of the run")
      ->check(CLI::IsMember({"best", "last"}))
      ->capture_default_str();
  command->add_option("--batch-size", arguments->batch_size, "Sentences translated together")
      ->check(CLI::Range(1, 100000));
  command->add_option("--device", arguments->device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  command
      ->add_option("--precision", arguments->precision,
                   "Of the products on a CPU with AVX-512: fp32, bf16 or int8")
      ->check(CLI::IsMember({"fp32", "bf16", "int8"}))
      ->capture_default_str();
  SetUpThreadsOption(*command, arguments->threads);
  AddWorkerOptions(
      *command,
      "Translate with this many processes on this machine, which share its cores or have "
      "a GPU each; lines come out in order",
      arguments->workers);
  command->add_flag("--interactive", arguments->interactive,
                    "Translate each line by itself, as it comes; the default at a terminal");
  const char* group = "Output";
  command
      ->add_option("--n-best", arguments->n_best,
                   "Print `line ||| text ||| score` for so many hypotheses")
      ->check(CLI::Range(1, 1000))
      ->group(group);
  command
      ->add_option(
          "--alignment", arguments->alignment,
          "Append ` ||| ` and word links s-t (hard), weights, a group a target word (soft), or "
          "the source words that nothing or more than one part attends to (coverage)")
      ->check(CLI::IsMember({"hard", "soft", "coverage"}))
      ->group(group);
  command
      ->add_flag("--jsonl", arguments->jsonl,
                 "Print a JSON object a line: line, status, source, translation, score, confidence")
      ->group(group);
  AddSearchOptions(*command, *arguments);
  command->footer(
      "Options that are not given take the values of the run's config.\n"
      "Example:\n  echo 'The old man reads a book.' | nmt translate runs/demo/gru --alignment "
      "hard");
  command->callback([arguments, &run] {
    run = [arguments]() -> absl::Status {
      NMT_RETURN_IF_ERROR(Check(*arguments));
      // Workers are no foreground processes of the terminal, and would wait for ever.
      if (arguments->workers.workers > 1 && isatty(STDIN_FILENO) != 0) {
        return UsageError(
            fmt::format("--workers {}: the input is a keyboard, expected a file, as < text.en",
                        arguments->workers.workers));
      }
      return RunAsWorker(arguments->workers, arguments->threads, arguments->device,
                         [&](Workers& workers, const WorkerPlace&, torch::Device device) {
                           return Translate(*arguments, device, workers);
                         });
    };
  });
}

}  // namespace nmt
