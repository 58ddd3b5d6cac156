#include "nmt/alignment/link_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const SentenceWords kWords{{"the", "old", "house"}, {"das", "haus"}};

TEST(CountLinks, CountsLinksAndTheWordsThatHaveOne) {
  LinkStatistics statistics = CountLinks({{0, 0}, {1, 1}, {1, 1}, {0, 1}}, kWords.lengths());
  EXPECT_EQ(statistics, (LinkStatistics{.links = 3,
                                        .source_words = 3,
                                        .target_words = 2,
                                        .linked_source_words = 2,
                                        .linked_target_words = 2}));
  statistics += CountLinks({}, {.source = 1, .target = 2});
  EXPECT_EQ(statistics.SourceCoverage(), 0.5);
  EXPECT_EQ(statistics.TargetCoverage(), 0.5);
  EXPECT_EQ(statistics.LinksPerTargetWord(), 0.75);
}

TEST(CountLinks, WithoutWordsEveryShareIsZero) {
  const LinkStatistics nothing;
  EXPECT_EQ(nothing.SourceCoverage(), 0);
  EXPECT_EQ(nothing.TargetCoverage(), 0);
  EXPECT_EQ(nothing.LinksPerTargetWord(), 0);
}

TEST(CommonLinkErrors, AreTheLinksThatGoldDoesNotHoldAndTheSureOnesThatWereMissed) {
  // old-das is wrong, old-haus is possible; house-haus is missed, old-haus need not be found.
  const Links hypothesis{{0, 0}, {1, 0}, {1, 1}}, gold{{0, 0}, {1, 1, /*possible=*/true}, {2, 1}};
  const LinkErrors errors = CommonLinkErrors({hypothesis}, {gold}, {kWords}, /*most=*/10);
  EXPECT_THAT(errors.wrong, ElementsAre(WordPairCount{"old", "das", 1}));
  EXPECT_THAT(errors.missed, ElementsAre(WordPairCount{"house", "haus", 1}));
  EXPECT_THAT(CommonLinkErrors({gold}, {gold}, {kWords}, 10).wrong, IsEmpty());
  EXPECT_THAT(CommonLinkErrors({{}}, {gold}, {kWords}, 10).missed,
              ElementsAre(WordPairCount{"house", "haus", 1}, WordPairCount{"the", "das", 1}));
}

TEST(CommonLinkErrors, TheMostFrequentComeFirstAndTheRestIsCut) {
  const std::vector<Links> wrong = {{{0, 0}, {2, 1}}, {{2, 1}}, {{1, 0}}};
  const std::vector<SentenceWords> texts(3, kWords);
  const LinkErrors errors = CommonLinkErrors(wrong, {{}, {}, {}}, texts, /*most=*/2);
  EXPECT_THAT(errors.wrong,
              ElementsAre(WordPairCount{"house", "haus", 2}, WordPairCount{"old", "das", 1}));
  EXPECT_THAT(errors.missed, IsEmpty());
}

}  // namespace
}  // namespace nmt
