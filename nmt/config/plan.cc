#include "nmt/config/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>

#include "nmt/base/file.h"
#include "nmt/config/field.h"
#include "nmt/config/nearest.h"
#include "nmt/config/reader.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

// A key with the values that it takes, as text that the config's reader understands.
struct Setting {
  std::string key;
  std::vector<std::string> values;
};

class PlanReader {
 public:
  explicit PlanReader(const fs::path& file)
      : file_(file), folder_(fs::absolute(file).parent_path()) {}

  absl::StatusOr<Plan> Read(const std::string& yaml);

 private:
  void ReadTop(const YAML::Node& top);
  void ReadRun(const YAML::Node& node);
  PlannedTest ReadTest(const YAML::Node& node, const std::string& name);
  std::vector<Setting> ReadSettings(const YAML::Node& node);
  std::vector<std::string> ReadSeeds(const YAML::Node& node);
  void AddVariants(const YAML::Node& node, const fs::path& config, const std::string& name,
                   const std::vector<Setting>& settings);
  void AddRun(const YAML::Node& node, PlannedRun run);

  // Refuses keys of a mapping that are not known, and what is no mapping.
  bool CheckKeys(const YAML::Node& node, const char* what,
                 std::initializer_list<std::string_view> known);
  std::string Text(const YAML::Node& mapping, const char* key);
  std::string Path(const YAML::Node& mapping, const char* key) {
    const std::string text = Text(mapping, key);
    return text.empty() ? text : (folder_ / text).lexically_normal().string();
  }
  void Refuse(const YAML::Node& node, std::string_view message) {
    faults_.push_back(
        fmt::format("{}:{}: {}", file_.string(), std::max(0, node.Mark().line) + 1, message));
  }

  const fs::path file_, folder_;
  Plan plan_;
  std::vector<std::string> seeds_;
  std::vector<Setting> common_;
  std::set<std::string> names_;
  std::vector<std::string> faults_;
};

bool PlanReader::CheckKeys(const YAML::Node& node, const char* what,
                           std::initializer_list<std::string_view> known) {
  if (!node.IsMap()) {
    Refuse(node, fmt::format("{}: expected a mapping with {}", what, fmt::join(known, ", ")));
    return false;
  }
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::string_view meant = Nearest(key, known);
      Refuse(entry.first,
             fmt::format("{}: unknown key \"{}\", {}", what, key,
                         meant.empty() ? fmt::format("expected one of {}", fmt::join(known, ", "))
                                       : fmt::format("did you mean \"{}\"?", meant)));
    } else if (!seen.insert(key).second) {
      Refuse(entry.first, fmt::format("{}: the key \"{}\" is given twice", what, key));
    }
  }
  return true;
}

std::string PlanReader::Text(const YAML::Node& mapping, const char* key) {
  const YAML::Node value = mapping[key];
  if (!value) return "";
  if (!value.IsScalar() || value.Scalar().empty()) {
    Refuse(value, fmt::format("{}: expected text", key));
    return "";
  }
  return value.Scalar();
}

std::vector<std::string> PlanReader::ReadSeeds(const YAML::Node& node) {
  std::vector<std::string> seeds;
  if (!node) return seeds;
  const auto is_number = [](const YAML::Node& seed) {
    return seed.IsScalar() && !seed.Scalar().empty() &&
           seed.Scalar().find_first_not_of("0123456789") == std::string::npos;
  };
  const bool is_list =
      node.IsSequence() && node.size() > 0 && std::all_of(node.begin(), node.end(), is_number);
  if (!is_list) Refuse(node, "seeds: expected a list of numbers, as [1, 2, 3]");
  for (const YAML::Node& seed : node) {
    if (!is_list) break;
    if (std::find(seeds.begin(), seeds.end(), seed.Scalar()) != seeds.end())
      Refuse(seed, fmt::format("seeds: {} is given twice", seed.Scalar()));
    seeds.push_back(seed.Scalar());
  }
  return seeds;
}

std::vector<Setting> PlanReader::ReadSettings(const YAML::Node& node) {
  std::vector<Setting> settings;
  if (!node) return settings;
  if (!node.IsMap()) {
    Refuse(
        node,
        "set: expected a mapping from keys of a config to values, as {model.dropout: [0.1, 0.2]}");
    return settings;
  }
  for (const auto& entry : node) {
    Setting setting{.key = entry.first.IsScalar() ? entry.first.Scalar() : "", .values = {}};
    if (setting.key == "run_dir" || setting.key == "seed") {
      Refuse(entry.first, fmt::format("set: {} is the plan's own: use {}", setting.key,
                                      setting.key == "seed" ? "seeds" : "out and name"));
      continue;
    }
    const auto given = [&](const Setting& other) { return other.key == setting.key; };
    if (std::any_of(settings.begin(), settings.end(), given))
      Refuse(entry.first, fmt::format("set: the key {} is given twice", setting.key));
    const YAML::Node& value = entry.second;
    if (value.IsScalar()) setting.values.push_back(value.Scalar());
    for (const YAML::Node& one : value) {
      if (value.IsSequence() && one.IsScalar()) setting.values.push_back(one.Scalar());
    }
    const bool whole = value.IsScalar() || (value.IsSequence() && value.size() > 0 &&
                                            setting.values.size() == value.size());
    if (!whole)
      Refuse(value, fmt::format("set: {}: expected a value or a list of values", setting.key));
    settings.push_back(std::move(setting));
  }
  return settings;
}

