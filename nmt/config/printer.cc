#include "nmt/config/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "nmt/config/check.h"
#include "nmt/config/field.h"

namespace nmt {
namespace {

constexpr std::size_t kColumns = 100;

std::string Indent(const Field& field) { return std::string(2 * field.depth(), ' '); }

// "  seed: 1\n", or "training:\n" for a section.
std::string Line(const Field& field) {
  const std::string value = field.is_section() ? "" : " " + field.get();
  return fmt::format("{}{}:{}\n", Indent(field), field.name(), value);
}

// `text` as comment lines, broken at blanks.
std::string Comment(std::string_view text, std::string_view indent) {
  const std::string start = fmt::format("{}#", indent);
  std::string comment, line = start;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (line.size() + 1 + word.size() > kColumns) {
      comment += line + "\n";
      line = start;
    }
    line += fmt::format(" {}", word);
  }
  return comment + line + "\n";
}

}  // namespace

std::string PrintOptions(const Options& options) {
  Options copy = options;  // the visitor wants members that can be written
  std::string text;
  for (const Field& field : ListFields(copy)) text += Line(field);
  return text;
}

std::string DescribeOptions() {
  Options defaults;
  std::string text = Comment(
      "Every option of a run, with its default. A config names those that it changes, and the "
      "required ones. Paths are relative to the folder of the config file.",
      "");
  for (const Field& field : ListFields(defaults)) {
    const bool is_required = std::ranges::count(kRequiredKeys, field.key) > 0;
    const std::string kind =
        field.is_section() ? ""
                           : fmt::format("{}{}: ", field.expected, is_required ? ", required" : "");
    if (!text.ends_with(":\n")) text += "\n";
    text += Comment(kind + field.help, Indent(field)) + Line(field);
  }
  return text;
}

std::vector<std::string> DifferingKeys(const Options& here, const Options& other,
                                       std::string_view place) {
  Options copy_here = here, copy_other = other;
  const std::vector<Field> fields_here = ListFields(copy_here);
  const std::vector<Field> fields_other = ListFields(copy_other);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < fields_here.size(); ++i) {
    if (fields_here[i].is_section()) continue;
    const std::string value_here = fields_here[i].get(), value_other = fields_other[i].get();
    if (value_here == value_other) continue;
    lines.push_back(
        fmt::format("{}: {} here, {} {}", fields_here[i].key, value_here, value_other, place));
  }
  return lines;
}

}  // namespace nmt
