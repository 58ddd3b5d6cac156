// What fast_align and MGIZA were published to have made of three gold sets: our AER of their files
// to the printed digit, and our merge of their two directions against their merged files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "nmt/alignment/aer.h"
#include "nmt/alignment/symmetrize.h"
#include "nmt/corpus/links.h"

namespace nmt {
namespace {

std::filesystem::path GoldAlignments() {
  const char* folder = std::getenv("NMT_SHARED_DATA");
  const std::filesystem::path data =
      folder ? std::filesystem::path(folder)
             : std::filesystem::path(NMT_SOURCE_DIR) / ".." / "shared" / "data";
  return data / "gold-alignments";
}

// `kind` is "", ".reverse", ".union", ...; the reverse file comes back source first.
std::vector<Links> Outputs(const std::string& aligner, const std::string& languages,
                           const std::string& kind) {
  auto sentences = ReadLinks(
      GoldAlignments() / "published-outputs" / aligner /
          fmt::format("test.{}{}.talp", languages, kind),
      {LinkBase::kZero, kind == ".reverse" ? LinkOrder::kTargetFirst : LinkOrder::kSourceFirst});
  EXPECT_TRUE(sentences.ok()) << sentences.status();
  return sentences.ok() ? *sentences : std::vector<Links>{};
}

std::vector<Links> Gold(const std::string& languages) {
  const std::string folder = languages == "deen"   ? "rwth-de-en"
                             : languages == "enfr" ? "hansards-en-fr"
                                                   : "ro-en";
  auto gold = ReadLinks(GoldAlignments() / folder / (languages + ".talp"), LinkBase::kOne);
  EXPECT_TRUE(gold.ok()) << gold.status();
  return gold.ok() ? *gold : std::vector<Links>{};
}

class WithSharedData : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(GoldAlignments())) {
      GTEST_SKIP() << "no " << GoldAlignments()
                   << ": set NMT_SHARED_DATA to the folder that holds gold-alignments/";
    }
  }
};

// An AER in percent, as published.
struct Figure {
  std::string aligner, languages, kind, aer;
};

void PrintTo(const Figure& figure, std::ostream* out) {
  *out << figure.aligner << " " << figure.languages << figure.kind << " " << figure.aer;
}

class PublishedAer : public WithSharedData, public testing::WithParamInterface<Figure> {};

TEST_P(PublishedAer, IsOursToThePrintedDigit) {
  const auto& [aligner, languages, kind, aer] = GetParam();
  const auto score = CorpusAer(Outputs(aligner, languages, kind), Gold(languages));
  ASSERT_TRUE(score.ok()) << score.status();
  EXPECT_EQ(fmt::format("{:.2f}", 100 * score->aer), aer);
}

INSTANTIATE_TEST_SUITE_P(Figures, PublishedAer,
                         testing::ValuesIn(std::vector<Figure>{
                             {"fastalign", "deen", "", "28.46"},
                             {"fastalign", "deen", ".reverse", "31.96"},
                             {"fastalign", "deen", ".grow-diagonal", "27.02"},
                             {"fastalign", "deen", ".grow-diagonal-final", "27.67"},
                             {"giza", "deen", "", "20.96"},
                             {"giza", "deen", ".reverse", "23.12"},
                             {"giza", "deen", ".grow-diagonal", "21.41"},
                             {"giza", "deen", ".grow-diagonal-final", "20.55"},
                             {"fastalign", "enfr", "", "16.39"},
                             {"fastalign", "enfr", ".reverse", "15.89"},
                             {"fastalign", "enfr", ".grow-diagonal", "10.48"},
                             {"fastalign", "enfr", ".grow-diagonal-final", "12.09"},
                             {"giza", "enfr", "", "7.99"},
                             {"giza", "enfr", ".reverse", "9.75"},
                             {"giza", "enfr", ".grow-diagonal", "5.94"},
                             {"giza", "enfr", ".grow-diagonal-final", "6.16"},
                             {"fastalign", "roen", "", "33.80"},
                             {"fastalign", "roen", ".reverse", "35.55"},
                             {"fastalign", "roen", ".grow-diagonal", "32.08"},
                             {"fastalign", "roen", ".grow-diagonal-final", "32.20"},
                             {"giza", "roen", "", "28.71"},
                             {"giza", "roen", ".reverse", "32.22"},
                             {"giza", "roen", ".grow-diagonal", "27.92"},
                             {"giza", "roen", ".grow-diagonal-final", "26.40"},
                         }));

using PublishedOutputs = WithSharedData;

TEST_F(PublishedOutputs, MergedByUsEqualTheMergedFilesLinkForLink) {
  const std::pair<const char*, Symmetrization> merges[] = {
      {".intersection", Symmetrization::kIntersection},
      {".union", Symmetrization::kUnion},
      {".grow-diagonal", Symmetrization::kLiltGrowDiag},
      {".grow-diagonal-final", Symmetrization::kLiltGrowDiagFinal},
  };
  for (const std::string aligner : {"fastalign", "giza"}) {
    for (const std::string languages : {"deen", "enfr", "roen"}) {
      const std::vector<Links> forward = Outputs(aligner, languages, "");
      const std::vector<Links> backward = Outputs(aligner, languages, ".reverse");
      ASSERT_EQ(forward.size(), backward.size());
      for (const auto& [kind, method] : merges) {
        const std::vector<Links> published = Outputs(aligner, languages, kind);
        ASSERT_EQ(forward.size(), published.size());
        for (size_t i = 0; i < published.size(); ++i) {
          EXPECT_EQ(FormatLinks(Symmetrize(forward[i], backward[i], method)),
                    FormatLinks(published[i]))
              << aligner << " " << languages << kind << " line " << i + 1;
        }
      }
    }
  }
}

}  // namespace
}  // namespace nmt
