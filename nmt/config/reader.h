// Reads a run's config, strictly: nothing in the file is skipped, nothing is guessed.
//
//   absl::StatusOr<Options> options = ReadOptions("run.yaml", {"seed=2"});
//   if (!options.ok()) return options.status();
//   // run.yaml:7: unknown key "training.learning_rat", did you mean "training.learning_rate"?
//
// Every fault of the file and of the overrides is in the one error, a line each, in the order of
// the file's lines; faults between keys (nmt/config/check.h) are looked for once each key by itself
// is right. Unknown keys, duplicate keys and null values are faults.
//   Numbers: decimal, as 4000, 4e3, .1 or 1e-4, with a point in every locale.
//   Booleans: true and false, nothing else; `no`, `on` and 1 are faults.
//   Text: any YAML scalar as it stands, so that the language `no` is "no".
// Keys that are not named take their defaults, two of them from other keys: model.embedding_size is
// model.hidden_size for a transformer, model.decoder_layers is 1 for a GRU.
#ifndef NMT_CONFIG_READER_H_
#define NMT_CONFIG_READER_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/config/options.h"

namespace nmt {

// `overrides` are "key.path=value", from the command line's --set; they are applied in order, after
// the file. Relative paths in run_dir and data.* are taken from the config file's folder, also
// those in overrides, and come out absolute. UsageError, also when the file cannot be read.
absl::StatusOr<Options> ReadOptions(const std::filesystem::path& yaml_file,
                                    const std::vector<std::string>& overrides);

// As ReadOptions(), from text, and paths stay as written. `file_name` is for the errors.
absl::StatusOr<Options> ParseOptions(std::string_view yaml, std::string_view file_name,
                                     const std::vector<std::string>& overrides);

}  // namespace nmt

#endif  // NMT_CONFIG_READER_H_
