#include "commands/pictures.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "nmt/base/log.h"
#include "nmt/report/run_names.h"
#include "nmt/report/terminal.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

// Pieces of a side, and </s>.
std::vector<std::string> PiecesOf(const Tokenizer& tokenizer, const Ids& ids) {
  std::vector<std::string> pieces;
  for (const int64_t id : ids) pieces.push_back(tokenizer.Piece(id));
  pieces.push_back(tokenizer.Piece(kEndId));
  return pieces;
}

std::vector<float> Weights(const SoftMatrix& weights_TS) {
  std::vector<float> weights;
  for (const float weight : weights_TS.values()) weights.push_back(std::clamp(weight, 0.0f, 1.0f));
  return weights;
}

// The pieces of a word, which follow each other: the first and how many; none where it has no piece.
std::pair<int64_t, int64_t> SpanOf(int64_t word, const std::vector<int64_t>& words) {
  const auto [begin, end] = std::equal_range(words.begin(), words.end(), word);
  return {begin - words.begin(), end - begin};
}

// "GRU, additive attention, shift 1": how the rows of all cells were taken.
std::string GridTitle(const ModelOptions& options, const AttentionChoice& choice) {
  std::string title = ModelTitle(options);
  if (choice.shift != 0) title += fmt::format(", shift {}", choice.shift);
  if (choice.value_norms) title += ", weights x value norms";
  return title;
}

}  // namespace

void WarnOfCuts(const std::vector<AlignedPair>& pairs, size_t first_line, const TrainedModel& model,
                const std::string& text) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].is_cut) continue;
    Warn(
        fmt::format("{}, line {}: a side has more than the {} pieces that the model reads "
                    "(translation.max_source_length); words behind them get no links",
                    text, first_line + i, model.longest_source() - 1));
  }
}

bool CanDraw(const AlignedPair& pair) {
  constexpr int64_t kMostWords = 200;
  return !pair.source.ids.empty() && !pair.target.ids.empty() && pair.source_words <= kMostWords &&
         pair.target_words <= kMostWords;
}

Heatmap WordHeatmap(const CorpusAttention& attention, size_t i, const AlignmentChoice& choice,
                    const std::string& source, const std::string& target, const std::string& title,
                    const Links& gold) {
  const SoftMatrix weights_TS = WordsOf(attention, i, choice.attention);
  Heatmap heatmap{.title = title,
                  .source_labels = Words(CleanLine(source)),
                  .target_labels = Words(CleanLine(target))};
  heatmap.source_labels.push_back("</s>");
  heatmap.source_ends_with_end_symbol = true;
  heatmap.weights_TS = Weights(weights_TS);
  for (const Link& link : gold) heatmap.gold.push_back({link.source, link.target, link.possible});
  return heatmap;
}

Heatmap PieceHeatmap(const CorpusAttention& attention, size_t i, const AttentionChoice& choice,
                     const Tokenizers& tokenizers, const Links& gold) {
  const AlignedPair& pair = attention.pairs[i];
  Heatmap heatmap{.source_labels = PiecesOf(tokenizers.source, pair.source.ids),
                  .target_labels = PiecesOf(tokenizers.target, pair.target.ids),
                  .weights_TS = Weights(ToPieces(attention.records[i], choice)),
                  .source_ends_with_end_symbol = true,
                  .target_ends_with_end_symbol = true};
  for (const Link& link : gold) {
    const auto [source, sources] = SpanOf(link.source, pair.source.words);
    const auto [target, targets] = SpanOf(link.target, pair.target.words);
    if (sources == 0 || targets == 0) continue;
    heatmap.gold.push_back({.source = source,
                            .target = target,
                            .possible = link.possible,
                            .sources = sources,
                            .targets = targets});
  }
  return heatmap;
}

bool Pictures::Wanted(int64_t line) const {
  if (options_.formats.empty()) return false;
  if (options_.lines.empty()) return drawn_ < options_.most;
  return std::find(options_.lines.begin(), options_.lines.end(), line) != options_.lines.end();
}

absl::Status Pictures::Draw(const CorpusAttention& attention, size_t i, int64_t line,
                            const std::string& source, const std::string& target,
                            const Links& gold) {
  if (!Wanted(line)) return absl::OkStatus();
  if (!CanDraw(attention.pairs[i])) {
    Warn(fmt::format("line {}: blank on a side or too long for a picture, no heatmap", line));
    return absl::OkStatus();
  }
  const auto heatmap = [&](const AttentionChoice& taken, const std::string& title) {
    AlignmentChoice choice = choice_;
    choice.attention = taken;
    Heatmap drawn = options_.labels == "pieces"
                        ? PieceHeatmap(attention, i, taken, trained_.tokenizers, gold)
                        : WordHeatmap(attention, i, choice, source, target, title, gold);
    drawn.title = title;
    return drawn;
  };
  HeatmapGrid grid;  // of one cell where only the choice is drawn
  if (options_.grid) {
    grid.title = GridTitle(trained_.options.model, choice_.attention);
    grid.columns = trained_.model->attention_heads();
    AttentionChoice taken = choice_.attention;
    for (taken.layer = 0; taken.layer < trained_.model->attention_layers(); ++taken.layer) {
      for (taken.head = 0; taken.head < grid.columns; ++taken.head) {
        grid.cells.push_back(
            heatmap(taken, fmt::format("layer {}, head {}", taken.layer + 1, taken.head + 1)));
      }
    }
  } else {
    grid.cells.push_back(heatmap(choice_.attention, ModelTitle(trained_.options.model)));
  }
  if (const absl::Status status = CheckHeatmapGrid(grid); !status.ok()) {
    Warn(fmt::format("line {}: {}, no heatmap", line, std::string(status.message())));
    return absl::OkStatus();
  }
  for (const std::string& format : options_.formats) {
    NMT_RETURN_IF_ERROR(
        Write(grid, format,
              std::filesystem::path(options_.folder) /
                  fmt::format("line-{:04d}{}.{}", line, options_.grid ? "-grid" : "", format)));
  }
  ++drawn_;
  return absl::OkStatus();
}

absl::Status Pictures::Write(const HeatmapGrid& grid, const std::string& format,
                             const std::filesystem::path& path) {
  if (format == "term") {
    const Terminal terminal = TerminalOf(STDERR_FILENO);
    if (!grid.title.empty()) fmt::print(stderr, "{}\n\n", grid.title);
    for (const Heatmap& heatmap : grid.cells) {
      fmt::print(stderr, "{}\n", DrawHeatmapInTerminal(heatmap, terminal.colors, terminal.columns));
    }
    return absl::OkStatus();
  }
  const PictureFormat picture = format == "png"   ? PictureFormat::kPng
                                : format == "pdf" ? PictureFormat::kPdf
                                                  : PictureFormat::kSvg;
  NMT_ASSIGN_OR_RETURN(const PictureNotes notes, options_.grid
                                                     ? WriteHeatmapGrid(grid, picture, path)
                                                     : WriteHeatmaps(grid.cells, picture, path));
  missing_.insert(missing_.end(), notes.missing_glyphs.begin(), notes.missing_glyphs.end());
  return absl::OkStatus();
}

void Pictures::Conclude() const {
  if (const std::string message = MissingGlyphsMessage(missing_); !message.empty()) Warn(message);
  if (options_.folder.empty()) return;
  fmt::print(stderr, "{} {} in {}\n", drawn_, drawn_ == 1 ? "sentence drawn" : "sentences drawn",
             options_.folder);
}

}  // namespace nmt
