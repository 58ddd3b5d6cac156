#include "nmt/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "nmt/base/file.h"
#include "nmt/report/color_scale.h"
#include "nmt/report/page_files.h"
#include "nmt/report/printable.h"
#include "nmt/report/report_json.h"
#include "nmt/text/lines.h"

namespace nmt {
namespace {

constexpr size_t kTextsPerBlock = 250;
constexpr size_t kWeightsPerBlock = 100;
// What a matrix takes beside its weights: the names and numbers of its record.
constexpr int64_t kMatrixOverhead = 80;

void AppendBlock(std::string& page, const std::string& id, const ReportJson& json) {
  page += fmt::format("<script type=\"application/json\" id=\"{}\">", id);
  page += EscapeForScript(DumpJson(json));
  page += "</script>\n";
}

// Of each sentence the matrices that the budget has room for.
std::vector<std::vector<const SentenceAttention*>> ChooseMatrices(
    const std::vector<SentenceRecord>& sentences, int64_t budget, PageSize& size) {
  const auto divergence = [&](size_t i) {
    double most = 0;
    for (const std::optional<double>& value : sentences[i].divergence) {
      if (value && *value > most) most = *value;
    }
    return most;
  };
  std::vector<size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return divergence(a) > divergence(b); });
  int64_t choices = 0;
  for (const SentenceRecord& sentence : sentences) {
    for (const SentenceAttention& attention : sentence.attention) {
      choices = std::max(choices, attention.choice + 1);
    }
  }
  std::vector<std::vector<const SentenceAttention*>> chosen(sentences.size());
  for (int64_t choice = 0; choice < choices; ++choice) {
    for (const size_t i : order) {
      for (const SentenceAttention& attention : sentences[i].attention) {
        if (attention.choice != choice) continue;
        const auto weights = static_cast<int64_t>(attention.weights.bytes.size());
        const int64_t cost = (weights + 2) / 3 * 4 + kMatrixOverhead;
        if (cost > budget) {
          ++size.matrices_left_out;
          continue;
        }
        budget -= cost;
        ++size.matrices;
        chosen[i].push_back(&attention);
      }
    }
  }
  return chosen;
}

// A list a measure, an entry a sentence; measures of models are a list a model of such lists.
ReportJson IndexJson(const std::vector<ReportJson>& records, const Comparison& comparison) {
  const std::vector<SentenceRecord>& sentences = comparison.sentences;
  ReportJson index = {{"line", ReportJson::array()},
                      {"source_words", ReportJson::array()},
                      {"reference_words", ReportJson::array()}};
  for (const SentenceRecord& sentence : sentences) {
    index["line"].push_back(sentence.line);
    index["source_words"].push_back(WordSpans(sentence.source).size());
    index["reference_words"].push_back(WordSpans(sentence.reference).size());
  }
  for (const char* name : {"bleu", "chrf", "ter", "aer", "entropy", "coverage", "divergence"}) {
    ReportJson columns = ReportJson::array();
    for (const ReportJson& record : records) {
      const ReportJson& values = record[name];
      while (columns.size() < values.size()) columns.push_back(ReportJson::array());
      for (size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
    }
    index[name] = std::move(columns);
  }
  return index;
}

ReportJson ColorsJson() {
  ReportJson colors = ReportJson::array();
  for (int i = 0; i < 256; ++i) colors.push_back(HexOf(ColorOfWeight(i / 255.0)));
  return colors;
}

void AppendData(std::string& page, const Comparison& comparison, const PageOptions& options,
                PageSize& size) {
  const std::vector<SentenceRecord>& sentences = comparison.sentences;
  std::vector<ReportJson> records;
  records.reserve(sentences.size());
  for (const SentenceRecord& sentence : sentences) {
    records.push_back(ToJson(sentence, comparison.models.size()));
  }
  const auto matrices = ChooseMatrices(sentences, options.weights_budget, size);
  ReportJson summary = SummaryJson(comparison);
  summary.erase("samples");  // pictures of the Markdown report, which the page draws itself
  summary["page"] = {{"sentences", sentences.size()},
                     {"texts_per_block", kTextsPerBlock},
                     {"weights_per_block", kWeightsPerBlock},
                     {"matrices", size.matrices},
                     {"matrices_left_out", size.matrices_left_out},
                     {"colors", ColorsJson()}};
  AppendBlock(page, "summary", summary);
  AppendBlock(page, "index", IndexJson(records, comparison));
  for (size_t begin = 0; begin < records.size(); begin += kTextsPerBlock) {
    ReportJson block = ReportJson::array();
    for (size_t i = begin; i < std::min(records.size(), begin + kTextsPerBlock); ++i) {
      block.push_back(std::move(records[i]));
    }
    AppendBlock(page, fmt::format("texts-{}", begin / kTextsPerBlock), block);
  }
  for (size_t begin = 0; begin < sentences.size(); begin += kWeightsPerBlock) {
    ReportJson block = ReportJson::array();
    for (size_t i = begin; i < std::min(sentences.size(), begin + kWeightsPerBlock); ++i) {
      ReportJson list = ReportJson::array();
      for (const SentenceAttention* attention : matrices[i]) list.push_back(ToJson(*attention));
      block.push_back(std::move(list));
    }
    AppendBlock(page, fmt::format("weights-{}", begin / kWeightsPerBlock), block);
  }
}

}  // namespace

std::string EscapeForScript(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<' || c == '>' || c == '&') {
      text += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else if (json.substr(i, 2) == "\xe2\x80" && i + 2 < json.size() &&
               (json[i + 2] == '\xa8' || json[i + 2] == '\xa9')) {
      text += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      text += c;
    }
  }
  return text;
}

std::string ReportPage(const Comparison& comparison, const PageOptions& options, PageSize* size) {
  PageSize measured;
  // The template's places, each once and in this order.
  std::string_view rest = kPageHtml;
  std::string page;
  const auto fill_until = [&](std::string_view place) {
    const size_t at = rest.find(place);
    page += rest.substr(0, at);
    rest.remove_prefix(at + place.size());
  };
  fill_until("{{title}}");
  page += EscapeXml(PrintableText(comparison.title));
  fill_until("{{style}}");
  page += kPageCss;
  fill_until("{{data}}");
  AppendData(page, comparison, options, measured);
  fill_until("{{script}}");
  page += kPageScript;
  page += rest;
  measured.bytes = static_cast<int64_t>(page.size());
  if (size != nullptr) *size = measured;
  return page;
}

absl::StatusOr<PageSize> WriteReportPage(const Comparison& comparison,
                                         const std::filesystem::path& path,
                                         const PageOptions& options) {
  PageSize size;
  NMT_RETURN_IF_ERROR(WriteFileAtomically(path, ReportPage(comparison, options, &size)));
  return size;
}

}  // namespace nmt
