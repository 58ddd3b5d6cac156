#ifndef NMT_DATA_GRAMMAR_ENGLISH_MORPHOLOGY_H_
#define NMT_DATA_GRAMMAR_ENGLISH_MORPHOLOGY_H_

#include <string>

namespace nmt::grammar {

// "book" to "books", "watch" to "watches", "try" to "tries": plurals and third persons alike.
std::string AddS(const std::string& word);

// "help" to "helped", "stop" to "stopped", "bake" to "baked".
std::string RegularPast(const std::string& verb);

// "help" to "helping", "stop" to "stopping", "lie" to "lying".
std::string IngForm(const std::string& verb);

// "a" or "an", by the sound of the next word.
std::string IndefiniteArticle(const std::string& next_word);

}  // namespace nmt::grammar

#endif  // NMT_DATA_GRAMMAR_ENGLISH_MORPHOLOGY_H_
