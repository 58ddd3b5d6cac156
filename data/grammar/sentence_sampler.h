#ifndef NMT_DATA_GRAMMAR_SENTENCE_SAMPLER_H_
#define NMT_DATA_GRAMMAR_SENTENCE_SAMPLER_H_

#include "data/grammar/clause_sampler.h"

namespace nmt::grammar {

struct Sentence {
  Clause clause;
  char final_mark = '.';
};

// Draws whole sentences: statements, questions and requests, and the clauses that hang on them.
class SentenceSampler {
 public:
  explicit SentenceSampler(Draft* draft) : draft_(draft), clauses_(draft) {}

  Sentence Draw();

  // Three or four clauses.
  Sentence DrawLong();

 private:
  Clause DrawStatement(const ClauseOptions& options);
  Sentence DrawQuestion();
  void AskWith(QuestionAdverb adverb, Clause* clause);
  Clause DrawRequest();
  Clause DrawFronted();
  Clause DrawWithAdverbialClause(bool first);
  Clause DrawReason();
  Clause DrawWithContentClause();
  Clause DrawWithInfinitive();
  Clause DrawSharedSubject();
  Clause DrawTwoClauses();
  Clause DrawCopular(const ClauseOptions& options);
  Clause DrawPrice();

  // The subject of a second clause: a pronoun for the first subject, or somebody else.
  Clause DrawFollowUp(const Clause& first, const ClauseOptions& options);
  void Subordinate(Clause* main, Clause inner, const Phrase& conjunction, bool first);
  void Coordinate(Clause* first, Clause second, bool but);

  Draft* draft_;
  ClauseSampler clauses_;
};

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_SENTENCE_SAMPLER_H_
