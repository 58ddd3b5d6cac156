#include "nmt/lab/small_tensors.h"

#include <torch/torch.h>

#include "nmt/lab/lab_report.h"

namespace nmt {

Tensor Rows(const std::vector<std::vector<double>>& rows) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return torch::tensor(flat, torch::kFloat64)
      .view({1, 1, static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())});
}

std::vector<double> Numbers(const Tensor& x) {
  const Tensor flat = x.detach().to(torch::kFloat64).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

std::vector<float> Floats(const Tensor& x) {
  const Tensor flat = x.detach().to(torch::kFloat32).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

std::vector<std::string> Cells(const Tensor& row, int decimals) {
  std::vector<std::string> cells;
  for (const double value : Numbers(row)) cells.push_back(LabFixed(value, decimals));
  return cells;
}

}  // namespace nmt
