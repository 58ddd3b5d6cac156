// The part of SentenceSampler that draws clauses inside clauses: what somebody says, asks, tries or
// means to do.

#include <vector>

#include "data/grammar/sentence_sampler.h"

namespace nmt::grammar {
namespace {

const Phrase kThat = {"that", "dass", "0-0", ""};
const Phrase kWhether = {"whether", "ob", "0-0", ""};

}  // namespace

// "Anna says that ...", "Anna asks where ...".
Clause SentenceSampler::DrawWithContentClause() {
  Random& random = draft_->random();
  Clause main;
  main.id = draft_->NewId();
  const bool question = random.Chance(40);
  const Verb& know = FindVerb("know", "wissen");
  const std::vector<const Verb*> saying = {&FindVerb("say", "sagen"), &FindVerb("think", "glauben"),
                                           &FindVerb("hope", "hoffen"), &know};
  const std::vector<const Verb*> asking = {&FindVerb("ask", "fragen"), &know};
  main.verb = random.Pick(question ? asking : saying);
  main.negated = main.verb == &know && random.Chance(40);
  main.subject = clauses_.nouns().DrawSubject("P", main.negated);
  main.tense = random.Chance(40) && main.verb->en != "hope" ? Tense::kPast : Tense::kPresent;
  ClauseOptions options;
  options.extras = false;
  if (main.tense == Tense::kPast) options.tense = TenseChoice::kPast;
  if (!question) {
    options.time = random.Chance(30);
    options.place = random.Chance(50);
    Subordinate(&main, DrawFollowUp(main, options), kThat, false);
    return main;
  }
  options.may_negate = options.time = options.place = false;
  Clause inner = clauses_.DrawClause(options);
  if (random.Chance(40)) {
    Subordinate(&main, inner, kWhether, false);
    return main;
  }
  const bool must_be_where = inner.verb->frame == Frame::kPlace;
  const bool may_be_where = must_be_where || inner.verb->flags.Has('l');
  if (must_be_where || (may_be_where && random.Chance(50))) {
    AskWith(QuestionAdverb::kWhere, &inner);
  } else {
    const bool when = !inner.verb->flags.Has('S') && random.Chance(50);
    AskWith(when ? QuestionAdverb::kWhen : QuestionAdverb::kWhy, &inner);
  }
  main.subordinate = std::make_shared<Clause>(inner);
  main.attachment = Attachment::kBare;
  return main;
}

// "Anna tries to open the door", "Anna opens the window in order to ...".
Clause SentenceSampler::DrawWithInfinitive() {
  Random& random = draft_->random();
  ClauseOptions small;
  small.may_have_modal = small.may_negate = small.time = false;
  small.place = random.Chance(30);
  small.extras = random.Chance(30);
  small.tense = TenseChoice::kSimplePresent;
  Clause inner;
  inner.id = draft_->NewId();
  inner.verb = &clauses_.DrawVerb("P", [](const Verb& verb) { return verb.flags.Has('T'); });
  Clause main;
  main.id = draft_->NewId();
  main.subject = clauses_.nouns().DrawSubject("P", true);
  if (random.Chance(40)) {
    main.attachment = Attachment::kPurpose;
    main.verb = &clauses_.DrawVerb(
        "P", [&](const Verb& verb) { return verb.flags.Has('T') && &verb != inner.verb; });
    clauses_.Fill(small, &main);
    if (!main.likes_to && ClauseSampler::PastIsClear(main) && random.Chance(50)) {
      main.tense = Tense::kPast;
    }
  } else {
    main.attachment = Attachment::kInfinitive;
    const std::vector<const Verb*> verbs = {
        &FindVerb("try", "versuchen"), &FindVerb("plan", "haben"),
        &FindVerb("promise", "versprechen"), &FindVerb("forget", "vergessen")};
    main.verb = random.Pick(verbs);
    main.tense = random.Chance(50) ? Tense::kPast : Tense::kPresent;
  }
  inner.subject = main.subject;
  inner.omits_subject = true;
  small.extras = false;
  clauses_.Fill(small, &inner);
  main.subordinate = std::make_shared<Clause>(inner);
  return main;
}

}  // namespace nmt::grammar
