#include "tests/report/report_testing.h"

#include <gtest/gtest.h>

#include <cctype>
#include <sstream>

namespace nmt {
namespace {

std::vector<std::string> Split(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Empty if every & of `text` starts a reference and no character is one that XML 1.0 forbids.
std::string TextError(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 && c != '\n') return "control character";
    if (c != '&') continue;
    const size_t end = text.find(';', i);
    if (end == std::string_view::npos) return "& without ;";
    const std::string_view name = text.substr(i + 1, end - i - 1);
    if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "#39") {
      return "unknown reference &" + std::string(name) + ";";
    }
  }
  return "";
}

}  // namespace

Heatmap HeatmapOf(std::string_view source, std::string_view target) {
  Heatmap heatmap{.title = "GRU, additive attention",
                  .source_labels = Split(source),
                  .target_labels = Split(target),
                  .weights_TS = {},
                  .gold = {}};
  const size_t S = heatmap.source_labels.size();
  for (size_t t = 0; t < heatmap.target_labels.size(); ++t) {
    for (size_t s = 0; s < S; ++s) {
      const float rest = S == 1 ? 0.0f : 0.3f / static_cast<float>(S - 1);
      heatmap.weights_TS.push_back(s == t % S ? (S == 1 ? 1.0f : 0.7f) : rest);
    }
  }
  return heatmap;
}

std::string ManyWords(int count) {
  const char* kWords[] = {"Ägypten",     "gj", "Übungsjournal", "im",
                          "Åpfelgarten", "y",  "wohnte",        "ﬁ"};
  std::string text;
  for (int i = 0; i < count; ++i) text += std::string(kWords[i % 8]) + " ";
  return text;
}

std::string XmlError(std::string_view text) {
  std::vector<std::string> open;
  if (text.starts_with("<?xml")) text.remove_prefix(text.find("?>") + 2);
  bool has_root = false;
  while (!text.empty()) {
    const size_t tag = text.find('<');
    if (const std::string error = TextError(text.substr(0, tag)); !error.empty()) return error;
    if (tag == std::string_view::npos) break;
    const size_t end = text.find('>', tag);
    if (end == std::string_view::npos) return "< without >";
    std::string_view inside = text.substr(tag + 1, end - tag - 1);
    text.remove_prefix(end + 1);
    if (const std::string error = TextError(inside); !error.empty()) return error;
    if (inside.starts_with("/")) {
      if (open.empty() || open.back() != inside.substr(1)) {
        return "unpaired <" + std::string(inside) + ">";
      }
      open.pop_back();
      continue;
    }
    if (inside.empty() || !std::isalpha(static_cast<unsigned char>(inside[0]))) {
      return "not a name: <" + std::string(inside);
    }
    if (CountOf(inside, "\"") % 2 != 0) return "odd quotes in <" + std::string(inside);
    if (open.empty() && has_root) return "a second root";
    has_root = true;
    if (!inside.ends_with("/")) open.emplace_back(inside.substr(0, inside.find_first_of(" \n")));
  }
  if (!open.empty()) return "<" + open.back() + "> is not closed";
  return has_root ? "" : "no element";
}

std::filesystem::path TestFolder() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                       (std::string(test.test_suite_name()) + "." + test.name());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

std::vector<std::string> HostileLabels() {
  return {"<script>document.title='x'</script>",
          "& &amp; &lt;",
          "\"double\" 'single' `back` \\n \\u0041",
          "</svg></html> <!-- cat --> ]]>",
          "<b>bold</b> <img src=x onerror=alert(1)>",
          std::string("nul\0bell\a esc\x1b[2J", 15),
          "not UTF-8: \xff\xc3",
          "\xef\xbf\xbe\xed\xa0\x80",  // U+FFFE and a lone surrogate
          "tab\tline\nend\r"};
}

}  // namespace nmt
