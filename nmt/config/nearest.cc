#include "nmt/config/nearest.h"

#include <algorithm>
#include <numeric>

namespace nmt {
namespace {

bool IsAbbreviation(std::string_view name, std::string_view known) {
  if (name.size() < 2 || !known.starts_with(name[0])) return false;
  for (const char letter : name) {
    const std::size_t found = known.find(letter);
    if (found == std::string_view::npos) return false;
    known.remove_prefix(found + 1);
  }
  return true;
}

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the table: row[j] is the distance of the first i bytes of a to the first j of b.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::size_t> Slips(std::string_view name, std::string_view known) {
  constexpr std::size_t kAbbreviation = 2;
  const std::size_t edits = EditDistance(name, known);
  if (name.size() > 2 && known.starts_with(name)) return std::min<std::size_t>(edits, 1);
  if (edits > kAbbreviation && IsAbbreviation(name, known)) return kAbbreviation;
  return 2 * edits <= name.size() ? std::optional(edits) : std::nullopt;
}

std::string_view Nearest(std::string_view name, const std::vector<std::string_view>& candidates) {
  std::string_view nearest;
  std::size_t fewest = name.size() + 1;
  for (std::string_view candidate : candidates) {
    const std::size_t slips = Slips(name, candidate).value_or(fewest);
    if (slips >= fewest) continue;
    fewest = slips;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace nmt
