#include "nmt/report/run_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "nmt/config/field.h"
#include "nmt/config/printer.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

// More differing keys than this say less than the folder's name.
constexpr size_t kMostKeys = 3;

// What two runs of one system share: all but seed, folder and machine.
Options SystemOf(Options options) {
  options.run_dir.clear();
  options.seed = 0;
  options.threads = 0;
  options.device = "auto";
  return options;
}

std::string FolderOf(const ModelResult& model) {
  const fs::path path = fs::path(model.run).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// "dropout 0.2" of "model.dropout"; text without its quotes.
std::string Shown(const Field& field) {
  std::string value = field.get();
  std::erase(value, '"');
  return fmt::format("{} {}", field.name(), value);
}

// Names for systems of one title.
std::vector<std::string> NameSystems(const std::string& title, std::vector<Options>& systems,
                                     const std::vector<std::string>& folders) {
  std::vector<std::vector<Field>> fields;
  for (Options& system : systems) fields.push_back(ListFields(system));
  std::vector<size_t> differing;
  for (size_t f = 0; f < fields[0].size(); ++f) {
    const Field& first = fields[0][f];
    const bool in_title = first.key == "model.type" || first.key == "model.attention";
    if (first.is_section() || in_title) continue;
    const bool differs = std::any_of(fields.begin(), fields.end(), [&](const auto& of_system) {
      return of_system[f].get() != first.get();
    });
    if (differs) differing.push_back(f);
  }
  std::vector<std::string> names;
  for (size_t s = 0; s < systems.size(); ++s) {
    std::string name = title;
    if (differing.size() > kMostKeys) {
      name += fmt::format(" ({})", folders[s]);
    } else {
      for (const size_t f : differing) name += ", " + Shown(fields[s][f]);
    }
    names.push_back(name);
  }
  return names;
}

// Numbers what is still alike: "name", "name #2".
void TellApart(std::vector<std::string>& names) {
  std::set<std::string> taken;
  for (std::string& name : names) {
    const std::string given = name;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("{} #{}", given, number);
  }
}

absl::Status CheckRunsDiffer(const std::vector<ModelResult>& models) {
  std::set<fs::path> seen;
  for (const ModelResult& model : models) {
    std::error_code ignored;
    const fs::path path = fs::weakly_canonical(model.run, ignored);
    if (!seen.insert(path.has_filename() ? path : path.parent_path()).second)
      return UsageError(fmt::format("{}: given twice, expected different runs", model.run));
  }
  return absl::OkStatus();
}

}  // namespace

std::string ModelTitle(const ModelOptions& options) {
  const bool gru = options.type == ModelType::kGru;
  AttentionScore score = options.attention;
  if (score == AttentionScore::kDefault)
    score = gru ? AttentionScore::kAdditive : AttentionScore::kScaledDot;
  std::string name(EnumName(score));
  std::replace(name.begin(), name.end(), '_', ' ');
  return fmt::format("{}, {} attention", gru ? "GRU" : "Transformer", name);
}

absl::Status NameRuns(std::vector<Options> options, bool seeds, std::vector<ModelResult>& models) {
  NMT_RETURN_IF_ERROR(CheckRunsDiffer(models));
  // The systems in the order of their first runs, and which one each run is of.
  std::vector<Options> systems;
  std::vector<std::string> texts, titles, folders;
  std::vector<size_t> system_of;
  for (size_t m = 0; m < models.size(); ++m) {
    const Options system = SystemOf(options[m]);
    const std::string text = PrintOptions(system);
    const auto known = std::find(texts.begin(), texts.end(), text);
    system_of.push_back(static_cast<size_t>(known - texts.begin()));
    if (known != texts.end()) continue;
    texts.push_back(text);
    systems.push_back(system);
    titles.push_back(ModelTitle(system.model));
    folders.push_back(FolderOf(models[m]));
  }
  std::vector<std::string> names(systems.size());
  for (const std::string& title : std::set<std::string>(titles.begin(), titles.end())) {
    std::vector<size_t> members;
    std::vector<Options> of_title;
    std::vector<std::string> of_folder;
    for (size_t s = 0; s < systems.size(); ++s) {
      if (titles[s] != title) continue;
      members.push_back(s);
      of_title.push_back(systems[s]);
      of_folder.push_back(folders[s]);
    }
    const std::vector<std::string> named = NameSystems(title, of_title, of_folder);
    for (size_t i = 0; i < members.size(); ++i) names[members[i]] = named[i];
  }
  TellApart(names);

  std::vector<std::set<int64_t>> seeds_of(systems.size());
  for (size_t m = 0; m < models.size(); ++m) {
    const bool is_new = seeds_of[system_of[m]].insert(options[m].seed).second;
    if (seeds && !is_new)
      return UsageError(
          fmt::format("{}: a second run of {} with seed {}; runs of --seeds differ in the seed",
                      models[m].run, names[system_of[m]], options[m].seed));
  }
  std::vector<std::string> run_names;
  for (size_t m = 0; m < models.size(); ++m) {
    const size_t system = system_of[m];
    const auto runs = std::count(system_of.begin(), system_of.end(), system);
    run_names.push_back(names[system]);
    if (runs > 1) run_names.back() += fmt::format(", seed {}", options[m].seed);
    if (seeds) models[m].group = names[system];
  }
  TellApart(run_names);
  for (size_t m = 0; m < models.size(); ++m) models[m].name = run_names[m];
  return absl::OkStatus();
}

}  // namespace nmt
