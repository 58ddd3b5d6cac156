// The name that a misspelt one was meant to be.
//
//   EditDistance("learning_rat", "learning_rate");       // 1
//   Nearest("transfomer", {"gru", "transformer"});       // "transformer"
//   Nearest("lstm", {"gru", "transformer"});             // "": nothing near
#ifndef NMT_CONFIG_NEAREST_H_
#define NMT_CONFIG_NEAREST_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace nmt {

// Insertions, deletions, substitutions and swaps of two neighbouring bytes that turn `a` into `b`,
// no part edited twice (optimal string alignment, the restricted Damerau-Levenshtein distance).
std::size_t EditDistance(std::string_view a, std::string_view b);

// How many slips make `name` of `known`: the edits, or 1 where `known` begins with its three or more
// letters, or 2 for an abbreviation, which has the first letter of `known` and some of the others in
// their order ("lr", "src_lang"). Nothing when more than half of the letters of `name` are wrong.
std::optional<std::size_t> Slips(std::string_view name, std::string_view known);

// The first of the candidates with the fewest slips, or "" when none is near.
std::string_view Nearest(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace nmt

#endif  // NMT_CONFIG_NEAREST_H_
