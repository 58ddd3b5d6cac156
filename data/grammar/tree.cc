#include "data/grammar/tree.h"

namespace nmt::grammar {

Agreement SubjectAgreement(const Clause& clause) {
  const NounPhrase* subject = &clause.subject;
  if (subject->conjunct != nullptr) return Agreement::kPlural;
  if (subject->kind == NounPhraseKind::kPronoun) return GetPronoun(subject->person).agreement;
  return subject->plural ? Agreement::kPlural : Agreement::kThird;
}

bool IsQuestionPhrase(const NounPhrase& phrase) {
  return phrase.kind == NounPhraseKind::kWho || phrase.kind == NounPhraseKind::kWhat ||
         phrase.determiner == Determiner::kWhich || phrase.determiner == Determiner::kHowMany;
}

bool TakesNot(const NounPhrase& subject) {
  if (subject.kind == NounPhraseKind::kWho) return false;
  if (subject.kind != NounPhraseKind::kNoun) return true;
  switch (subject.determiner) {
    case Determiner::kThe:
    case Determiner::kThis:
    case Determiner::kPossessive:
    case Determiner::kOwner:
      return true;
    default:
      return false;
  }
}

const Adjunct* FindAdjunct(const Clause& clause, AdjunctKind kind) {
  for (const Adjunct& adjunct : clause.adjuncts) {
    if (adjunct.kind == kind) return &adjunct;
  }
  return nullptr;
}

}  // namespace nmt::grammar
