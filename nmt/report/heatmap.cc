#include "nmt/report/heatmap.h"

#include <fmt/format.h>

#include <string_view>

#include "nmt/base/file.h"
#include "nmt/report/heatmap_layout.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

constexpr int64_t kMaxWords = 1000;     // beyond that labels are too small to read at any size
constexpr float kWeightSlack = 0.001f;  // what rounding may add to a weight of 1

absl::Status WithPath(const std::filesystem::path& path, const absl::Status& status) {
  return DataError(fmt::format("{}: {}", path.string(), std::string(status.message())));
}

absl::Status CheckPanels(const std::vector<Heatmap>& panels) {
  if (panels.empty()) return DataError("no heatmap to draw, expected at least one");
  for (const Heatmap& heatmap : panels) NMT_RETURN_IF_ERROR(CheckHeatmap(heatmap));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckHeatmap(const Heatmap& heatmap) {
  const auto error = [&heatmap](std::string_view what) {
    return DataError(fmt::format("heatmap \"{}\": {}", PrintableText(heatmap.title), what));
  };
  const int64_t S = static_cast<int64_t>(heatmap.source_labels.size());
  const int64_t T = static_cast<int64_t>(heatmap.target_labels.size());
  if (S > kMaxWords || T > kMaxWords) {
    return error(
        fmt::format("{} source and {} target words, at most {} can be drawn", S, T, kMaxWords));
  }
  if (static_cast<int64_t>(heatmap.weights_TS.size()) != T * S) {
    return error(fmt::format("{} weights, expected {} (target words) x {} (source words)",
                             heatmap.weights_TS.size(), T, S));
  }
  for (int64_t i = 0; i < T * S; ++i) {
    const float weight = heatmap.weights_TS[static_cast<size_t>(i)];
    if (!(weight >= -kWeightSlack && weight <= 1 + kWeightSlack)) {  // NaN too
      return error(
          fmt::format("the weight of target word {}, source word {} is {}, expected 0 to 1", i / S,
                      i % S, weight));
    }
  }
  for (const HeatmapCell& link : heatmap.gold) {
    if (link.source < 0 || link.source >= S || link.target < 0 || link.target >= T) {
      return error(fmt::format("gold link {}-{}, but there are {} source and {} target words",
                               link.source, link.target, S, T));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<PictureNotes> WriteHeatmapPng(const std::vector<Heatmap>& panels,
                                             const std::filesystem::path& path) {
  if (absl::Status status = CheckPanels(panels); !status.ok()) return WithPath(path, status);
  const absl::StatusOr<TextShaper> shaper = TextShaper::Create();
  if (!shaper.ok()) return WithPath(path, shaper.status());
  HeatmapLayout layout = LayOutHeatmaps(panels, *shaper, MissingGlyphs::kAsCodePoints);
  const absl::StatusOr<std::string> png = PngOf(layout.drawing, *shaper);
  if (!png.ok()) return WithPath(path, png.status());
  NMT_RETURN_IF_ERROR(WriteFileAtomically(path, *png));
  return PictureNotes{.missing_glyphs = std::move(layout.missing_glyphs)};
}

absl::Status WriteHeatmapSvg(const std::vector<Heatmap>& panels,
                             const std::filesystem::path& path) {
  if (absl::Status status = CheckPanels(panels); !status.ok()) return WithPath(path, status);
  const absl::StatusOr<TextShaper> shaper = TextShaper::Create();
  if (!shaper.ok()) return WithPath(path, shaper.status());
  return WriteFileAtomically(
      path, SvgOf(LayOutHeatmaps(panels, *shaper, MissingGlyphs::kAsWritten).drawing));
}

std::string MissingGlyphsMessage(const std::vector<char32_t>& missing_glyphs) {
  constexpr size_t kNamed = 5;
  if (missing_glyphs.empty()) return "";
  std::string names;
  for (size_t i = 0; i < missing_glyphs.size() && i < kNamed; ++i) {
    names += (i == 0 ? "" : ", ") + CodePointName(missing_glyphs[i]);
  }
  if (missing_glyphs.size() > kNamed) {
    names += fmt::format(" and {} more", missing_glyphs.size() - kNamed);
  }
  return fmt::format(
      "no installed font has {}: drawn as code points; a font for this script helps (Debian: "
      "fonts-noto-core, fonts-noto-cjk)",
      names);
}

}  // namespace nmt
