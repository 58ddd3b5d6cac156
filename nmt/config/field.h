// Options as a flat list of keys with their values as text: what reader, printer and comparison
// loop over. Made by one visitor over VisitFields(), so a new option needs nothing here.
//
//   Options options;
//   for (Field& field : ListFields(options)) {
//     if (field.key == "training.learning_rate") field.set("1e-4");   // options.training has it
//   }
#ifndef NMT_CONFIG_FIELD_H_
#define NMT_CONFIG_FIELD_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/config/options.h"

namespace nmt {

struct Field {
  std::string key;  // dotted: "training.learning_rate"; of a section "training"
  std::string help;
  std::string expected;                   // "a number above 0", "true or false", "a mapping"
  std::vector<std::string_view> choices;  // of an enum

  // Takes the value from the text of a YAML scalar. When that is not a value of this field, leaves
  // the option as it was and returns what was expected. Empty for a section.
  std::function<std::optional<std::string>(std::string_view)> set;
  // The same from the texts of a YAML list, for a field that holds one (`set` makes a list of one).
  std::function<std::optional<std::string>(const std::vector<std::string>&)> set_list;
  // The value as YAML text: strings in double quotes, numbers in the fewest digits that read back
  // to the same value. Empty for a section.
  std::function<std::string()> get;

  bool is_section() const { return !set; }
  // Sections above this field: 0 for "seed", 1 for "training.learning_rate".
  int depth() const;
  // "learning_rate" and "training" of "training.learning_rate"; the parent of "seed" is "".
  std::string_view name() const;
  std::string_view parent() const;
};

// Every key in the order of the structs, each section before its keys. The fields point into
// `options`, which must outlive them and not move.
std::vector<Field> ListFields(Options& options);

// `text` in double quotes, escaped as YAML does.
std::string QuoteYaml(std::string_view text);

}  // namespace nmt

#endif  // NMT_CONFIG_FIELD_H_
