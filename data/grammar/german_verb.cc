#include "data/grammar/german_verb.h"

namespace nmt::grammar {
namespace {

std::string PresentForm(const Verb& verb, Agreement agreement) {
  switch (agreement) {
    case Agreement::kFirst:
      return verb.de_first;
    case Agreement::kThird:
      return verb.de_third;
    case Agreement::kPlural:
      return verb.de == "sein" ? "sind" : verb.de;
  }
  return "";
}

std::string PreteriteForm(const Verb& verb, Agreement agreement) {
  const std::string& form = verb.de_preterite;
  if (agreement != Agreement::kPlural) return form;
  return form + (form.back() == 'e' ? "n" : "en");
}

std::string AuxiliaryForm(bool sein, Agreement agreement) {
  switch (agreement) {
    case Agreement::kFirst:
      return sein ? "bin" : "habe";
    case Agreement::kThird:
      return sein ? "ist" : "hat";
    case Agreement::kPlural:
      return sein ? "sind" : "haben";
  }
  return "";
}

std::string ModalForm(const Modal& modal, Agreement agreement) {
  if (agreement == Agreement::kPlural) return modal.de_plural;
  // Only "werden" tells the first person from the third.
  return modal.is_future && agreement == Agreement::kFirst ? "werde" : modal.de_singular;
}

// The finite verb and what follows it when both stand at the end of the clause.
struct Forms {
  Word finite;
  Words rest;
  bool has_loose_prefix = false;
};

Forms MakeForms(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const Agreement agreement = SubjectAgreement(clause);
  const int head = Tag(clause.id, Part::kHead);
  if (clause.modal != nullptr) {
    return {Word{ModalForm(*clause.modal, agreement), {Tag(clause.id, Part::kModal)}, {}},
            {Word{verb.de_prefix + verb.de, {head}, {}}}};
  }
  const bool preterite = clause.tense == Tense::kPast && !verb.de_preterite.empty();
  const bool perfect = clause.tense == Tense::kPerfect || clause.tense == Tense::kPast;
  if (perfect && !preterite) {
    // The English simple past has no auxiliary: "hat" then has a share in the verb.
    Word auxiliary{
        AuxiliaryForm(verb.takes_sein, agreement), {Tag(clause.id, Part::kAuxiliary)}, {}};
    if (clause.tense == Tense::kPast) auxiliary.possible = {head};
    return {auxiliary, {Word{verb.de_prefix + verb.de_participle, {head}, {}}}};
  }
  const std::string form =
      preterite ? PreteriteForm(verb, agreement) : PresentForm(verb, agreement);
  return {Word{form, {head}, {}}, {}, !verb.de_prefix.empty()};
}

}  // namespace

VerbBrackets GermanVerb(const Clause& clause, GermanOrder order) {
  const Verb& verb = *clause.verb;
  const int head = Tag(clause.id, Part::kHead);
  if (order == GermanOrder::kInfinitive) {
    const int infinitive = Tag(clause.id, Part::kInfinitive);
    // "zu" goes between a separable prefix and its verb: "aufzumachen".
    if (!verb.de_prefix.empty()) {
      return {{}, {Word{verb.de_prefix + "zu" + verb.de, {head, infinitive}, {}}}};
    }
    return {{}, {Word{"zu", {infinitive}, {}}, Word{verb.de, {head}, {}}}};
  }
  Forms forms = MakeForms(clause);
  if (order == GermanOrder::kVerbFinal) {
    if (forms.has_loose_prefix) forms.finite.text = verb.de_prefix + forms.finite.text;
    forms.rest.push_back(forms.finite);
    return {{}, forms.rest};
  }
  if (forms.has_loose_prefix) forms.rest.push_back(Word{verb.de_prefix, {head}, {}});
  return {{forms.finite}, forms.rest};
}

}  // namespace nmt::grammar
