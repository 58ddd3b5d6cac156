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

// A link as (outer, inner): the scan goes outer word by outer word, which is a set's own order.
using Cell = std::pair<int64_t, int64_t>;
using Cells = std::set<Cell>;

constexpr Cell kAllAround[] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                               {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
constexpr Cell kDiagonal[] = {{-1, 1}, {-1, -1}, {1, -1}, {1, 1}};

enum class Uncovered { kOneOrBoth, kBoth };

// How a family of growing methods goes.
struct GrowingRule {
  bool target_is_outer;
  bool scans_merged;  // for neighbors to add; otherwise the links to add, for merged neighbors
  std::span<const Cell> neighbors;
  Uncovered grow;
};
constexpr GrowingRule kMoses{/*target_is_outer=*/true, /*scans_merged=*/true, kAllAround,
                             Uncovered::kOneOrBoth};
constexpr GrowingRule kAtools{/*target_is_outer=*/false, /*scans_merged=*/false, kAllAround,
                              Uncovered::kOneOrBoth};
constexpr GrowingRule kLilt{/*target_is_outer=*/false, /*scans_merged=*/true, kDiagonal,
                            Uncovered::kBoth};

struct Method {
  Symmetrization method;
  std::string_view name;
  const GrowingRule* rule = nullptr;             // of those that grow
  std::optional<Uncovered> last = std::nullopt;  // of those with "final" passes
};
constexpr Method kMethods[] = {
    {Symmetrization::kIntersection, "intersection"},
    {Symmetrization::kUnion, "union"},
    {Symmetrization::kGrowDiag, "grow-diag", &kMoses},
    {Symmetrization::kGrowDiagFinal, "grow-diag-final", &kMoses, Uncovered::kOneOrBoth},
    {Symmetrization::kGrowDiagFinalAnd, "grow-diag-final-and", &kMoses, Uncovered::kBoth},
    {Symmetrization::kAtoolsGrowDiag, "atools-grow-diag", &kAtools},
    {Symmetrization::kAtoolsGrowDiagFinal, "atools-grow-diag-final", &kAtools,
     Uncovered::kOneOrBoth},
    {Symmetrization::kAtoolsGrowDiagFinalAnd, "atools-grow-diag-final-and", &kAtools,
     Uncovered::kBoth},
    {Symmetrization::kLiltGrowDiag, "lilt-grow-diag", &kLilt},
    {Symmetrization::kLiltGrowDiagFinal, "lilt-grow-diag-final", &kLilt, Uncovered::kBoth},
};

const Method& MethodOf(Symmetrization method) {
  return *std::ranges::find(kMethods, method, &Method::method);
}

// The merged links while they grow, and the words that they cover.
class Merged {
 public:
  void Add(Cell cell) {
    cells_.insert(cell);
    outer_.insert(cell.first);
    inner_.insert(cell.second);
  }

  // Whether the cell was added.
  bool AddWhere(Uncovered uncovered, Cell cell) {
    const bool outer = outer_.contains(cell.first), inner = inner_.contains(cell.second);
    if (uncovered == Uncovered::kBoth ? outer || inner : outer && inner) return false;
    Add(cell);
    return true;
  }

  void Grow(const Cells& candidates, const GrowingRule& rule) {
    while (rule.scans_merged ? GrowFromMerged(candidates, rule) : GrowToMerged(candidates, rule)) {
    }
  }

  const Cells& cells() const { return cells_; }

 private:
  // A pass each; whether it added anything.
  bool GrowFromMerged(const Cells& candidates, const GrowingRule& rule) {
    bool added = false;
    // Insertion leaves a set's iterators valid: what is added ahead is visited in this pass.
    for (const Cell& cell : cells_) {
      for (const auto& [outer, inner] : rule.neighbors) {
        const Cell neighbor{cell.first + outer, cell.second + inner};
        if (candidates.contains(neighbor)) added |= AddWhere(rule.grow, neighbor);
      }
    }
    return added;
  }
  bool GrowToMerged(const Cells& candidates, const GrowingRule& rule) {
    bool added = false;
    for (const Cell& cell : candidates) {
      const bool has_neighbor = std::ranges::any_of(rule.neighbors, [&](const Cell& offset) {
        return cells_.contains({cell.first + offset.first, cell.second + offset.second});
      });
      if (has_neighbor) added |= AddWhere(rule.grow, cell);
    }
    return added;
  }

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
  for (const Method& method : kMethods) names.emplace_back(method.name);
  return names;
}

absl::StatusOr<Symmetrization> ParseSymmetrization(std::string_view name) {
  for (const Method& method : kMethods) {
    if (method.name == name) return method.method;
  }
  return UsageError(fmt::format("unknown symmetrization \"{}\": expected one of {}", name,
                                fmt::join(SymmetrizationNames(), ", ")));
}

Links Symmetrize(const Links& forward, const Links& backward, Symmetrization method) {
  const Method& chosen = MethodOf(method);
  const bool target_is_outer = chosen.rule != nullptr && chosen.rule->target_is_outer;
  const Cells a = ToCells(forward, target_is_outer), b = ToCells(backward, target_is_outer);
  const Cells both = Intersection(a, b), either = Union(a, b);
  if (method == Symmetrization::kIntersection) return ToLinks(both, target_is_outer);
  if (method == Symmetrization::kUnion) return ToLinks(either, target_is_outer);

  Merged merged;
  for (const Cell& cell : both) merged.Add(cell);
  merged.Grow(either, *chosen.rule);
  if (chosen.last) {
    for (const Cell& cell : a) merged.AddWhere(*chosen.last, cell);
    for (const Cell& cell : b) merged.AddWhere(*chosen.last, cell);
  }
  return ToLinks(merged.cells(), target_is_outer);
}

}  // namespace nmt
