#include "nmt/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nmt/base/file.h"
#include "nmt/text/lines.h"
#include "nmt/text/splitmix64.h"
#include "tests/text/trained_tokenizer.h"

namespace nmt {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::Not;
using ::testing::StartsWith;
using Ids = std::vector<int64_t>;

const std::vector<std::string> kText = {
    "the cat sees the moon .",
    "a dog likes bread .",
    "the old man likes the old cat and the dog .",
    "don't-stop, state-of-the-art!",
    "(the) \"cat\" sees: 3.14 % <s> [unk] / 0x41",
    "my friend eats bread and the friend likes the moon",
    "Der Hund sieht den Mond und Die Katze",
    "...",
};

TokenizerOptions Bpe() {
  TokenizerOptions options;
  options.type = TokenizerType::kBpe;
  return options;
}

// Words that are hard to place: expansions of NFKC, marks, and what the normalisation removes.
const std::vector<std::string> kHardWords = {"the",
                                             "cat",
                                             "\u2026",
                                             "\u00BD",
                                             "x\u00BDy",
                                             "\u00B4",
                                             "don\u00B4t",
                                             "\u00B4n",
                                             "a\u00B4",
                                             "\uFF34\uFF48\uFF45",
                                             "\uFDFA",
                                             "\uFB01n",
                                             "e\u0301t",
                                             "\u0301a",
                                             "a\u0301\u0302",
                                             "\u2581",
                                             "\u2581the",
                                             "a\u2581b",
                                             "the\u2581",
                                             "\uFFFD",
                                             "zero\u200Bwidth",
                                             "\u200B",
                                             "\u200Bthe",
                                             "\u00ADa",
                                             "\u65E5\u672C\u8A9E",
                                             "\U0001F600",
                                             "\u2603\u2603",
                                             "</s>",
                                             "<pad>",
                                             "\u0130",
                                             "\u1E9E",
                                             "\u2460\u2461",
                                             "\uAC00",
                                             "\u1100\u1161",
                                             "antidisestablishmentarianism",
                                             "\u2122"};
const std::vector<std::string> kBlanks = {" ",      "  ",       "\t",     "\u00A0",
                                          "\u3000", " \u3000 ", "\u2003", "\u2028"};

// Pieces never reach over a blank, so a word alone gives the pieces that it gives in its line.
Ids WordsByEncodingEachAlone(const Tokenizer& tokenizer, const std::string& line) {
  Ids expected;
  const std::vector<std::string> words = Words(line);
  for (size_t i = 0; i < words.size(); ++i) {
    expected.resize(expected.size() + tokenizer.Encode(words[i]).size(), static_cast<int64_t>(i));
  }
  return expected;
}

void ExpectRightWords(const Tokenizer& tokenizer, const std::string& line) {
  const EncodedLine encoded = tokenizer.EncodeWithWords(line);
  EXPECT_EQ(encoded.ids, tokenizer.Encode(line)) << line;
  EXPECT_EQ(encoded.words, WordsByEncodingEachAlone(tokenizer, line)) << line;
}

TEST(Tokenizer, GivesTheWordOfEachPiece) {
  const Tokenizer tokenizer = TrainedOn(kText);
  for (const std::string& line : kText) ExpectRightWords(tokenizer, line);
  ExpectRightWords(tokenizer, "antidisestablishmentarianism sees unseenword");
  ExpectRightWords(tokenizer, "a");
  const EncodedLine dots = tokenizer.EncodeWithWords("the \u2026 cat");
  EXPECT_EQ(dots.words.front(), 0);
  EXPECT_EQ(dots.words.back(), 2);
  EXPECT_THAT(dots.words, Contains(1));
}

TEST(Tokenizer, GivesTheWordOfEachPieceForAnyMixOfHardWords) {
  TokenizerOptions lower = Bpe();
  lower.lowercase = true;
  for (const TokenizerOptions& options : {TokenizerOptions(), Bpe(), lower}) {
    const Tokenizer tokenizer = TrainedOn(kText, options);
    SplitMix64 random(5);
    for (int trial = 0; trial < 2000; ++trial) {
      std::string line;
      for (int i = 0; i < 6; ++i) {
        if (random.Below(8) > 0) line += kHardWords[random.Below(kHardWords.size())];
        line += kBlanks[random.Below(kBlanks.size())];
      }
      ExpectRightWords(tokenizer, line);
      const Ids words = tokenizer.EncodeWithWords(line).words;
      EXPECT_TRUE(std::is_sorted(words.begin(), words.end())) << line;
    }
  }
}

// NEL is white space to Unicode and a character to SentencePiece; CleanLine makes a blank of it.
TEST(Tokenizer, WordsAreInRangeForLinesThatWereNotCleaned) {
  const Tokenizer tokenizer = TrainedOn(kText);
  for (const char* line : {"\u0085 the cat", "\x01 the", "the\xFF \xFE cat \u0085"}) {
    const auto words = static_cast<int64_t>(Words(line).size());
    const EncodedLine encoded = tokenizer.EncodeWithWords(line);
    EXPECT_THAT(encoded.words, Each(AllOf(Ge(0), Lt(words)))) << line;
  }
}

TEST(Tokenizer, LowerCasingLeavesTheWordsInTheirPlaces) {
  TokenizerOptions options;
  options.lowercase = true;
  const Tokenizer tokenizer = TrainedOn(kText, options);
  const EncodedLine upper = tokenizer.EncodeWithWords("\u0130\u0130\u0130 THE CAT");
  EXPECT_EQ(upper.ids, tokenizer.Encode(LowerCase("\u0130\u0130\u0130 THE CAT")));
  EXPECT_EQ(upper.words.back(), 2);
  EXPECT_EQ(tokenizer.Encode("THE CAT"), tokenizer.Encode("the cat"));
  EXPECT_EQ(tokenizer.Decode(tokenizer.Encode("THE CAT")), "the cat");
}

TEST(Tokenizer, BlankLinesHaveNoPieces) {
  const Tokenizer tokenizer = TrainedOn(kText);
  for (const char* line :
       {"", " ", "\t", "\u00A0", "\u3000\u3000", " \t\u00A0  ", "\u0085", "\u2581", "\u200B"}) {
    EXPECT_THAT(tokenizer.Encode(line), IsEmpty()) << line;
    EXPECT_THAT(tokenizer.EncodeWithWords(line).words, IsEmpty()) << line;
    EXPECT_THAT(tokenizer.Sample(line, 0.3, 1), IsEmpty()) << line;
  }
}

TEST(Tokenizer, SeparatorsInsideALineAreBlanks) {
  const Tokenizer tokenizer = TrainedOn(kText);
  const Ids expected = tokenizer.Encode("the cat sees");
  for (const char* separator : {"\u2028", "\u2029", "\u0085", "\v", "\f", "\x1C", "\x1D", "\x1E",
                                "\r", "\u3000", "\u2581", " \u2581 "}) {
    const std::string line = std::string("the cat") + separator + "sees";
    EXPECT_EQ(tokenizer.Encode(CleanLine(line)), expected) << line;
  }
}

TEST(Tokenizer, TypedReservedNamesAreText) {
  for (const TokenizerOptions& options : {TokenizerOptions(), Bpe()}) {
    const Tokenizer tokenizer = TrainedOn(kText, options);
    for (const char* line : {"<s>", "</s>", "the cat </s> sees the moon .", "<unk> <unk>",
                             "<pad> the dog <pad>", "<s>the cat</s>", "<0x41> <0x0A>"}) {
      const Ids ids = tokenizer.Encode(line);
      EXPECT_THAT(ids, Not(IsEmpty())) << line;
      EXPECT_THAT(ids, Not(Contains(kPadId))) << line;
      EXPECT_THAT(ids, Not(Contains(kBeginId))) << line;
      EXPECT_THAT(ids, Not(Contains(kEndId))) << line;
      EXPECT_THAT(tokenizer.Sample(line, 0.5, 1), Each(Ge(kUnknownId))) << line;
    }
    EXPECT_THAT(tokenizer.Decode(tokenizer.Encode("the </s> cat")), HasSubstr("cat"));
  }
}

TEST(Tokenizer, HasTheReservedPieces) {
  const Tokenizer tokenizer = TrainedOn(kText);
  EXPECT_EQ(tokenizer.Piece(kPadId), "<pad>");
  EXPECT_EQ(tokenizer.Piece(kUnknownId), "<unk>");
  EXPECT_EQ(tokenizer.Piece(kBeginId), "<s>");
  EXPECT_EQ(tokenizer.Piece(kEndId), "</s>");
}

TEST(Tokenizer, DecodingGivesTheTextBack) {
  for (const TokenizerOptions& options : {TokenizerOptions(), Bpe()}) {
    const Tokenizer tokenizer = TrainedOn(kText, options);
    for (const std::string& line : kText) {
      EXPECT_EQ(tokenizer.Decode(tokenizer.Encode(line)), line);
    }
    EXPECT_EQ(tokenizer.Decode(tokenizer.Encode("a \u2581 dog \u2581\u2581 ")), "a dog");
  }
}

TEST(Tokenizer, DecodingSkipsReservedIdsAndExtraBlanks) {
  const Tokenizer tokenizer = TrainedOn(kText);
  const Ids the = tokenizer.Encode("the");
  const Ids cat = tokenizer.Encode("cat");
  Ids blank;  // the piece that is a blank alone
  for (int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    if (tokenizer.Piece(id) == "\u2581") blank.push_back(id);
  }
  ASSERT_EQ(blank.size(), 1u);
  Ids ids = {kBeginId, blank[0]};
  ids.insert(ids.end(), the.begin(), the.end());
  ids.insert(ids.end(), {blank[0], kPadId, blank[0]});
  ids.insert(ids.end(), cat.begin(), cat.end());
  ids.insert(ids.end(), {blank[0], kEndId, kPadId});
  EXPECT_EQ(tokenizer.Decode(ids), "the cat");
  EXPECT_EQ(tokenizer.Decode({}), "");
  EXPECT_EQ(tokenizer.Decode({kBeginId, kEndId, blank[0]}), "");
}

TEST(Tokenizer, AnIdBeyondTheVocabularyIsAnExceptionNotACrash) {
  const Tokenizer tokenizer = TrainedOn(kText);
  EXPECT_THROW(tokenizer.Decode({5, tokenizer.vocab_size()}), std::out_of_range);
}

TEST(Tokenizer, AnUnknownCharacterDecodesToOneMarkInsideItsWord) {
  const Tokenizer tokenizer = TrainedOn(kText);
  EXPECT_EQ(tokenizer.Decode(tokenizer.Encode("the c\u2603t")), "the c\u2047t");
}

// Case C12. Characters that the training text had not, and bytes that make none.
TEST(Tokenizer, ByteFallbackSpellsUnknownCharactersAndNeverShowsABytePiece) {
  for (TokenizerOptions options : {TokenizerOptions(), Bpe()}) {
    options.byte_fallback = true;
    const Tokenizer tokenizer = TrainedOn(kText, options);
    for (const std::string line :
         {"the \u723F cat", "\U0001F916", "\u014B \u0167 \u2603", "a\u723F\u723Fb dog"}) {
      const EncodedLine encoded = tokenizer.EncodeWithWords(line);
      EXPECT_EQ(tokenizer.Decode(encoded.ids), line);
      EXPECT_EQ(tokenizer.DecodeWithWords(encoded.ids).words, encoded.words);
      EXPECT_EQ(encoded.words.back() + 1, static_cast<int64_t>(WordSpans(line).size()));
      for (uint64_t seed = 0; seed < 20; ++seed)
        EXPECT_EQ(tokenizer.Decode(tokenizer.Sample(line, 0.3, seed)), line);
    }
    // Any byte piece alone or torn from its character is U+FFFD, or an ASCII character.
    Ids bytes;
    for (int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
      if (tokenizer.Piece(id).starts_with("<0x")) bytes.push_back(id);
    }
    ASSERT_EQ(bytes.size(), 256u);
    SplitMix64 random(1);
    for (int trial = 0; trial < 300; ++trial) {
      Ids ids = tokenizer.Encode("the cat");
      for (int i = 0; i < 5; ++i)
        ids.insert(ids.begin() + static_cast<int64_t>(random.Next() % (ids.size() + 1)),
                   bytes[random.Next() % 256]);
      const std::string text = tokenizer.Decode(ids);
      EXPECT_TRUE(IsValidUtf8(text)) << text;
      EXPECT_THAT(text, Not(HasSubstr("<0x")));
      EXPECT_EQ(tokenizer.DecodeWithWords(ids).words.size(), ids.size());
      EXPECT_EQ(CleanLine(text), text);
    }
    EXPECT_EQ(tokenizer.Decode({bytes[0xE7], bytes[0x88]}), "\uFFFD\uFFFD");
    EXPECT_EQ(tokenizer.Decode({bytes[0xE7], bytes[0x88], bytes[0xBF]}), "\u723F");
  }
}

TEST(Tokenizer, GivesTheWordOfEachDecodedPiece) {
  const Tokenizer tokenizer = TrainedOn(kText);
  const EncodedLine encoded = tokenizer.EncodeWithWords("the \u2603 antidisestablish cat .");
  EXPECT_EQ(tokenizer.DecodeWithWords(encoded.ids).words, encoded.words);

  Ids ids = encoded.ids;
  ids.insert(ids.begin(), kBeginId);
  ids.push_back(kEndId);
  Ids words = encoded.words;
  words.insert(words.begin(), -1);
  words.push_back(-1);
  EXPECT_EQ(tokenizer.DecodeWithWords(ids).words, words);
  EXPECT_THAT(tokenizer.DecodeWithWords({kBeginId, kEndId}).words, ElementsAre(-1, -1));
}

TEST(Tokenizer, SamplingIsAPureFunctionOfTheSeed) {
  for (const TokenizerOptions& options : {TokenizerOptions(), Bpe()}) {
    const Tokenizer tokenizer = TrainedOn(kText, options);
    const std::string line = "the old friend likes the moon and a dog";
    std::set<Ids> seen;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Ids ids = tokenizer.Sample(line, 0.3, seed);
      EXPECT_EQ(ids, tokenizer.Sample(line, 0.3, seed));
      EXPECT_EQ(tokenizer.Decode(ids), line);
      seen.insert(ids);
    }
    EXPECT_GT(seen.size(), 5u);
  }
}

