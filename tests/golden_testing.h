// Comparison with the tensors that PyTorch made (tests/golden/make_torch_golden.py).
//
//   const Golden golden("scores");                              // tests/golden/scores.safetensors
//   ExpectGolden(scores_BHTS, golden, "dot.scores_BHTS");
//
// Two tensors are equal when their largest absolute difference, divided by the largest absolute
// value of the expected one, is at most 1e-9 in float64 and 1e-5 in float32. The file is float64 in
// both cases. Each ratio is a property of the test: --gtest_output=xml lists them.
#ifndef NMT_TESTS_GOLDEN_TESTING_H_
#define NMT_TESTS_GOLDEN_TESTING_H_

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/checkpoint/safetensors.h"

namespace nmt {

using torch::Tensor;

class Golden {
 public:
  explicit Golden(std::string_view name) : file_(fmt::format("tests/golden/{}.safetensors", name)) {
    auto read = ReadSafetensors(std::string(NMT_SOURCE_DIR "/") + file_);
    if (!read.ok()) throw std::runtime_error(std::string(read.status().message()));
    contents_ = *std::move(read);
  }

  const std::string& file() const { return file_; }
  bool Has(const std::string& name) const { return contents_.tensors.contains(name); }

  const Tensor& operator[](const std::string& name) const {
    if (!Has(name)) throw std::out_of_range(fmt::format("{} has no tensor \"{}\"", file_, name));
    return contents_.tensors.at(name);
  }

  const std::string& Metadata(const std::string& key) const { return contents_.metadata.at(key); }

  // The names that begin with `prefix`, without it.
  std::vector<std::string> Below(std::string_view prefix) const {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : contents_.tensors) {
      if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
    }
    return names;
  }

 private:
  std::string file_;
  TensorFile contents_;
};

inline double GoldenTolerance(torch::ScalarType dtype) {
  return dtype == torch::kFloat64 ? 1e-9 : 1e-5;
}

// Where to look when a tensor differs.
inline std::string GoldenHint(const std::string& name) {
  if (name.find("gradient.") != std::string::npos) {
    return "if the values agree, a backward pass is wrong (nmt's own: GruSequence, "
           "GruDecoderSequence, "
           "LinearLossFunction)";
  }
  if (name.starts_with("updated.")) {
    return "if the gradients agree, look at Adam, clipping, the schedule or the sum over batches";
  }
  if (name.ends_with("_U")) return "look at the loss, at clipping or at the schedule";
  return "the forward pass differs; the test compares in its order, so the first failure is "
         "nearest";
}

inline void ExpectGolden(const Tensor& found, const Golden& golden, const std::string& name) {
  const Tensor& expected = golden[name];
  ASSERT_EQ(found.sizes(), expected.sizes()) << golden.file() << ": \"" << name << "\"";
  const double tolerance = GoldenTolerance(found.scalar_type());
  const Tensor found64 = found.detach().to(torch::kFloat64);
  const Tensor difference = (found64 - expected).abs().flatten();
  const double ratio = difference.max().item<double>() / expected.abs().max().item<double>();
  testing::Test::RecordProperty(name, fmt::format("{:.1e}", ratio));
  const int64_t worst = difference.argmax().item<int64_t>();
  EXPECT_LE(ratio, tolerance) << fmt::format(
      "{}: \"{}\" of shape {}, element {}: found {:.12g}, expected {:.12g}.\n  {} tolerance: {:g} "
      "of the largest value, {:.6g}\n  hint: {}",
      golden.file(), name, c10::str(expected.sizes()), worst,
      found64.flatten()[worst].item<double>(), expected.flatten()[worst].item<double>(),
      c10::toString(found.scalar_type()), tolerance, expected.abs().max().item<double>(),
      GoldenHint(name));
}

// For a tensor that is 0 in exact arithmetic: both hold rounding noise, which has no digits to
// compare. It must be within the tolerance of `scale`.
inline void ExpectNearlyZero(const Tensor& found, double scale, const std::string& name) {
  EXPECT_LE(found.abs().max().item<double>(), GoldenTolerance(found.scalar_type()) * scale)
      << name << " is 0 in exact arithmetic";
}

// Gives the module the parameters of the file, "<prefix>NAME" for each of its own NAMEs.
inline void SetParameters(torch::nn::Module& module, const Golden& golden,
                          const std::string& prefix) {
  torch::NoGradGuard no_grad;
  const auto parameters = module.named_parameters();
  EXPECT_EQ(parameters.size(), golden.Below(prefix).size()) << golden.file() << ": " << prefix;
  for (const auto& parameter : parameters) {
    const Tensor& value = golden[prefix + parameter.key()];
    ASSERT_EQ(parameter.value().sizes(), value.sizes()) << golden.file() << ": " << parameter.key();
    parameter.value().copy_(value);
  }
}

// The dtypes that each golden test runs in, and their names.
inline auto GoldenDtypes() { return testing::Values(torch::kFloat64, torch::kFloat32); }
inline std::string DtypeName(torch::ScalarType dtype) {
  return dtype == torch::kFloat64 ? "float64" : "float32";
}

}  // namespace nmt

#endif  // NMT_TESTS_GOLDEN_TESTING_H_
