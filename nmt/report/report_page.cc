#include "nmt/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>

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
void AppendBlock(std::string& page, const std::string& id, const ReportJson& json) {
  page += fmt::format("<script type=\"application/json\" id=\"{}\">", id);
  page += EscapeForScript(DumpJson(json));
  page += "</script>\n";
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

void AppendData(std::string& page, const Comparison& comparison) {
  const std::vector<SentenceRecord>& sentences = comparison.sentences;
  std::vector<ReportJson> records;
  records.reserve(sentences.size());
  for (const SentenceRecord& sentence : sentences) {
    records.push_back(ToJson(sentence, comparison.models.size()));
  }
  ReportJson summary = SummaryJson(comparison);
  summary.erase("samples");  // pictures of the Markdown report, which the page draws itself
  summary["page"] = {{"sentences", sentences.size()},
                     {"texts_per_block", kTextsPerBlock},
                     {"weights_per_block", kWeightsPerBlock},
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
      for (const SentenceAttention& one : sentences[i].attention) list.push_back(ToJson(one));
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

std::string ReportPage(const Comparison& comparison) {
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
  AppendData(page, comparison);
  fill_until("{{script}}");
  page += kPageScript;
  page += rest;
  return page;
}

absl::StatusOr<int64_t> WriteReportPage(const Comparison& comparison,
                                        const std::filesystem::path& path) {
  const std::string page = ReportPage(comparison);
  NMT_RETURN_IF_ERROR(WriteFileAtomically(path, page));
  return static_cast<int64_t>(page.size());
}

}  // namespace nmt