TEST(Tokenizer, SampledPiecesKnowTheirWords) {
  for (const TokenizerOptions& options : {TokenizerOptions(), Bpe()}) {
    const Tokenizer tokenizer = TrainedOn(kText, options);
    for (const std::string line :
         {"the old friend likes the moon", "a \u2603 don\u00B4t stop", "\u00BD a dog"}) {
      const std::vector<WordSpan> words = WordSpans(line);
      for (uint64_t seed = 0; seed < 30; ++seed) {
        const EncodedLine sampled = tokenizer.SampleWithWords(line, 0.3, seed);
        ASSERT_EQ(sampled.ids.size(), sampled.words.size());
        EXPECT_TRUE(std::is_sorted(sampled.words.begin(), sampled.words.end()));
        // Each word's pieces spell the word, whatever its neighbours.
        for (size_t word = 0; word < words.size(); ++word) {
          Ids pieces;
          for (size_t i = 0; i < sampled.ids.size(); ++i) {
            if (sampled.words[i] == static_cast<int64_t>(word)) pieces.push_back(sampled.ids[i]);
          }
          const std::string text =
              line.substr(words[word].begin, words[word].end - words[word].begin);
          EXPECT_EQ(tokenizer.Decode(pieces), tokenizer.Decode(tokenizer.Encode(text))) << line;
        }
      }
    }
  }
}

