#include "commands/pictures.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "nmt/base/log.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

TerminalColors ColorsOfTerminal() {
  if (isatty(STDERR_FILENO) == 0 || std::getenv("NO_COLOR") != nullptr)
    return TerminalColors::kNone;
  const char* const color = std::getenv("COLORTERM");
  const std::string_view kind = color == nullptr ? "" : color;
  return kind == "truecolor" || kind == "24bit" ? TerminalColors::kTrueColor
                                                : TerminalColors::kAnsi256;
}

}  // namespace

bool CanDraw(const AlignedPair& pair) {
  constexpr int64_t kMostWords = 200;
  return !pair.source.ids.empty() && !pair.target.ids.empty() && pair.source_words <= kMostWords &&
         pair.target_words <= kMostWords;
}

std::string ModelTitle(const ModelOptions& options) {
  const bool gru = options.type == ModelType::kGru;
  AttentionScore score = options.attention;
  if (score == AttentionScore::kDefault)
    score = gru ? AttentionScore::kAdditive : AttentionScore::kScaledDot;
  std::string name(EnumName(score));
  for (char& letter : name) letter = letter == '_' ? ' ' : letter;
  return fmt::format("{}, {} attention", gru ? "GRU" : "Transformer", name);
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
  for (const float weight : weights_TS.values())
    heatmap.weights_TS.push_back(std::clamp(weight, 0.0f, 1.0f));
  for (const Link& link : gold) heatmap.gold.push_back({link.source, link.target, link.possible});
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
  const Heatmap heatmap = WordHeatmap(attention, i, choice_, source, target, title_, gold);
  for (const std::string& format : options_.formats) {
    const std::filesystem::path path =
        std::filesystem::path(options_.folder) / fmt::format("line-{:04d}.{}", line, format);
    if (format == "term") {
      fmt::print(stderr, "{}\n",
                 DrawHeatmapInTerminal(heatmap, ColorsOfTerminal(), /*columns=*/100));
    } else if (format == "png") {
      NMT_ASSIGN_OR_RETURN(const PictureNotes notes, WriteHeatmapPng({heatmap}, path));
      missing_.insert(missing_.end(), notes.missing_glyphs.begin(), notes.missing_glyphs.end());
    } else {
      NMT_RETURN_IF_ERROR(WriteHeatmapSvg({heatmap}, path));
    }
  }
  ++drawn_;
  return absl::OkStatus();
}

void Pictures::Conclude() const {
  if (const std::string message = MissingGlyphsMessage(missing_); !message.empty()) Warn(message);
  if (options_.folder.empty()) return;
  fmt::print(stderr, "{} {} in {}\n", drawn_, drawn_ == 1 ? "sentence drawn" : "sentences drawn",
             options_.folder);
}

}  // namespace nmt
