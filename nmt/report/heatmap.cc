#include "nmt/report/heatmap.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "nmt/base/file.h"
#include "nmt/report/heatmap_layout.h"
#include "nmt/report/printable.h"

namespace nmt {
namespace {

constexpr int64_t kMaxWords = 1000;  // beyond that labels are too small to read at any size
constexpr size_t kMaxGridCells = 1000, kMaxGridWeights = 1000000;  // as of the largest single one
constexpr float kWeightSlack = 0.001f;  // what rounding may add to a weight of 1

absl::Status WithPath(const std::filesystem::path& path, const absl::Status& status) {
  return DataError(fmt::format("{}: {}", path.string(), std::string(status.message())));
}

absl::Status CheckPanels(const std::vector<Heatmap>& panels) {
  if (panels.empty()) return DataError("no heatmap to draw, expected at least one");
  for (const Heatmap& heatmap : panels) NMT_RETURN_IF_ERROR(CheckHeatmap(heatmap));
  return absl::OkStatus();
}

// Checks, measures, draws and writes; `lay_out` is of (shaper, what becomes of missing glyphs).
template <typename LayOut>
absl::StatusOr<PictureNotes> Write(const absl::Status& checked, const LayOut& lay_out,
                                   PictureFormat format, const std::filesystem::path& path) {
  if (!checked.ok()) return WithPath(path, checked);
  const absl::StatusOr<TextShaper> shaper = TextShaper::Create();
  if (!shaper.ok()) return WithPath(path, shaper.status());
  HeatmapLayout layout =
      lay_out(*shaper, format == PictureFormat::kSvg ? MissingGlyphs::kAsWritten
                                                     : MissingGlyphs::kAsCodePoints);
  absl::StatusOr<std::string> bytes = "";
  switch (format) {
    case PictureFormat::kPng:
      bytes = PngOf(layout.drawing, *shaper);
      break;
    case PictureFormat::kSvg:
      bytes = SvgOf(layout.drawing);
      break;
    case PictureFormat::kPdf:
      bytes = PdfOf(layout.drawing, *shaper);
      break;
  }
  if (!bytes.ok()) return WithPath(path, bytes.status());
  NMT_RETURN_IF_ERROR(WriteFileAtomically(path, *bytes));
  return PictureNotes{.missing_glyphs = std::move(layout.missing_glyphs)};
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
    if (link.source < 0 || link.sources < 1 || link.source + link.sources > S || link.target < 0 ||
        link.targets < 1 || link.target + link.targets > T) {
      return error(fmt::format("gold link {}-{}, but there are {} source and {} target words",
                               link.source, link.target, S, T));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckHeatmapGrid(const HeatmapGrid& grid) {
  const auto error = [&grid](std::string_view what) {
    return DataError(fmt::format("grid \"{}\": {}", PrintableText(grid.title), what));
  };
  const size_t cells = grid.cells.size();
  if (cells == 0) return DataError("no heatmap to draw, expected at least one");
  if (cells > kMaxGridCells)
    return error(fmt::format("{} heatmaps, at most {} can be drawn", cells, kMaxGridCells));
  if (grid.columns < 1 || cells % static_cast<size_t>(grid.columns) != 0)
    return error(fmt::format("{} heatmaps in rows of {}, expected full rows", cells, grid.columns));
  const Heatmap& first = grid.cells[0];
  const size_t weights = cells * first.source_labels.size() * first.target_labels.size();
  if (weights > kMaxGridWeights)
    return error(fmt::format("{} weights, at most {} can be drawn", weights, kMaxGridWeights));
  for (const Heatmap& heatmap : grid.cells) {
    NMT_RETURN_IF_ERROR(CheckHeatmap(heatmap));
    if (heatmap.source_labels == first.source_labels &&
        heatmap.target_labels == first.target_labels)
      continue;
    return error(fmt::format("\"{}\" has other words than \"{}\", expected the same",
                             PrintableText(heatmap.title), PrintableText(first.title)));
  }
  return absl::OkStatus();
}

absl::StatusOr<PictureNotes> WriteHeatmaps(const std::vector<Heatmap>& panels, PictureFormat format,
                                           const std::filesystem::path& path) {
  const auto lay_out = [&panels](const TextShaper& shaper, MissingGlyphs missing) {
    return LayOutHeatmaps(panels, shaper, missing);
  };
  return Write(CheckPanels(panels), lay_out, format, path);
}

absl::StatusOr<PictureNotes> WriteHeatmapGrid(const HeatmapGrid& grid, PictureFormat format,
                                              const std::filesystem::path& path) {
  const auto lay_out = [&grid](const TextShaper& shaper, MissingGlyphs missing) {
    return LayOutHeatmapGrid(grid, shaper, missing);
  };
  return Write(CheckHeatmapGrid(grid), lay_out, format, path);
}

absl::StatusOr<PictureNotes> WriteHeatmapPng(const std::vector<Heatmap>& panels,
                                             const std::filesystem::path& path) {
  return WriteHeatmaps(panels, PictureFormat::kPng, path);
}

absl::Status WriteHeatmapSvg(const std::vector<Heatmap>& panels,
                             const std::filesystem::path& path) {
  return WriteHeatmaps(panels, PictureFormat::kSvg, path).status();
}

std::string MissingGlyphsMessage(const std::vector<char32_t>& missing_glyphs) {
  constexpr size_t kNamed = 5;
  if (missing_glyphs.empty()) return "";
  const std::set<char32_t> missing(missing_glyphs.begin(), missing_glyphs.end());
  std::string names;
  size_t named = 0;
  for (const char32_t glyph : missing) {
    if (named == kNamed) break;
    names += (named == 0 ? "" : ", ") + CodePointName(glyph);
    ++named;
  }
  if (missing.size() > kNamed) names += fmt::format(" and {} more", missing.size() - kNamed);
  return fmt::format(
      "no installed font has {}: drawn as code points; a font for this script helps (Debian: "
      "fonts-noto-core, fonts-noto-cjk)",
      names);
}

}  // namespace nmt