TEST(Tokenizer, WithoutSamplingOrWithHardlyAnyItGivesTheUsualPieces) {
  const Tokenizer unigram = TrainedOn(kText);
  const Tokenizer bpe = TrainedOn(kText, Bpe());
  for (std::string line : kText) {
    line += " \u2603\u2603 \u2026 Mond";
    EXPECT_EQ(unigram.Sample(line, 0, 1), unigram.Encode(line));
    EXPECT_EQ(bpe.Sample(line, 0, 1), bpe.Encode(line));
    EXPECT_EQ(bpe.Sample(line, 1e-300, 1), bpe.Encode(line)) << line;
  }
}

TEST(Tokenizer, EncodesFromTwoThreadsAtOnce) {
  const Tokenizer tokenizer = TrainedOn(kText);
  std::vector<Ids> expected;
  for (const std::string& line : kText) expected.push_back(tokenizer.Encode(line));
  const auto encode_often = [&](bool* all_equal) {
    *all_equal = true;
    for (int round = 0; round < 500; ++round) {
      for (size_t i = 0; i < kText.size(); ++i) {
        *all_equal = *all_equal && tokenizer.Encode(kText[i]) == expected[i];
      }
    }
  };
  bool first = false;
  bool second = false;
  std::thread other(encode_often, &first);
  encode_often(&second);
  other.join();
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST(TokenizerLoad, RefusesWhatIsNoModelByName) {
  const std::filesystem::path folder = TestFolder();
  const Tokenizer tokenizer = TrainedOn(kText);
  const std::string whole = *ReadFile(folder / "test.spm");
  for (const std::string& contents :
       {std::string(), std::string("hello\n"), whole.substr(0, 1000)}) {
    const std::filesystem::path path = folder / "bad.spm";
    ASSERT_TRUE(WriteFileAtomically(path, contents).ok());
    const auto loaded = Tokenizer::Load(path, /*lowercase=*/false);
    EXPECT_EQ(ExitCode(loaded.status()), 1);
    EXPECT_THAT(std::string(loaded.status().message()),
                StartsWith(path.string() + ": is not a SentencePiece model"));
  }
  EXPECT_THAT(std::string(Tokenizer::Load(folder / "none.spm", false).status().message()),
              HasSubstr("none.spm"));
}

}  // namespace
}  // namespace nmt
