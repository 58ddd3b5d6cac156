// Whole models of tests/golden: the model that a file's config describes, with the file's
// parameters, and its batches.
#ifndef NMT_TESTS_GOLDEN_MODELS_H_
#define NMT_TESTS_GOLDEN_MODELS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "nmt/config/reader.h"
#include "nmt/models/seq2seq.h"
#include "tests/golden_testing.h"

namespace nmt {

struct GoldenModel {
  Golden golden;
  Options options;
  std::shared_ptr<Seq2Seq> model;
  std::vector<Batch> batches;
};

inline GoldenModel LoadGoldenModel(const std::string& name, torch::ScalarType dtype) {
  GoldenModel loaded{.golden = Golden(name)};
  const Golden& golden = loaded.golden;
  // What a run needs besides; no test reads it.
  auto options = ParseOptions(golden.Metadata("config"), golden.file(),
                              {"run_dir=none", "data.train.source=none", "data.train.target=none",
                               "data.valid.source=none", "data.valid.target=none"});
  if (!options.ok()) throw std::runtime_error(std::string(options.status().message()));
  loaded.options = *std::move(options);
  const Tensor& target_VE = golden["parameter.embeddings.target"];
  const std::string source = "parameter.embeddings.source";
  const Tensor& source_VE = golden.Has(source) ? golden[source] : target_VE;  // absent: tied
  loaded.model =
      MakeModel(loaded.options.model, {source_VE.size(0), target_VE.size(0)}, /*seed=*/1);
  loaded.model->to(dtype);
  SetParameters(*loaded.model, golden, "parameter.");
  for (const std::string prefix : {"batch0.", "batch1."}) {
    Batch batch{.source = {golden[prefix + "source_BS"], golden[prefix + "source_lengths_B"]},
                .target_input_BT = golden[prefix + "target_input_BT"],
                .target_output_BT = golden[prefix + "target_output_BT"]};
    batch.target_tokens = batch.target_output_BT.ne(SpecialIds::kPad).sum().item<int64_t>();
    loaded.batches.push_back(batch);
  }
  return loaded;
}

// A bias of the keys adds the same number to all scores of a query, which softmax does not feel:
// with a product as the score its gradient is 0 in exact arithmetic, and rounding noise in any
// other.
inline bool HasNoGradient(const ModelOptions& options, const std::string& parameter) {
  return parameter.ends_with("key.bias") && options.attention == AttentionScore::kScaledDot;
}

using GoldenCase = std::tuple<std::string, torch::ScalarType>;

inline auto GoldenCases() {
  return testing::Combine(
      testing::Values("gru_conditional", "gru_bahdanau", "gru_scaled_dot", "transformer_pre_norm",
                      "transformer_post_norm", "transformer_additive"),
      GoldenDtypes());
}

inline std::string GoldenCaseName(const testing::TestParamInfo<GoldenCase>& info) {
  return std::get<0>(info.param) + "_" + DtypeName(std::get<1>(info.param));
}

}  // namespace nmt

#endif  // NMT_TESTS_GOLDEN_MODELS_H_