PlannedTest PlanReader::ReadTest(const YAML::Node& node, const std::string& name) {
  if (!CheckKeys(node, name.c_str(), {"source", "reference", "gold"})) return {};
  PlannedTest test{name, Path(node, "source"), Path(node, "reference"), Path(node, "gold")};
  if (test.source.empty() || test.reference.empty())
    Refuse(node, fmt::format("{}: needs source and reference", name));
  return test;
}

// What a value looks like in the name of a folder.
std::string InName(std::string value) {
  std::ranges::replace_if(
      value, [](unsigned char c) { return c <= 0x20 || c == '/' || c == 0x7F; }, '_');
  return value;
}

// One run for each combination of values and each seed; the last setting changes fastest.
void PlanReader::AddVariants(const YAML::Node& node, const fs::path& config,
                             const std::string& name, const std::vector<Setting>& settings) {
  std::vector<size_t> at(settings.size(), 0);
  while (true) {
    PlannedRun variant{.name = name, .config = config, .overrides = {}, .options = {}};
    for (size_t s = 0; s < settings.size(); ++s) {
      const auto& [key, values] = settings[s];
      variant.overrides.push_back(key + "=" + values[at[s]]);
      if (values.size() > 1) variant.name += "-" + InName(values[at[s]]);
    }
    for (const std::string& seed : seeds_) {
      PlannedRun run = variant;
      run.overrides.push_back("seed=" + seed);
      if (seeds_.size() > 1) run.name += "-seed" + seed;
      AddRun(node, std::move(run));
    }
    if (seeds_.empty()) AddRun(node, std::move(variant));
    size_t s = settings.size();
    while (s > 0 && ++at[s - 1] == settings[s - 1].values.size()) at[--s] = 0;
    if (s == 0) return;
  }
}

void PlanReader::AddRun(const YAML::Node& node, PlannedRun run) {
  if (!names_.insert(run.name).second) {
    return Refuse(node,
                  fmt::format("a second run \"{}\": give the entries different names", run.name));
  }
  run.overrides.push_back("run_dir=" + QuoteYaml((plan_.out / run.name).string()));
  absl::StatusOr<Options> options = ReadOptions(run.config, run.overrides);
  if (!options.ok()) {
    return Refuse(node, fmt::format("{}: {}", run.name, std::string(options.status().message())));
  }
  run.options = *std::move(options);
  plan_.runs.push_back(std::move(run));
}

void PlanReader::ReadRun(const YAML::Node& node) {
  if (!CheckKeys(node, "runs", {"config", "name", "set"})) return;
  const std::string config = Path(node, "config");
  if (config.empty()) return Refuse(node, "runs: an entry needs a config");
  std::string name = Text(node, "name");
  if (name.empty()) name = fs::path(config).stem().string();
  if (name.find('/') != std::string::npos || name.starts_with("."))
    return Refuse(node, fmt::format("name: \"{}\" cannot be the name of a folder", name));
  for (const std::string_view taken : {"report", "logs", "configs"}) {
    if (name == taken)
      return Refuse(node, fmt::format("name: {} is a folder of the experiment's own", name));
  }
  std::vector<Setting> settings = common_;
  for (Setting& setting : ReadSettings(node["set"])) {
    // What an entry says stands in place of what is said for all.
    std::erase_if(settings, [&](const Setting& common) { return common.key == setting.key; });
    settings.push_back(std::move(setting));
  }
  if (std::ranges::any_of(settings, [](const Setting& one) { return one.values.empty(); })) return;
  AddVariants(node, config, name, settings);
}

void PlanReader::ReadTop(const YAML::Node& top) {
  if (!CheckKeys(top, "plan", {"out", "seeds", "set", "runs", "test", "parts"})) return;
  plan_.out = Path(top, "out");
  if (plan_.out.empty()) Refuse(top, "out: not given, expected a folder for runs and report");
  seeds_ = ReadSeeds(top["seeds"]);
  plan_.seeds = std::max<size_t>(1, seeds_.size());
  common_ = ReadSettings(top["set"]);
  const YAML::Node runs = top["runs"];
  if (!runs || !runs.IsSequence() || runs.size() == 0) {
    return Refuse(runs ? runs : top, "runs: expected a list of entries with a config each");
  }
  if (!faults_.empty()) return;
  for (const YAML::Node& run : runs) ReadRun(run);
  if (const YAML::Node test = top["test"]) {
    plan_.test = ReadTest(test, "test");
  } else if (!plan_.runs.empty()) {
    const ParallelFiles& files = plan_.runs[0].options.data.test;
    plan_.test = {"test", files.source, files.target, files.alignment};
    if (files.source.empty())
      Refuse(top, "test: not given, and the first run's config has no data.test either");
  }
  if (const YAML::Node parts = top["parts"]) {
    if (!parts.IsMap()) Refuse(parts, "parts: expected a mapping from names to test sets");
    for (const auto& part : parts) {
      if (parts.IsMap() && part.first.IsScalar())
        plan_.parts.push_back(ReadTest(part.second, part.first.Scalar()));
    }
  }
}

absl::StatusOr<Plan> PlanReader::Read(const std::string& yaml) {
  try {
    ReadTop(YAML::Load(yaml));
  } catch (const YAML::Exception& error) {
    faults_.push_back(
        fmt::format("{}:{}: not YAML: {}", file_.string(), error.mark.line + 1, error.msg));
  }
  if (faults_.empty()) return std::move(plan_);
  return UsageError(fmt::format("{}", fmt::join(faults_, "\n")));
}

}  // namespace

absl::StatusOr<Plan> ReadPlan(const fs::path& yaml_file) {
  const absl::StatusOr<std::string> yaml = ReadFile(yaml_file);
  if (!yaml.ok()) return UsageError(std::string(yaml.status().message()));
  return PlanReader(yaml_file).Read(*yaml);
}

}  // namespace nmt
