#include "nmt/decoding/forced.h"

#include <torch/torch.h>

#include <algorithm>

#include "nmt/decoding/translator.h"

namespace nmt {

void ForEachForced(Seq2Seq& model, const std::vector<Ids>& sources, const std::vector<Ids>& targets,
                   bool attention, const ForcedOptions& options,
                   const std::function<void(size_t, const ForcedPair&)>& visit) {
  const torch::InferenceMode inference;
  std::vector<size_t> lengths;  // the longer side of each pair, with </s>
  for (size_t i = 0; i < sources.size(); ++i)
    lengths.push_back(std::max(sources[i].size(), targets[i].size()) + 1);
  int64_t done = 0;
  for (const std::vector<size_t>& rows : BatchesByLength(lengths, options.batch_size)) {
    std::vector<Ids> batch_sources, batch_targets;
    for (const size_t i : rows) {
      batch_sources.push_back(sources[i]);
      batch_targets.push_back(targets[i]);
    }
    const Batch batch = MakeBatch(batch_sources, batch_targets).To(model.device());
    const DecoderOutput output =
        model.Forward(batch, {.attention = attention, .value_norms = attention});
    Tensor attention_BLHTS, value_norms_BLHS;
    if (attention) {
      attention_BLHTS = output.attention_BLHTS.to(torch::kCPU, torch::kFloat32);
      value_norms_BLHS = output.value_norms_BLHS.to(torch::kCPU, torch::kFloat32);
    }
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto b = static_cast<int64_t>(row);
      const auto source_length = static_cast<int64_t>(batch_sources[row].size()) + 1;
      const auto target_length = static_cast<int64_t>(batch_targets[row].size()) + 1;
      ForcedPair pair{output.hidden_BTD[b].narrow(0, 0, target_length), {}, {}};
      if (attention) {
        pair.attention_LHTS =
            attention_BLHTS[b].narrow(2, 0, target_length).narrow(3, 0, source_length);
        pair.value_norms_LHS = value_norms_BLHS[b].narrow(2, 0, source_length);
      }
      visit(rows[row], pair);
    }
    done += static_cast<int64_t>(rows.size());
    options.progress(done);
  }
}

std::vector<ForcedScore> ForcedScores(Seq2Seq& model, const std::vector<Ids>& sources,
                                      const std::vector<Ids>& targets,
                                      const ForcedOptions& options) {
  std::vector<ForcedScore> scores(sources.size());
  const auto visit = [&](size_t i, const ForcedPair& pair) {
    Ids ids = targets[i];
    ids.push_back(SpecialIds::kEnd);
    const Tensor target_T1 = torch::tensor(ids, torch::kInt64).unsqueeze(1).to(model.device());
    const Tensor log_p_TV = model.Logits(pair.hidden_TD).log_softmax(-1);
    scores[i] = {log_p_TV.gather(1, target_T1).sum(torch::kFloat64).item<double>(),
                 static_cast<int64_t>(ids.size())};
  };
  ForEachForced(model, sources, targets, /*attention=*/false, options, visit);
  return scores;
}

}  // namespace nmt
