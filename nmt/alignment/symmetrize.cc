#include "nmt/alignment/symmetrize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace nmt {
namespace {

constexpr std::pair<Symmetrization, std::string_view> kNames[] = {
    {Symmetrization::kIntersection, "intersection"},
    {Symmetrization::kUnion, "union"},
    {Symmetrization::kGrowDiag, "grow-diag"},
    {Symmetrization::kGrowDiagFinal, "grow-diag-final"},
    {Symmetrization::kGrowDiagFinalAnd, "grow-diag-final-and"},
    {Symmetrization::kLiltGrowDiag, "lilt-grow-diag"},
    {Symmetrization::kLiltGrowDiagFinal, "lilt-grow-diag-final"},
};

// A link as (outer, inner): the scan goes outer word by outer word, which is a set's own order.
using Cell = std::pair<int64_t, int64_t>;
using Cells = std::set<Cell>;

constexpr Cell kMosesNeighbors[] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                    {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
constexpr Cell kLiltNeighbors[] = {{-1, 1}, {-1, -1}, {1, -1}, {1, 1}};

enum class Uncovered { kOneOrBoth, kBoth };

// How a growing method goes; "final" passes are left out where `last` has no value.
struct GrowingRule {
  bool target_is_outer;
  std::span<const Cell> neighbors;
  Uncovered grow;
  std::optional<Uncovered> last;
};

GrowingRule RuleOf(Symmetrization method) {
  const GrowingRule moses{/*target_is_outer=*/true, kMosesNeighbors, Uncovered::kOneOrBoth};
  const GrowingRule lilt{/*target_is_outer=*/false, kLiltNeighbors, Uncovered::kBoth};
  const auto with_last = [](GrowingRule rule, Uncovered last) {
    rule.last = last;
    return rule;
  };
  switch (method) {
    case Symmetrization::kGrowDiagFinal:
      return with_last(moses, Uncovered::kOneOrBoth);
    case Symmetrization::kGrowDiagFinalAnd:
      return with_last(moses, Uncovered::kBoth);
    case Symmetrization::kLiltGrowDiag:
      return lilt;
    case Symmetrization::kLiltGrowDiagFinal:
      return with_last(lilt, Uncovered::kBoth);
    default:
      return moses;
  }
}

// The merged links while they grow, and the words that they cover.
class Merged {
 public:
  void Add(Cell cell) {
    cells_.insert(cell);
    outer_.insert(cell.first);
    inner_.insert(cell.second);
  }

  void AddWhere(Uncovered uncovered, Cell cell, bool* added = nullptr) {
    const bool outer = outer_.contains(cell.first), inner = inner_.contains(cell.second);
    if (uncovered == Uncovered::kBoth ? outer || inner : outer && inner) return;
    Add(cell);
    if (added != nullptr) *added = true;
  }

  void Grow(const Cells& candidates, const GrowingRule& rule) {
    for (bool added = true; added;) {
      added = false;
      // Insertion leaves a set's iterators valid: what is added ahead is visited in this pass.
      for (const Cell& cell : cells_) {
        for (const auto& [outer, inner] : rule.neighbors) {
          const Cell neighbor{cell.first + outer, cell.second + inner};
          if (candidates.contains(neighbor)) AddWhere(rule.grow, neighbor, &added);
        }
      }
    }
  }

  const Cells& cells() const { return cells_; }

 private:
  Cells cells_;
  std::set<int64_t> outer_, inner_;  // covered words
};

Cells ToCells(const Links& links, bool target_is_outer) {
  Cells cells;
  for (const auto& [source, target, _] : links) {
    cells.insert(target_is_outer ? Cell{target, source} : Cell{source, target});
  }
  return cells;
}

Links ToLinks(const Cells& cells, bool target_is_outer) {
  Links links;
  for (const auto& [outer, inner] : cells) {
    links.push_back(target_is_outer ? Link{inner, outer} : Link{outer, inner});
  }
  return SortedLinks(std::move(links));
}

Cells Union(const Cells& a, Cells b) {
  b.insert(a.begin(), a.end());
  return b;
}

Cells Intersection(const Cells& a, const Cells& b) {
  Cells both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

}  // namespace

std::vector<std::string> SymmetrizationNames() {
  std::vector<std::string> names;
  for (const auto& [_, name] : kNames) names.emplace_back(name);
  return names;
}

absl::StatusOr<Symmetrization> ParseSymmetrization(std::string_view name) {
  for (const auto& [method, known] : kNames) {
    if (known == name) return method;
  }
  return UsageError(fmt::format("unknown symmetrization \"{}\": expected one of {}", name,
                                fmt::join(SymmetrizationNames(), ", ")));
}

Links Symmetrize(const Links& forward, const Links& backward, Symmetrization method) {
  const GrowingRule rule = RuleOf(method);
  const Cells a = ToCells(forward, rule.target_is_outer);
  const Cells b = ToCells(backward, rule.target_is_outer);
  const Cells both = Intersection(a, b);
  if (method == Symmetrization::kIntersection) return ToLinks(both, rule.target_is_outer);
  const Cells either = Union(a, b);
  if (method == Symmetrization::kUnion) return ToLinks(either, rule.target_is_outer);

  Merged merged;
  for (const Cell& cell : both) merged.Add(cell);
  merged.Grow(either, rule);
  if (rule.last) {
    for (const Cell& cell : a) merged.AddWhere(*rule.last, cell);
    for (const Cell& cell : b) merged.AddWhere(*rule.last, cell);
  }
  return ToLinks(merged.cells(), rule.target_is_outer);
}

}  // namespace nmt
