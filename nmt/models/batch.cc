#include "nmt/models/batch.h"

#include <torch/torch.h>

#include <algorithm>

namespace nmt {

Tensor PadRows(const std::vector<Ids>& rows) {
  size_t longest = 0;
  for (const Ids& row : rows) longest = std::max(longest, row.size());
  Tensor padded = torch::full({static_cast<int64_t>(rows.size()), static_cast<int64_t>(longest)},
                              SpecialIds::kPad, torch::kInt64);
  int64_t* out = padded.mutable_data_ptr<int64_t>();
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), out + i * longest);
  return padded;
}

SourceBatch MakeSourceBatch(const std::vector<Ids>& sources) {
  std::vector<Ids> rows = sources;
  Ids lengths;
  for (Ids& row : rows) {
    row.push_back(SpecialIds::kEnd);
    lengths.push_back(static_cast<int64_t>(row.size()));
  }
  return {PadRows(rows), torch::tensor(lengths, torch::kInt64)};
}

Batch MakeBatch(const std::vector<Ids>& sources, const std::vector<Ids>& targets) {
  TORCH_CHECK(sources.size() == targets.size(), sources.size(), " sources, but ", targets.size(),
              " targets");
  std::vector<Ids> inputs, outputs;
  int64_t tokens = 0;
  for (const Ids& target : targets) {
    Ids& input = inputs.emplace_back(Ids{SpecialIds::kBegin});
    input.insert(input.end(), target.begin(), target.end());
    Ids& output = outputs.emplace_back(target);
    output.push_back(SpecialIds::kEnd);
    tokens += static_cast<int64_t>(output.size());
  }
  return {MakeSourceBatch(sources), PadRows(inputs), PadRows(outputs), tokens};
}

Tensor MakeLinks(const Batch& batch, const std::vector<std::vector<PieceLink>>& links) {
  bool any = false;
  for (const std::vector<PieceLink>& pair : links) any = any || !pair.empty();
  if (!any) return {};
  const Tensor links_BTS =
      torch::zeros({batch.target_output_BT.size(0), batch.target_output_BT.size(1),
                    batch.source.ids_BS.size(1)});
  auto cells = links_BTS.accessor<float, 3>();
  for (size_t b = 0; b < links.size(); ++b) {
    for (const PieceLink& link : links[b])
      cells[static_cast<int64_t>(b)][link.target][link.source] = 1;
  }
  return links_BTS / links_BTS.sum(2, /*keepdim=*/true).clamp_min(1);
}

}  // namespace nmt
