#include "nmt/config/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <climits>
#include <map>
#include <optional>
#include <sstream>

#include "nmt/base/file.h"
#include "nmt/config/check.h"
#include "nmt/config/field.h"
#include "nmt/config/nearest.h"

namespace nmt {
namespace {

// Where a key was given. Lines count from 1; overrides come after all lines.
struct Place {
  int line;
  std::string text;  // "run.yaml:7" or "--set seed=x"
};
constexpr int kDeepest = 2;  // dots in "data.train.source"
constexpr int kNoLine = INT_MAX - 1;
constexpr int kOverride = INT_MAX;

// Control characters, line ends among them, become blanks.
std::string OneLine(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

// `text` in quotes on one line, cut when long: for error messages.
std::string Shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown(text.substr(0, kLongest));
  if (text.size() > kLongest) {
    // Not within a character: its later bytes are 10xxxxxx.
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    shown = std::string(text.substr(0, end)) + "...";
  }
  return fmt::format("\"{}\"", OneLine(std::move(shown)));
}

std::string Describe(const YAML::Node& node) {
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  return node.IsScalar() ? Shown(node.Scalar()) : "nothing";
}

std::string Join(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

// Where each of the first two documents of a text begins. Not YAML::LoadAll(): of some texts with a stray bracket it makes
// documents without end.
class DocumentStarts : public YAML::EventHandler {
 public:
  explicit DocumentStarts(const std::string& yaml) {
    std::istringstream stream(yaml);
    YAML::Parser parser(stream);
    while (lines_.size() < 2 && parser.HandleNextDocument(*this)) {
    }
  }
  const std::vector<int>& lines() const { return lines_; }  // from 1

  void OnDocumentStart(const YAML::Mark& mark) override { lines_.push_back(mark.line + 1); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::vector<int> lines_;
};

class Reader {
 public:
  explicit Reader(std::string_view file_name) : file_name_(file_name) {}
  Reader(const Reader&) = delete;  // fields_ point into options_
  Reader& operator=(const Reader&) = delete;

  void ReadText(std::string_view yaml);
  void ReadOverride(const std::string& text);
  absl::StatusOr<Options> Finish();

 private:
  void ReadMapping(const YAML::Node& mapping, const std::string& written,
                   const std::string& section);
  void ReadValue(const YAML::Node& value, Field& field, const Place& place);
  const Field* RefuseUnknown(const YAML::Node& value, const std::string& key,
                             const std::string& section, std::string_view name, const Place& place);
  const Field* NearestField(const YAML::Node& value, std::string_view section,
                            std::string_view name) const;
  std::size_t CountKnownKeys(const YAML::Node& value, std::string_view section) const;
  void SetDependentDefaults();
  void CheckTogether();

  Field* Find(std::string_view key) {
    const auto found = std::ranges::find(fields_, key, &Field::key);
    return found == fields_.end() ? nullptr : &*found;
  }
  Place AtLine(int line) const { return {line, fmt::format("{}:{}", file_name_, line)}; }
  void Refuse(const Place& place, std::string_view message) {
    faults_.push_back({place.line, fmt::format("{}: {}", place.text, message)});
  }

  std::string file_name_;
  Options options_;
  std::vector<Field> fields_ = ListFields(options_);
  std::map<std::string, Place> places_;  // of the keys that were given
  std::vector<Place> faults_;            // line and message
};

void Reader::ReadText(std::string_view yaml) {
  try {
    const YAML::Node document = YAML::Load(std::string(yaml));
    const DocumentStarts starts{std::string(yaml)};
    if (starts.lines().size() > 1)
      return Refuse(AtLine(starts.lines()[1]), "a second YAML document, expected one");
    if (document.IsNull()) return Refuse({0, file_name_}, "empty, expected a mapping of options");
    if (!document.IsMap()) {
      return Refuse(
          AtLine(document.Mark().line + 1),
          fmt::format("found {}, expected a mapping of options, as `seed: 1`", Describe(document)));
    }
    ReadMapping(document, "", "");
  } catch (const YAML::Exception& error) {
    Refuse(AtLine(error.mark.line + 1), fmt::format("not YAML: {}", error.msg));
  }
}

// Reads the keys of `section`, which the file calls `written`: the same, unless it is misspelt.
void Reader::ReadMapping(const YAML::Node& mapping, const std::string& written,
                         const std::string& section) {
  std::map<std::string, int> first_lines;
  for (const auto& entry : mapping) {
    const YAML::Node &key_node = entry.first, &value = entry.second;
    const Place place = AtLine(key_node.Mark().line + 1);
    if (!key_node.IsScalar()) {
      Refuse(place, fmt::format("found {} as a key, expected a word", Describe(key_node)));
      continue;
    }
    const std::string& name = key_node.Scalar();
    const std::string key = Join(written, name);
    const auto [first, is_new] = first_lines.emplace(name, place.line);
    if (!is_new) {
      Refuse(place,
             fmt::format("duplicate key {}, first given in line {}", Shown(key), first->second));
    }
    Field* field = Find(Join(section, name));
    if (field != nullptr && name.find('.') != std::string::npos) {
      Refuse(place,
             fmt::format("found the key {} with a dot, expected \"{}\" indented below \"{}:\"",
                         Shown(name), field->name(), field->parent()));
    } else if (field != nullptr) {
      ReadValue(value, *field, place);
    } else {
      const Field* meant = RefuseUnknown(value, key, section, name, place);
      // The limit on the depth ends aliases that contain themselves.
      const bool is_shallow = std::ranges::count(key, '.') < kDeepest;
      if (meant != nullptr && value.IsMap() && is_shallow) ReadMapping(value, key, meant->key);
    }
  }
}

void Reader::ReadValue(const YAML::Node& value, Field& field, const Place& place) {
  places_[field.key] = place;
  if (field.is_section()) {
    // `training:` with nothing below, as when every key in it is commented out, changes nothing.
    if (value.IsMap()) return ReadMapping(value, field.key, field.key);
    if (value.IsNull()) return;
  }
  std::optional<std::string> expected = field.expected;
  if (!field.is_section() && value.IsScalar()) expected = field.set(value.Scalar());
  const auto is_scalar = [](const YAML::Node& item) { return item.IsScalar(); };
  if (field.set_list && value.IsSequence() && std::all_of(value.begin(), value.end(), is_scalar)) {
    std::vector<std::string> items;
    for (const YAML::Node& item : value) items.push_back(item.Scalar());
    expected = field.set_list(items);
  }
  if (!expected) return;
  std::string message =
      fmt::format("{}: found {}, expected {}", field.key, Describe(value), *expected);
  if (value.IsNull() && field.expected == "text") message += ", or \"\" for none";
  if (value.IsScalar()) {
    const std::string_view meant = Nearest(value.Scalar(), field.choices);
    if (!meant.empty()) message += fmt::format(", did you mean \"{}\"?", meant);
  }
  Refuse(place, message);
}

// Returns the field that was probably meant, or null.
const Field* Reader::RefuseUnknown(const YAML::Node& value, const std::string& key,
                                   const std::string& section, std::string_view name,
                                   const Place& place) {
  const Field* meant = NearestField(value, section, name);
  if (meant != nullptr) {
    Refuse(place, fmt::format("unknown key {}, did you mean \"{}\"?", Shown(key), meant->key));
    return meant;
  }
  std::vector<std::string_view> known;
  // An override may name a section that is not there: then the whole path is wrong, from its first name.
  const bool is_section =
      section.empty() || (Find(section) != nullptr && Find(section)->is_section());
  for (const Field& field : fields_) {
    if (field.parent() == (is_section ? section : "")) known.push_back(field.name());
  }
  Refuse(place,
         fmt::format("unknown key {}, expected {} {}", Shown(key),
                     is_section ? "one of" : "a path that begins with", fmt::join(known, ", ")));
  return nullptr;
}

// The nearest name wins, one in the same section before one elsewhere. Of sections, those that have
// more of the keys below the unknown one come first: `train` with `max_epochs` in it is `training`,
// with `source` in it `data.train`.
const Field* Reader::NearestField(const YAML::Node& value, std::string_view section,
                                  std::string_view name) const {
  const Field* nearest = nullptr;
  std::size_t most_shared = 0, least_cost = 0;
  for (const Field& field : fields_) {
    if (field.is_section() != value.IsMap() && !value.IsNull()) continue;
    const std::size_t shared = CountKnownKeys(value, field.key);
    const std::optional<std::size_t> slips = Slips(name, field.name());
    const bool is_elsewhere = field.parent() != section;
    // Elsewhere, where there are many names, a name of other words is no longer near.
    const bool is_near = slips && (!is_elsewhere || *slips <= 2);
    if (!is_near && shared == 0) continue;
    const std::size_t cost = 2 * slips.value_or(name.size()) + (is_elsewhere ? 1 : 0);
    if (nearest == nullptr || shared > most_shared ||
        (shared == most_shared && cost < least_cost)) {
      nearest = &field;
      most_shared = shared;
      least_cost = cost;
    }
  }
  return nearest;
}

std::size_t Reader::CountKnownKeys(const YAML::Node& value, std::string_view section) const {
  if (!value.IsMap()) return 0;
  return std::ranges::count_if(fields_, [&](const Field& field) {
    return field.parent() == section && value[std::string(field.name())].IsDefined();
  });
}

void Reader::ReadOverride(const std::string& text) {
  const Place place{kOverride, fmt::format("--set {}", OneLine(text))};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Refuse(place, "expected key.path=value, as training.learning_rate=1e-4");
  }
  const std::string key = text.substr(0, equals);
  try {
    const YAML::Node value = YAML::Load(text.substr(equals + 1));
    if (Field* field = Find(key)) {
      if (field->is_section()) {
        return Refuse(place, fmt::format("{} is a section, expected a key in it", key));
      }
      return ReadValue(value, *field, place);
    }
    const std::size_t dot = key.rfind('.');
    const std::string section = dot == std::string::npos ? "" : key.substr(0, dot);
    RefuseUnknown(value, key, section, std::string_view(key).substr(dot + 1), place);
  } catch (const YAML::Exception& error) {
    Refuse(place, fmt::format("not a YAML scalar: {}", error.msg));
  }
}

void Reader::SetDependentDefaults() {
  ModelOptions& model = options_.model;
  if (model.type == ModelType::kTransformer && !places_.contains("model.embedding_size")) {
    model.embedding_size = model.hidden_size;
  }
  if (model.type == ModelType::kGru && !places_.contains("model.decoder_layers")) {
    model.decoder_layers = 1;
  }
}

void Reader::CheckTogether() {
  for (const OptionProblem& problem : FindProblems(options_)) {
    Place place{kNoLine, file_name_};
    for (const std::string& key : problem.keys) {
      if (const auto given = places_.find(key); given != places_.end()) {
        place = given->second;
        break;
      }
    }
    Refuse(place, problem.message);
  }
}

absl::StatusOr<Options> Reader::Finish() {
  if (faults_.empty()) {
    SetDependentDefaults();
    CheckTogether();
  }
  if (faults_.empty()) return options_;
  std::ranges::stable_sort(faults_, {}, &Place::line);
  std::vector<std::string_view> lines;
  for (const Place& fault : faults_) lines.push_back(fault.text);
  return UsageError(fmt::format("{}", fmt::join(lines, "\n")));
}

// `path` as seen from `folder`.
void Resolve(const std::filesystem::path& folder, std::string& path) {
  if (path.empty()) return;
  std::filesystem::path resolved = (folder / path).lexically_normal();
  if (!resolved.has_filename()) resolved = resolved.parent_path();  // "runs/gru/"
  path = resolved.string();
}

}  // namespace

absl::StatusOr<Options> ParseOptions(std::string_view yaml, std::string_view file_name,
                                     const std::vector<std::string>& overrides) {
  Reader reader(file_name);
  reader.ReadText(yaml);
  for (const std::string& text : overrides) reader.ReadOverride(text);
  return reader.Finish();
}

absl::StatusOr<Options> ReadOptions(const std::filesystem::path& yaml_file,
                                    const std::vector<std::string>& overrides) {
  const absl::StatusOr<std::string> yaml = ReadFile(yaml_file);
  if (!yaml.ok()) return UsageError(std::string(yaml.status().message()));
  NMT_ASSIGN_OR_RETURN(Options options, ParseOptions(*yaml, yaml_file.string(), overrides));
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(yaml_file, error);
  if (error) return UsageError(fmt::format("{}: {}", yaml_file.string(), error.message()));
  const std::filesystem::path folder = absolute.parent_path();
  Resolve(folder, options.run_dir);
  Resolve(folder, options.training.warm_start);
  for (ParallelFiles* files : {&options.data.valid, &options.data.test}) {
    for (std::string* path : {&files->source, &files->target, &files->alignment}) {
      Resolve(folder, *path);
    }
  }
  TrainingFiles& train = options.data.train;
  for (std::vector<std::string>* paths : {&train.source, &train.target, &train.alignment}) {
    for (std::string& path : *paths) Resolve(folder, path);
  }
  return options;
}

}  // namespace nmt
